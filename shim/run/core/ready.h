/* ready.h - commands that are ready: those that have become so, and those in heaps of workers. Lock held. */
#ifndef CW_RUN_READY_H
#define CW_RUN_READY_H

#include <stdatomic.h>

#include "state.h"

/* cw_run.became_ready is the last of the list, whose links.done is the first: a ring. */

/* All that `t` waited for is over. It waits in the list for a thread that gives it to its worker
 * (cw_run_worker_take_ready of workers/worker.h). */
static inline void cw_run_ready_add(struct cw_run_task *t)
{
    struct cw_run_task *last = cw_run.became_ready;

    t->links.done = last ? last->links.done : t;
    if (last)
        last->links.done = t;
    cw_run.became_ready = t;
    cw_run.ready_count++;
    atomic_fetch_add_explicit(&cw_run.workers[t->at.worker].watch.pushed, 1, memory_order_relaxed);
}

/* The first of the list, taken off it; NULL: the list is empty. */
static inline struct cw_run_task *cw_run_ready_next(void)
{
    struct cw_run_task *last = cw_run.became_ready, *t = last ? last->links.done : NULL;

    if (!t)
        return NULL;
    last->links.done = t->links.done;
    cw_run.became_ready = t == last ? NULL : last;
    cw_run.ready_count--;
    return t;
}

/* Each worker's heap gets room for so many tasks; or the one heap. False: out of memory. */
bool cw_run_ready_reserve(uint32_t tasks);
bool cw_run_ready_reserve_at(struct cw_run_worker *l, uint32_t tasks);

/* Puts the task, of any kind, into its worker's heap; takes it out again. */
void cw_run_ready_push(struct cw_run_task *t);
void cw_run_ready_remove(struct cw_run_task *t);
/* Takes the i-th out of the heap of `l`. */
struct cw_run_task *cw_run_ready_take(struct cw_run_worker *l, uint32_t i);

#endif
