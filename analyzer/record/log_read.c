#include "log_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../io/output.h"
#include "log_read_state.h"

bool cw_log_is_name(const char *path)
{
    size_t n = strlen(path);

    return n >= 4 && !strcmp(path + n - 4, ".log");
}

bool cw_log_read_header(const char *path, struct cw_log_header *h)
{
    int fd = open(path, O_NOFOLLOW | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* waits for no pipe */
    struct stat st;
    bool good = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, h, sizeof *h, 0) == sizeof *h;

    if (fd >= 0)
        close(fd);
    return good && !memcmp(h->magic, CW_LOG_MAGIC, 8);
}

enum cw_status cw_log_malformed(struct cw_log_reader *r, const uint8_t *where, const char *what)
{
    return cw_error_set(r->err, CW_ERR_FORMAT, "%.300s: offset %zu: %s; the log is damaged", r->path,
                        (size_t)(where - r->base), what);
}

enum cw_status cw_log_nomem(struct cw_log_reader *r)
{
    return cw_error_set(r->err, CW_ERR_NOMEM, "%.300s: not enough memory to read it", r->path);
}

struct cw_blob cw_log_get_blob(struct cw_cursor *c)
{
    struct cw_blob b = {0, cw_cursor_u(c)};

    if (b.size)
        b.offset = cw_cursor_u(c);
    if (b.offset + b.size < b.offset)
        c->bad = true;
    return b;
}

/* ---- the file and its header */

/* Reads the bytes that are there now. A mapping would end this process, which may be the program itself, when
 * another process cuts the file short. */
static enum cw_status read_bytes(struct cw_log_reader *r, int fd)
{
    uint8_t *bytes = NULL;
    size_t have = 0, capacity = 0;
    ssize_t n = 1;

    if (!cw_spill_reserve(&bytes, &capacity, 0, r->size, 1))
        return cw_log_nomem(r);
    r->base = bytes;
    while (have < r->size && n) {
        n = pread(fd, bytes + have, r->size - have, (off_t)have);
        if (n < 0 && errno != EINTR)
            return cw_error_set(r->err, CW_ERR_IO, "cannot read %.300s: %s", r->path, strerror(errno));
        have += n > 0 ? (size_t)n : 0;
    }
    r->size = have;
    return CW_OK;
}

enum cw_status cw_log_open(struct cw_log_reader *r, int *fd)
{
    struct stat st;

    *fd = open(r->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return cw_error_set(r->err, CW_ERR_IO, "cannot open %.300s: %s", r->path, strerror(errno));
    if (fstat(*fd, &st) || !S_ISREG(st.st_mode)) {
        close(*fd);
        *fd = -1;
        return cw_error_set(r->err, CW_ERR_IO, "%.300s is not a regular file", r->path);
    }
    cw_output_private_as(*fd);
    r->size = (size_t)st.st_size;
    return CW_OK;
}

static enum cw_status read_file(struct cw_log_reader *r)
{
    int fd;
    enum cw_status status = cw_log_open(r, &fd);

    if (status)
        return status;
    status = r->size < CW_LOG_CHUNK_BYTES ? CW_OK : read_bytes(r, fd);
    close(fd);
    if (status == CW_OK && r->size < CW_LOG_CHUNK_BYTES)
        return cw_error_set(r->err, CW_ERR_FORMAT, "%.300s: offset %zu: the file ends within the header",
                            r->path, r->size);
    return status;
}

static const char *header_text(struct cw_trace *t, const char *s, size_t size)
{
    return cw_trace_strndup(t, s, strnlen(s, size));
}

enum cw_status cw_log_check_header(struct cw_log_reader *r, const struct cw_log_header *h)
{
    if (memcmp(h->magic, CW_LOG_MAGIC, 8))
        return cw_error_set(r->err, CW_ERR_FORMAT, "%.300s: offset 0: this is not a clweave log", r->path);
    if (h->version != CW_LOG_VERSION || h->chunk_bytes != CW_LOG_CHUNK_BYTES)
        return cw_error_set(r->err, CW_ERR_VERSION,
                            "%.300s: written as version %u of the log format, this clweave reads version %u",
                            r->path, h->version, CW_LOG_VERSION);
    return CW_OK;
}

static enum cw_status read_header(struct cw_log_reader *r)
{
    const struct cw_log_header *h = (const struct cw_log_header *)r->base;
    struct cw_t_process *p = &r->t->process;
    enum cw_status status = cw_log_check_header(r, h);

