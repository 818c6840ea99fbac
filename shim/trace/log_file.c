#include "log_file.h"
#include "../door/lock_order.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "log_guard.h"

#define EXTENT_BYTES (1u << 20)
#define SPARE_CHUNKS 16   /* partly filled chunks kept for the next thread */
#define SPARE_SPACE  8192 /* ... if at least this much is free */

/* A chunk that its thread has filled. */
struct cw_log_full {
    struct cw_log_full *next;
    uint64_t offset;
    uint32_t units;
};

static struct {
    pthread_mutex_t lock;
    struct cw_log_names names;
    dev_t device;
    ino_t inode;
    uint64_t bytes;      /* reserved so far */
    uint8_t *next, *end; /* mapped and not yet handed out */
    struct cw_log_header *header;
    struct cw_log_place spare[SPARE_CHUNKS];
    unsigned spares;
    uint64_t limit, definition_bytes;
    struct cw_log_full *oldest, **newest; /* of a limited log: full chunks of commands */
    uint64_t data_bytes;
    dev_t data_device;
    ino_t data_inode;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER};
CW_LOCK_RANK(&file.lock, LOG_FILE)

/* Reserves [offset, offset+n) of fd. RLIMIT_FSIZE is looked at first: passing it raises SIGXFSZ. */
static int reserve(int fd, uint64_t offset, uint64_t n)
{
    struct rlimit limit;
    int code, tries = 0;

    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && offset + n > limit.rlim_cur)
        return EFBIG;
    do /* a signal of the program may interrupt it; a timer must not keep us here for ever */
        code = posix_fallocate(fd, (off_t)offset, (off_t)n);
    while (code == EINTR && ++tries < 100);
    return code;
}

static const char *why_not(int code)
{
    if (code == EFBIG)
        return "it would pass the file-size limit (RLIMIT_FSIZE); raise it with ulimit -f";
    if (code == ENOSPC || code == EDQUOT)
        return "the disk is full; free some space or set CLWEAVE_OUT to another disk";
    return strerror(code);
}

static void read_text(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t have = 0, i;
    ssize_t n = 0;

    while (fd >= 0 && have < size - 1 && (n = read(fd, to + have, size - 1 - have)) > 0)
        have += (size_t)n;
    if (fd >= 0)
        close(fd);
    while (have && !to[have - 1])
        have--;
    for (i = 0; i < have; i++)
        if (!to[i])
            to[i] = ' '; /* /proc/self/cmdline separates with NULs */
    to[have] = '\0';
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fill_header(struct cw_log_header *h, struct cw_log_traits traits)
{
    ssize_t n = readlink("/proc/self/exe", h->program, sizeof h->program - 1);

    h->program[n > 0 ? n : 0] = '\0';
    h->version = CW_LOG_VERSION;
    h->chunk_bytes = CW_LOG_CHUNK_BYTES;
    h->pid = (uint64_t)getpid();
    h->ppid = (uint64_t)getppid();
    h->process_start_ticks = cw_log_process_start(h->pid);
    h->run_id = cw_log_run_id();
    h->start_realtime_ns = clock_ns(CLOCK_REALTIME);
    h->start_ns = clock_ns(CLOCK_MONOTONIC);
    h->capture_data = traits.capture_data;
    h->run_mode = traits.run_mode;
    h->all_calls = traits.all_calls;
    h->limited = traits.limit != 0;
    h->times_every = traits.times_every;
    gethostname(h->host, sizeof h->host - 1);
    if (!getcwd(h->cwd, sizeof h->cwd))
        h->cwd[0] = '\0';
    snprintf(h->data_path, sizeof h->data_path, "%s", traits.capture_data ? file.names.data : "");
    read_text("/proc/self/cmdline", h->command, sizeof h->command);
}

static bool store_header(void *to, const void *from, size_t n)
{
    return cw_log_guard_store(file.header, CW_LOG_CHUNK_BYTES, to, from, n);
}

/* The magic number, which makes it valid, goes last. */
static bool write_header(struct cw_log_traits traits)
{
    static struct cw_log_header h; /* 30 KB: too much for a thread's stack; one log is opened at a time */

    memset(&h, 0, sizeof h);
    fill_header(&h, traits);
    return store_header(file.header, &h, sizeof h) && store_header(file.header->magic, CW_LOG_MAGIC, 8);
}

static enum cw_status cut_short(const char *path, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_IO, "another process has cut %.380s short, or its disk fails", path);
}

