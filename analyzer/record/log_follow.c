/* log_follow.c - see log_follow.h. A chunk is read from where it was left; definitions of all chunks come
 * before commands of any, as they may be in the chunks of other threads. */
#include "log_follow.h"
#include "../io/output.h"
#include "log_cursor.h"

#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECENT = 1 << 16, ID_MAX = 1 << 20, HEAD_BYTES = 32 };

/* Where a chunk was left. */
struct chunk {
    uint64_t done;         /* bytes that were read */
    uint64_t seq, time_ns; /* bases of the next record */
    bool has_head;
    uint8_t head[HEAD_BYTES]; /* its first bytes: others mean that it is used again */
};

/* A command to which later records may refer; the newest of its slot. */
struct recent {
    uint64_t seq, index; /* index: in its queue */
    uint32_t row, queue;
    bool timed;
};

struct follow_state {
    int fd;
    CW_ARRAY(struct chunk) chunks; /* by unit of the file */
    CW_ARRAY(uint32_t) kernels;    /* the row of each kernel, by the log's id */
    struct recent *recent;
    uint8_t *bytes; /* a chunk's new ones */
    size_t capacity;
    struct cw_log_follow *f;
};

/* ---- rows */

static void copy_name(char to[CW_FOLLOW_NAME], const char *name, size_t n)
{
    snprintf(to, CW_FOLLOW_NAME, "%.*s", (int)(n < CW_FOLLOW_NAME ? n : CW_FOLLOW_NAME - 1), name);
}

/* The row of that name, CW_NONE when memory is out. */
static uint32_t row_of(struct cw_log_follow *f, const char *name, size_t n)
{
    char wanted[CW_FOLLOW_NAME];
    struct cw_follow_row *row;

    copy_name(wanted, name, n);
    for (size_t i = 0; i < f->rows.count; i++)
        if (!strcmp(f->rows.v[i].name, wanted))
            return (uint32_t)i;
    if (f->rows.count >= CW_FOLLOW_ROWS)
        return CW_FOLLOW_ROWS - 1;
    row = cw_trace_push(&f->rows, 1);
    if (!row)
        return CW_NONE;
    strcpy(row->name, f->rows.count == CW_FOLLOW_ROWS ? "(others)" : wanted);
    return (uint32_t)f->rows.count - 1;
}

/* Element `id` of an array that grows as ids come; NULL: no such id, or memory is out. */
#define ELEMENT(array, id)                                                                                   \
    ((id) >= ID_MAX ? NULL                                                                                   \
     : (id) < (array)->count || cw_trace_push(array, (size_t)(id) + 1 - (array)->count) != NULL              \
         ? &(array)->v[id]                                                                                   \
         : NULL)

/* ---- definitions */

static void read_device(struct cw_log_follow *f, struct cw_cursor *c)
{
    uint32_t id = cw_cursor_u32(c), n;
    struct cw_follow_device *d = ELEMENT(&f->devices, id);
    const uint8_t *name;

    for (int i = 0; i < 3; i++) /* platform, parent, type */
        cw_cursor_u(c);
    n = cw_cursor_count(c);
    name = cw_cursor_bytes(c, n);
    if (d && name)
        copy_name(d->name, (const char *)name, n);
}

static void read_queue(struct cw_log_follow *f, struct cw_cursor *c)
{
    uint32_t id = cw_cursor_u32(c), device;
    struct cw_follow_queue *q = ELEMENT(&f->queues, id);

    cw_cursor_u(c); /* context */
    device = cw_cursor_u32(c);
    if (q) {
        q->device = device ? device - 1 : CW_NONE;
        q->out_of_order = cw_cursor_u(c) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    }
}

static void read_kernel(struct follow_state *s, struct cw_cursor *c)
{
    uint32_t id = cw_cursor_u32(c), n, *row = ELEMENT(&s->kernels, id);
    const uint8_t *name;

    cw_cursor_u(c); /* program */
    cw_cursor_u(c); /* arguments */
    n = cw_cursor_count(c);
    name = cw_cursor_bytes(c, n);
    if (row && name)
        *row = row_of(s->f, (const char *)name, n) + 1; /* 0: not defined */
}

