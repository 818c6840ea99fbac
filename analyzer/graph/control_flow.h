/* control_flow.h - algorithm A1: the order that queues, wait lists, barriers and host waits impose. */
#ifndef CW_CONTROL_FLOW_H
#define CW_CONTROL_FLOW_H

#include "edge_list.h"

struct cw_control_flow;

/* True when host wait `wait` (a blocking transfer, too) had returned when `k` was called. A thread calls
 * nothing while it waits, so among its own calls the order is enough. */
static inline bool cw_host_wait_returned(const struct cw_command *wait, const struct cw_command *k)
{
    return wait->thread == k->thread || wait->call_end_ns <= k->call_begin_ns;
}

/* State for a sweep over t's commands. NULL when memory is out. */
struct cw_control_flow *cw_control_flow_create(const struct cw_trace *t);
void cw_control_flow_destroy(struct cw_control_flow *c);

/* Adds the control edges into command `id` to `edges`. Call for every command in order, cw_control_flow_leave
 * after its data edges are known. */
void cw_control_flow_enter(struct cw_control_flow *c, uint32_t id, struct cw_edge_list *edges);

/* Makes `id` known to later commands. `edges` holds all edges into it: their sources are no exits of their
 * queues any more. False when memory is out. */
bool cw_control_flow_leave(struct cw_control_flow *c, uint32_t id, const struct cw_edge_list *edges);

#endif