/* Removes the contents file of an earlier run, creates an empty one, remembers its device and inode. */
static enum cw_status create_data(struct cw_error *err)
{
    struct stat st;
    int fd;

    unlink(file.names.data);
    fd = open(file.names.data, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return cw_error_set(err, CW_ERR_IO, "cannot create %.400s: %s", file.names.data, strerror(errno));
    fstat(fd, &st);
    close(fd);
    file.data_device = st.st_dev;
    file.data_inode = st.st_ino;
    file.data_bytes = 0;
    return CW_OK;
}

enum cw_status cw_log_file_open(const char *out, struct cw_log_traits traits, struct cw_error *err)
{
    enum cw_status status;
    struct stat st;
    void *map = MAP_FAILED;
    int fd, lock, code;

    pthread_mutex_init(&file.lock, NULL); /* a forked child may have inherited it locked */
    file.header = NULL;
    file.next = file.end = NULL;
    file.spares = 0;
    file.limit = traits.limit;
    file.definition_bytes = 0;
    file.oldest = NULL; /* a parent's are lost: memory of a forked child may not be given back here */
    file.newest = &file.oldest;
    status = cw_log_create(out, &file.names, &fd, &lock, err);
    if (status != CW_OK)
        goto out;
    code = reserve(fd, 0, CW_LOG_CHUNK_BYTES);
    if (!code)
        map = mmap(NULL, CW_LOG_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!code && map == MAP_FAILED)
        code = errno;
    fstat(fd, &st);
    close(fd);
    if (code) {
        unlink(file.names.log);
        status = cw_error_set(err, CW_ERR_IO, "cannot make %.300s: %s", file.names.log, why_not(code));
        goto out;
    }
    file.device = st.st_dev;
    file.inode = st.st_ino;
    file.bytes = CW_LOG_CHUNK_BYTES;
    file.header = map;
    if (!write_header(traits))
        status = cut_short(file.names.log, err);
    if (status == CW_OK && traits.capture_data)
        status = create_data(err);
out:
    cw_log_unlock(lock);
    return status;
}

bool cw_log_file_exists(void)
{
    return file.header != NULL;
}

const struct cw_log_names *cw_log_file_names(void)
{
    return &file.names;
}

bool cw_log_file_is_there(void)
{
    struct stat st;

    return lstat(file.names.log, &st) == 0 && st.st_dev == file.device && st.st_ino == file.inode;
}

bool cw_log_file_stopped(const char *why)
{
    const uint32_t yes = 1;

    return store_header(file.header->stopped_why, why, strlen(why) + 1) &&
           store_header(&file.header->stopped, &yes, sizeof yes);
}

bool cw_log_file_complete(uint64_t end_ns)
{
    const uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const uint32_t yes = 1;

    return store_header(&file.header->end_ns, &end_ns, sizeof end_ns) &&
           store_header(&file.header->cpu_ns, &cpu_ns, sizeof cpu_ns) &&
           store_header(&file.header->complete, &yes, sizeof yes);
}

/* Opens `path` again and checks that it is still the file that this process has made, `bytes` long at least.
 */
static int reopen(const char *path, dev_t device, ino_t inode, uint64_t bytes, struct cw_error *err)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), code = errno;

    if (fd >= 0 && !fstat(fd, &st) && st.st_dev == device && st.st_ino == inode) {
        if ((uint64_t)st.st_size >= bytes)
            return fd;
        cut_short(path, err);
    } else {
        cw_error_set(err, CW_ERR_IO, "%.380s: %s", path,
                     fd < 0 && code != ELOOP ? strerror(code) : "the file was replaced");
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Reserves and maps at least `n` more bytes, an extent if the disk has room for one. */
static enum cw_status grow(size_t n, struct cw_error *err)
{
    size_t bytes = n > EXTENT_BYTES ? n : EXTENT_BYTES;
    void *map = MAP_FAILED;
    int code, fd = reopen(file.names.log, file.device, file.inode, file.bytes, err);

    if (fd < 0)
        return CW_ERR_IO;
    code = reserve(fd, file.bytes, bytes);
    if (code && bytes > n) {
        bytes = n;
        code = reserve(fd, file.bytes, bytes);
    }
    if (!code)
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)file.bytes);
    if (!code && map == MAP_FAILED)
        code = errno;
    close(fd);
    if (code)
        return cw_error_set(err, CW_ERR_IO, "cannot grow %.300s: %s", file.names.log, why_not(code));
    if (file.next < file.end)
        munmap(file.next, (size_t)(file.end - file.next));
    file.next = map;
    file.end = file.next + bytes;
    file.bytes += bytes;
    return CW_OK;
}

