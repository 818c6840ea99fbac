/* stream_version.c - see streams/stream_version.h. */
#include "stream_version.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../analyzer/io/quantity.h"
#include "../../door/log.h"
#include "../core/fault.h"
#include "../memory/extents.h"
#include "../staging/staging.h"
#include "stream_model.h"
#include "stream_need.h"
#include "stream_place.h"
#include "stream_settings.h"

#define VERSIONS 16 /* of a buffer; the first is the program's own */
#define SHARE    8  /* a part of the device's memory may be versions */
#define MANY     64 /* ranges of a buffer's bytes: then all come home */

struct cw_stream_versions {
    struct cw_stream_memory *memory; /* pinned */
    struct cw_stream_versions *next; /* of the queue */
    struct cw_extents valid;         /* bit r: of[r] has the bytes */
    uint32_t n, latest;              /* latest: that was written last */
    bool full;                       /* no more memory */
    cl_mem of[VERSIONS];
    uint64_t used[VERSIONS]; /* number of the latest command there */
    cl_uint own_refs;        /* of the context */
};

static atomic_uint num; /* buffers that have versions */
static atomic_ullong given, copies, copied_bytes;
static atomic_uint most;

/* ---- one buffer */

static uint64_t bytes_of(const struct cw_stream_versions *v)
{
    return v->valid.bytes;
}

/* As many changes are promised as there may be ranges, so memory suffices. */
static void note(struct cw_stream_versions *v, uint64_t low, uint64_t high, uint64_t keep, uint64_t set)
{
    cw_extents_change(&v->valid, low, high, keep, set);
    cw_extents_reserve(&v->valid, 1);
}

static struct cw_stream_versions *begin(struct cw_stream_queue *q, struct cw_stream_memory *m)
{
    struct cw_stream_versions *v = calloc(1, sizeof *v);

    if (!v || !cw_extents_init(&v->valid, m->bytes.high, 1) || !cw_extents_reserve(&v->valid, 2 * MANY)) {
        if (v)
            cw_extents_finish(&v->valid);
        free(v);
        return NULL;
    }
    cw_stream_object_pin_again(m);
    v->memory = m;
    v->n = 1;
    v->of[0] = (cl_mem)(uintptr_t)m->o.handle;
    v->next = q->versions;
    q->versions = m->versions = v;
    num++;
    return v;
}

/* Its bytes are at home, or the buffer is gone. */
static void drop(struct cw_stream_queue *q, struct cw_stream_versions *v)
{
    struct cw_stream_versions *before = q->versions;

    while (before != v && before->next != v)
        before = before->next;
    if (before == v)
        q->versions = v->next;
    else
        before->next = v->next;
    for (uint32_t r = 1; r < v->n; r++)
        cw_next.clReleaseMemObject(v->of[r]);
    q->context->version_bytes -= (v->n - 1) * bytes_of(v);
    q->context->own_refs -= v->own_refs;
    v->memory->versions = NULL;
    cw_extents_finish(&v->valid);
    cw_stream_object_unpin(v->memory);
    free(v);
    num--;
}

/* A copy on the device, in the order of the queue's commands. */
static cl_int copy(struct cw_stream_queue *q, struct cw_stream_versions *v, uint32_t from, uint32_t to,
                   const struct cw_extent *e)
{
    bool closes = q->crowded;
    struct cw_run_staging_queue *turn;
    uint64_t need[CW_STREAM_MAX];
    struct cw_stream_waits w;
    struct cw_stream_use t = {.n = 2,
                              .of = {{(uintptr_t)v->of[from], e->low, e->high, .write = false},
                                     {(uintptr_t)v->of[to], e->low, e->high, .write = true}}};
    uint32_t s;
    cl_int err;

    cw_stream_waits_open(&w, q, 0, NULL);
    cw_stream_place_needs(q, &t, closes, need);
    s = q->worth.fans && !closes ? cw_stream_place_choose(q, &t, need) : 0;
    cw_stream_place_waits(q, &t, s, need, &w);
    turn = cw_run_staging_turn_take(q->of[s].queue);
    err = cw_next.clEnqueueCopyBuffer(q->of[s].queue, v->of[from], v->of[to], e->low, e->low,
                                      e->high - e->low, w.n, w.list, NULL);
    cw_run_staging_turn_give(turn);
    cw_stream_waits_close(&w);
    if (err != CL_SUCCESS)
        return err;
    cw_stream_place_note(q, &t, closes, s);
    v->used[from] = v->used[to] = q->number;
    copies++;
    copied_bytes += e->high - e->low;
    return CL_SUCCESS;
}

