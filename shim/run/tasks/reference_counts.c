/* reference_counts.c - see tasks/reference_counts.h. */
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/coherence.h"
#include "../memory/native_use.h"
#include "dependence.h"
#include "reference_counts.h"

#include <sched.h>
#include <stdlib.h>

#define FEW        4 /* own events that are looked at when there is another one */
#define AT_ONCE    64
#define LONGEST_NS UINT64_C(100000000)

/* ---- the last command on each memory object */

static uint32_t lasts; /* memory objects whose last command is managed */
static bool unsettled; /* some of them may have a native one in the vendor's eyes */

void cw_run_reference_counts_moves(struct cw_run_memory *m, struct cw_run_queue *q)
{
    struct cw_run_queue *old = m->last;

    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, m->native_last);
    m->native_last = NULL;
    if (q) {
        cw_run_record_pin(&q->r);
        q->lasts++;
        lasts++;
        unsettled |= !m->settled;
    } else {
        m->settled = false;
    }
    m->last = q;
    if (!old)
        return;
    old->lasts--;
    lasts--;
    cw_run_record_unpin(&old->r);
}

void cw_run_reference_counts_forget(struct cw_run_memory *m)
{
    if (m->last || m->native_last)
        cw_run_reference_counts_moves(m, NULL);
}

static bool has_copies(const struct cw_run_memory *root)
{
    return root->managed && root->region && root->region->root &&
           root->context->places->slot->memory != CW_MEMORY_HOST;
}

static void is_native(struct cw_run_memory *m, cl_event event)
{
    if (!m)
        return;
    cw_run_reference_counts_forget(m->root);
    if (!event || !has_copies(m->root) || cw_next.clRetainEvent(event) != CL_SUCCESS)
        return;
    m->root->native_last = event;
    m->root->settled = false;
    unsettled = true;
}

void cw_run_reference_counts_native(cl_mem memory, cl_event event)
{
    if (lasts || cw_run.far_lanes)
        is_native(cw_run_record_find(memory, CW_RUN_MEMORY), event);
}

void cw_run_reference_counts_launched(cl_kernel kernel, cl_event event)
{
    const struct cw_run_kernel *k =
        lasts || cw_run.far_lanes ? cw_run_record_find(kernel, CW_RUN_KERNEL) : NULL;

    for (uint32_t i = 0; k && k->args && i < k->count; i++)
        if (k->args[i].kind == CW_RUN_ARG_VALUE && k->args[i].size == sizeof(cl_mem))
            is_native(cw_run_record_find((const void *)(uintptr_t)k->args[i].word, CW_RUN_MEMORY), event);
}

static void forget_of_record(void *record)
{
    cw_run_reference_counts_forget(record);
}

void cw_run_reference_counts_forget_lasts(void)
{
    if (lasts || cw_run.far_lanes)
        cw_run_record_each(CW_RUN_MEMORY, forget_of_record);
}

/* ---- run mode's own events */

struct own {
    struct own *next;
    cl_event event;
    const struct cw_run_context *context;
    const struct cw_run_queue *queue;
};
static struct own *owned, **owned_end = &owned;

static cl_uint references(cl_event event)
{
    cl_uint n = 0;

    cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

static void take_out(struct own **at)
{
    struct own *o = *at;

    *at = o->next;
    if (owned_end == &o->next)
        owned_end = at;
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, o->event);
    free(o);
}

/* Of the first `most` those go to which only run mode has a reference. */
static void prune(uint32_t most)
{
    struct own **at = &owned;

    while (*at && most--)
        if (references((*at)->event) <= 1)
            take_out(at);
        else
            at = &(*at)->next;
}

void cw_run_reference_counts_own(cl_event event, const struct cw_run_context *c, const struct cw_run_queue *q)
{
    struct own *o = malloc(sizeof *o);

    prune(FEW);
    if (!o) {
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, event);
        return;
    }
    *o = (struct own){.event = event, .context = c, .queue = q};
    *owned_end = o;
    owned_end = &o->next;
}

void cw_run_reference_counts_disown(const void *whose)
{
    struct own **at = &owned;

    while (*at)
        if ((*at)->queue == whose || (*at)->context == whose)
            take_out(at);
        else
            at = &(*at)->next;
}

/* Their number when the vendor was asked. Those that only run mode refers to go. */
static uint32_t own_of(const void *whose)
{
    uint32_t n = 0;

    for (const struct own *o = owned; o; o = o->next)
        n += o->queue == whose || o->context == whose;
    prune(UINT32_MAX);
    return n;
}

/* ---- last commands as the vendor knows them */

static struct {
    struct cw_run_context *context;
    struct cw_run_memory *memory[AT_ONCE];
    cl_uint n;
    bool later;   /* native commands are under way: the vendor has references of its own to their events */
} unsettled_ones; /* of cw_run_record_each(), which passes nothing on; lock held */