/* ---- commands */

static struct cw_follow_device *device_of(struct cw_log_follow *f, uint32_t queue)
{
    uint32_t device = queue < f->queues.count ? f->queues.v[queue].device : CW_NONE;

    return device < f->devices.count ? &f->devices.v[device] : NULL;
}

/* The command `r` is over. */
static void is_over(struct cw_log_follow *f, const struct recent *r)
{
    struct cw_follow_queue *q = r->queue < f->queues.count ? &f->queues.v[r->queue] : NULL;

    if (q && q->out_of_order)
        q->over += q->over < q->enqueued;
    else if (q && r->index >= q->over)
        q->over = r->index + 1;
}

static void note_wait(struct follow_state *s, uint64_t seq)
{
    struct recent *r = &s->recent[seq % RECENT];

    if (r->seq && r->seq == seq + 1 && r->queue < s->f->queues.count) {
        is_over(s->f, r);
        if (s->f->queues.v[r->queue].out_of_order)
            r->queue = CW_NONE; /* it is over once */
    }
}

/* What the head of a command says. */
struct head {
    uint64_t begin_ns, end_ns, flags;
    uint32_t queue; /* CW_NONE: none */
    bool failed;
    struct cw_cursor waits; /* the items of its wait list */
    uint32_t wait_count;
};

static void read_head(struct head *h, struct cw_cursor *c, struct chunk *at)
{
    uint64_t queue;

    h->begin_ns = at->time_ns + (uint64_t)cw_cursor_s(c);
    h->end_ns = at->time_ns = h->begin_ns + cw_cursor_u(c);
    h->flags = cw_cursor_u(c);
    h->failed = h->flags & CW_LOG_E_STATUS && cw_cursor_s(c) != 0;
    queue = cw_cursor_u(c);
    h->queue = queue && queue <= ID_MAX ? (uint32_t)queue - 1 : CW_NONE;
    h->wait_count = h->flags & CW_LOG_E_WAIT ? cw_cursor_count(c) : 0;
    h->waits = *c;
    for (uint32_t i = 0; i < h->wait_count; i++)
        cw_cursor_u(c);
    if (h->flags & CW_LOG_E_CALLSITE)
        cw_cursor_u(c);
}

/* The bytes of a transfer, or 0 where only its rectangle says it (three numbers, the first in bytes of
 * buffers). */
static uint64_t read_bytes(struct cw_cursor *c)
{
    uint64_t mask = cw_cursor_u(c), bytes = 0, region = 1;

    for (unsigned field = CW_LOG_T_SRC; field < CW_LOG_T_BYTES; field <<= 1)
        if (mask & field)
            cw_cursor_u(c);
    if (mask & CW_LOG_T_BYTES)
        return cw_cursor_u(c);
    for (unsigned field = CW_LOG_T_SRC_ORIGIN; field <= CW_LOG_T_REGION; field <<= 1)
        for (int i = 0; mask & field && i < 3; i++) {
            bytes = cw_cursor_u(c);
            region = field == CW_LOG_T_REGION ? region * bytes : 1;
        }
    return mask & CW_LOG_T_REGION ? region : 0;
}

static void count_command(struct follow_state *s, const struct head *h, uint64_t seq, uint32_t row,
                          uint64_t bytes)
{
    struct cw_log_follow *f = s->f;
    struct cw_follow_queue *q = h->queue == CW_NONE ? NULL : ELEMENT(&f->queues, h->queue);
    struct cw_follow_device *d = device_of(f, h->queue);

    if (row < f->rows.count) {
        f->rows.v[row].commands++;
        f->rows.v[row].bytes += bytes;
    }
    f->commands++;
    if (d) {
        d->commands++;
        d->bytes += bytes;
    }
    s->recent[seq % RECENT] =
        (struct recent){seq + 1, q ? q->enqueued : 0, row, q ? h->queue : CW_NONE, false};
    if (q)
        q->enqueued++;
    if (h->flags & CW_LOG_E_BLOCKING) {
        f->waits++;
        f->wait_ns += h->end_ns - h->begin_ns;
        note_wait(s, seq);
    }
}

