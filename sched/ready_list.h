/* ready_list.h - the tasks whose predecessors are all done, by priority: the core of every list scheduler.
 *
 * Highest key first, lowest task id on ties. Also the right way to sort by rank_u: a parent and its child may
 * share a rank when costs and data are zero, and a plain sort would then put the child first if its id is
 * lower.
 *
 * Thread-safety: none. */
#ifndef CW_READY_LIST_H
#define CW_READY_LIST_H

#include "task_heap.h"

struct cw_ready_list {
    const struct cw_graph *graph;
    struct cw_task_heap ready; /* a task's key must not change while it is in there */
    uint32_t *waiting;         /* unfinished predecessors of each task */
};

/* Starts with the entry tasks. `key` must outlive the list. Errors: CW_ERR_NOMEM (the list is then empty). */
enum cw_status cw_ready_list_init(struct cw_ready_list *r, const struct cw_graph *g, const int64_t *key,
                                  struct cw_error *err);
void cw_ready_list_finish(struct cw_ready_list *r); /* safe on a zeroed struct */

/* Takes the next task out, O(log ready); CW_SCHED_NONE when none is ready. */
uint32_t cw_ready_list_pop(struct cw_ready_list *r);

/* Takes ready.task[at] out, for policies that choose by more than the key. */
uint32_t cw_ready_list_take(struct cw_ready_list *r, uint32_t at);

/* Says that `task`, taken out before, is scheduled: successors that waited for nothing else become ready. */
void cw_ready_list_done(struct cw_ready_list *r, uint32_t task);

/* Fills order[0 .. tasks - 1] with all tasks in the order in which they come out when each is done at once.
 * Errors: CW_ERR_NOMEM. */
enum cw_status cw_ready_list_order(const struct cw_graph *g, const int64_t *key, uint32_t *order,
                                   struct cw_error *err);

#endif
