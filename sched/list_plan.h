/* list_plan.h - the two loops of list schedulers: the next task by its key, or the best (task, device) pair.
 *
 * Tasks that the plan holds already stay where they are. Thread-safety: none. */
#ifndef CW_LIST_PLAN_H
#define CW_LIST_PLAN_H

#include "plan.h"
#include "task_heap.h"

/* Where to place `task`, whose predecessors are placed. */
typedef struct cw_choice cw_list_choose(struct cw_plan *plan, uint32_t task, const void *context);

/* Places all tasks: always the ready one with the highest key (lowest id on ties), where `choose` says; NULL:
 * where it finishes first. Errors: CW_ERR_NOMEM, those of cw_plan_place. */
enum cw_status cw_list_plan(struct cw_plan *plan, const int64_t *key, cw_list_choose *choose,
                            const void *context, struct cw_error *err);

/* How urgent `task` is and, in *choice, where it would go then. ready: per device, when the task's data can
 * be there. */
typedef double cw_list_score(const struct cw_plan *plan, uint32_t task, const double *ready,
                             struct cw_choice *choice, const void *context);

/* Places all tasks: always the ready one with the highest score (lowest id on ties). `falling`: no score
 * rises when other tasks are placed, so those that were lower before need not be asked again. O(tasks x
 * ready tasks) scores, with `falling` at most; tasks x devices doubles of memory. Errors as above. */
enum cw_status cw_list_plan_by_score(struct cw_plan *plan, cw_list_score *score, bool falling,
                                     const void *context, struct cw_error *err);

/* The order in which HEFT and its descendants look at tasks. */

/* The tasks of plan->graph that are not placed yet, by descending rank_u, lowest id on ties, parents before
 * children. *order is malloc'd, the caller's, NULL on failure; *count of them. Errors: CW_ERR_NOMEM. */
enum cw_status cw_list_order_by_rank(const struct cw_plan *plan, uint32_t **order, uint32_t *count,
                                     struct cw_error *err);

/* ---- the tasks whose predecessors are all done, by priority: the core of every list scheduler.
 *
 * Highest key first, lowest task id on ties. Also the right way to sort by rank_u: a parent and its child may
 * share a rank when costs and data are zero, and a plain sort would then put the child first if its id is
 * lower.
 *
 * Thread-safety: none. */

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