/* of[r] has bytes [low, high), too, from here on. */
static void bring(struct cw_stream_queue *q, struct cw_stream_versions *v, uint32_t r, uint64_t low,
                  uint64_t high)
{
    struct cw_extent e;

    while (cw_extents_missing(&v->valid, low, high, UINT64_C(1) << r, &e)) {
        uint32_t from = (uint32_t)__builtin_ctzll(e.valid);

        if (!cw_run_fault_omits(CW_RUN_FAULT_UNFETCHED) && copy(q, v, from, r, &e) != CL_SUCCESS &&
            (cw_next.clFinish(q->of[0].queue) != CL_SUCCESS || copy(q, v, from, r, &e) != CL_SUCCESS))
            cw_log_error("the driver did not copy %llu bytes of a buffer on its device: they are lost",
                         (unsigned long long)(e.high - e.low));
        note(v, e.low, e.high, UINT64_MAX, UINT64_C(1) << r);
    }
}

/* All bytes are in the program's own memory, which may change unseen: no version has them beside it. */
static void home(struct cw_stream_queue *q, struct cw_stream_versions *v)
{
    bring(q, v, 0, 0, bytes_of(v));
    note(v, 0, bytes_of(v), 0, 1);
    v->latest = 0;
}

/* ---- which version a command uses */

/* The command would have to wait for others, if it used `memory` for the buffer. */
static bool meets(struct cw_stream_queue *q, const struct cw_stream_use *t, const struct cw_stream_memory *m,
                  cl_mem memory)
{
    uint64_t over[CW_STREAM_MAX], need[CW_STREAM_MAX] = {0};
    bool any = false;

    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        over[s] = q->of[s].over;
    for (uint32_t i = 0; i < t->n; i++) {
        struct cw_stream_bytes b = t->of[i];

        if (b.region != (uintptr_t)m->o.handle)
            continue;
        b.region = (uintptr_t)memory;
        cw_stream_access_conflicts(&q->accesses, &b, over, need);
    }
    for (uint32_t s = 0; s < q->n; s++)
        any |= need[s] > over[s];
    return any;
}

static bool fits(struct cw_stream_queue *q, uint64_t bytes)
{
    struct cw_stream_context *x = q->context;
    cl_ulong all = 0;

    if (!x->version_most) {
        cw_next.clGetDeviceInfo(q->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL);
        x->version_most = all / SHARE;
    }
    return x->version_bytes + bytes <= x->version_most && !cw_run_fault_asks_since(CW_RUN_FAULT_TIGHT);
}

/* Another version; 0: there is no memory for it. */
static uint32_t make(struct cw_stream_queue *q, struct cw_stream_versions *v)
{
    cl_uint before;
    cl_int err;

    if (v->full || v->n == VERSIONS || !fits(q, bytes_of(v))) {
        v->full = true;
        return 0;
    }
    before = cw_query_context_references(q->vendor_context);
    v->of[v->n] = cw_next.clCreateBuffer(q->vendor_context, CL_MEM_READ_WRITE, bytes_of(v), NULL, &err);
    if (!v->of[v->n]) {
        v->full = true;
        return 0;
    }
    before = cw_query_context_references(q->vendor_context) - before;
    v->own_refs += before;
    q->context->own_refs += before;
    q->context->version_bytes += bytes_of(v);
    q->worth.made = true;
    if (most < v->n + 1)
        most = v->n + 1;
    return v->n++;
}

/* One that nothing uses, else another one, else the one whose latest command was enqueued first. */
static uint32_t free_one(struct cw_stream_queue *q, const struct cw_stream_use *t,
                         struct cw_stream_versions *v)
{
    uint32_t oldest = 0, r;

    for (r = 0; r < v->n; r++) {
        if (r != v->latest && !meets(q, t, v->memory, v->of[r]))
            return r;
        if (v->used[r] < v->used[oldest])
            oldest = r;
    }
    r = make(q, v);
    return r ? r : oldest;
}

static uint32_t by_lot(struct cw_stream_queue *q, struct cw_stream_versions *v)
{
    uint32_t r = cw_stream_queue_lot(q, 4);

    return r < v->n ? r : make(q, v);
}