static bool take_spare(struct cw_log_place *place, size_t bytes)
{
    unsigned i;

    for (i = 0; i < file.spares; i++)
        if (cw_log_chunk_space(&file.spare[i]) >= bytes) {
            *place = file.spare[i];
            file.spare[i] = file.spare[--file.spares];
            return true;
        }
    return false;
}

/* The next chunk of the mapped extent. Its magic number, which makes it valid, goes last. */
static enum cw_status take_new(struct cw_log_place *place, size_t units, struct cw_error *err)
{
    size_t bytes = units * CW_LOG_CHUNK_BYTES;
    const uint32_t magic = CW_LOG_CHUNK_MAGIC;
    struct cw_log_chunk *c = (struct cw_log_chunk *)file.next;

    *place = (struct cw_log_place){
        .chunk = c, .units = (uint32_t)units, .offset = file.bytes - (uint64_t)(file.end - file.next)};
    file.next += bytes;
    if (cw_log_guard_store(c, bytes, &c->units, &place->units, sizeof c->units) &&
        cw_log_guard_store(c, bytes, &c->magic, &magic, sizeof c->magic))
        return CW_OK;
    cw_log_chunk_forget(place);
    return cut_short(file.names.log, err);
}

/* ---- limited logs */

/* The commands among the records [p, end). */
static uint64_t count_commands(const uint8_t *p, const uint8_t *end)
{
    uint64_t n = 0;

    while (p < end) {
        uint64_t length = 0;
        for (unsigned shift = 0; p < end && shift < 63; shift += 7) {
            length |= (uint64_t)(*p & 0x7f) << shift;
            if (!(*p++ & 0x80))
                break;
        }
        if (!length || length > (uint64_t)(end - p))
            break;
        n += *p >= CW_LOG_KERNEL_COMMAND && *p <= CW_LOG_HOST_WRITE;
        p += length;
    }
    return n;
}

/* The header of the log says how many commands the chunk of `full` had; `head` is its header. */
static bool note_dropped(int fd, const struct cw_log_full *full, struct cw_log_chunk *head)
{
    size_t bytes = (size_t)full->units * CW_LOG_CHUNK_BYTES;
    uint8_t *copy = malloc(bytes);
    bool good = copy && pread(fd, copy, bytes, (off_t)full->offset) == (ssize_t)bytes;

    if (good) {
        memcpy(head, copy, sizeof *head);
        uint64_t committed = head->committed, dropped = file.header->dropped;
        if (committed <= bytes - sizeof *head)
            dropped += count_commands(copy + sizeof *head, copy + sizeof *head + committed);
        good = store_header(&file.header->dropped, &dropped, sizeof dropped);
    }
    free(copy);
    return good;
}

/* The oldest full chunk with `need` bytes, empty; the log says what is gone before it is. False: there is
 * none, or the file is not to be used any more (err). */
static bool take_oldest(struct cw_log_place *place, size_t need, struct cw_error *err)
{
    struct cw_log_full *full, **link = &file.oldest;
    const uint64_t nothing = 0;
    struct cw_log_chunk head;
    size_t bytes;
    void *map = MAP_FAILED;
    int fd;

    while (*link && (size_t)(*link)->units * CW_LOG_CHUNK_BYTES < need)
        link = &(*link)->next;
    full = *link;
    if (!full || (fd = reopen(file.names.log, file.device, file.inode, file.bytes, err)) < 0)
        return false;
    bytes = (size_t)full->units * CW_LOG_CHUNK_BYTES;
    if (note_dropped(fd, full, &head))
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)full->offset);
    close(fd);
    if (map == MAP_FAILED) {
        cw_error_set(err, CW_ERR_IO, "cannot use %.300s again: %s", file.names.log, strerror(errno));
        return false;
    }
    *place = (struct cw_log_place){.chunk = map,
                                   .units = full->units,
                                   .offset = full->offset,
                                   .counts = {0, head.calls, head.recorder_ns}};
    *link = full->next;
    if (file.newest == &full->next)
        file.newest = link;
    free(full);
    if (cw_log_guard_store(map, bytes, &place->chunk->committed, &nothing, sizeof nothing))
        return true;
    cw_log_chunk_forget(place);
    cut_short(file.names.log, err);
    return false;
}

