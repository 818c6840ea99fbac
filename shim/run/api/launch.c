/* launch.c - kernel launches: which may be managed, and the snapshot of one. */
#include "hooks.h"
#include "../models/acceptance.h"
#include "../models/effects.h"
#include "../core/context_device.h"
#include "../../door/thread.h"
#include "../workers/worker.h"
#include "../core/fault.h"
#include "../groups/group.h"
#include "../models/cutter.h"
#include "../models/reach.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/source/kernel_params.h"
#include "../../../analyzer/record/trace.h"
#include "enqueue.h"
#include "native.h"
#include "memory.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/sampler.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../tasks/dependence.h"
#include "../tasks/task.h"
#include "../tuning/tuning.h"
#include "../planner/legal.h"
#include "../windows/window.h"

struct range {
    cl_uint dims;
    const size_t *offset, *global, *local;
    /* the home device's choice for a local size of NULL; NULL: not known, or of no matter */
    const size_t *pinned;
};

static struct cw_run_ndrange as_given(const struct range *r)
{
    return (struct cw_run_ndrange){r->dims, r->offset, r->global, r->local};
}

static bool has_offset(const struct range *r)
{
    for (cl_uint i = 0; r->offset && i < r->dims; i++)
        if (r->offset[i])
            return true;
    return false;
}

static bool is_plain(const struct range *r)
{
    if (r->dims < 1 || r->dims > 3 || !r->global)
        return false;
    for (cl_uint i = 0; i < r->dims; i++)
        if (!r->global[i] || (r->local && !r->local[i]) ||
            (r->offset && r->offset[i] > INT64_MAX - r->global[i]))
            return false;
    return true;
}

struct arguments {
    uint32_t buffers, images; /* images are counted among the buffers, too */
    size_t blob;              /* room for big values */
    bool unsure;              /* cw_run_launch.unsure */
};

/* Why an argument with a value of a handle's size keeps the launch from being managed, or -1. */
static int look_at_handle(const struct cw_run_queue *q, struct cw_run_arg *a, enum cw_param_kind kind,
                          struct arguments *n)
{
    const void *handle = (const void *)(uintptr_t)a->word;

    if (kind == CW_PARAM_NUMBER)
        a->sampler = 0; /* it was set before the model was there */
    if (a->sampler)
        return kind == CW_PARAM_UNKNOWN                ? CW_RUN_R_SOURCE
               : a->sampler - 1u == CW_RUN_SAMPLER_ODD ? CW_RUN_R_MEMORY
                                                       : -1;
    if (kind == CW_PARAM_NUMBER)
        return -1;
    if (cw_run_record_find(handle, CW_RUN_OPAQUE))
        return (int)cw_run_memory_why((cl_mem)(uintptr_t)a->word);
    if (cw_run_record_find(handle, CW_RUN_QUEUE))
        return CW_RUN_R_ARGUMENT;
    a->memory = cw_run_record_find(handle, CW_RUN_MEMORY);
    if (a->memory && (!a->memory->managed || a->memory->misaligned || a->memory->context != q->context))
        return CW_RUN_R_CHECK;
    n->buffers += a->memory != NULL;
    n->images += a->memory && a->memory->image;
    n->unsure |= a->memory && kind == CW_PARAM_UNKNOWN;
    return -1;
}

static bool watches(const struct cw_run_kernel *k)
{
    return !k->program->tokens || k->program->watches;
}

/* The same of a pointer. The vendor alone knows the order of what a kernel and the host do to memory that
 * both watch meanwhile. */
static int look_at_pointer(const struct cw_run_queue *q, const struct cw_run_kernel *k, struct cw_run_arg *a,
                           struct arguments *n)
{
    if (!a->word)
        return -1;
    a->memory = cw_run_memory_svm((const void *)(uintptr_t)a->word, 1);
    if (!a->memory || a->memory->context != q->context)
        return CW_RUN_R_ARGUMENT;
    if (a->memory->flags & CL_MEM_SVM_ATOMICS && watches(k))
        return CW_RUN_R_WATCHED;
    n->buffers++;
    return -1;
}