/* A command that is not over may wait until bytes of `memory` change there. */
static bool is_polled(const struct cw_stream_queue *q, cl_mem memory)
{
    uint64_t over[CW_STREAM_MAX];

    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        over[s] = q->of[s].over;
    return q->unseen > over[0] || cw_stream_access_is_polled(&q->accesses, (uintptr_t)memory, over);
}

/* One that has all that is needed; else the latest, which is brought what it lacks. */
static uint32_t one_with(struct cw_stream_queue *q, struct cw_stream_versions *v,
                         const struct cw_stream_picks *p, uint32_t first)
{
    uint64_t have = (UINT64_C(1) << v->n) - 1;
    struct cw_extent e;
    uint32_t r;

    for (uint32_t i = first; i < p->num_spans; i++)
        for (uint64_t at = p->span[i].low; !p->span[i].write && at < p->span[i].high; at = e.high) {
            if (!cw_extents_missing(&v->valid, at, p->span[i].high, have, &e))
                break;
            have &= e.valid;
        }
    r = have >> v->latest & 1 || !have ? v->latest : (uint32_t)__builtin_ctzll(have);
    if (cw_stream_settings.chaos && !is_polled(q, v->of[0]) && !cw_stream_queue_lot(q, 4))
        r = cw_stream_queue_lot(q, v->n);
    for (uint32_t i = first; i < p->num_spans; i++)
        if (!p->span[i].write)
            bring(q, v, r, p->span[i].low, p->span[i].high);
    return r;
}

/* The buffer may have another version for a command that needs nothing of it. */
static bool is_wanted(struct cw_stream_call *c, const struct cw_stream_memory *m, cl_mem latest)
{
    struct cw_stream_queue *q = c->q;

    if (c->closes || c->use->polls || !atomic_load(&q->context->renames))
        return false;
    if (cw_stream_settings.chaos ? !cw_stream_queue_lot(q, 2) : !meets(q, c->use, m, latest))
        return false;
    q->worth.wished = true;
    return q->worth.renames && !is_polled(q, latest);
}

static bool may_have(const struct cw_stream_memory *m)
{
    return m->plain && !m->image && !m->host_sees && !atomic_load(&m->fixed) &&
           m->bytes.region == (uintptr_t)m->o.handle;
}

static void use_version(struct cw_stream_use *t, struct cw_stream_versions *v, uint32_t r)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->of[i].region == (uintptr_t)v->of[0]) {
            t->object[i] = v->of[r];
            t->of[i].region = (uintptr_t)v->of[r];
        }
}

static void pick(struct cw_stream_call *c, struct cw_stream_memory *m)
{
    struct cw_stream_queue *q = c->q;
    struct cw_stream_picks *p = &q->picks;
    struct cw_stream_versions *v = m->versions;
    uint32_t first = p->num_spans, r;
    bool wanted;

    if (v && v->valid.n > MANY)
        home(q, v);
    cw_stream_need_find(p, c->use, m);
    wanted = cw_stream_need_none(p, first) &&
             is_wanted(c, m, v ? v->of[v->latest] : (cl_mem)(uintptr_t)m->o.handle);
    if (!v && wanted)
        v = begin(q, m);
    /* the first two since then */
    if (v && (atomic_load(&m->fixed) || !atomic_load(&q->context->renames) || c->use->polls)) {
        home(q, v);
        drop(q, v);
        v = NULL;
    }
    if (!v) {
        p->num_spans = first;
        return;
    }
    if (wanted)
        r = cw_stream_settings.chaos ? by_lot(q, v) : free_one(q, c->use, v);
    else
        r = one_with(q, v, p, first);
    given += wanted && r != v->latest;
    p->of[p->n++] = (struct cw_stream_pick){v, r, first, p->num_spans};
    use_version(c->use, v, r);
}

/* Buffers that commands of two queues use have no versions: what one of them does while a command of the
 * other is under way, the program may rest on. */
static void note_queue(const struct cw_stream_call *c)
{
    for (uint32_t i = 0; i < c->use->n; i++) {
        struct cw_stream_memory *m =
            cw_stream_object_pin((const void *)c->use->of[i].region, CW_STREAM_MEMORY);
        uintptr_t first = 0;

        if (!m)
            continue;
        atomic_compare_exchange_strong(&m->queue, &first, (uintptr_t)c->q);
        if (first && first != (uintptr_t)c->q)
            atomic_store(&m->fixed, true);
        cw_stream_object_unpin(m);
    }
}

