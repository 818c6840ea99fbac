#include "farm_checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../io/identity.h"
#include "../io/text.h"
#include "../io/output.h"
#include "../io/folders.h"

#define MAGIC    0x31665743u /* "CWf1" */
#define MAGIC_OF 0x00ffffffu /* the part of it that is not the version */

enum { PLAN = 1, RESULTS = 2, SESSION = 3, RETRY = 4 };
enum { LOCK_TRIES = 100, LOCK_PAUSE_NS = 20000000 };

struct record {
    uint32_t magic, kind;
    uint64_t bytes; /* of the payload */
    uint32_t crc, zero;
    uint64_t ns; /* CLOCK_REALTIME */
};

static uint64_t real_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t crc_of(const struct record *r, const void *payload)
{
    struct record bare = *r;

    bare.crc = 0;
    return cw_crc32(cw_crc32(0, &bare, sizeof bare), payload, r->bytes);
}

/* ---- to the disk */

static void *sync_loop(void *context)
{
    struct cw_farm_checkpoint *c = context;

    pthread_mutex_lock(&c->sync.lock);
    while (!c->sync.stop || c->sync.dirty) {
        if (!c->sync.dirty) {
            pthread_cond_wait(&c->sync.changed, &c->sync.lock);
            continue;
        }
        c->sync.dirty = false;
        c->sync.busy = true;
        pthread_mutex_unlock(&c->sync.lock);
        int error = fdatasync(c->fd) == 0 || errno == EINVAL ? 0 : errno;
        pthread_mutex_lock(&c->sync.lock);
        c->sync.busy = false;
        if (error)
            c->sync.error = error;
        pthread_cond_broadcast(&c->sync.changed);
    }
    pthread_mutex_unlock(&c->sync.lock);
    return NULL;
}

/* Signals are the master's. */
static enum cw_status sync_start(struct cw_farm_checkpoint *c, struct cw_error *err)
{
    sigset_t all, before;
    int error;

    pthread_mutex_init(&c->sync.lock, NULL);
    pthread_cond_init(&c->sync.changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&c->sync.thread, NULL, sync_loop, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    c->sync.runs = error == 0;
    return error ? cw_error_set(err, CW_ERR_IO, "cannot start a thread: %s", strerror(error)) : CW_OK;
}

static const char *name_of(const struct cw_farm_checkpoint *c)
{
    return c->path ? c->path : "a temporary file";
}

static enum cw_status wrong(const struct cw_farm_checkpoint *c, int error, const char *verb,
                            struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_IO, "cannot %s %s: %s", verb, name_of(c), strerror(error));
}

enum cw_status cw_farm_checkpoint_flush(struct cw_farm_checkpoint *c, struct cw_error *err)
{
    int error;

    if (!c->sync.runs)
        return CW_OK;
    pthread_mutex_lock(&c->sync.lock);
    while (c->sync.dirty || c->sync.busy)
        pthread_cond_wait(&c->sync.changed, &c->sync.lock);
    error = c->sync.error;
    pthread_mutex_unlock(&c->sync.lock);
    return error ? wrong(c, error, "write", err) : CW_OK;
}

/* ---- writing */

static int write_all(int fd, uint64_t at, const void *data, size_t n)
{
    for (const char *p = data; n;) {
        ssize_t wrote = pwrite(fd, p, n, (off_t)at);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote ? errno : ENOSPC;
        p += wrote;
        at += (uint64_t)wrote;
        n -= (size_t)wrote;
    }
    return 0;
}

static enum cw_status append(struct cw_farm_checkpoint *c, uint32_t kind, const void *payload, size_t bytes,
                             struct cw_error *err)
{
    struct record r = {MAGIC, kind, bytes, 0, 0, real_ns()};
    int error;

    r.crc = crc_of(&r, payload);
    error = write_all(c->fd, c->bytes, &r, sizeof r);
    if (!error)
        error = write_all(c->fd, c->bytes + sizeof r, payload, bytes);
    if (error) {
        int cut = ftruncate(c->fd, (off_t)c->bytes); /* a rest would count for nothing, too */
        (void)cut;
        return wrong(c, error, "write", err);
    }
    c->bytes += sizeof r + bytes;
    c->last_ns = r.ns;
    if (!c->path || !c->sync.runs)
        return CW_OK;
    pthread_mutex_lock(&c->sync.lock);
    c->sync.dirty = true;
    error = c->sync.error;
    pthread_cond_broadcast(&c->sync.changed);
    pthread_mutex_unlock(&c->sync.lock);
    return error ? wrong(c, error, "write", err) : CW_OK;
}