static uint32_t row_of_type(struct cw_log_follow *f, uint32_t type)
{
    const char *name = cw_trace_command_short_name(type);

    return row_of(f, name, strlen(name));
}

static void read_host(struct follow_state *s, const struct head *h, struct cw_cursor *c, uint64_t seq)
{
    uint64_t type = CW_HOST_FINISH + cw_cursor_u(c);
    struct cw_cursor waits = h->waits;
    struct cw_follow_queue *q = h->queue < s->f->queues.count ? &s->f->queues.v[h->queue] : NULL;

    if (h->failed || (type != CW_HOST_FINISH && type != CW_HOST_WAIT && type != CW_HOST_POLL))
        return;
    if (type != CW_HOST_POLL) {
        s->f->waits++;
        s->f->wait_ns += h->end_ns - h->begin_ns;
    }
    if (type == CW_HOST_FINISH && q)
        q->over = q->enqueued;
    for (uint32_t i = 0; i < h->wait_count; i++) {
        uint64_t item = cw_cursor_u(&waits);
        if ((item & 3) == CW_LOG_WAIT_COMMAND)
            note_wait(s, seq + (uint64_t)cw_log_unzigzag(item >> 2));
    }
}

static void read_enqueue(struct follow_state *s, struct chunk *at, uint32_t kind, struct cw_cursor *c)
{
    struct cw_log_follow *f = s->f;
    struct head h;
    uint32_t row;

    read_head(&h, c, at);
    if (c->bad)
        return;
    if (h.end_ns > f->last_ns)
        f->last_ns = h.end_ns;
    if (kind == CW_LOG_HOST) {
        read_host(s, &h, c, at->seq);
    } else if (h.failed) {
        f->failed++;
    } else if (kind == CW_LOG_KERNEL_COMMAND) {
        uint64_t kernel = cw_cursor_u(c);
        row = kernel && kernel <= s->kernels.count && s->kernels.v[kernel - 1] ? s->kernels.v[kernel - 1] - 1
                                                                               : row_of(f, "?", 1);
        count_command(s, &h, at->seq, row, 0);
    } else if (kind != CW_LOG_HOST_WRITE) {
        row = row_of_type(f, cw_cursor_u32(c));
        count_command(s, &h, at->seq, row, kind == CW_LOG_TRANSFER ? read_bytes(c) : 0);
    }
}

/* CW_LOG_TIMES, CW_LOG_STATUS, CW_LOG_RAN */
static void read_times(struct follow_state *s, uint64_t seq, uint32_t kind, struct cw_cursor *c)
{
    struct cw_log_follow *f = s->f;
    uint64_t start, end, of = seq + (uint64_t)cw_cursor_s(c);
    struct recent *r = &s->recent[of % RECENT];
    int64_t status = cw_cursor_s(c);
    struct cw_follow_device *d;

    if (!r->seq || r->seq != of + 1 || status > 0)
        return;
    if (kind != CW_LOG_STATUS && !r->timed && r->row < f->rows.count) {
        start = cw_cursor_u(c);
        start += (uint64_t)cw_cursor_s(c); /* submit */
        start += (uint64_t)cw_cursor_s(c);
        end = start + (uint64_t)cw_cursor_s(c);
        d = device_of(f, r->queue);
        if (kind == CW_LOG_RAN) {
            uint64_t device = cw_cursor_u(c);
            d = device && device <= f->devices.count ? &f->devices.v[device - 1] : d;
        }
        if (!c->bad && start && end >= start) {
            f->rows.v[r->row].timed++;
            f->rows.v[r->row].device_ns += end - start;
            r->timed = true;
        }
        if (d)
            d->timed += r->timed;
        if (d && r->timed && end > d->last_ns) {
            d->busy_ns += end - (start > d->last_ns ? start : d->last_ns);
            d->last_ns = end;
        }
    }
    note_wait(s, of);
}

