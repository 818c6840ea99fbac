/* native.c - commands that go to the vendor as they are, in their place between managed ones.
 *
 * A native command waits, in the vendor, for the managed commands before it in its queue: for the event of
 * the last one, since events of an in-order queue retire in order. Where the bare call would block anyway, or
 * the device runs kernels inside the enqueue (a user event would never come true there), the managed commands
 * are waited for first. There also the native ones of other devices: PoCL's own wait lists between such a
 * device and another deadlock when the other device's thread starts the command
 * (test/vendor/user_event_hangs.c). */
#include "hooks.h"
#include "../../../analyzer/kernels/source/access_mode.h"
#include "../core/edge.h"
#include "../workers/worker.h"
#include "../tuning/tuning.h"
#include "../windows/window.h"
#include "event.h"
#include "enqueue.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/byte_range.h"
#include "../memory/native_use.h"
#include "../memory/spread.h"
#include "../models/effects.h"
#include "../staging/staging.h"
#include "../tasks/callback.h"
#include "../tasks/dependence.h"
#include "../tasks/foreign.h"
#include "../tasks/event_list.h"
#include "../tasks/task.h"

#include <stdlib.h>

static bool no_join(const void *what)
{
    return !((const struct cw_run_queue *)what)->join;
}

/* A task that is done when every unretired command of `q` has retired. NULL: none is, or, then sets *failed,
 * out of memory. */
static struct cw_run_task *join_queue(struct cw_run_queue *q, bool *failed)
{
    struct cw_run_task *j, *t;

    if (!q->first && !q->join)
        return NULL;
    j = cw_run_task_create(0, 0, 0);
    if (!j) {
        *failed = true;
        return NULL;
    }
    for (t = q->first; t; t = t->links.next)
        cw_run_edge_add(t, j, CW_RUN_AT_RETIRE);
    if (q->join)
        cw_run_edge_add(q->join, j, CW_RUN_DATA);
    *failed = j->outcome.failed;
    if (j->waits)
        return j; /* where it failed it goes by itself */
    cw_run_task_destroy(j);
    return NULL;
}

/* The command after whose retirement the native one may run. NULL: there is none. */
static struct cw_run_task *gate_task(struct cw_run_queue *q, bool whole, bool *failed)
{
    struct cw_run_task *t = q->last;

    if (!q->in_order)
        return whole || q->join ? join_queue(q, failed) : NULL;
    while (t && t->state >= CW_RUN_RETIRING && !t->event) /* executed: only its event matters */
        t = t->links.prev;
    return t;
}

static void drain(struct cw_run_native *x, bool whole)
{
    struct cw_run_queue *q = x->queue;
    struct cw_run_until until = {q, cw_run.sequence};

    if (q->in_order || whole)
        cw_run_help(q, until.sequence, cw_run_help_is_over, &until);
    else
        cw_run_help(q, UINT64_MAX, no_join, q);
    if (x->home)
        cw_run_help(q, x->home, cw_run_help_one_is_over, &(struct cw_run_until){q, x->home});
    if (q->in_order)
        cw_run_help_callbacks(q);
}

/* Of a command that is in its queue; NULL: it is over. */
static struct cw_run_task *task_of(const struct cw_run_queue *q, uint64_t sequence)
{
    struct cw_run_task *t = q->first;

    while (t && t->order.sequence < sequence)
        t = t->links.next;
    return t && t->order.sequence == sequence ? t : NULL;
}

/* Sets x->gate to a retained event of the commands that must come first; lock held, given up meanwhile. */
static void find_gate(struct cw_run_native *x, bool whole)
{
    cl_context context = (cl_context)(uintptr_t)x->queue->context->r.handle;
    struct cw_run_task *t;
    cl_event fresh;
    bool failed = false;
    cl_int err;

    if (!x->queue->last && !x->queue->join)
        return;
    cw_run_recount_begins();
    cw_run_foreign_give();
    fresh = cw_next.clCreateUserEvent(context, &err);
    cw_run_global_lock_take();
    if (fresh && cw_next.clRetainEvent(fresh) == CL_SUCCESS)
        cw_run_event_list_own(&x->queue->context->own_events, fresh);
    cw_run_recount_ends();
    if (!fresh) {
        drain(x, whole);
        return;
    }
    if (x->home && !x->queue->in_order && !whole && !x->queue->join)
        t = task_of(x->queue, x->home);
    else
        t = gate_task(x->queue, whole, &failed);
    if (failed) {
        cw_run_global_lock_release_unset(fresh);
        drain(x, whole);
        return;
    }
    if (t && !t->gate && t->state < CW_RUN_RETIRING)
        x->gate = t->gate = fresh;
    else if (t && !t->gate && t->event)
        x->gate = (cl_event)(uintptr_t)t->event->r.handle;
    else if (t)
        x->gate = t->gate;
    if (x->gate)
        cw_next.clRetainEvent(x->gate);
    if (x->gate != fresh)
        cw_run_global_lock_release_unset(fresh);
}