/* Notes the places of the results in a payload that lies at `place` of the file. False: it is damaged. */
static bool index_results(struct cw_farm_checkpoint *c, const char *payload, size_t bytes, uint64_t place)
{
    struct cw_farm_result r;
    const char *p = payload, *end = payload + bytes;

    while (p < end) {
        uint64_t at = place + (uint64_t)(p - payload);

        if (!cw_farm_result_next(&p, end, &r) || r.task >= c->tasks)
            return false;
        if (c->place[r.task])
            continue;
        c->place[r.task] = at;
        c->done++;
        c->failed += cw_farm_result_failed(&r);
    }
    return true;
}

enum cw_status cw_farm_checkpoint_append(struct cw_farm_checkpoint *c, const struct cw_farm_bytes *results,
                                         struct cw_error *err)
{
    uint64_t place = c->bytes + sizeof(struct record);
    enum cw_status status = results->used ? append(c, RESULTS, results->v, results->used, err) : CW_OK;

    if (status == CW_OK && !index_results(c, results->v, results->used, place))
        return cw_error_set(err, CW_ERR_FORMAT, "a worker sent a damaged result");
    return status;
}

static enum cw_status make_index(struct cw_farm_checkpoint *c, uint32_t tasks, struct cw_error *err)
{
    c->tasks = tasks;
    c->place = calloc((size_t)tasks + 1, sizeof *c->place);
    return c->place ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", tasks);
}

static void begin_session(struct cw_farm_checkpoint *c, uint64_t ns)
{
    c->session_ns = ns;
    c->session_done = c->done;
}