/* ---- chunks */

static void read_record(struct follow_state *s, struct chunk *at, bool definitions, uint32_t kind,
                        struct cw_cursor *c)
{
    if (definitions && kind == CW_LOG_DEVICE)
        read_device(s->f, c);
    else if (definitions && kind == CW_LOG_QUEUE)
        read_queue(s->f, c);
    else if (definitions && kind == CW_LOG_KERNEL)
        read_kernel(s, c);
    else if (!definitions && kind >= CW_LOG_KERNEL_COMMAND && kind <= CW_LOG_HOST_WRITE)
        read_enqueue(s, at, kind, c);
    else if (!definitions && kind == CW_LOG_CALL) {
        at->time_ns += (uint64_t)cw_cursor_s(c);
        at->time_ns += cw_cursor_u(c);
    } else if (!definitions && (kind == CW_LOG_TIMES || kind == CW_LOG_STATUS || kind == CW_LOG_RAN))
        read_times(s, at->seq, kind, c);
}

/* Reads the records [p, end); false: they make no sense. */
static bool read_records(struct follow_state *s, struct chunk *at, bool definitions, const uint8_t *p,
                         const uint8_t *end)
{
    struct cw_cursor c = {p, end, false}, body;

    while (c.p < c.end) {
        uint64_t length = cw_cursor_u(&c);
        const uint8_t *record = cw_cursor_bytes(&c, length);
        if (!record || !length || !*record || *record >= CW_LOG_KINDS)
            return false;
        body = (struct cw_cursor){record + 1, record + length, false};
        if (*record == CW_LOG_THREAD) {
            cw_cursor_u(&body);
            cw_cursor_u(&body);
            at->seq = cw_cursor_u(&body);
            at->time_ns = cw_cursor_u(&body);
        } else {
            at->seq += (uint64_t)cw_cursor_s(&body);
            read_record(s, at, definitions, *record, &body);
        }
    }
    return true;
}

/* Reads what is new of the chunk at unit `unit`, whose header is `h`: definitions, or commands, which
 * moves `at` on. */
static bool read_chunk(struct follow_state *s, struct chunk *at, size_t unit, const struct cw_log_chunk *h,
                       bool definitions)
{
    const off_t begin = (off_t)(unit * CW_LOG_CHUNK_BYTES + sizeof *h);
    uint64_t n = h->committed - at->done;
    struct chunk place = *at;
    uint8_t *grown = n > s->capacity ? realloc(s->bytes, n) : s->bytes;

    if (n && !grown)
        return false;
    s->bytes = grown;
    s->capacity = n > s->capacity ? n : s->capacity;
    if (pread(s->fd, s->bytes, n, begin + (off_t)at->done) != (ssize_t)n)
        return true; /* the file is being cut short: the process says so */
    read_records(s, &place, definitions, s->bytes, s->bytes + n);
    if (!definitions) {
        place.done = h->committed;
        *at = place;
    }
    return true;
}

/* The chunk at `unit`, a whole one; false: it is not there yet. */
static bool look_at(struct follow_state *s, size_t unit, size_t size, struct cw_log_chunk *h)
{
    const off_t begin = (off_t)(unit * CW_LOG_CHUNK_BYTES);

    return pread(s->fd, h, sizeof *h, begin) == sizeof *h && h->magic == CW_LOG_CHUNK_MAGIC && h->units &&
           h->units <= size / CW_LOG_CHUNK_BYTES - unit &&
           h->committed <= (uint64_t)h->units * CW_LOG_CHUNK_BYTES - sizeof *h;
}

/* Begins anew with a chunk that is used again: it has fewer bytes, or others at its beginning. */
static void check_head(struct follow_state *s, struct chunk *at, size_t unit, uint64_t committed)
{
    const off_t begin = (off_t)(unit * CW_LOG_CHUNK_BYTES + sizeof(struct cw_log_chunk));
    uint8_t head[HEAD_BYTES] = {0};
    bool has_head = committed >= HEAD_BYTES && pread(s->fd, head, sizeof head, begin) == sizeof head;

    if (committed < at->done || (at->has_head && memcmp(head, at->head, sizeof head) != 0))
        *at = (struct chunk){.done = 0};
    at->has_head |= has_head;
    if (has_head)
        memcpy(at->head, head, sizeof head);
}

