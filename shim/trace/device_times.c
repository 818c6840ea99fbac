#include <errno.h>
#include <stdlib.h>

#include "../door/lock.h"
#include "../door/log.h"
#include "recorder.h"

#define HARVEST_AT  1024  /* pending commands at which an enqueue looks for finished ones */
#define MAX_PENDING 65536 /* beyond it the oldest lose their times rather than memory grow */
#define BATCH       128
#define PATIENCE    256 /* unfinished ones in a row after which a harvest ends */

struct pending {
    cl_event event; /* a reference that this library holds */
    uint64_t seq;
};
static struct pending *ring; /* MAX_PENDING entries, made when first needed */
static uint32_t head;
static _Atomic uint32_t size; /* read without the lock, too */
static cw_lock ring_lock;

void cw_device_times_after_fork(void)
{
    cw_lock_free(&ring_lock);
    size = 0; /* the parent's commands */
}

/* Appends `p`; an entry that had to make room is returned in *out (event NULL: nothing). */
static bool push(struct pending p, struct pending *out)
{
    bool ok = true;
    int saved = errno;

    *out = (struct pending){0};
    cw_lock_take(&ring_lock);
    if (!ring)
        ring = calloc(MAX_PENDING, sizeof *ring);
    if (ring && size == MAX_PENDING) {
        *out = ring[head];
        head = (head + 1) % MAX_PENDING;
        size--;
    }
    if (ring)
        ring[(head + size++) % MAX_PENDING] = p;
    else
        ok = false;
    cw_lock_free(&ring_lock);
    errno = saved;
    if (!ok)
        cw_log_warning("device times are incomplete: out of memory");
    return ok;
}

static uint32_t pop(struct pending *batch, uint32_t want)
{
    uint32_t n = 0;

    cw_lock_take(&ring_lock);
    while (n < want && size) {
        batch[n++] = ring[head];
        head = (head + 1) % MAX_PENDING;
        size--;
    }
    cw_lock_free(&ring_lock);
    return n;
}

static void encode_times(struct cw_rec *r, uint64_t seq, cl_int status, const uint64_t at[4])
{
    cw_log_rec_begin(r);
    cw_rec_s(r, (int64_t)(seq - r->seq));
    cw_rec_s(r, status);
    cw_rec_u(r, at[0]);
    for (int i = 1; i < 4; i++)
        cw_rec_s(r, (int64_t)(at[i] - at[i - 1]));
}

void cw_device_times_ran(uint64_t seq, uint64_t device, cl_int status, const uint64_t at[4])
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    encode_times(&r, seq, status, at);
    cw_rec_u(&r, device);
    cw_log_rec_commit(&r, CW_LOG_RAN);
}

void cw_device_times_went(uint32_t stream, uint64_t staged_bytes)
{
    struct cw_rec r;

    if (CW_LIKELY(!cw_enqueuing) || !cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(cw_enqueuing - 1 - r.seq));
    cw_rec_u(&r, stream);
    cw_rec_u(&r, staged_bytes);
    cw_log_rec_commit(&r, CW_LOG_WENT);
}

void cw_device_times_whole(uint64_t seq, const char *why)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(seq - r.seq));
    cw_log_rec_string(&r, why);
    cw_log_rec_commit(&r, CW_LOG_WHOLE);
}

static void write_part(const struct cw_times_part *p, enum cw_log_kind kind)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_s(&r, (int64_t)(p->seq - r.seq));
    cw_rec_u(&r, p->device);
    cw_rec_u(&r, p->dim);
    cw_rec_u(&r, p->first);
    cw_rec_u(&r, p->groups);
    cw_rec_u(&r, p->start_ns);
    cw_rec_u(&r, p->end_ns > p->start_ns ? p->end_ns - p->start_ns : 0);
    if (kind == CW_LOG_TILE)
        cw_rec_u(&r, p->priority_group);
    cw_log_rec_commit(&r, kind);
}

void cw_device_times_part(const struct cw_times_part *part)
{
    write_part(part, part->priority_group ? CW_LOG_TILE : CW_LOG_PART);
}

void cw_device_times_plan(const struct cw_times_part *part)
{
    write_part(part, CW_LOG_PLAN);
}

void cw_device_times_move(const struct cw_times_move *m)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    cw_rec_u(&r, m->command);
    cw_rec_u(&r, m->memory);
    cw_rec_u(&r, m->why);
    cw_rec_u(&r, m->from);
    cw_rec_u(&r, m->to);
    cw_rec_u(&r, m->offset);
    cw_rec_u(&r, m->bytes);
    cw_rec_u(&r, m->start_ns);
    cw_rec_u(&r, m->end_ns > m->start_ns ? m->end_ns - m->start_ns : 0);
    cw_log_rec_commit(&r, CW_LOG_MOVE);
}

bool cw_device_times_write(cl_event event, uint64_t seq)
{
    static const cl_profiling_info what[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_int exec_status = CL_QUEUED;
    uint64_t at[4] = {0};
    struct cw_rec r;
    int i;

    if (cw_traced.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof exec_status, &exec_status,
                                 NULL) != CL_SUCCESS ||
        exec_status > CL_COMPLETE)
        return false;
    for (i = 0; i < 4; i++)
        if (cw_traced.clGetEventProfilingInfo(event, what[i], sizeof at[i], &at[i], NULL) != CL_SUCCESS)
            at[i] = 0;
    encode_times(&r, seq, exec_status, at);
    cw_log_rec_commit(&r, CW_LOG_TIMES);
    return true;
}

void cw_device_times_harvest(bool all)
{
    struct pending batch[BATCH], out;
    uint32_t left = size, unfinished = 0, n, i;

    if (CW_LIKELY(!left) || (!all && left < HARVEST_AT))
        return;
    for (; left && unfinished < PATIENCE && (n = pop(batch, left < BATCH ? left : BATCH)); left -= n)
        for (i = 0; i < n; i++) {
            out.event = batch[i].event;
            unfinished = cw_device_times_write(batch[i].event, batch[i].seq) ? 0 : unfinished + 1;
            if (unfinished && !push(batch[i], &out))
                out.event = batch[i].event;
            if (out.event)
                cw_traced.clReleaseEvent(out.event);
        }
}

void cw_device_times_adopt(cl_event event, uint64_t seq)
{
    struct pending out;

    if (!push((struct pending){event, seq}, &out))
        cw_traced.clReleaseEvent(event);
    if (out.event)
        cw_traced.clReleaseEvent(out.event);
    cw_device_times_harvest(false);
}
