/* file_store.c - see file_store.h. */
#include "file_store.h"
#include "folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC        UINT64_C(0x32766b6c63776c63) /* "clwclkv2" */
#define OTHERS       077
#define OTHERS_WRITE 022
#define DAY          86400
#define KEY_DIGITS   32
#define HEX          "0123456789abcdef"
#define OLD_DIGITS   16 /* files of earlier versions are not read, and are removed like the rest */
#define ENTRY_BYTES  48 /* a file in the making has ".thread" behind its name */

struct header { /* the identity follows, then the data */
    uint64_t magic, identity, bytes;
    struct cw_key sum; /* of the data */
};

_Static_assert(CW_FILE_STORE_NAME_BYTES == KEY_DIGITS + 1, "a name");

void cw_file_store_name(const struct cw_identity *id, char name[CW_FILE_STORE_NAME_BYTES])
{
    struct cw_key key = cw_identity_key(id);

    snprintf(name, CW_FILE_STORE_NAME_BYTES, "%016llx%016llx", (unsigned long long)key.half[0],
             (unsigned long long)key.half[1]);
}

void cw_file_store_init(struct cw_file_store *s, const char *folder)
{
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    char above[PATH_MAX];

    s->trimmed = false;
    s->most_files = CW_FILE_STORE_FILES;
    s->most_bytes = CW_FILE_STORE_BYTES;
    *s->folder = '\0';
    if ((size_t)(name - folder) >= sizeof above || strlen(name) >= sizeof s->folder)
        return;
    snprintf(above, sizeof above, "%.*s", slash ? (int)(name - folder) : 1, slash ? folder : ".");
    if (realpath(above, s->above))
        strcpy(s->folder, name);
}

