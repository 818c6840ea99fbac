#include "../../analyzer/record/trace.h"
#include "capture.h"

#define SAMPLE 64 /* one in this many enqueues is timed as a whole, to estimate the cost of recording */

__thread uint64_t cw_enqueuing __attribute__((tls_model("initial-exec")));

/* The part of an enqueue head that names events. */
static void enqueue_encode_waits(struct cw_rec *r, cl_uint waits, const cl_event *wait_list)
{
    struct cw_object *o;
    uint64_t item;
    cl_uint i;

    if (!waits || !wait_list)
        return;
    r->flags |= CW_LOG_E_WAIT;
    cw_rec_u(r, waits);
    for (i = 0; i < waits; i++) {
        o = cw_object_find(wait_list[i], CW_LOG_O_EVENT);
        item = CW_LOG_WAIT_UNKNOWN;
        if (CW_LIKELY(o != NULL))
            cw_calls_stale_event_used(o);
        else
            cw_calls_stale_note(wait_list[i], CW_LOG_O_EVENT, r->seq + 1, 0);
        if (o && o->generation == cw_log_generation && !(o->flags & CW_OBJECT_UNKNOWN_EVENT))
            item = cw_log_zigzag((int64_t)(o->seq - r->seq)) << 2 |
                   (o->flags & CW_OBJECT_USER_EVENT ? CW_LOG_WAIT_USER : CW_LOG_WAIT_COMMAND);
        cw_rec_u(r, item);
    }
}

bool cw_enqueue_begin(struct cw_enqueue *e, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                      cl_event *event, struct cw_caller caller)
{
    uint32_t site;

    cw_device_times_goes_on();
    if (!cw_formula_is_recording() || !(e->t = cw_log_thread()))
        return false;
    if (CW_UNLIKELY(cw_recorder.capture_data)) {
        cw_capture_host_writes();
        cw_capture_gate(queue, waits, wait_list);
    }
    e->enter_ns = CW_UNLIKELY(++e->t->enqueues % SAMPLE == SAMPLE / 2) ? cw_now_ns() : 0;
    e->t->calls++;
    e->t->depth++;
    e->queue_handle = queue;
    site = cw_callsite(e->t, caller);
    cw_log_rec_begin(&e->r);
    e->queue = cw_used(queue, CW_LOG_O_QUEUE, e->r.seq);
    cw_rec_u(&e->r, e->queue ? (uint64_t)e->queue->id + 1 : 0);
    enqueue_encode_waits(&e->r, waits, wait_list);
    if (site) {
        e->r.flags |= CW_LOG_E_CALLSITE;
        cw_rec_u(&e->r, site - 1);
    }
    e->wanted = event != NULL;
    e->own = NULL;
    e->event = event;
    e->first = false;
    if (CW_UNLIKELY(!event && e->queue && e->queue->flags & CW_OBJECT_PROFILED &&
                    cw_device_times_wants(e->r.seq)))
        e->event = &e->own;
    cw_enqueuing = e->r.seq + 1;
    e->r.begin_ns = cw_now_ns();
    return true;
}

/* The program's new event: from now on it names this command. */
static void remember_event(struct cw_enqueue *e)
{
    struct cw_object *o = *e->event ? cw_object_insert(*e->event, CW_LOG_O_EVENT) : NULL;

    e->r.flags |= CW_LOG_E_EVENT;
    if (!o)
        return;
    o->seq = e->r.seq;
    o->owner = e->queue_handle;
    o->id = e->first;
    if (CW_UNLIKELY(e->queue && e->queue->flags & CW_OBJECT_PROFILED && cw_device_times_wants(e->r.seq)))
        atomic_fetch_or_explicit(&o->flags, CW_OBJECT_PROFILED, memory_order_relaxed);
}

void cw_enqueue_returned(struct cw_enqueue *e, cl_int status)
{
    e->r.end_ns = cw_now_ns();
    cw_device_times_goes_on();
    e->r.status = status;
    cw_enqueuing = 0;
    if (CW_UNLIKELY(status != CL_SUCCESS))
        e->r.flags |= CW_LOG_E_STATUS;
    else if (e->wanted)
        remember_event(e);
}

