/* log_follow.c - see log_read.h. The log reader decodes one record after the other; each is counted and
 * forgotten. A chunk is read from where it was left; definitions of all chunks come before commands of any,
 * as they may be in the chunks of other threads. */
#include "log_read.h"
#include "log_read_state.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECENT = 1 << 16, ID_MAX = 1 << 20, HEAD_BYTES = 32 };

/* Where a chunk was left. */
struct chunk {
    uint64_t done, end;       /* bytes that were read; that were there when this poll began */
    struct cw_log_segment at; /* bases of the next record */
    bool has_head;
    uint8_t head[HEAD_BYTES]; /* its first bytes: others mean that it is used again */
};

/* A command to which later records may refer; the newest with its seq % RECENT. */
struct recent {
    uint64_t seq, index; /* seq: + 1; index: in its queue */
    uint32_t row, queue;
    bool timed;
};

struct queue {
    uint64_t enqueued, over;
};

struct follow_state {
    int fd;
    CW_ARRAY(struct chunk) chunks; /* by unit of the file */
    CW_ARRAY(uint32_t) kernels;    /* the row of each kernel, by the log's id */
    CW_ARRAY(struct queue) queues; /* by the log's id */
    struct recent *recent;
    struct cw_trace t;      /* the log's objects, by its ids; commands and times of one record */
    struct cw_log_reader r; /* r.base: bytes of a chunk, r.size of them fit */
    struct cw_error record; /* why the newest record makes no sense */
    struct cw_log_header header;
    struct cw_log_follow *f;
};

/* ---- definitions */

/* The row of that name, CW_NONE when memory is out. */
static uint32_t row_of(struct follow_state *s, const char *name)
{
    struct cw_log_follow *f = s->f;
    struct cw_follow_row *row;

    for (size_t i = 0; i < f->rows.count; i++)
        if (!strcmp(f->rows.v[i].name, name))
            return (uint32_t)i;
    if (f->rows.count >= CW_FOLLOW_ROWS)
        return CW_FOLLOW_ROWS - 1;
    name = f->rows.count == CW_FOLLOW_ROWS - 1 ? "(others)" : cw_trace_strdup(&s->t, name);
    row = name ? cw_trace_push(&f->rows, 1) : NULL;
    if (!row)
        return CW_NONE;
    row->name = name;
    return (uint32_t)f->rows.count - 1;
}

/* Makes element `id` of an array that grows as ids come; false: memory is out. */
#define GROW(array, id)                                                                                      \
    ((id) < (array)->count || cw_trace_push(array, (size_t)(id) + 1 - (array)->count) != NULL)

/* A device, queue or kernel. False: memory is out. */
static bool define(struct follow_state *s, struct cw_log_record *rec)
{
    struct cw_log_def d = {.kind = rec->kind, .id = cw_cursor_u32(&rec->body), .body = rec->body};
    bool ok = true;

    if (rec->body.bad || d.id >= ID_MAX)
        return true;
    if (cw_log_define(&s->r, &d))
        return false;
    if (d.body.bad)
        return true;
    if (d.kind == CW_LOG_DEVICE && (ok = GROW(&s->f->devices, d.id)))
        s->f->devices.v[d.id].name = s->t.devices.v[d.id].name;
    else if (d.kind == CW_LOG_QUEUE)
        ok = GROW(&s->queues, d.id);
    else if (d.kind == CW_LOG_KERNEL && (ok = s->t.kernels.v[d.id].name && GROW(&s->kernels, d.id)))
        s->kernels.v[d.id] = row_of(s, s->t.kernels.v[d.id].name);
    return ok;
}

/* ---- commands */

/* CW_NONE is no device that the log defines. */
static struct cw_follow_device *device(struct cw_log_follow *f, uint32_t id)
{
    return id < f->devices.count ? &f->devices.v[id] : NULL;
}

/* Command `seq` is over. */
static void note_end(struct follow_state *s, uint64_t seq)
{
    struct recent *r = &s->recent[seq % RECENT];
    struct queue *q = r->queue < s->queues.count ? &s->queues.v[r->queue] : NULL;

    if (r->seq != seq + 1 || !q)
        return;
    if (!s->t.queues.v[r->queue].out_of_order) {
        q->over = r->index >= q->over ? r->index + 1 : q->over;
        return;
    }
    q->over += q->over < q->enqueued;
    r->queue = CW_NONE; /* it is over once */
}

static uint64_t bytes_of(const struct follow_state *s, const struct cw_command *k)
{
    const struct cw_t_transfer *x = k->transfer == CW_NONE ? NULL : &s->t.transfers.v[k->transfer];

    return !x ? 0 : x->bytes ? x->bytes : x->region[0] * x->region[1] * x->region[2];
}