    if (status)
        return status;
    p->program = header_text(r->t, h->program, sizeof h->program);
    p->command = header_text(r->t, h->command, sizeof h->command);
    p->cwd = header_text(r->t, h->cwd, sizeof h->cwd);
    p->host = header_text(r->t, h->host, sizeof h->host);
    p->pid = h->pid;
    p->ppid = h->ppid;
    p->start_realtime_ns = h->start_realtime_ns;
    p->start_ns = h->start_ns;
    p->end_ns = h->end_ns;
    p->cpu_ns = h->cpu_ns;
    p->run_mode = h->run_mode;
    p->all_calls = h->all_calls;
    p->times_every = h->times_every > 1 ? h->times_every : 0;
    p->dropped_commands = h->dropped;
    p->complete = h->complete && !h->stopped;
    if (h->stopped)
        p->stopped_why = header_text(r->t, h->stopped_why, sizeof h->stopped_why);
    if (h->capture_data && !(r->t->data_path = strndup(h->data_path, sizeof h->data_path)))
        return cw_log_nomem(r);
    return p->program && p->command && p->cwd && p->host ? CW_OK : cw_log_nomem(r);
}

/* ---- chunks, segments, records */

enum cw_status cw_log_next_record(struct cw_log_reader *r, struct cw_log_segment *s,
                                  struct cw_log_record *rec)
{
    struct cw_cursor c = {s->p, s->end, false};
    const uint8_t *body;
    uint64_t length;

    rec->kind = 0;
    rec->start = s->p;
    if (s->p == s->end)
        return CW_OK;
    length = cw_cursor_u(&c);
    body = cw_cursor_bytes(&c, length);
    if (!body || !length)
        return cw_log_malformed(r, s->p, "a record's length passes the end of its chunk");
    rec->kind = *body;
    rec->body = (struct cw_cursor){body + 1, body + length, false};
    if (!rec->kind || rec->kind >= CW_LOG_KINDS)
        return cw_log_malformed(r, s->p, "unknown kind of record");
    if (rec->kind != CW_LOG_THREAD) {
        s->seq += (uint64_t)cw_cursor_s(&rec->body);
        rec->seq = s->seq;
    }
    s->p = c.p;
    return CW_OK;
}

void cw_log_begin_segment(struct cw_log_segment *s, struct cw_log_record *rec)
{
    s->thread = cw_cursor_u32(&rec->body);
    s->number = cw_cursor_u32(&rec->body);
    s->seq = cw_cursor_u(&rec->body);
    s->time_ns = cw_cursor_u(&rec->body);
}

static enum cw_status add_segment(struct cw_log_reader *r, struct cw_log_record *rec,
                                  const struct cw_log_segment *rest)
{
    struct cw_log_segment *s = cw_trace_push(&r->segments, 1);

    if (!s)
        return cw_log_nomem(r);
    cw_log_begin_segment(s, rec);
    s->p = s->end = rest->p;
    return rec->body.bad ? cw_log_malformed(r, rec->start, "incomplete thread record") : CW_OK;
}

static enum cw_status split_chunk(struct cw_log_reader *r, const uint8_t *p, const uint8_t *end)
{
    struct cw_log_segment scan = {.p = p, .end = end};
    struct cw_log_record rec;
    enum cw_status st;

    for (;;) {
        const uint8_t *at = scan.p;

        st = cw_log_next_record(r, &scan, &rec);
        if (st != CW_OK || !rec.kind)
            return st;
        if (rec.kind == CW_LOG_THREAD)
            st = add_segment(r, &rec, &scan);
        else if (at == p)
            return cw_log_malformed(r, at, "a chunk begins without a thread record");
        else
            r->segments.v[r->segments.count - 1].end = scan.p;
        if (st != CW_OK)
            return st;
    }
}

static enum cw_status read_chunks(struct cw_log_reader *r)
{
    size_t at = CW_LOG_CHUNK_BYTES, bytes;
    enum cw_status st = CW_OK;