/* The program's wait list and the gate. */
static void make_list(struct cw_run_native *x, cl_uint n, const cl_event *list)
{
    cl_event *to = x->few;

    if (!x->gate || !n != !list)
        return; /* a list that the vendor refuses is passed as it is */
    if (n + 1 > sizeof x->few / sizeof *x->few)
        to = x->heap = malloc((n + 1) * sizeof *to);
    if (!to) {
        cw_run_event_wait_list(1, &x->gate);
        return;
    }
    if (n)
        memcpy(to, list, n * sizeof *to);
    to[n] = x->gate;
    x->list = to;
    x->n = n + 1;
}

/* ---- bytes in devices' own memories */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The command may use bytes that no memory object that it names holds. */
static bool uses_any(const struct cw_run_use *use, const struct cw_run_kernel *k)
{
    bool any = use->all || (use->kernel && (!k || !k->args || cw_run_effects_reach_elsewhere(k)));

    for (uint32_t i = 0; !any && k && i < k->count; i++)
        any = k->args[i].kind == CW_RUN_ARG_POINTER;
    return any;
}

/* Buffer `i` of those that the command names, arguments of its kernel behind them; `*r` NULL: it is none of
 * run mode's own bytes. False: there are no more. */
static bool named(const struct cw_run_use *use, const struct cw_run_kernel *k, uint32_t i,
                  struct cw_run_region **r)
{
    uint32_t n = use->memory ? use->n : 0;
    const struct cw_run_arg *a = k && k->args && i >= n && i - n < k->count ? &k->args[i - n] : NULL;
    const void *handle = i < n                                                           ? use->memory[i]
                         : a && a->kind == CW_RUN_ARG_VALUE && a->size == sizeof(cl_mem) ? (void *)a->word
                                                                                         : NULL;
    const struct cw_run_memory *m = handle ? cw_run_record_find(handle, CW_RUN_MEMORY) : NULL;

    *r = m && m->region && m->region->root ? m->region : NULL;
    return i < n || a;
}

/* It may write buffer `i`. */
static bool writes(const struct cw_run_use *use, const struct cw_run_kernel *k, uint32_t i)
{
    uint32_t bits = 8 * sizeof use->written;

    if (i < use->n)
        return use->written >> (i < bits ? i : bits - 1) & 1;
    return !k->modes || k->modes[i - use->n] != CW_ACCESS_READ;
}

static const struct cw_run_kernel *kernel_of(const struct cw_run_use *use)
{
    return use->kernel ? cw_run_record_find(use->kernel, CW_RUN_KERNEL) : NULL;
}

static bool touches(const struct cw_run_use *use, const struct cw_run_region *region)
{
    const struct cw_run_kernel *k = kernel_of(use);
    bool any = uses_any(use, k);
    struct cw_run_region *r;

    for (uint32_t i = 0; !any && named(use, k, i, &r); i++)
        any = r == region;
    return any;
}

/* Notes that the command, which the vendor has taken, may use bytes. Memory is out: all is native from here
 * on. */
static void note_uses(const struct cw_run_native *x)
{
    const struct cw_run_kernel *k = kernel_of(x->use);
    cl_event event = x->unmarked ? NULL : *x->event;
    uint64_t given = x->queue->native_given;
    struct cw_run_region *r;
    bool good = !uses_any(x->use, k) || cw_run_native_use_add(NULL, x->queue, event, given, x->after);

    for (uint32_t i = 0; named(x->use, k, i, &r); i++) {
        if (!r)
            continue;
        good &= cw_run_native_use_add(r, x->queue, event, given, x->after);
        cw_run_window_flow_native(r, i >= x->use->n, writes(x->use, k, i));
    }
    cw_run.off |= !good;
}

static bool may_use_bytes(const struct cw_run_use *use)
{
    return use->n || use->kernel || use->all;
}

/* No event of its own tells when the command is over. A marker can where the queue is in order, and nothing
 * asks before the next managed command. Lock held. */