static void collect_unsettled(void *record)
{
    struct cw_run_memory *m = record;

    if ((!m->last && !m->native_last) || m->settled || unsettled_ones.n == AT_ONCE)
        return;
    if (m->native_last && !cw_run_native_use_is_over(m->region)) {
        unsettled_ones.later = true;
        return;
    }
    if (!unsettled_ones.context)
        unsettled_ones.context = m->context;
    if (m->context == unsettled_ones.context)
        unsettled_ones.memory[unsettled_ones.n++] = m;
}

/* A queue for commands that do nothing. NULL: the vendor made none. Lock not held. */
static cl_command_queue queue_in(struct cw_run_context *c)
{
    cl_context context = (cl_context)(uintptr_t)c->r.handle;
    cl_command_queue queue;
    cl_int err;

    cw_run_global_lock_take();
    queue = c->idle_queue;
    cw_run_global_lock_give();
    if (queue)
        return queue;
    queue = cw_next.clCreateCommandQueue(context, c->slots->slot[0].device, 0, &err);
    cw_run_global_lock_take();
    if (queue && !c->idle_queue) {
        c->idle_queue = queue;
        c->own_objects++;
    } else {
        cw_run_global_lock_release_later(CW_RUN_DROP_QUEUE, queue); /* another thread was first */
    }
    queue = c->idle_queue;
    cw_run_global_lock_give();
    return queue;
}

/* Until the vendor's thread has let go of the command, which has a reference to its memory. */
static void wait_until_freed(cl_event event, cl_uint n)
{
    uint64_t until = cw_run_global_lock_now_ns() + LONGEST_NS;

    while (references(event) > 1 + n && cw_run_global_lock_now_ns() < until)
        sched_yield();
}

/* A command of run mode becomes the last one on these. Lock not held. */
static void be_last(struct cw_run_context *c, cl_uint n, const cl_mem *memory)
{
    cl_command_queue queue = queue_in(c);
    cl_event event;

    if (!queue || cw_next.clEnqueueMigrateMemObjects(queue, n, memory, 0, 0, NULL, &event) != CL_SUCCESS)
        return;
    cw_next.clFlush(queue);
    wait_until_freed(event, n);
    cw_next.clReleaseEvent(event);
}

/* Lock held, given up meanwhile. */
static void settle_some(void)
{
    struct cw_run_memory *memory[AT_ONCE];
    struct cw_run_context *c = unsettled_ones.context;
    cl_uint n = unsettled_ones.n;
    cl_mem handles[AT_ONCE];

    cw_run_record_pin(&c->r);
    for (cl_uint i = 0; i < n; i++) {
        memory[i] = unsettled_ones.memory[i];
        handles[i] = (cl_mem)(uintptr_t)memory[i]->r.handle;
        memory[i]->settled = true;
        cw_run_record_pin(&memory[i]->r);
    }
    cw_run_global_lock_give();
    be_last(c, n, handles);
    cw_run_global_lock_take();
    for (cl_uint i = 0; i < n; i++)
        cw_run_record_unpin(&memory[i]->r);
    cw_run_record_unpin(&c->r);
}

static void let_go_of_gates(void *record)
{
    cw_run_dependence_is_gated(record);
}

/* The vendor may let go of it, as it would bare. */
static void stop_watching(void *record)
{
    struct cw_run_queue *q = record;

    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, q->hold.first);
    q->hold.first = NULL;
    q->hold.launches = 0;
}

void cw_run_reference_counts_settle(void)
{
    cw_run_recount_begins();
    cw_run_global_lock_take();
    cw_run_record_each(CW_RUN_QUEUE, let_go_of_gates);
    cw_run_record_each(CW_RUN_QUEUE, stop_watching);
    cw_run_native_use_settle();
    while (unsettled && !cw_run.forked) {
        unsettled_ones.context = NULL;
        unsettled_ones.n = 0;
        unsettled_ones.later = false;
        cw_run_record_each(CW_RUN_MEMORY, collect_unsettled);
        unsettled = unsettled_ones.n || unsettled_ones.later;
        if (!unsettled_ones.n)
            break;
        settle_some();
    }
    cw_run_global_lock_give();
    cw_run_recount_ends();
}

/* ---- commands under way */

static struct {
    const struct cw_run_memory *memory;
    const struct cw_run_kernel *kernel;
    uint32_t n;
} asked; /* of cw_run_record_each(); lock held */

static bool uses(const struct cw_run_task *t, const struct cw_run_memory *m)
{
    for (int i = 0; i < 2; i++)
        if (t->memories[i] && t->memories[i]->root == m)
            return true;
    for (uint32_t i = 0; t->work == CW_RUN_LAUNCH && i < t->launch.kernel->count; i++)
        if (t->launch.args[i].memory && t->launch.args[i].memory->root == m)
            return true;
    return false;
}

/* The vendor has the launch, with the program's own memory objects. */
static bool is_at_home(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH && t->state == CW_RUN_RUNNING &&
           t->queue->context->places[t->at.place].slot->home;
}

static void count_under_way(void *record)
{
    for (const struct cw_run_task *t = ((struct cw_run_queue *)record)->first; t; t = t->links.next) {
        if (t->state >= CW_RUN_DONE)
            continue;
        asked.n += asked.kernel && t->work == CW_RUN_LAUNCH && t->launch.kernel == asked.kernel;
        asked.n += asked.memory && uses(t, asked.memory) && !is_at_home(t);
    }
}