    while (st == CW_OK && at + sizeof(struct cw_log_chunk) <= r->size) {
        const struct cw_log_chunk *c = (const struct cw_log_chunk *)(r->base + at);
        uint64_t committed;

        if (!c->magic && !c->committed) { /* reserved, never used */
            at += CW_LOG_CHUNK_BYTES;
            continue;
        }
        bytes = (size_t)c->units * CW_LOG_CHUNK_BYTES;
        committed = atomic_load_explicit(&c->committed, memory_order_acquire);
        if (c->magic != CW_LOG_CHUNK_MAGIC || !c->units)
            return cw_log_malformed(r, r->base + at, "a chunk's header makes no sense");
        if (committed > bytes - sizeof *c || committed > r->size - at - sizeof *c)
            return cw_log_malformed(r, r->base + at,
                                    "a chunk is longer than its place, or the file was cut off");
        r->t->process.calls += c->calls;
        r->t->process.recorder_ns += c->recorder_ns;
        st = split_chunk(r, (const uint8_t *)(c + 1), (const uint8_t *)(c + 1) + committed);
        at += bytes;
    }
    return st;
}

static int by_thread(const void *a, const void *b)
{
    const struct cw_log_segment *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* ---- the passes */

static bool is_command(uint32_t kind)
{
    return (kind >= CW_LOG_KERNEL_COMMAND && kind <= CW_LOG_STATUS) || kind == CW_LOG_DATA ||
           kind == CW_LOG_RAN || kind == CW_LOG_PART || kind == CW_LOG_TILE || kind == CW_LOG_PLAN ||
           kind == CW_LOG_WENT || kind == CW_LOG_MOVE || kind == CW_LOG_CALL || kind == CW_LOG_EVENTS ||
           kind == CW_LOG_STALE || kind == CW_LOG_WHOLE;
}

static bool keep_life(struct cw_log_reader *r, struct cw_log_life life)
{
    struct cw_log_life *l = cw_trace_push(&r->lives, 1);

    if (l)
        *l = life;
    return l;
}

static enum cw_status keep_release(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_log_life life = {.seq = rec->seq, .kind = cw_cursor_u32(&rec->body), .released = true};

    life.id = cw_cursor_u32(&rec->body);
    cw_cursor_u(&rec->body); /* when */
    life.site = cw_log_site(&rec->body);
    if (rec->body.bad)
        return cw_log_malformed(r, rec->start, "incomplete release");
    if (life.kind >= CW_LOG_O_COMMAND_BUFFER)
        return cw_log_malformed(r, rec->start, "a release of no kind of object");
    return keep_life(r, life) ? CW_OK : cw_log_nomem(r);
}

static enum cw_status keep_definition(struct cw_log_reader *r, struct cw_log_record *rec)
{
    struct cw_log_def *d;

    if (rec->kind == CW_LOG_RELEASE)
        return keep_release(r, rec);
    d = cw_trace_push(&r->defs, 1);
    if (!d)
        return cw_log_nomem(r);
    d->kind = rec->kind;
    d->id = rec->kind == CW_LOG_MODULE ? 0 : cw_cursor_u32(&rec->body);
    d->body = rec->body;
    if (rec->kind == CW_LOG_MEMORY &&
        !keep_life(r, (struct cw_log_life){.seq = rec->seq, .kind = CW_LOG_O_MEMORY, .id = d->id}))
        return cw_log_nomem(r);
    return rec->body.bad ? cw_log_malformed(r, rec->start, "incomplete definition") : CW_OK;
}

/* commands: second pass, else first. */
static enum cw_status scan(struct cw_log_reader *r, bool commands)
{
    struct cw_log_segment s;
    struct cw_log_record rec;
    enum cw_status st;
    size_t i;

    for (i = 0; i < r->segments.count; i++) {
        s = r->segments.v[i];
        for (;;) {
            st = cw_log_next_record(r, &s, &rec);
            if (st != CW_OK)
                return st;
            if (!rec.kind)
                break;
            if (commands && is_command(rec.kind))
                st = cw_log_read_command(r, &s, &rec);
            else if (!commands && !is_command(rec.kind))
                st = keep_definition(r, &rec);
            if (st != CW_OK)
                return st;
        }
    }
    return CW_OK;
}

void cw_log_finish(struct cw_log_reader *r)
{
    size_t i;

    cw_spill_free((void *)(uintptr_t)r->base);
    for (i = 0; i < CW_LOG_OBJECTS; i++) {
        free(r->ids[i].ids);
        free(r->ids[i].dense);
    }
    for (i = 0; r->kernels && i < r->t->kernels.count; i++)
        free(r->kernels[i].args);
    free(r->kernels);
    free(r->callsites);
    free(r->functions);
    free(r->segments.v);
    free(r->defs.v);
    free(r->lives.v);
    cw_spill_free(r->waits.v);
    cw_spill_free(r->map_seqs.v);
    cw_spill_free(r->times.v);
    free(r->went.v);
    free(r->whole.v);
    free(r->part_seqs.v);
    free(r->plan_seqs.v);
    free(r->move_seqs.v);
    free(r->data.v);
    free(r->stale.v);
    free(r->unreleased.v);
    free(r->users.v);
}

enum cw_status cw_log_read(struct cw_trace *t, const char *path, struct cw_error *err)
{
    struct cw_log_reader r = {.t = t, .err = err, .path = path};
    enum cw_status st = read_file(&r);

    if (st == CW_OK)
        st = read_header(&r);
    if (st == CW_OK)
        st = read_chunks(&r);
    if (st == CW_OK && r.segments.count)
        qsort(r.segments.v, r.segments.count, sizeof *r.segments.v, by_thread);
    if (st == CW_OK)
        st = scan(&r, false);
    if (st == CW_OK)
        st = cw_log_read_objects(&r);
    if (st == CW_OK)
        st = scan(&r, true);
    if (st == CW_OK)
        st = cw_log_link(&r);
    if (st == CW_OK && r.last_ns > t->process.end_ns)
        t->process.end_ns = r.last_ns;
    cw_log_finish(&r);
    return st;
}