/* A thread has filled the chunk; without memory for the note it stays as it is for ever. */
static void note_full(const struct cw_log_place *place)
{
    struct cw_log_full *full = malloc(sizeof *full);

    if (full) {
        *full = (struct cw_log_full){NULL, place->offset, place->units};
        *file.newest = full;
        file.newest = &full->next;
    }
}

static bool get_limited(struct cw_log_place *place, size_t need, bool definitions, struct cw_error *err)
{
    bool grows = (size_t)(file.end - file.next) < need;

    if (definitions && file.definition_bytes + need > file.limit / 2) {
        cw_error_set(
            err, CW_ERR_LIMIT,
            "the descriptions of the program's objects alone take half of the log's limit; raise --limit");
        return false;
    }
    if (!(grows && file.bytes + EXTENT_BYTES > file.limit && take_oldest(place, need, err)) &&
        (err->status || (grows && grow(need, err) != CW_OK) ||
         take_new(place, need / CW_LOG_CHUNK_BYTES, err) != CW_OK))
        return false;
    place->definitions = definitions;
    file.definition_bytes += definitions ? need : 0;
    return true;
}

bool cw_log_chunk_get(struct cw_log_place *place, size_t bytes, bool definitions, struct cw_error *err)
{
    size_t units = (bytes + sizeof(struct cw_log_chunk) + CW_LOG_CHUNK_BYTES - 1) / CW_LOG_CHUNK_BYTES;
    size_t need = units * CW_LOG_CHUNK_BYTES;
    bool got = false;

    place->chunk = NULL;
    pthread_mutex_lock(&file.lock);
    if (file.header && file.limit)
        got = get_limited(place, need, definitions, err);
    else if (file.header && !(got = take_spare(place, bytes)))
        got = ((size_t)(file.end - file.next) >= need || grow(need, err) == CW_OK) &&
              take_new(place, units, err) == CW_OK;
    pthread_mutex_unlock(&file.lock);
    return got;
}

void cw_log_chunk_put(struct cw_log_place *place)
{
    if (!place->chunk)
        return;
    pthread_mutex_lock(&file.lock);
    if (file.header && file.limit && !place->definitions)
        note_full(place);
    else if (file.header && !file.limit && file.spares < SPARE_CHUNKS &&
             cw_log_chunk_space(place) >= SPARE_SPACE) {
        file.spare[file.spares++] = *place;
        place->chunk = NULL;
    }
    pthread_mutex_unlock(&file.lock);
    cw_log_chunk_forget(place);
}

void cw_log_chunk_forget(struct cw_log_place *place)
{
    if (place->chunk)
        munmap(place->chunk, cw_log_chunk_bytes(place));
    place->chunk = NULL;
}

enum cw_status cw_log_data_append(const void *bytes, size_t n, uint64_t *offset, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    size_t done = 0;
    ssize_t wrote;
    int fd, code = 0;

    pthread_mutex_lock(&file.lock);
    fd = reopen(file.names.data, file.data_device, file.data_inode, file.data_bytes, err);
    if (fd < 0) {
        status = CW_ERR_IO;
        goto out;
    }
    *offset = file.data_bytes;
    code = reserve(fd, file.data_bytes, n);
    while (!code && done < n) {
        wrote = pwrite(fd, (const char *)bytes + done, n - done, (off_t)(file.data_bytes + done));
        if (wrote < 0 && errno != EINTR)
            code = errno;
        else if (wrote > 0)
            done += (size_t)wrote;
    }
    if (code)
        status = cw_error_set(err, CW_ERR_IO, "cannot grow %.300s: %s", file.names.data, why_not(code));
    else
        file.data_bytes += n;
out:
    if (fd >= 0)
        close(fd);
    pthread_mutex_unlock(&file.lock);
    return status;
}