static void count_command(struct follow_state *s, const struct cw_command *k, uint32_t row)
{
    struct cw_log_follow *f = s->f;
    struct queue *q = k->queue < s->queues.count ? &s->queues.v[k->queue] : NULL;
    struct cw_follow_device *d = q ? device(f, s->t.queues.v[k->queue].device) : NULL;
    uint64_t bytes = bytes_of(s, k);

    if (row < f->rows.count) {
        f->rows.v[row].commands++;
        f->rows.v[row].bytes += bytes;
    }
    f->commands++;
    if (d) {
        d->commands++;
        d->bytes += bytes;
    }
    s->recent[k->sequence % RECENT] =
        (struct recent){k->sequence + 1, q ? q->enqueued : 0, row, q ? k->queue : CW_NONE, false};
    if (q)
        q->enqueued++;
    if (k->blocking) {
        f->waits++;
        f->wait_ns += k->call_end_ns - k->call_begin_ns;
        note_end(s, k->sequence);
    }
}

static void count_host(struct follow_state *s, const struct cw_command *k)
{
    if (k->status || (k->type != CW_HOST_FINISH && k->type != CW_HOST_WAIT && k->type != CW_HOST_POLL))
        return;
    if (k->type != CW_HOST_POLL) {
        s->f->waits++;
        s->f->wait_ns += k->call_end_ns - k->call_begin_ns;
    }
    if (k->type == CW_HOST_FINISH && k->queue < s->queues.count)
        s->queues.v[k->queue].over = s->queues.v[k->queue].enqueued;
    for (size_t i = 0; i < s->r.waits.count; i++)
        if (s->r.waits.v[i].how == CW_LOG_WAIT_COMMAND)
            note_end(s, s->r.waits.v[i].seq);
}

static void count(struct follow_state *s, const struct cw_command *k)
{
    if (k->call_end_ns > s->f->last_ns)
        s->f->last_ns = k->call_end_ns;
    if (!cw_trace_command_is_enqueue(k))
        count_host(s, k);
    else if (k->status)
        s->f->failed++;
    else if (k->kernel < s->kernels.count && s->t.kernels.v[k->kernel].name)
        count_command(s, k, s->kernels.v[k->kernel]);
    else
        count_command(s, k, row_of(s, cw_trace_command_short_name(k->type)));
}

static void count_times(struct follow_state *s, const struct cw_log_times *x)
{
    struct recent *r = &s->recent[x->seq % RECENT];
    uint32_t queue = r->queue;
    uint64_t start = x->at[2], end = x->at[3];
    struct cw_follow_device *d = device(s->f, x->device != CW_NONE      ? x->device
                                              : queue < s->queues.count ? s->t.queues.v[queue].device
                                                                        : CW_NONE);

    if (r->seq != x->seq + 1 || x->exec_status > 0)
        return;
    note_end(s, x->seq);
    if (r->timed || r->row >= s->f->rows.count || !start || end < start)
        return;
    s->f->rows.v[r->row].timed++;
    s->f->rows.v[r->row].device_ns += end - start;
    r->timed = true;
    if (!d)
        return;
    d->timed++;
    if (end > d->last_ns) {
        d->busy_ns += end - (start > d->last_ns ? start : d->last_ns);
        d->last_ns = end;
    }
}

/* A command, its times, or a call, which has a time to go on from. */
static void take(struct follow_state *s, struct cw_log_segment *at, struct cw_log_record *rec)
{
    struct cw_trace *t = &s->t;

    if (cw_log_read_command(&s->r, at, rec) == CW_OK) {
        if (t->commands.count)
            count(s, &t->commands.v[0]);
        if (s->r.times.count)
            count_times(s, &s->r.times.v[0]);
    }
    t->commands.count = t->transfers.count = t->bytes.count = t->calls.count = 0;
    s->r.waits.count = s->r.map_seqs.count = s->r.times.count = s->r.users.count = 0;
}

/* ---- chunks */

static bool is_counted(uint32_t kind)
{
    return (kind >= CW_LOG_KERNEL_COMMAND && kind <= CW_LOG_STATUS) || kind == CW_LOG_RAN ||
           kind == CW_LOG_CALL;
}

static bool is_object(uint32_t kind)
{
    return kind == CW_LOG_DEVICE || kind == CW_LOG_QUEUE || kind == CW_LOG_KERNEL;
}

/* Reads the records of a segment, as far as they make sense. False: memory is out. */
static bool read_records(struct follow_state *s, struct cw_log_segment *at, bool definitions)
{
    struct cw_log_record rec;

    while (cw_log_next_record(&s->r, at, &rec) == CW_OK && rec.kind)
        if (rec.kind == CW_LOG_THREAD)
            cw_log_begin_segment(at, &rec);
        else if (definitions && is_object(rec.kind)) {
            if (!define(s, &rec))
                return false;
        } else if (!definitions && is_counted(rec.kind))
            take(s, at, &rec);
    return true;
}

/* Begins anew with a chunk that is used again: it has fewer bytes, or others at its beginning. */
static void check_head(struct follow_state *s, struct chunk *c, off_t records, uint64_t committed)
{
    uint8_t head[HEAD_BYTES] = {0};
    bool has_head = committed >= HEAD_BYTES && pread(s->fd, head, sizeof head, records) == sizeof head;

    if (committed < c->done || (c->has_head && memcmp(head, c->head, sizeof head) != 0))
        *c = (struct chunk){.done = 0};
    c->has_head |= has_head;
    if (has_head)
        memcpy(c->head, head, sizeof head);
    c->end = committed;
}