void cw_stream_version_pick(struct cw_stream_call *c)
{
    struct cw_stream_queue *q = c->q;
    struct cw_stream_use *t = c->use;
    bool looks = !c->closes && (q->worth.renames || q->worth.looks) && atomic_load(&q->context->renames);

    if (q->context->queues > 1 && atomic_load(&q->context->renames))
        note_queue(c);
    q->picks.n = q->picks.num_spans = 0;
    q->picks.asked = false;
    if (CW_LIKELY(!q->versions && !looks))
        return;
    for (struct cw_stream_versions *v = q->versions; v && t->closes && !t->idle && !t->pixels; v = v->next)
        home(q, v);
    if (t->closes)
        return;
    if (t->kernel && t->kernel->program && looks)
        cw_stream_model_want(t->kernel->program, false);
    t->polls = t->kernel && cw_stream_model_may_poll(t->kernel);
    for (uint32_t i = 0; i < t->n; i++) {
        t->of[i].polled = t->polls;
        struct cw_stream_memory *m =
            t->object[i] || !t->of[i].region
                ? NULL
                : cw_stream_object_pin((const void *)t->of[i].region, CW_STREAM_MEMORY);

        if (!m)
            continue;
        if (m->versions || (looks && may_have(m)))
            pick(c, m);
        cw_stream_object_unpin(m);
    }
}

void cw_stream_version_done(struct cw_stream_call *c)
{
    const struct cw_stream_picks *p = &c->q->picks;

    if (c->closes && (c->use->polls || (c->use->closes && c->use->groups)))
        c->q->unseen = c->q->number;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct cw_stream_pick *x = &p->of[i];
        struct cw_stream_versions *v = x->versions;

        v->used[x->version] = c->q->number;
        if (cw_run_fault_omits(CW_RUN_FAULT_UNNOTED))
            continue;
        for (uint32_t k = x->first; k < x->end; k++) {
            if (!p->span[k].write)
                continue;
            note(v, p->span[k].low, p->span[k].high, 0, UINT64_C(1) << x->version);
            v->latest = x->version;
        }
    }
}

/* ---- the end of versions */

/* Until all that the queue has is over. No lock held. */
static void finish(struct cw_stream_queue *q)
{
    cl_event list[CW_STREAM_MAX];
    cl_uint n = 0;

    cw_stream_lock(&q->lock);
    for (uint32_t s = 0; s < q->n; s++) {
        cl_event mark = cw_stream_queue_mark(q, s, q->of[s].last);

        if (mark && cw_next.clRetainEvent(mark) == CL_SUCCESS)
            list[n++] = mark;
    }
    cw_stream_queue_flush(q, CW_STREAM_MAX);
    cw_stream_unlock(&q->lock);
    while (n) {
        cw_next.clWaitForEvents(1, &list[--n]);
        cw_next.clReleaseEvent(list[n]);
    }
}

/* Those of a queue that are of `only` (NULL: all) come home, and end (`ends`). */
static void give_back(struct cw_stream_queue *q, const struct cw_stream_memory *only, bool ends)
{
    bool any = false;

    if (!q->versions) /* else no command of it waits for the host */
        return;
    cw_stream_lock(&q->order);
    cw_stream_lock(&q->lock);
    for (struct cw_stream_versions *v = q->versions, *next; v; v = next) {
        next = v->next;
        if (only && v->memory != only)
            continue;
        if (only)
            atomic_store(&v->memory->fixed, true);
        home(q, v);
        if (ends)
            drop(q, v);
        any = true;
    }
    cw_stream_unlock(&q->lock);
    cw_stream_unlock(&q->order);
    if (any)
        finish(q);
}

static void end_of_context(void *queue, void *context)
{
    struct cw_stream_queue *q = queue;

    if (q->context == context)
        give_back(q, NULL, true);
}

void cw_stream_version_end(struct cw_stream_context *x)
{
    atomic_store(&x->renames, false);
    if (num)
        cw_stream_object_each(CW_STREAM_QUEUE, end_of_context, x);
}

void cw_stream_version_queue_made(cl_context context, cl_command_queue queue)
{
    struct cw_stream_context *x = cw_stream_object_find(queue, CW_STREAM_QUEUE)
                                      ? NULL
                                      : cw_stream_object_pin(context, CW_STREAM_CONTEXT);

    if (!x)
        return;
    cw_stream_version_end(x);
    cw_stream_object_unpin(x);
}

