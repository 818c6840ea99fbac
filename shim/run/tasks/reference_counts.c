/* reference_counts.c - see tasks/reference_counts.h. */
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/native_use.h"
#include "dependence.h"
#include "event_list.h"
#include "reference_counts.h"
#include "task.h"

void cw_run_reference_counts_settle(void)
{
    cw_run_recount_begins();
    cw_run_global_lock_take();
    for (struct cw_run_queue *q = NULL; (q = cw_run_record_next(CW_RUN_QUEUE, q));) {
        cw_run_dependence_is_gated(q); /* lets go of gates */
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT,
                                         q->hold.first); /* the vendor may, as it would bare */
        q->hold.first = NULL;
        q->hold.launches = 0;
    }
    cw_run_native_use_settle();
    cw_run_global_lock_give();
    cw_run_recount_ends();
}

/* ---- commands under way */

static bool is_separate(const struct cw_run_memory *m)
{
    return cw_device_has(&m->context->devices->device[0], CW_VENDOR_SEPARATE_PARTS);
}

/* The vendor counts a command on `used` (NULL: none) at m: at the whole, or where parts are separate, at that
 * part, or at each part of the whole that is used (test/vendor/separate_parts.c). */
static bool counts_at(const struct cw_run_memory *used, const struct cw_run_memory *m)
{
    if (!used || !is_separate(m))
        return used && used->root == m;
    return used == m ? !m->parts : used == m->root;
}

static bool uses(const struct cw_run_task *t, const struct cw_run_memory *m)
{
    const struct cw_run_memory *used;

    for (uint32_t i = 0; (used = cw_run_task_memory(t, i)); i++)
        if (counts_at(used, m))
            return true;
    for (uint32_t i = 0; t->work == CW_RUN_LAUNCH && i < t->launch.kernel->count; i++)
        if (counts_at(t->launch.args[i].memory, m))
            return true;
    return false;
}

/* The vendor has the launch, with the program's own memory objects. */
static bool is_at_home(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH && t->state == CW_RUN_RUNNING &&
           t->queue->context->places[t->at.place].device->home;
}

/* Commands that use the one of both that is given, as the vendor would count them. */
static uint32_t under_way(const struct cw_run_memory *m, const struct cw_run_kernel *k)
{
    uint32_t n = 0;

    for (const struct cw_run_queue *q = NULL; (q = cw_run_record_next(CW_RUN_QUEUE, q));)
        for (const struct cw_run_task *t = q->first; t; t = t->links.next)
            if (t->state < CW_RUN_DONE)
                n += m ? uses(t, m) && !is_at_home(t) : t->work == CW_RUN_LAUNCH && t->launch.kernel == k;
    return n;
}

uint32_t cw_run_reference_counts_of_memory(const struct cw_run_memory *m)
{
    uint32_t n = m->counted_maps - cw_run_record_hidden_references(&m->r); /* a map retains the memory */

    if (!cw_run.unfinished)
        return n;
    /* a part of it that the program has released, and a command still uses, is gone bare, or separate */
    for (const struct cw_run_memory *part = NULL;
         !is_separate(m) && (part = cw_run_record_next(CW_RUN_MEMORY, part));)
        n -= part->root == m && part != m && part->r.held_back && !part->counted_maps;
    return n + under_way(m, NULL);
}

uint32_t cw_run_reference_counts_of_kernel(const struct cw_run_kernel *k)
{
    return (cw_run.unfinished ? under_way(NULL, k) : 0) - cw_run_record_hidden_references(&k->r);
}

uint32_t cw_run_reference_counts_of_context(struct cw_run_context *c)
{
    return -(c->own_objects + c->events + cw_run_event_list_count(&c->own_events) +
             cw_run_record_hidden_references(&c->r));
}

/* ---- queues and events */

uint32_t cw_run_reference_counts_of_queue(struct cw_run_queue *q)
{
    uint32_t n = q->events - cw_run_event_list_count(&q->own_events) - cw_run_record_hidden_references(&q->r);

    for (const struct cw_run_task *t = q->first; t; t = t->links.next)
        n += !t->event && !(t->work == CW_RUN_HOME && t->home.n); /* one before a native command */
    return n;
}

uint32_t cw_run_reference_counts_managed(const struct cw_run_event *e)
{
    return e->r.refs + (e->task != NULL);
}

uint32_t cw_run_reference_counts_of_event(cl_event event)
{
    uint32_t n = -cw_run_native_use_references(event);

    for (const struct cw_run_queue *q = NULL; (q = cw_run_record_next(CW_RUN_QUEUE, q));) {
        for (size_t i = 0; i < q->gates.n; i++)
            n -= q->gates.of[i] == event;
        n -= q->hold.first == event;
    }
    for (const struct cw_run_foreign *f = cw_run.open; f; f = f->next_open)
        n -= f->event == event;
    return n;
}