void cw_enqueue_commit(struct cw_enqueue *e, enum cw_log_kind kind)
{
    struct cw_thread *t = e->t;
    uint64_t seq = e->r.seq, inside = e->r.end_ns - e->r.begin_ns;

    if (CW_UNLIKELY(cw_recorder.capture_data) && e->r.status == CL_SUCCESS)
        cw_capture_queue_busy(e->queue_handle, seq);
    cw_log_rec_commit_call(&e->r, kind);
    if (cw_thread_self == t) { /* else the log ended meanwhile */
        t->depth--;
        if (CW_UNLIKELY(e->enter_ns))
            t->recorder_ns += (cw_now_ns() - e->enter_ns - inside) * SAMPLE;
    }
    if (CW_UNLIKELY(e->own != NULL))
        cw_device_times_adopt(e->own, seq, e->first);
}

static void encode_triple(struct cw_rec *r, const size_t *v)
{
    cw_rec_u(r, v[0]);
    cw_rec_u(r, v[1]);
    cw_rec_u(r, v[2]);
}

static uint64_t transfer_mask(const struct cw_transfer *t, uint64_t src, uint64_t dst)
{
    return (src ? CW_LOG_T_SRC : 0) | (dst ? CW_LOG_T_DST : 0) | (t->src_offset ? CW_LOG_T_SRC_OFFSET : 0) |
           (t->dst_offset ? CW_LOG_T_DST_OFFSET : 0) | (t->bytes ? CW_LOG_T_BYTES : 0) |
           (t->src_origin ? CW_LOG_T_SRC_ORIGIN : 0) | (t->dst_origin ? CW_LOG_T_DST_ORIGIN : 0) |
           (t->region ? CW_LOG_T_REGION : 0) |
           (t->src_row_pitch || t->src_slice_pitch ? CW_LOG_T_SRC_PITCH : 0) |
           (t->dst_row_pitch || t->dst_slice_pitch ? CW_LOG_T_DST_PITCH : 0) |
           (t->map_flags ? CW_LOG_T_MAP_FLAGS : 0) | (t->map_seq ? CW_LOG_T_MAP_COMMAND : 0) |
           (t->host ? CW_LOG_T_HOST_PTR : 0) | (t->pattern && t->pattern_bytes ? CW_LOG_T_PATTERN : 0) |
           (t->data_bytes ? CW_LOG_T_DATA : 0);
}

/* The fields of enum cw_log_transfer_fields, in their order. */
static void encode_transfer(struct cw_rec *r, const struct cw_transfer *t)
{
    uint64_t src = t->src ? cw_used_id(t->src, CW_LOG_O_MEMORY, r->seq) : t->src_id;
    uint64_t dst = t->dst ? cw_used_id(t->dst, CW_LOG_O_MEMORY, r->seq) : t->dst_id;
    uint64_t mask = transfer_mask(t, src, dst);
    const struct {
        uint64_t bit, a, b;
        int count;
    } numbers[] = {{CW_LOG_T_SRC, src, 0, 1},
                   {CW_LOG_T_DST, dst, 0, 1},
                   {CW_LOG_T_SRC_OFFSET, t->src_offset, 0, 1},
                   {CW_LOG_T_DST_OFFSET, t->dst_offset, 0, 1},
                   {CW_LOG_T_BYTES, t->bytes, 0, 1}};
    size_t i;

    cw_rec_u(r, mask);
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (mask & numbers[i].bit)
            cw_rec_u(r, numbers[i].a);
    if (t->src_origin)
        encode_triple(r, t->src_origin);
    if (t->dst_origin)
        encode_triple(r, t->dst_origin);
    if (t->region)
        encode_triple(r, t->region);
    if (mask & CW_LOG_T_SRC_PITCH)
        cw_rec_u(r, t->src_row_pitch), cw_rec_u(r, t->src_slice_pitch);
    if (mask & CW_LOG_T_DST_PITCH)
        cw_rec_u(r, t->dst_row_pitch), cw_rec_u(r, t->dst_slice_pitch);
    if (mask & CW_LOG_T_MAP_FLAGS)
        cw_rec_u(r, t->map_flags);
    if (mask & CW_LOG_T_MAP_COMMAND)
        cw_rec_s(r, (int64_t)(t->map_seq - 1 - r->seq));
    if (t->host)
        cw_rec_u(r, (uint64_t)(uintptr_t)t->host);
    if (mask & CW_LOG_T_PATTERN) {
        cw_rec_u(r, t->pattern_bytes);
        cw_log_rec_bytes(r, t->pattern, t->pattern_bytes);
    }
    if (mask & CW_LOG_T_DATA)
        cw_rec_u(r, t->data_bytes), cw_rec_u(r, t->data_offset);
}

