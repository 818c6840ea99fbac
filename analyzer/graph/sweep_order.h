/* sweep_order.h - the order in which a recorded stream takes effect.
 *
 * Recorded order is enqueue order, which is an order of execution unless a command waits for a user event
 * that is set after the command was enqueued: it, and the commands queued behind it, run after the set. The
 * sweep order is the stable topological order (lowest id first) of queue order, wait lists, barriers and
 * markers of out-of-order queues, and clFinish after its queue. */
#ifndef CW_SWEEP_ORDER_H
#define CW_SWEEP_ORDER_H

#include "../record/trace.h"

/* Sets *order to a malloc'ed array of all command ids in sweep order, or to NULL when that is simply 0, 1, 2
 * … (nearly always). Ids on a cycle, which only a lying trace has, come last. CW_ERR_NOMEM. */
enum cw_status cw_sweep_order(const struct cw_trace *t, uint32_t **order, struct cw_error *err);

/* Fills order[0..commands-1] with all command ids in the stable topological order (lowest id first) of
 * t->edges. Returns CW_ERR_CYCLE, naming a command on a cycle, or CW_ERR_NOMEM. O(commands + edges) when all
 * edges go from a lower to a higher id, else with a factor of log commands. */
enum cw_status cw_sweep_topological_order(const struct cw_trace *t, uint32_t *order, struct cw_error *err);

#endif