static int temporary_file(void)
{
    const char *folder = cw_temporary_folder();
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char path[PATH_MAX];

    if (fd >= 0 || snprintf(path, sizeof path, "%s/clweave-farm.XXXXXX", folder) >= PATH_MAX)
        return fd;
    fd = mkostemp(path, O_CLOEXEC); /* a file system without files that have no name */
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* The name of a checkpoint that has no plan yet, malloc'ed. */
static char *name_before(const char *path)
{
    char *name = NULL;

    return asprintf(&name, "%s-%ld.new", path, (long)getpid()) < 0 ? NULL : name;
}

/* Gives the file that is called `before` its name, which no file may have. False: errno says why. */
static bool name_file(const char *before, const char *path)
{
    if (link(before, path) == 0)
        return unlink(before) == 0;
    /* a file system without links */
    return errno != EEXIST && access(path, F_OK) < 0 && rename(before, path) == 0;
}

/* The file gets its name when the plan is in it: a farm that is killed before leaves no checkpoint that
 * cannot be read. */
static enum cw_status create(struct cw_farm_checkpoint *c, const char *before, const void *plan, size_t bytes,
                             struct cw_error *err)
{
    enum cw_status status = CW_OK;

    c->fd = before ? open(before, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : temporary_file();
    cw_output_private_as(c->fd);
    if (c->fd < 0 || flock(c->fd, LOCK_EX | LOCK_NB) < 0)
        return wrong(c, errno, "make", err);
    if (before)
        status = sync_start(c, err);
    if (status == CW_OK)
        status = append(c, PLAN, plan, bytes, err);
    if (status == CW_OK && before && !name_file(before, c->path))
        status = errno == EEXIST
                     ? cw_error_set(err, CW_ERR_INVALID,
                                    "%s is there already: --resume goes on with a farm; remove it "
                                    "to begin anew",
                                    c->path)
                     : wrong(c, errno, "make", err);
    if (status != CW_OK && before)
        unlink(before);
    return status;
}

enum cw_status cw_farm_checkpoint_create(struct cw_farm_checkpoint *c, const char *path,
                                         const struct cw_farm_plan *p, struct cw_error *err)
{
    size_t bytes;
    void *plan = cw_farm_plan_pack(p, &bytes);
    char *before = path ? name_before(path) : NULL;
    enum cw_status status;

    *c = (struct cw_farm_checkpoint){.fd = -1, .writable = true, .path = path ? strdup(path) : NULL};
    status = plan && (!path || (before && c->path))
                 ? make_index(c, p->tasks, err)
                 : cw_error_set(err, CW_ERR_NOMEM, "out of memory for the plan");
    if (status == CW_OK)
        status = create(c, before, plan, bytes, err);
    begin_session(c, c->last_ns);
    c->first_ns = c->last_ns;
    free(plan);
    free(before);
    if (status != CW_OK)
        cw_farm_checkpoint_close(c);
    return status;
}

/* ---- reading */

static bool read_all(int fd, uint64_t at, void *data, size_t n)
{
    char *p = data;

    while (n) {
        ssize_t got = pread(fd, p, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

static enum cw_status forget_failed(struct cw_farm_checkpoint *c, struct cw_error *err)
{
    for (uint32_t t = 0; t < c->tasks; t++) {
        struct cw_farm_result r;

        if (c->place[t] && !read_all(c->fd, c->place[t], &r, offsetof(struct cw_farm_result, out)))
            return wrong(c, errno, "read", err);
        if (!c->place[t] || !cw_farm_result_failed(&r))
            continue;
        c->place[t] = 0;
        c->done--;
        c->failed--;
    }
    begin_session(c, c->last_ns);
    return CW_OK;
}

enum cw_status cw_farm_checkpoint_retry(struct cw_farm_checkpoint *c, struct cw_error *err)
{
    enum cw_status status = append(c, RETRY, NULL, 0, err);

    return status == CW_OK ? forget_failed(c, err) : status;
}

/* The record at `at`, whose payload is *payload. False: there is none that is whole. */
static bool next_record(const struct cw_file_text *f, uint64_t at, struct record *r, const char **payload)
{
    if (f->length - at < sizeof *r)
        return false;
    memcpy(r, f->text + at, sizeof *r);
    *payload = f->text + at + sizeof *r;
    return r->magic == MAGIC && r->bytes <= f->length - at - sizeof *r && r->crc == crc_of(r, *payload);
}

static enum cw_status read_records(struct cw_farm_checkpoint *c, const struct cw_file_text *f,
                                   struct cw_farm_plan *p, struct cw_error *err)
{
    struct cw_error inner = {0};
    struct record r = {0};
    const char *payload;
    enum cw_status status;

    if (f->length >= sizeof r.magic)
        memcpy(&r.magic, f->text, sizeof r.magic);
    if (r.magic != MAGIC && (r.magic & MAGIC_OF) == (MAGIC & MAGIC_OF))
        return cw_error_set(err, CW_ERR_VERSION, "%s is the checkpoint of another version of clweave",
                            c->path);
    if (!next_record(f, 0, &r, &payload) || r.kind != PLAN)
        return cw_error_set(err, CW_ERR_FORMAT, "%s is not the checkpoint of a farm, or its head is damaged",
                            c->path);
    status = cw_farm_plan_unpack(p, payload, r.bytes, &inner);
    if (status != CW_OK)
        return cw_error_set(err, status, "%s: %s", c->path, inner.text);
    status = make_index(c, p->tasks, err);
    c->first_ns = r.ns;
    begin_session(c, r.ns);
    while (status == CW_OK) {
        uint64_t place = c->bytes + sizeof r;
        c->bytes = place + r.bytes;
        c->last_ns = r.ns;
        cw_file_text_release(f, c->bytes);
        if (!next_record(f, c->bytes, &r, &payload))
            break;
        if (r.kind == SESSION)
            begin_session(c, r.ns);
        if (r.kind == RETRY)
            status = forget_failed(c, err);
        if (r.kind == RESULTS && !index_results(c, payload, r.bytes, c->bytes + sizeof r))
            break;
    }
    c->dropped = f->length - c->bytes;
    return status;
}

/* A process that a killed farm has just made may have the lock for a moment yet. */
static int lock_soon(int fd)
{
    int error = flock(fd, LOCK_EX | LOCK_NB);

    for (int k = 0; error && errno == EWOULDBLOCK && k < LOCK_TRIES; k++) {
        nanosleep(&(struct timespec){0, LOCK_PAUSE_NS}, NULL);
        error = flock(fd, LOCK_EX | LOCK_NB);
    }
    return error;
}

/* The file is one that this user alone can have written. */
static enum cw_status check_owner(const struct cw_farm_checkpoint *c, struct cw_error *err)
{
    struct stat st;

    if (fstat(c->fd, &st) < 0)
        return wrong(c, errno, "open", err);
    if (!S_ISREG(st.st_mode))
        return cw_error_set(err, CW_ERR_FORMAT, "%s is not a file", c->path);
    if (!c->writable)
        return CW_OK;
    if (st.st_uid != geteuid())
        return cw_error_set(err, CW_ERR_INVALID,
                            "%s belongs to another user (%u), so its results are not taken: choose another "
                            "--checkpoint",
                            c->path, (unsigned)st.st_uid);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return cw_error_set(
            err, CW_ERR_INVALID,
            "other users may write %s, so its results are not taken; if you trust them: chmod "
            "go-w %s",
            c->path, c->path);
    return CW_OK;
}

/* All of the file that is open. */
static enum cw_status read_file(struct cw_farm_checkpoint *c, struct cw_farm_plan *p, struct cw_error *err)
{
    struct cw_file_text f = {0};
    char path[32];
    enum cw_status status;

    snprintf(path, sizeof path, "/proc/self/fd/%d", c->fd); /* the name may be another file's by now */
    status = cw_file_text_open(&f, path, err);
    if (status != CW_OK)
        return status;
    status = read_records(c, &f, p, err);
    cw_file_text_close(&f);
    return status;
}

enum cw_status cw_farm_checkpoint_open(struct cw_farm_checkpoint *c, const char *path, bool write,
                                       struct cw_farm_plan *p, struct cw_error *err)
{
    enum cw_status status;

    *p = (struct cw_farm_plan){0};
    *c = (struct cw_farm_checkpoint){.writable = write, .path = strdup(path)};
    c->fd = open(path, (write ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    status = c->fd < 0 ? wrong(c, errno, "open", err) : check_owner(c, err);
    if (status == CW_OK && write && lock_soon(c->fd) < 0)
        status = errno == EWOULDBLOCK
                     ? cw_error_set(err, CW_ERR_INVALID, "another clweave farm is at work on %s", path)
                     : wrong(c, errno, "lock", err);
    if (status == CW_OK)
        status = read_file(c, p, err);
    if (status == CW_OK && write) {
        if (c->dropped && ftruncate(c->fd, (off_t)c->bytes) < 0)
            status = wrong(c, errno, "cut", err);
        if (status == CW_OK)
            status = sync_start(c, err);
        if (status == CW_OK)
            status = append(c, SESSION, NULL, 0, err);
        begin_session(c, c->last_ns);
    }
    if (status != CW_OK)
        cw_farm_checkpoint_close(c);
    return status;
}

bool cw_farm_checkpoint_busy(const struct cw_farm_checkpoint *c)
{
    if (flock(c->fd, LOCK_SH | LOCK_NB) < 0)
        return errno == EWOULDBLOCK;
    flock(c->fd, LOCK_UN);
    return false;
}

enum cw_status cw_farm_checkpoint_read(const struct cw_farm_checkpoint *c, uint32_t task,
                                       struct cw_farm_bytes *b, struct cw_farm_result *r,
                                       struct cw_error *err)
{
    const size_t head = offsetof(struct cw_farm_result, out);
    const char *p;

    if (task >= c->tasks || !c->place[task])
        return cw_error_set(err, CW_ERR_NOTFOUND, "%s has no result of task %u", name_of(c), task);
    if (!read_all(c->fd, c->place[task], r, head))
        return cw_error_set(err, CW_ERR_IO, "cannot read %s: %s", name_of(c), strerror(errno));
    b->used = 0;
    if (!cw_farm_result_add_bytes(b, r, head))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a result");
    size_t rest = (size_t)r->out_bytes + r->errors_bytes;
    for (size_t n = b->used; b->used < n + rest;) {
        char chunk[4096];
        size_t part = n + rest - b->used < sizeof chunk ? n + rest - b->used : sizeof chunk;
        if (!read_all(c->fd, c->place[task] + b->used, chunk, part))
            return cw_error_set(err, CW_ERR_IO, "cannot read %s: %s", name_of(c), strerror(errno));
        if (!cw_farm_result_add_bytes(b, chunk, part))
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a result");
    }
    p = b->v;
    return cw_farm_result_next(&p, b->v + b->used, r) ? CW_OK
                                                      : cw_error_set(err, CW_ERR_FORMAT, "a damaged result");
}

void cw_farm_checkpoint_close(struct cw_farm_checkpoint *c)
{
    if (c->sync.runs) {
        pthread_mutex_lock(&c->sync.lock);
        c->sync.stop = true;
        pthread_cond_broadcast(&c->sync.changed);
        pthread_mutex_unlock(&c->sync.lock);
        pthread_join(c->sync.thread, NULL);
        pthread_cond_destroy(&c->sync.changed);
        pthread_mutex_destroy(&c->sync.lock);
    }
    if (c->fd >= 0)
        close(c->fd);
    free(c->path);
    free(c->place);
    *c = (struct cw_farm_checkpoint){.fd = -1};
}