/* Why the arguments keep the launch from being managed, or -1. Sets the buffers' records. */
static int look_at_args(const struct cw_run_queue *q, struct cw_run_kernel *k, struct arguments *n)
{
    int why = -1;

    *n = (struct arguments){0};
    cw_run_effects_settle_kinds(k);
    for (uint32_t i = 0; why < 0 && i < k->count; i++) {
        struct cw_run_arg *a = &k->args[i];

        a->memory = NULL;
        if (a->kind == CW_RUN_ARG_UNSET)
            return CW_RUN_R_CHECK;
        if (a->kind == CW_RUN_ARG_LOCAL)
            continue;
        if (a->size > 8)
            n->blob += (a->size + 15u) & ~15u;
        if (a->kind == CW_RUN_ARG_POINTER)
            why = look_at_pointer(q, k, a, n);
        else if (a->size == sizeof(cl_mem))
            why = look_at_handle(q, a, k->kinds[i], n);
    }
    return why;
}

static double items_of(const struct range *r)
{
    double items = 1;

    for (cl_uint i = 0; i < r->dims; i++)
        items *= (double)r->global[i];
    return items;
}

/* Why the launch is native, or -1. Lock held. */
static int judge(const struct cw_run_queue *q, struct cw_run_kernel *k, const struct range *r,
                 struct arguments *n)
{
    const struct cw_run_ndrange given = as_given(r);
    int why;

    if (k && k->program->binary && !k->program->models)
        return CW_RUN_R_BINARY;
    if (k && k->parsed && k->program->manageable && k->program->doubtful && !k->program->models)
        return CW_RUN_R_UNREAD;
    if (!k || !k->parsed || k->indirect || (k->pointed && !k->program->models) ||
        cw_run_effects_may_be_hidden(k))
        return CW_RUN_R_SOURCE;
    if (k->program->context != q->context || !is_plain(r))
        return CW_RUN_R_CHECK;
    if (cw_run_effects_may_poll(k)) /* nothing may wait behind it that would not wait bare */
        return k->program->models ? CW_RUN_R_POLLS : CW_RUN_R_UNREAD;
    why = look_at_args(q, k, n);
    if (why >= 0)
        return why;
    if (!cw_run_acceptance_is_certain(q, k, &given))
        return CW_RUN_R_FIRST;
    if (cw_run_context_device_is_gpu(&q->context->places[q->home]) &&
        (!k->program->models || cw_run_left_is(q, k, items_of(r))))
        return CW_RUN_R_GPU;
    if (!cw_run.eager && !cw_run.chaos && !cw_device_is_modelled(q->context->places[q->home].device) &&
        cw_run.begun && k->known->mean_ns[q->context->places[q->home].worker->number] >= CW_RUN_LONG_NS &&
        !cw_run_legal_may_leave(q, k, r->local || r->pinned) && !cw_run_group_may(q, k, items_of(r)))
        return CW_RUN_R_LONG;
    return -1;
}

static void use(const struct cw_run_queue *q, struct cw_run_task *t, const struct cw_run_kernel *k,
                const struct cw_reach *reach)
{
    for (uint32_t i = 0; i < k->count; i++) {
        struct cw_run_memory *m = t->launch.args[i].memory;
        if (m && (!reach || m->image)) /* a reach has no images */
            cw_run_byte_range_add_memory(q, t, m, 0, m->bytes, k->modes[i] != CW_ACCESS_READ);
    }
    for (uint32_t i = 0; reach && i < reach->n; i++) {
        const struct cw_reach_piece *p = &reach->piece[i];
        struct cw_run_memory *m = t->launch.args[p->arg].memory;
        cw_run_byte_range_add_piece(q, t, m, p);
        cw_run_byte_range_is_sure(t, m->offset + p->sure, p->sure_end - p->sure);
    }
}

/* The local size is left to the device, and could show. */
static bool is_left_open(const struct range *r, struct cw_run_kernel *k)
{
    return !r->local && k && k->parsed && k->program->manageable && !k->program->fixed_size && is_plain(r) &&
           cw_run_cutter_one_local(k);
}

static void pin(const struct cw_run_queue *q, struct cw_run_kernel *k, struct range *r, size_t local[3])
{
    if (is_left_open(r, k) && cw_run_local_size_of(q, r->dims, r->global, local))
        r->pinned = local;
}