void cw_enqueue_transfer(struct cw_enqueue *e, const struct cw_transfer *t)
{
    if (CW_UNLIKELY(cw_recorder.capture_data) && t->src)
        cw_capture_used(e->queue_handle, t->src);
    if (CW_UNLIKELY(cw_recorder.capture_data) && t->dst)
        cw_capture_used(e->queue_handle, t->dst);
    cw_rec_u(&e->r, t->type);
    encode_transfer(&e->r, t);
    cw_enqueue_commit(e, CW_LOG_TRANSFER);
}

void cw_enqueue_host_write_record(const struct cw_transfer *t)
{
    struct cw_rec r;

    cw_log_rec_begin_timed(&r);
    r.end_ns = r.begin_ns;
    cw_rec_u(&r, 0);
    encode_transfer(&r, t);
    cw_log_rec_commit_call(&r, CW_LOG_HOST_WRITE);
}

static void encode_site(struct cw_rec *r, struct cw_caller caller)
{
    struct cw_thread *t = cw_log_thread();
    uint32_t site = t ? cw_callsite(t, caller) : 0;

    if (t)
        t->calls++;
    if (site) {
        r->flags |= CW_LOG_E_CALLSITE;
        cw_rec_u(r, site - 1);
    }
}

bool cw_enqueue_host_begin(struct cw_rec *r, cl_command_queue queue, cl_uint waits, const cl_event *wait_list,
                           struct cw_caller caller)
{
    cw_device_times_goes_on();
    if (!cw_formula_is_recording())
        return false;
    cw_log_rec_begin(r);
    cw_rec_u(r, cw_used_id(queue, CW_LOG_O_QUEUE, r->seq));
    enqueue_encode_waits(r, waits, wait_list);
    encode_site(r, caller);
    r->begin_ns = cw_now_ns();
    return true;
}

void cw_enqueue_host_end(struct cw_rec *r, uint32_t type, uint64_t user_event, cl_int exec_status,
                         cl_int status)
{
    r->end_ns = cw_now_ns();
    cw_device_times_goes_on();
    r->status = status;
    if (status != CL_SUCCESS)
        r->flags |= CW_LOG_E_STATUS;
    cw_rec_u(r, type - CW_HOST_FINISH);
    cw_rec_u(r, user_event);
    cw_rec_s(r, exec_status);
    cw_log_rec_commit_call(r, CW_LOG_HOST);
}

void cw_enqueue_event_seen(uint64_t seq, cl_int exec_status, struct cw_caller caller)
{
    struct cw_rec r;

    if (!cw_formula_is_recording())
        return;
    cw_log_rec_begin(&r);
    r.flags |= CW_LOG_E_WAIT;
    cw_rec_u(&r, 0); /* no queue */
    cw_rec_u(&r, 1);
    cw_rec_u(&r, cw_log_zigzag((int64_t)(seq - r.seq)) << 2 | CW_LOG_WAIT_COMMAND);
    encode_site(&r, caller);
    r.begin_ns = cw_now_ns();
    cw_enqueue_host_end(&r, CW_HOST_POLL, 0, exec_status, CL_SUCCESS);
}
