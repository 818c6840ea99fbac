/* file_store.c - see file_store.h. */
#include "file_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC      UINT64_C(0x31766b6c63776c63) /* "clwclkv1" */
#define OTHERS     077
#define FNV_PRIME  UINT64_C(0x100000001b3)
#define DAY        86400
#define NAME_BYTES 16 /* digits of a key; a file in the making has ".thread" behind them */
#define ENTRY_BYTES 32

struct header {
    uint64_t magic, key, bytes, sum;
};

uint64_t cw_file_store_hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;

    for (size_t k = 0; k < bytes; k++)
        h = (h ^ p[k]) * FNV_PRIME;
    return h;
}

void cw_file_store_init(struct cw_file_store *s, const char *folder)
{
    snprintf(s->folder, sizeof s->folder, "%s", strlen(folder) < sizeof s->folder ? folder : "");
    s->trimmed = false;
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

static int open_folder(const struct cw_file_store *s)
{
    int fd = *s->folder ? open(s->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & OTHERS))) {
        close(fd);
        fd = -1;
    }
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

static void *read_file(int fd, uint64_t key, size_t *bytes)
{
    struct header h;
    struct stat st;
    char *data;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & OTHERS) ||
        !all_read(fd, &h, sizeof h) || h.magic != MAGIC || h.key != key || h.bytes == 0 ||
        h.bytes > CW_FILE_STORE_LARGEST || (uint64_t)st.st_size != sizeof h + h.bytes)
        return NULL;
    data = malloc(h.bytes + 1);
    if (data && all_read(fd, data, h.bytes) && cw_file_store_hash(CW_FILE_STORE_HASH, data, h.bytes) == h.sum) {
        if (st.st_mtime + DAY < time(NULL))
            futimens(fd, NULL); /* used: the last to go */
        data[h.bytes] = '\0';
        *bytes = h.bytes;
        return data;
    }
    free(data);
    return NULL;
}

void *cw_file_store_read(const struct cw_file_store *s, uint64_t key, size_t *bytes)
{
    int saved = errno, at = open_folder(s), fd;
    char name[32];
    void *data;

    snprintf(name, sizeof name, "%016llx", (unsigned long long)key);
    fd = at >= 0 ? openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    data = fd >= 0 ? read_file(fd, key, bytes) : NULL;
    if (fd >= 0)
        close(fd);
    if (at >= 0)
        close(at);
    errno = saved;
    return data;
}

/* ---- keeping a folder small */

struct entry {
    char name[ENTRY_BYTES];
    int64_t seconds, bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Fills *list with the files of the folder that are ours by name. */
static size_t list_files(int folder, struct entry **list)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    size_t n = 0, capacity = 0;
    struct dirent *e;
    struct stat st;

    while (d && (e = readdir(d))) {
        struct entry *grown = *list;
        if (strlen(e->d_name) >= ENTRY_BYTES || strspn(e->d_name, "0123456789abcdef") != NAME_BYTES ||
            fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            grown = realloc(*list, capacity * sizeof *grown);
        }
        if (!grown)
            break;
        *list = grown;
        memcpy(grown[n].name, e->d_name, strlen(e->d_name) + 1);
        grown[n].seconds = st.st_mtime;
        grown[n++].bytes = st.st_size;
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    return n;
}

/* Down to three quarters of the bounds, so that this is not due again at once. */
static void trim(int folder)
{
    struct entry *list = NULL;
    size_t n = list_files(folder, &list), left = n;
    int64_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += list[i].bytes;
    if (n > CW_FILE_STORE_FILES || bytes > CW_FILE_STORE_BYTES) {
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n && (left > CW_FILE_STORE_FILES / 4 * 3 || bytes > CW_FILE_STORE_BYTES / 4 * 3); i++) {
            unlinkat(folder, list[i].name, 0);
            left--;
            bytes -= list[i].bytes;
        }
    }
    free(list);
}

void cw_file_store_write(struct cw_file_store *s, uint64_t key, const void *data, size_t bytes)
{
    struct header h = {MAGIC, key, bytes, cw_file_store_hash(CW_FILE_STORE_HASH, data, bytes)};
    char name[32], temporary[64];
    int saved = errno, at, fd;
    sigset_t before;

    if (!*s->folder || bytes == 0 || bytes > CW_FILE_STORE_LARGEST)
        return;
    mkdir(s->folder, 0700);
    at = open_folder(s);
    if (at >= 0 && !atomic_exchange(&s->trimmed, true))
        trim(at);
    snprintf(name, sizeof name, "%016llx", (unsigned long long)key);
    snprintf(temporary, sizeof temporary, "%s.%ld", name, (long)gettid());
    fd = at >= 0 ? openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        bool good;
        block_signals(&before);
        good = all_written(fd, &h, sizeof h) && all_written(fd, data, bytes);
        unblock_signals(&before);
        if (close(fd) != 0 || !good || renameat(at, temporary, at, name) != 0)
            unlinkat(at, temporary, 0);
    }
    if (at >= 0)
        close(at);
    errno = saved;
}