static void snapshot(const struct cw_run_queue *q, struct cw_run_task *t, struct cw_run_kernel *k,
                     const struct range *r, uint8_t *blob, const struct cw_reach *reach)
{
    const size_t *local = r->local ? r->local : r->pinned;

    t->work = CW_RUN_LAUNCH;
    t->launch.kernel = k;
    t->launch.dims = r->dims;
    t->launch.has_local = local;
    t->launch.any_local = !local && cw_run_cutter_any_local(k);
    t->launch.has_offset = has_offset(r);
    for (cl_uint i = 0; i < r->dims; i++) {
        t->launch.offset[i] = r->offset ? r->offset[i] : 0;
        t->launch.global[i] = r->global[i];
        t->launch.local[i] = local ? local[i] : 0;
    }
    cw_run_record_pin(&k->r);
    for (uint32_t i = 0; i < k->count; i++) {
        struct cw_run_arg *a = &t->launch.args[i];

        *a = k->args[i];
        if (a->kind == CW_RUN_ARG_VALUE && a->size > 8) {
            a->bytes = memcpy(blob, a->bytes, a->size);
            blob += (a->size + 15u) & ~15u;
        }
        if (a->memory)
            cw_run_record_pin(&a->memory->r);
    }
    use(q, t, k, reach);
}

/* The command, or NULL: it is refused. */
static struct cw_run_task *make(struct cw_run_enqueue *e, cl_kernel kernel, struct range *r)
{
    struct cw_run_kernel *k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    const struct cw_reach *reach;
    struct cw_run_task *t;
    struct arguments n;
    size_t local[3];
    int why;

    pin(e->queue, k, r, local);
    why = judge(e->queue, k, r, &n);
    if (why < 0 && cw_run_enqueue_is_timed(e))
        why = CW_RUN_R_GPU;
    if (why < 0 && !cw_run_enqueue_settle(e))
        why = CW_RUN_R_CHECK;
    reach = why < 0 ? cw_run_reach(k, r->dims, r->offset, r->global, r->local ? r->local : r->pinned) : NULL;
    if (reach)
        n.buffers = reach->n + n.images;
    t = why < 0 ? cw_run_task_create(n.buffers, k->count ? k->count : 1, n.blob) : NULL;
    if (!t) {
        cw_run_enqueue_refuse(e, why < 0 ? CW_RUN_R_CHECK : (enum cw_run_reason)why);
        return NULL;
    }
    e->type = CL_COMMAND_NDRANGE_KERNEL;
    t->behind_native = cw_run_dependence_waits_native(e->queue, e->n, e->list);
    t->launch.repeat.sets = k->sets;
    t->launch.repeat.alike = reach && reach->most <= CW_RUN_SHORT_TASK_OPS ? reach->id : 0;
    t->launch.unsure = n.unsure;
    snapshot(e->queue, t, k, r, (uint8_t *)(t->launch.args + (k->count ? k->count : 1)), reach);
    return t;
}

static enum cw_run_repeat_answer again(const struct cw_run_enqueue *e, cl_kernel kernel, struct range r)
{
    struct cw_run_kernel *k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    size_t local[3];

    if (!k || !k->again.left || cw_run_effects_may_be_hidden(k) ||
        cw_run_effects_may_poll(k)) /* its model may have come meanwhile */
        return CW_RUN_NOT_AGAIN;
    pin(e->queue, k, &r, local);
    return cw_run_repeat_launch(
        e, k, &(struct cw_run_ndrange){r.dims, r.offset, r.global, r.local ? r.local : r.pinned});
}

/* The kernel, which goes to the vendor, may watch what the host does to memory meanwhile, or the host the
 * kernel. */
static bool may_be_watched(const struct cw_run_kernel *k)
{
    bool may = cw_run_effects_reach_elsewhere(k);

    for (uint32_t i = 0; !may && i < k->count; i++) {
        const void *p =
            k->args[i].kind == CW_RUN_ARG_POINTER ? (const void *)(uintptr_t)k->args[i].word : NULL;
        const struct cw_run_memory *m = p ? cw_run_memory_svm(p, 1) : NULL;

        may = p && (!m || m->flags & CL_MEM_SVM_ATOMICS);
    }
    return may && watches(k);
}

/* The launch goes to the vendor. Lock held. */
static void goes_natively(const struct cw_run_enqueue *e, cl_kernel kernel)
{
    struct cw_run_kernel *k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    bool readable = k && k->parsed && (k->program->models || !k->program->binary);

    if (k && e->queue && e->queue->context->watchable && may_be_watched(k))
        e->queue->context->watched = true;
    cw_run.held |= !readable || cw_run_effects_may_poll(k);
    if (k && e->why == CW_RUN_R_UNBEGUN && !k->program->foreseen)
        cw_run_learn_later(k->program);
}