static bool is_unmarked(const struct cw_run_native *x)
{
    const struct cw_run_queue *q = x->queue;

    return cw_run.far_workers && may_use_bytes(x->use) && !x->wanted && !x->gated && q->managed &&
           q->in_order && !q->synchronous && !cw_run.unfinished;
}

static bool needs_event(const struct cw_run_native *x)
{
    return x->gated || x->watched || (cw_run.far_workers && may_use_bytes(x->use) && !x->unmarked);
}

static bool is_touched(const struct cw_run_queue *q, const struct cw_run_use *use,
                       const struct cw_run_region *r)
{
    return r->root->context == q->context && !cw_run_spread_is_at_rest(r) && touches(use, r);
}

static struct cw_run_region *next_touched(const struct cw_run_queue *q, const struct cw_run_use *use,
                                          struct cw_run_region *r)
{
    do
        r = cw_run_spread_after(r);
    while (r && !is_touched(q, use, r));
    return r;
}

/* Of the buffers that the command names, those that are not at rest, each once; of any, those that have left
 * the host's memory. Returns how many; of[]: NULL, or room for so many. */
static uint32_t find_touched(const struct cw_run_queue *q, const struct cw_run_use *use,
                             struct cw_run_region **of)
{
    const struct cw_run_kernel *k = kernel_of(use);
    struct cw_run_region *r, *before;
    uint32_t n = 0;

    if (uses_any(use, k)) {
        for (r = next_touched(q, use, NULL); r; r = next_touched(q, use, r), n++)
            if (of)
                of[n] = r;
        return n;
    }
    for (uint32_t i = 0, j = 0; named(use, k, i, &r); i++) {
        if (!r || r->root->context != q->context || cw_run_spread_is_at_rest(r))
            continue;
        for (j = 0; j < i && named(use, k, j, &before) && before != r;)
            j++;
        if (j < i)
            continue;
        if (of)
            of[n] = r;
        n++;
    }
    return n;
}

/* The bytes of `r` that the command, which names no other kind of thing, may use: [*low, *high). True: it may
 * write some. */
static bool used_of(const struct cw_run_use *use, const struct cw_run_region *r, uint64_t *low,
                    uint64_t *high)
{
    const struct cw_run_memory *m;
    bool write = !use->range;

    *low = write ? 0 : UINT64_MAX;
    *high = write ? r->high - r->low : 0;
    for (uint32_t i = 0; use->range && i < use->n; i++) {
        m = use->memory[i] ? cw_run_record_find(use->memory[i], CW_RUN_MEMORY) : NULL;
        if (m && m->region == r) {
            uint64_t first = least(use->range[i][0], m->bytes);
            uint64_t end = m->offset + first + least(use->range[i][1], m->bytes - first);

            *low = least(*low, m->offset + first);
            *high = *high > end ? *high : end;
            write |= writes(use, NULL, i);
        }
    }
    return write;
}

/* A command of the queue behind which all bytes that a native one may touch are in the host's memory, and,
 * if the native one may write them, there alone. It waits for all that the native one waits for, as that may
 * have written them elsewhere. NULL: none is needed, or, then *failed, memory is out. */
static struct cw_run_task *home_task(const struct cw_run_native *x, bool *failed)
{
    const struct cw_run_use *use = x->use;
    struct cw_run_queue *q = x->queue;
    cl_uint listed = cw_run_dependence_look(q, x->n, x->list) == CW_RUN_WAITS_ODD ? 0 : x->n;
    uint32_t n = find_touched(q, use, NULL);
    struct cw_run_region **of = n ? malloc(n * sizeof *of) : NULL;
    uint64_t now = 0;
    struct cw_run_task *t = of ? cw_run_task_create(n, 0, n * sizeof *t->home.of) : NULL;
    uint64_t low, high;
    bool write;

    *failed = n && !t;
    if (!t) {
        free(of);
        return NULL;
    }
    t->work = CW_RUN_HOME;
    t->behind_native = cw_run_dependence_waits_native(q, listed, x->list);
    t->home.memory = q->context->places->device->memory;
    /* the program may let go of them as soon as the vendor has the native command */
    t->home.of = (struct cw_run_memory **)(t->accesses.of + n);
    find_touched(q, use, of);
    for (uint32_t i = 0; i < n; i++) {
        cw_run_record_pin(&of[i]->root->r);
        t->home.of[t->home.n++] = of[i]->root;
        write = used_of(use, of[i], &low, &high);
        if (low < high)
            cw_run_byte_range_add_access(q, t, of[i], low, high - low, write);
    }
    free(of);
    *failed = !cw_run_dependence_link(q, t, 0, listed, x->list, false, NULL);
    if (*failed)
        return NULL;
    cw_run_activation_enqueued(&now);
    t->home.serves = t->order.recorded;
    t->order.recorded = 0; /* no command of the program's */
    return t;
}

