/* reference_counts.c - see tasks/reference_counts.h. */
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/native_use.h"
#include "dependence.h"
#include "own_event.h"
#include "reference_counts.h"

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
           t->queue->context->places[t->at.place].device->home;
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
    return -(c->own_objects + c->events + cw_run_own_event_count(c) + cw_run_record_hidden_references(&c->r));
}

/* ---- queues and events */

uint32_t cw_run_reference_counts_of_queue(const struct cw_run_queue *q)
{
    uint32_t n = q->events - cw_run_own_event_count(q) - cw_run_record_hidden_references(&q->r);

    for (const struct cw_run_task *t = q->first; t; t = t->links.next)
        n += !t->event && !(t->work == CW_RUN_HOME && !t->memories[0]); /* one before a native command */
    return n;
}

uint32_t cw_run_reference_counts_managed(const struct cw_run_event *e)
{
    return e->r.refs + (e->task != NULL);
}

static cl_event held; /* of cw_run_record_each(); lock held */

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
    for (const struct cw_run_foreign *f = cw_run.open; f; f = f->next_open)
        asked.n -= f->event == event;
    return asked.n - cw_run_native_use_references(event);
}