static bool read_chunks(struct follow_state *s, size_t size, bool definitions)
{
    size_t units = size / CW_LOG_CHUNK_BYTES;
    struct cw_log_chunk h;

    if (s->chunks.count < units && !cw_trace_push(&s->chunks, units - s->chunks.count))
        return false;
    for (size_t unit = 1; unit < units; unit++) {
        if (!look_at(s, unit, size, &h))
            continue;
        if (definitions)
            check_head(s, &s->chunks.v[unit], unit, h.committed);
        if (h.committed > s->chunks.v[unit].done && !read_chunk(s, &s->chunks.v[unit], unit, &h, definitions))
            return false;
        unit += h.units - 1;
    }
    return true;
}

/* ---- the log */

static enum cw_status read_header(struct cw_log_follow *f, const char *path, struct cw_error *err)
{
    struct cw_log_header *h = malloc(sizeof *h);
    enum cw_status status = CW_OK;

    if (!h)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    else if (pread(f->state->fd, h, sizeof *h, 0) != sizeof *h || memcmp(h->magic, CW_LOG_MAGIC, 8))
        status = cw_error_set(err, CW_ERR_FORMAT, "%.300s: this is not a clweave log", path);
    else if (h->version != CW_LOG_VERSION || h->chunk_bytes != CW_LOG_CHUNK_BYTES)
        status = cw_error_set(err, CW_ERR_VERSION, "%.300s: another version of clweave writes it", path);
    if (!status) {
        f->start_ns = h->start_ns;
        f->complete = h->complete;
        f->stopped = h->stopped;
        f->dropped = h->dropped;
    }
    free(h);
    return status;
}

enum cw_status cw_log_follow_poll(struct cw_log_follow *f, struct cw_error *err)
{
    enum cw_status status = read_header(f, "the log", err);
    struct stat st;

    if (!status && (fstat(f->state->fd, &st) || st.st_size < 0))
        status = cw_error_set(err, CW_ERR_IO, "cannot read the log: %s", strerror(errno));
    if (!status && !(read_chunks(f->state, (size_t)st.st_size, true) &&
                     read_chunks(f->state, (size_t)st.st_size, false)))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    return status;
}

enum cw_status cw_log_follow_open(struct cw_log_follow *f, const char *path, struct cw_error *err)
{
    struct stat st;
    enum cw_status status;

    *f = (struct cw_log_follow){.state = calloc(1, sizeof *f->state)};
    if (f->state) {
        f->state->f = f;
        f->state->fd = -1;
        f->state->recent = calloc(RECENT, sizeof *f->state->recent);
    }
    if (!f->state || !f->state->recent)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    f->state->fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (f->state->fd < 0 || fstat(f->state->fd, &st))
        return cw_error_set(err, CW_ERR_IO, "cannot open %.300s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return cw_error_set(err, CW_ERR_IO, "%.300s is not a regular file", path);
    cw_output_private_as(f->state->fd);
    status = read_header(f, path, err);
    return status ? status : cw_log_follow_poll(f, err);
}

void cw_log_follow_close(struct cw_log_follow *f)
{
    free(f->rows.v);
    free(f->devices.v);
    free(f->queues.v);
    if (f->state) {
        if (f->state->fd >= 0)
            close(f->state->fd);
        free(f->state->chunks.v);
        free(f->state->kernels.v);
        free(f->state->recent);
        free(f->state->bytes);
    }
    free(f->state);
    *f = (struct cw_log_follow){0};
}

uint64_t cw_log_follow_depth(const struct cw_log_follow *f, uint32_t device)
{
    uint64_t depth = 0;

    for (size_t i = 0; i < f->queues.count; i++)
        if (f->queues.v[i].device == device)
            depth += f->queues.v[i].enqueued - f->queues.v[i].over;
    return depth;
}