/* A part of the memory that the program has released, and a command still uses. Bare it is gone. */
static void count_parts(void *record)
{
    const struct cw_run_memory *m = record;

    asked.n -= m->root == asked.memory && m != asked.memory && m->r.held_back;
}

uint32_t cw_run_reference_counts_of_memory(const struct cw_run_memory *m)
{
    asked.memory = m;
    asked.kernel = NULL;
    asked.n = m->root_maps - cw_run_record_hidden_references(&m->r); /* a map retains the memory */
    if (cw_run.unfinished) {
        cw_run_record_each(CW_RUN_QUEUE, count_under_way);
        cw_run_record_each(CW_RUN_MEMORY, count_parts);
    }
    return asked.n;
}

uint32_t cw_run_reference_counts_of_kernel(const struct cw_run_kernel *k)
{
    asked.memory = NULL;
    asked.kernel = k;
    asked.n = -cw_run_record_hidden_references(&k->r);
    if (cw_run.unfinished)
        cw_run_record_each(CW_RUN_QUEUE, count_under_way);
    return asked.n;
}

uint32_t cw_run_reference_counts_of_context(const struct cw_run_context *c)
{
    return -(c->own_objects + c->events + own_of(c) + cw_run_record_hidden_references(&c->r));
}

/* ---- queues and events */

static struct {
    const struct cw_run_queue *queue;
    uint64_t *ids; /* of last commands; sorted, each once */
    size_t n;
    uint32_t matched;
} kept; /* of cw_run_record_each(); lock held */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void collect_last(void *record)
{
    const struct cw_run_memory *m = record;

    if (m->last == kept.queue)
        kept.ids[kept.n++] = m->last_sequence;
}

static bool is_kept(uint64_t sequence)
{
    return bsearch(&sequence, kept.ids, kept.n, sizeof *kept.ids, compare);
}

static void match_event(void *record)
{
    const struct cw_run_event *e = record;

    kept.matched += e->what == CW_RUN_MANAGED && e->queue == kept.queue && is_kept(e->sequence);
}

static void unique(void)
{
    size_t n = 0;

    qsort(kept.ids, kept.n, sizeof *kept.ids, compare);
    for (size_t i = 0; i < kept.n; i++)
        if (!i || kept.ids[i] != kept.ids[i - 1])
            kept.ids[n++] = kept.ids[i];
    kept.n = n;
}

/* Commands of `q` that count for nothing else than being the last ones on some memory. */
static uint32_t only_kept(const struct cw_run_queue *q)
{
    kept.ids = q->lasts ? malloc(q->lasts * sizeof *kept.ids) : NULL;
    if (!kept.ids)
        return 0;
    kept.queue = q;
    kept.n = kept.matched = 0;
    cw_run_record_each(CW_RUN_MEMORY, collect_last);
    unique();
    if (q->events)
        cw_run_record_each(CW_RUN_EVENT, match_event);
    for (const struct cw_run_task *t = q->first; t; t = t->links.next)
        kept.matched += !t->event && is_kept(t->order.sequence);
    free(kept.ids);
    return (uint32_t)kept.n - kept.matched;
}

uint32_t cw_run_reference_counts_of_queue(const struct cw_run_queue *q)
{
    uint32_t n = q->events + only_kept(q) - own_of(q) - cw_run_record_hidden_references(&q->r);

    for (const struct cw_run_task *t = q->first; t; t = t->links.next)
        n += !t->event && !(t->work == CW_RUN_HOME && !t->memories[0]); /* one before a native command */
    return n;
}

static const struct cw_run_event *of_which;

static void count_last(void *record)
{
    const struct cw_run_memory *m = record;

    asked.n += m->last == of_which->queue && m->last_sequence == of_which->sequence;
}

uint32_t cw_run_reference_counts_managed(const struct cw_run_event *e)
{
    asked.n = e->r.refs + (e->task != NULL);
    of_which = e;
    if (e->queue->lasts)
        cw_run_record_each(CW_RUN_MEMORY, count_last);
    return asked.n;
}

static cl_event held; /* of cw_run_record_each(); lock held */

/* Not settled, the vendor is taken to have the reference that run mode has, too. */
static void count_native_last(void *record)
{
    const struct cw_run_memory *m = record;

    asked.n -= m->native_last == held && !m->settled;
}

static void count_gates(void *record)
{
    const struct cw_run_queue *q = record;

    for (uint32_t i = 0; i < q->num_gates; i++)
        asked.n -= q->gates[i] == held;
    asked.n -= q->hold.first == held;
}

uint32_t cw_run_reference_counts_of_event(cl_event event)
{
    asked.n = 0;
    held = event;
    cw_run_record_each(CW_RUN_QUEUE, count_gates);
    if (cw_run.far_lanes)
        cw_run_record_each(CW_RUN_MEMORY, count_native_last);
    for (const struct cw_run_foreign *f = cw_run.open; f; f = f->next_open)
        asked.n -= f->event == event;
    return asked.n - cw_run_native_use_references(event);
}