void cw_stream_version_queue_ends(struct cw_stream_queue *q)
{
    if (num)
        give_back(q, NULL, true);
}

bool cw_stream_version_yield(cl_context context)
{
    struct cw_stream_context *x = num ? cw_stream_object_pin(context, CW_STREAM_CONTEXT) : NULL;
    bool had = x && x->version_bytes;

    if (had)
        cw_stream_version_end(x);
    if (x)
        cw_stream_object_unpin(x);
    return had;
}

bool cw_stream_version_again(const struct cw_stream_call *c)
{
    return (c->refused == CL_MEM_OBJECT_ALLOCATION_FAILURE || c->refused == CL_OUT_OF_RESOURCES ||
            c->refused == CL_OUT_OF_HOST_MEMORY) &&
           cw_stream_version_yield(c->context);
}

static void leave(void *queue, void *memory)
{
    give_back(queue, memory, true);
}

void cw_stream_version_leave(cl_mem buffer)
{
    struct cw_stream_memory *m = cw_stream_object_pin(buffer, CW_STREAM_MEMORY);

    if (!m)
        return;
    atomic_store(&m->fixed, true);
    if (num)
        cw_stream_object_each(CW_STREAM_QUEUE, leave, m);
    cw_stream_object_unpin(m);
}

/* The program has let go of the buffer: no one wants its bytes. */
static void let_go(void *queue, void *buffer)
{
    struct cw_stream_queue *q = queue;

    if (!q->versions)
        return;
    cw_stream_lock(&q->order);
    for (struct cw_stream_versions *v = q->versions, *next; v; v = next) {
        next = v->next;
        if (v->of[0] == buffer)
            drop(q, v);
    }
    cw_stream_unlock(&q->order);
}

void cw_stream_version_gone(cl_mem buffer)
{
    if (num)
        cw_stream_object_each(CW_STREAM_QUEUE, let_go, buffer);
}

/* Versions that a queue gave, for a command of another one. */
static void give_to(void *queue, void *call)
{
    struct cw_stream_queue *q = queue;
    const struct cw_stream_call *c = call;

    if (q == c->q || q->context != c->q->context || !q->versions)
        return;
    if (c->use->closes)
        give_back(q, NULL, false);
    for (uint32_t i = 0; i < c->use->n; i++) {
        struct cw_stream_memory *m =
            cw_stream_object_pin((const void *)c->use->of[i].region, CW_STREAM_MEMORY);

        if (m && m->versions)
            give_back(q, m, true);
        if (m)
            cw_stream_object_unpin(m);
    }
}

/* Another thread has enqueued, or cloned a kernel. */
static bool is_second_thread(struct cw_stream_context *x)
{
    uintptr_t self = (uintptr_t)pthread_self(), first = 0;

    atomic_compare_exchange_strong(&x->thread, &first, self);
    return first && first != self;
}

void cw_stream_version_cloned(cl_kernel kernel)
{
    cl_context context = NULL;
    struct cw_stream_context *x;

    cw_next.clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL);
    x = context ? cw_stream_object_pin(context, CW_STREAM_CONTEXT) : NULL;
    if (!x)
        return;
    if (atomic_load(&x->renames) && is_second_thread(x))
        cw_stream_version_end(x);
    cw_stream_object_unpin(x);
}

void cw_stream_version_before(struct cw_stream_call *c)
{
    struct cw_stream_context *x = c->q->context;

    if (!atomic_load_explicit(&x->renames, memory_order_relaxed))
        return;
    if (is_second_thread(x) || c->use->hosted || c->waits.outside || cw_stream_callback_any())
        cw_stream_version_end(x);
    else if (num && x->queues > 1 && !c->use->idle && !c->use->pixels)
        cw_stream_object_each(CW_STREAM_QUEUE, give_to, c);
}

int cw_stream_version_describe(char *text, unsigned size)
{
    char bytes[16];

    if (!given)
        return 0;
    return snprintf(
        text, size,
        "run: streams: %llu commands got another version of a buffer that they overwrite, at most %u "
        "of one; %llu copies between versions, %s\n",
        (unsigned long long)given, (unsigned)most, (unsigned long long)copies,
        cw_quantity_bytes(copied_bytes, bytes));
}