static void block_signals(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* A write beyond a file-size limit has left its signal behind. */
static void unblock_signals(const sigset_t *before)
{
    sigset_t limit;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The folder, and the one above it, must be the user's own: either may have become a link meanwhile. make:
 * make it. */
int cw_file_store_open(const struct cw_file_store *s, bool make)
{
    int at = *s->folder ? cw_cache_folder_open(AT_FDCWD, s->above, OTHERS_WRITE) : -1, fd;

    if (at < 0)
        return -1;
    if (make)
        mkdirat(at, s->folder, 0700);
    fd = cw_cache_folder_open(at, s->folder, OTHERS);
    close(at);
    return fd;
}

static bool all_read(int fd, void *to, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = read(fd, (char *)to + at, bytes - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool all_written(int fd, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = write(fd, (const char *)from + at, bytes - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Fills `id` with the file's identity, of `length` bytes. */
static bool read_identity(int fd, uint64_t length, struct cw_identity *id)
{
    *id = (struct cw_identity){.bytes = malloc(length + 1), .length = length, .capacity = length + 1};
    id->failed = !id->bytes || !all_read(fd, id->bytes, length);
    return !id->failed;
}

static bool read_header(int fd, struct header *h, struct stat *st)
{
    return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & OTHERS) &&
           all_read(fd, h, sizeof *h) && h->magic == MAGIC && h->bytes > 0 &&
           h->bytes <= CW_FILE_STORE_LARGEST && h->identity <= CW_FILE_STORE_LARGEST - h->bytes &&
           (uint64_t)st->st_size == sizeof *h + h->identity + h->bytes;
}

/* `id`: the one that the file must have, or NULL; then it is filled into *found. */
static void *read_file(int fd, const struct cw_identity *id, struct cw_identity *found, size_t *bytes)
{
    struct header h;
    struct stat st;
    char *data;

    if (!read_header(fd, &h, &st) || (id && h.identity != id->length) ||
        !read_identity(fd, h.identity, found) || (id && !cw_identity_same(id, found)))
        return NULL;
    data = malloc(h.bytes + 1);
    if (data && all_read(fd, data, h.bytes) && cw_key_same(cw_identity_key_of_bytes(data, h.bytes), h.sum)) {
        if (st.st_mtime + DAY < time(NULL))
            futimens(fd, NULL); /* used: the last to go */
        data[h.bytes] = '\0';
        *bytes = h.bytes;
        return data;
    }
    free(data);
    return NULL;
}

static void *read_name(const struct cw_file_store *s, const char *name, const struct cw_identity *id,
                       struct cw_identity *found, size_t *bytes)
{
    int saved = errno, at = cw_file_store_open(s, false),
        fd = at >= 0 ? openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    void *data = fd >= 0 ? read_file(fd, id, found, bytes) : NULL;

    if (fd >= 0)
        close(fd);
    if (at >= 0)
        close(at);
    if (!data || id)
        cw_identity_finish(found);
    errno = saved;
    return data;
}

void *cw_file_store_read(const struct cw_file_store *s, const struct cw_identity *id, size_t *bytes)
{
    struct cw_identity found = {.failed = true};
    char name[CW_FILE_STORE_NAME_BYTES];

    cw_file_store_name(id, name);
    return id->failed ? NULL : read_name(s, name, id, &found, bytes);
}

void *cw_file_store_read_name(const struct cw_file_store *s, const char *name, struct cw_identity *id,
                              size_t *bytes)
{
    *id = (struct cw_identity){.failed = true};
    return strlen(name) == KEY_DIGITS && strspn(name, HEX) == KEY_DIGITS ? read_name(s, name, NULL, id, bytes)
                                                                         : NULL;
}

/* ---- keeping a folder small */

struct entry {
    char name[ENTRY_BYTES];
    int64_t seconds, bytes;
    long ns;
};

static int by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->seconds != y->seconds ? (x->seconds < y->seconds ? -1 : 1) : (x->ns > y->ns) - (x->ns < y->ns);
}

static bool is_named(const char *name)
{
    size_t digits = strspn(name, HEX);

    return strlen(name) < ENTRY_BYTES && (digits == KEY_DIGITS || digits == OLD_DIGITS);
}

/* Fills *list with the files of the folder that are the store's by name. */
static size_t list_files(int folder, struct entry **list)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    size_t n = 0, capacity = 0;
    struct dirent *e;
    struct stat st;

    while (d && (e = readdir(d))) {
        struct entry *grown = *list;
        if (!is_named(e->d_name) || fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            grown = realloc(*list, capacity * sizeof *grown);
        }
        if (!grown)
            break;
        *list = grown;
        memcpy(grown[n].name, e->d_name, strlen(e->d_name) + 1);
        grown[n].seconds = st.st_mtim.tv_sec;
        grown[n].ns = st.st_mtim.tv_nsec;
        grown[n++].bytes = st.st_size;
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    return n;
}

/* Down to three quarters of the bounds, so that this is not due again at once. */
static void trim(const struct cw_file_store *s, int folder)
{
    struct entry *list = NULL;
    size_t n = list_files(folder, &list), left = n;
    int64_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += list[i].bytes;
    if (n > s->most_files || bytes > s->most_bytes) {
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n && (left > s->most_files / 4 * 3 || bytes > s->most_bytes / 4 * 3); i++) {
            unlinkat(folder, list[i].name, 0);
            left--;
            bytes -= list[i].bytes;
        }
    }
    free(list);
}

char (*cw_file_store_list(const struct cw_file_store *s, size_t *n))[CW_FILE_STORE_NAME_BYTES]
{
    int saved = errno, at = cw_file_store_open(s, false);
    struct entry *list = NULL;
    size_t all = at >= 0 ? list_files(at, &list) : 0;
    char(*names)[CW_FILE_STORE_NAME_BYTES] = all ? malloc(all * sizeof *names) : NULL;

    *n = 0;
    if (names)
        qsort(list, all, sizeof *list, by_age);
    for (size_t i = 0; names && i < all; i++)
        if (strlen(list[i].name) == KEY_DIGITS)
            memcpy(names[(*n)++], list[i].name, sizeof *names);
    free(list);
    if (at >= 0)
        close(at);
    errno = saved;
    return names;
}

/* False: the disk or the process's limits do not take all of it. */
static bool write_file(int fd, const struct cw_identity *id, const void *data, size_t bytes)
{
    const struct header h = {MAGIC, id->length, bytes, cw_identity_key_of_bytes(data, bytes)};
    sigset_t before;
    bool good;

    block_signals(&before);
    good = all_written(fd, &h, sizeof h) && all_written(fd, id->bytes, id->length) &&
           all_written(fd, data, bytes);
    unblock_signals(&before);
    return good;
}

void cw_file_store_write(struct cw_file_store *s, const struct cw_identity *id, const void *data,
                         size_t bytes)
{
    char name[CW_FILE_STORE_NAME_BYTES], temporary[ENTRY_BYTES + 16];
    int saved = errno, at, fd;

    if (!*s->folder || id->failed || bytes == 0 || bytes > CW_FILE_STORE_LARGEST ||
        id->length > CW_FILE_STORE_LARGEST - bytes)
        return;
    at = cw_file_store_open(s, true);
    if (at >= 0 && !atomic_exchange(&s->trimmed, true))
        trim(s, at);
    cw_file_store_name(id, name);
    snprintf(temporary, sizeof temporary, "%s.%ld", name, (long)gettid());
    fd = at >= 0 ? openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        bool good = write_file(fd, id, data, bytes);

        if (close(fd) != 0 || !good || renameat(at, temporary, at, name) != 0)
            unlinkat(at, temporary, 0);
    }
    if (at >= 0)
        close(at);
    errno = saved;
}

/* ---- all files of a store */

#define DIGITS_LEAST 16 /* of names of earlier versions */

/* Shows the file `name` of the folder `at`, if it is sound. Returns whether it is to go. */
static bool show(const struct cw_file_store *s, int at, const char *name, const struct stat *st,
                 cw_file_store_visitor *each, void *context)
{
    struct cw_identity id;
    size_t bytes = 0;
    char *data = cw_file_store_read_name(s, name, &id, &bytes);
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, st->st_mtim};
    bool goes;

    if (!data)
        return false;
    utimensat(at, name, times, AT_SYMLINK_NOFOLLOW); /* reading may have counted as use */
    goes = each(&(struct cw_file_store_file){name, &id, data, bytes, (uint64_t)st->st_size, st->st_mtime},
                context);
    cw_identity_finish(&id);
    free(data);
    return goes;
}

struct cw_file_store_size cw_file_store_visit(const struct cw_file_store *s, cw_file_store_visitor *each,
                                              void *context)
{
    struct cw_file_store_size gone = {0};
    size_t n = 0;
    char(*names)[CW_FILE_STORE_NAME_BYTES] = cw_file_store_list(s, &n);
    int at = cw_file_store_open(s, false);
    struct stat st;

    while (at >= 0 && n-- > 0)
        if (fstatat(at, names[n], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            show(s, at, names[n], &st, each, context) && unlinkat(at, names[n], 0) == 0) {
            gone.files++;
            gone.bytes += (uint64_t)st.st_size;
        }
    free(names);
    if (at >= 0)
        close(at);
    return gone;
}

struct cw_file_store_size cw_file_store_visit_size(const struct cw_file_store *s, bool clear)
{
    struct cw_file_store_size all = {0};
    int at = cw_file_store_open(s, false);
    DIR *d = at >= 0 ? fdopendir(at) : NULL;
    struct dirent *e;
    struct stat st;

    while (d && (e = readdir(d)))
        if (strspn(e->d_name, "0123456789abcdef") >= DIGITS_LEAST &&
            fstatat(at, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode) &&
            (!clear || unlinkat(at, e->d_name, 0) == 0)) {
            all.files++;
            all.bytes += (uint64_t)st.st_size;
        }
    if (d)
        closedir(d);
    else if (at >= 0)
        close(at);
    return all;
}

const struct cw_cache_store cw_cache_stores[] = {{CW_CACHE_PROGRAMS, "how long runs of programs took"},
                                                 {"kernels", "programs for helpers, plans of chains"},
                                                 {"compiled", "code of single launches"},
                                                 {"builds", "answers to the program's own builds"},
                                                 {"footprints", "models of kernels"},
                                                 {"roofs", "how fast devices were measured to be"},
                                                 {NULL, NULL}};