static bool all_over(const void *unused)
{
    (void)unused;
    return !cw_run.unfinished;
}

/* Where no command can do that in its turn. */
void cw_run_native_everything_home(void)
{
    cw_run_window_close();
    cw_run_help(NULL, 0, all_over, NULL);
    cw_run_spread_all_home();
}

/* Bytes that the command may touch are used by others: those wait for no native work, or have begun. */
static bool touched_over(const void *what)
{
    const struct cw_run_native *x = what;
    struct cw_run_region *r = next_touched(x->queue, x->use, NULL);

    while (r && !cw_run_byte_range_is_used(x->queue, r))
        r = next_touched(x->queue, x->use, r);
    return !r;
}

/* The same where no command of the queue can do it. Others may wait for the thread that is here, by native
 * work: so only those on the same bytes are waited for. No launch leaves home meanwhile
 * (q->context->native_calls). */
static void touched_home(const struct cw_run_native *x)
{
    struct cw_run_region *r;

    cw_run_window_close();
    cw_run_help(NULL, 0, touched_over, x);
    r = cw_run_spread_after(NULL);
    while (r)
        r = is_touched(x->queue, x->use, r) ? cw_run_spread_come_home(r) : cw_run_spread_after(r);
}

/* Sets x->home to the number of that command. */
static void bring_home(struct cw_run_native *x)
{
    struct cw_run_queue *q = x->queue;
    struct cw_run_task *t = NULL;
    bool failed = false;

    if (cw_run.ending && cw_run.off) { /* no worker is left, and all that was to be waited for is over */
        cw_run_spread_all_home();
        return;
    }
    if (!q->managed) {
        touched_home(x);
        return;
    }
    t = home_task(x, &failed);
    if (failed)
        cw_run_native_everything_home();
    x->home = t ? t->order.sequence : 0;
}

static void enters(struct cw_run_native *x, struct cw_run_queue *q)
{
    x->queue = q;
    cw_run_activation_enqueued(&x->now_ns);
    cw_run_record_pin(&q->r);
    q->native_given++;
    /* buffers that none names may be used elsewhere; those of a queue that is not managed come home at once
     */
    x->after = q->managed && !uses_any(x->use, kernel_of(x->use)) ? cw_run.sequence : 0;
    q->native_calls++;
    if (!q->context->native_calls++ || x->after < q->context->called_after)
        q->context->called_after = x->after;
}

/* Lock held, given up. */
static void begin(struct cw_run_native *x, cl_command_queue queue, bool blocking, bool whole,
                  enum cw_run_reason why)
{
    struct cw_run_queue *q = cw_run_repeat_turn(queue);
    const cl_event *list = x->list;
    cl_uint n = x->n;
    bool wait, watches;

    cw_run_reasons_native(why, x->use->kernel);
    cw_run_gain_spoilt();
    if (!q || cw_run.forked) {
        cw_run_window_close();
        cw_run_foreign_give();
        return;
    }
    enters(x, q);
    x->given = blocking && q->in_order ? q->native_given : 0;
    watches = why == CW_RUN_R_UNBEGUN && x->use->kernel && cw_run_hold_watches(q);
    if (CW_UNLIKELY(cw_run.far_workers))
        bring_home(x);
    x->gated = cw_run_dependence_is_gated(q) || cw_run_dependence_look(q, n, list) == CW_RUN_WAITS_GATED;
    cw_run_window_close();
    /* no gate stands in a list that the vendor should refuse, and PoCL 3.1 does not */
    wait = q->managed && (blocking || q->synchronous || !n != !list);
    if (wait)
        drain(x, whole);
    /* none, if the queue is not managed: nothing in it is */
    else
        find_gate(x, whole);
    x->unmarked = is_unmarked(x);
    cw_run_foreign_give();
    make_list(x, n, list);
    if (n && (wait || q->synchronous))
        cw_run_event_wait_list(n, list);
    if (q->synchronous && !x->gated && n && list)
        cw_next.clWaitForEvents(n, list); /* the call itself reports errors in the list */
    x->watched = !x->gated && x->use->kernel && watches;
    if (needs_event(x) && !x->wanted)
        x->event = &x->own_event;
}