/* What a poll does with each chunk, in this order: a command that it counts is defined in what it reads. */
enum step { LOOK, DEFINE, COUNT };

/* `records` begin in the file, `committed` bytes are there. False: memory is out. */
static bool read_chunk(struct follow_state *s, struct chunk *c, off_t records, uint64_t committed,
                       enum step step)
{
    uint64_t n = (step == COUNT ? c->end : committed) - c->done;
    struct cw_log_segment at = c->at;

    if (committed < c->end || !n) /* it is used again: the next poll sees that */
        return true;
    if (n > s->r.size) {
        uint8_t *grown = realloc((void *)(uintptr_t)s->r.base, n);
        if (!grown)
            return false;
        s->r.base = grown;
        s->r.size = n;
    }
    if (pread(s->fd, (void *)(uintptr_t)s->r.base, n, records + (off_t)c->done) != (ssize_t)n)
        return true; /* the file is being cut short: the process says so */
    at.p = s->r.base;
    at.end = s->r.base + n;
    if (!read_records(s, &at, step == DEFINE))
        return false;
    if (step == COUNT) {
        c->at = at;
        c->done = c->end;
    }
    return true;
}

static bool read_chunks(struct follow_state *s, size_t units, enum step step)
{
    struct cw_log_chunk h;

    for (size_t unit = 1; unit < units; unit++) {
        off_t begin = (off_t)(unit * CW_LOG_CHUNK_BYTES), records = begin + (off_t)sizeof h;
        struct chunk *c = &s->chunks.v[unit];

        if (pread(s->fd, &h, sizeof h, begin) != sizeof h || h.magic != CW_LOG_CHUNK_MAGIC || !h.units ||
            h.units > units - unit || h.committed > (uint64_t)h.units * CW_LOG_CHUNK_BYTES - sizeof h)
            continue; /* it is not there yet */
        if (step == LOOK)
            check_head(s, c, records, h.committed);
        else if (!read_chunk(s, c, records, h.committed, step))
            return false;
        unit += h.units - 1;
    }
    return true;
}

/* ---- the log */

static enum cw_status read_header(struct cw_log_follow *f)
{
    struct cw_log_reader *r = &f->state->r;
    struct cw_log_header *h = &f->state->header;

    if (pread(f->state->fd, h, sizeof *h, 0) != sizeof *h)
        memset(h->magic, 0, sizeof h->magic);
    f->start_ns = h->start_ns;
    f->complete = h->complete;
    f->stopped = h->stopped;
    f->dropped = h->dropped;
    return cw_log_check_header(r, h);
}

enum cw_status cw_log_follow_poll(struct cw_log_follow *f, struct cw_error *err)
{
    struct follow_state *s = f->state;
    struct stat st;
    size_t units;
    enum cw_status status;

    s->r.err = err;
    status = read_header(f);
    if (!status && (fstat(s->fd, &st) || st.st_size < 0))
        status = cw_error_set(err, CW_ERR_IO, "cannot read the log: %s", strerror(errno));
    if (status)
        return status;
    units = (size_t)st.st_size / CW_LOG_CHUNK_BYTES;
    s->r.err = &s->record;
    if ((s->chunks.count < units && !cw_trace_push(&s->chunks, units - s->chunks.count)) ||
        !read_chunks(s, units, LOOK) || !read_chunks(s, units, DEFINE) || !read_chunks(s, units, COUNT))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    return CW_OK;
}

enum cw_status cw_log_follow_open(struct cw_log_follow *f, const char *path, struct cw_error *err)
{
    struct follow_state *s = calloc(1, sizeof *s);
    enum cw_status status;

    *f = (struct cw_log_follow){.state = s};
    if (!s)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    s->f = f;
    s->fd = -1;
    s->r = (struct cw_log_reader){.t = &s->t, .err = err, .path = path};
    s->recent = calloc(RECENT, sizeof *s->recent);
    if (!s->recent)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    status = cw_log_open(&s->r, &s->fd);
    s->r.size = 0;
    return status ? status : cw_log_follow_poll(f, err);
}

void cw_log_follow_close(struct cw_log_follow *f)
{
    struct follow_state *s = f->state;

    free(f->rows.v);
    free(f->devices.v);
    if (s) {
        if (s->fd >= 0)
            close(s->fd);
        free(s->chunks.v);
        free(s->kernels.v);
        free(s->queues.v);
        free(s->recent);
        cw_log_finish(&s->r);
        cw_trace_finish(&s->t);
    }
    free(s);
    *f = (struct cw_log_follow){0};
}

uint64_t cw_log_follow_depth(const struct cw_log_follow *f, uint32_t device)
{
    const struct follow_state *s = f->state;
    uint64_t depth = 0;

    for (size_t i = 0; i < s->queues.count; i++)
        if (s->t.queues.v[i].device == device)
            depth += s->queues.v[i].enqueued - s->queues.v[i].over;
    return depth;
}
