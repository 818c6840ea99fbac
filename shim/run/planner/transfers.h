/* transfers.h - inside a planner: the time of bytes between memories, and bytes that lie somewhere before the
 * window as tasks of the policy's graph. Everything here needs a planner of several memories. */
#ifndef CW_RUN_TRANSFERS_H
#define CW_RUN_TRANSFERS_H

#include "profit.h"

/* How long each way to and from the host has been used in one simulation, ns, by the number of the memory. */
struct cw_run_traffic {
    double in[CW_RUN_PLAN_SPACES], out[CW_RUN_PLAN_SPACES];
};

/* Refuses pieces that lie in memories that there are not, and bytes that are no number (CW_ERR_INVALID). */
enum cw_status cw_run_transfers_check(const struct cw_run_planner *planner, const struct cw_run_window *w,
                                      struct cw_error *err);

/* The time of `bytes` bytes from memory `from` to memory `to`; 0 when they are the same. `sigmas` errors away
 * from the mean. */
double cw_run_transfers_ns(const struct cw_plan_space *space, uint32_t from, uint32_t to, double bytes,
                           double sigmas);

/* The bytes of `piece` that count on their way to memory `to`; 0: nothing travels. *from: the memory from
 * which they come soonest. */
double cw_run_transfers_bytes(const struct cw_plan_space *space, const struct cw_plan_piece *piece,
                              uint32_t to, uint32_t *from);

/* When everything that task `i` reads can be in the memory of device `p`; 0 when all of it is there.
 * `finish` of its predecessors is set. Adds to `traffic`. */
double cw_run_transfers_ready(const struct cw_run_costs *c, uint32_t i, uint32_t p,
                              const struct cw_run_plan *plan, enum cw_run_doubt doubt, const double *finish,
                              struct cw_run_traffic *traffic);

/* Latency and rate from device to device, as policies know them: two matrices of `devices` x `devices`. */
void cw_run_transfers_links(const struct cw_run_planner *planner, uint32_t devices, double *latency,
                            double *bandwidth);

/* Adds to `b`, which holds the window's tasks, one task for each set of memories that pieces come from, and
 * an edge for each piece. cost: scratch, one per device. */
enum cw_status cw_run_transfers_add_sources(const struct cw_run_costs *c, struct cw_graph_builder *b,
                                            double *cost, struct cw_error *err);

/* Places these tasks: finished at once on every device of their memories. */
enum cw_status cw_run_transfers_place_sources(const struct cw_run_costs *c, struct cw_plan *plan,
                                              struct cw_error *err);

#endif