/* The vendor has taken the launch, the first of its kind. */
static void taken_natively(cl_command_queue queue, cl_kernel kernel, const struct range *r)
{
    const struct cw_run_ndrange given = as_given(r);
    struct cw_run_queue *q;
    struct cw_run_kernel *k;

    cw_exit_register(); /* the vendor may have woken up its code generator */
    cw_run_global_lock_take();
    q = cw_run_record_find(queue, CW_RUN_QUEUE);
    k = cw_run_record_find(kernel, CW_RUN_KERNEL);
    if (q && q->managed && k && k->parsed)
        cw_run_acceptance_seen(q, k, &given);
    cw_run_global_lock_give();
}

/* The vendor's own call. A task is an ndrange of one work-item; PoCL calls it so in all its answers. */
static cl_int call_vendor(const struct cw_run_native *x, cl_command_queue queue, cl_kernel kernel,
                          const struct range *r, bool task)
{
    return task ? cw_native.clEnqueueTask(queue, kernel, x->n, x->list, x->event)
                : cw_native.clEnqueueNDRangeKernel(queue, kernel, r->dims, r->offset, r->global, r->local,
                                                   x->n, x->list, x->event);
}

/* A native launch that waits for those that it must not overlap. */
struct wish {
    struct cw_run_side *side;
    struct cw_run_ndrange range;
};

/* True: it has begun. */
static bool granted(const void *what)
{
    const struct wish *w = what;

    return cw_run_exclusion_enter(w->side, &w->range);
}

/* Between cw_run_native_follow() and cw_run_native_end(). Waits where the bare call would: on a device that
 * runs kernels inside the call. Lock not held. */
static void wait_for_exclusion(struct cw_run_native *x, cl_kernel kernel, const struct range *r)
{
    const struct cw_run_queue *q = x->queue;
    const struct cw_run_kernel *k;
    struct wish w = {.range = {r->dims, r->offset, r->global, NULL}};

    if (!q || !q->synchronous)
        return;
    cw_run_global_lock_take();
    k = q->managed ? cw_run_record_find(kernel, CW_RUN_KERNEL) : NULL;
    if (k && k->exclusion && r->dims <= 3 && r->global && !cw_run.forked) {
        x->exclusion = k->exclusion;
        w.side = cw_run_exclusion_side(k, true);
        cw_run_help(NULL, 0, granted, &w);
    }
    cw_run_global_lock_give();
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, const struct range *r, bool task, cl_uint n,
                     const cl_event *list, cl_event *event)
{
    struct cw_run_native x;
    struct cw_run_enqueue e;
    struct range pinned = *r;
    struct cw_run_task *t;
    cl_int err;
    bool may = cw_run_enqueue_begin_launch(&e, queue, n, list, event);

    if (CW_UNLIKELY(!e.unlocked && cw_run.far_workers) && is_plain(r))
        cw_run_gpu_gain_launch(items_of(r));
    if (may) {
        enum cw_run_repeat_answer repeat = again(&e, kernel, *r);
        if (repeat != CW_RUN_NOT_AGAIN) {
            cw_run_global_lock_give();
            return repeat == CW_RUN_DONE_AGAIN ? CL_SUCCESS : launch(queue, kernel, r, task, n, list, event);
        }
        t = make(&e, kernel, &pinned);
        if (t)
            return cw_run_enqueue_commit(&e, t, false);
    }
    if (!e.unlocked)
        goes_natively(&e, kernel);
    cw_run_native_follow(&x, &e, CW_RUN_USE_KERNEL(kernel));
    wait_for_exclusion(&x, kernel, r);
    err = cw_run_native_end(&x, call_vendor(&x, queue, kernel, r, task));
    if (err == CL_SUCCESS && !e.unlocked && e.why == CW_RUN_R_FIRST)
        taken_natively(queue, kernel, &pinned);
    return err;
}

cl_int cw_run_hook_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                          const size_t *offset, const size_t *global, const size_t *local,
                                          cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_run_queue *q = cw_run_native_queue(queue);
    struct cw_run_native x;

    if (CW_UNLIKELY(q) && !cw_run_native_passes(q, n, list, false))
        return launch(queue, kernel, &(struct range){dims, offset, global, local, NULL}, false, n, list,
                      event);
    cw_run_native_bypass(&x, queue, n, list, event, q, 0);
    return cw_run_native_end(
        &x, cw_native.clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, n, list, event));
}

cl_int cw_run_hook_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *list,
                                 cl_event *event)
{
    static const size_t one = 1;

    return launch(queue, kernel, &(struct range){1, NULL, &one, &one, NULL}, true, n, list, event);
}