void cw_run_native_follow(struct cw_run_native *x, const struct cw_run_enqueue *e,
                          const struct cw_run_use *use)
{
    *x = (struct cw_run_native){
        .n = e->n, .list = e->list, .event = e->event, .wanted = e->event, .now_ns = e->now_ns, .use = use};
    if (e->unlocked)
        cw_run_reasons_unlocked(e->why);
    else
        begin(x, e->handle, e->blocking, e->whole && !e->n, e->why);
    x->turn = cw_run_staging_turn_take(e->handle);
}

void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list,
                         cl_event *event, bool blocking, bool whole, enum cw_run_reason why,
                         const struct cw_run_use *use)
{
    struct cw_run_enqueue e = {.handle = queue,
                               .n = n,
                               .list = list,
                               .event = event,
                               .whole = whole,
                               .blocking = blocking,
                               .why = why};

    e.unlocked = !cw_run_record_had_queue();
    if (!e.unlocked)
        cw_run_global_lock_take();
    cw_run_native_follow(x, &e, use);
}

/* The program's event gets a record, with the type that the program sees. Lock held. */
static void note_event(const struct cw_run_native *x)
{
    struct cw_run_event *e = cw_run_object_create(*x->event, CW_RUN_EVENT);

    if (!e) {
        cw_run.off = true;
        return;
    }
    e->what = CW_RUN_NOTED;
    e->type = x->type;
}

/* A command that a user event holds: later ones of its queue, and those that wait for its event, must be
 * native too. */
static void remember_gated(struct cw_run_native *x)
{
    cl_event event = x->event ? *x->event : NULL;

    if (!event)
        return;
    if (!cw_run_event_list_add(&x->queue->gates, event)) {
        cw_run.off = true;
        return;
    }
    if (!x->wanted)
        return; /* our reference is the list's now */
    cw_next.clRetainEvent(event);
    note_event(x);
}

/* A reference to the event of a launch that is watched, or NULL. The vendor has made that event in any
 * case. */
static cl_event watched_event(const struct cw_run_native *x)
{
    cl_event event = x->watched ? *x->event : NULL;

    return event && x->wanted && cw_next.clRetainEvent(event) != CL_SUCCESS ? NULL : event;
}

/* A write that blocks may return when the host's memory is free, with commands before it under way. Where all
 * devices work in one memory that does no harm. */
static bool returns_early(const struct cw_run_native *x)
{
    return cw_run.far_workers && x->use->written;
}

cl_int cw_run_native_end(struct cw_run_native *x, cl_int status)
{
    struct cw_run_queue *q = x->queue;
    uint64_t now = 0;

    cw_run_staging_turn_give(x->turn);
    if (status == CL_SUCCESS && x->event && *x->event && !x->staging)
        cw_run_staging_notes_new(*x->event);
    if (status == CL_SUCCESS && x->event && *x->event)
        cw_device_native_seen(*x->event);
    if (status == CL_SUCCESS && x->type && x->wanted && !x->gated) {
        cw_run_global_lock_take();
        note_event(x);
        cw_run_global_lock_give();
    }
    if (!q)
        return status;
    cw_run_global_lock_take();
    cw_run_exclusion_native_end(x->exclusion);
    q->native_calls--;
    q->context->native_calls--;
    q->native_given++; /* a look during the vendor's call may have come too early */
    if (CW_UNLIKELY(cw_run.far_workers) && status == CL_SUCCESS && (x->unmarked || (x->event && *x->event)))
        note_uses(x);
    if (x->use->barrier && status == CL_SUCCESS)
        q->native_barrier = q->native_given;
    if (x->given && status == CL_SUCCESS) {
        if (q->native_given == x->given + 1 && q->native_known < q->native_given && !returns_early(x))
            q->native_known = q->native_given; /* the call has waited for all of them */
        cw_run_hold_synchronised(q);
        cw_run_bypass_synchronised(q);
        cw_run_activation_waited(&now);
        cw_run_window_start_if_begun();
    }
    if (status == CL_SUCCESS && x->gated)
        remember_gated(x);
    if (status == CL_SUCCESS && x->use->kernel && (x->watched || !cw_run.begun))
        cw_run_hold_launched(q, watched_event(x));
    if (x->event == &x->own_event && !x->gated && !x->watched)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, x->own_event);
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, x->gate);
    cw_run_object_unpin(&q->r);
    cw_run_foreign_give();
    free(x->heap);
    return status;
}
