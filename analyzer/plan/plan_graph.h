/* plan_graph.h - from a recorded trace to the graph that policies plan.
 *
 * Task i of the graph is command i of the trace, so that placements, charts and replay --execute speak of the
 * same ids:
 *   - kernels are splittable tasks, by the work-groups of their slowest dimension (the highest one with more
 * than one work-item). Where the local size was left to the vendor the cut may fall anywhere between whole
 * rows, for one-dimensional ranges between runs of 64 items;
 *   - transfers, fills and maps are whole tasks;
 *   - markers, barriers and host pseudo-commands are whole tasks of no cost: they tie earlier tasks to later
 * ones without an edge for each pair;
 *   - failed commands are tasks of no cost without edges.
 * Edges are the trace's binding ones (event, barrier, host, data; not the implied `queue`). RAW edges carry
 * the bytes in common, all others carry nothing.
 *
 * With models of the kernels (cw_plan_known.reach) they may be cut as run mode does it instead, or stay
 * whole; and platforms with rates of operations (platform_file.h) use these rates.
 *
 * Costs, in ns, come from the platform's rules (platform_file.h). The time of a command in the trace is its
 * device time where one was recorded, else an estimate: its kernel's mean time per work-item elsewhere in the
 * trace, or that of all kernels, or 5 us + 1 ns per work-item; for transfers likewise per byte, or 5 us +
 * 0.125 ns per byte. A history (cw_plan_known.past) comes before all of these. */
#ifndef CW_PLAN_GRAPH_H
#define CW_PLAN_GRAPH_H

#include "../../sched/graph.h"
#include "launch_parts.h"
#include "plan_past.h"
#include "platform_file.h"
#include "../record/trace.h"

struct cw_plan_graph {
    struct cw_graph *graph;       /* owned */
    struct cw_platform *platform; /* owned when the trace's own devices serve, else NULL: the model's */
    struct cw_work_cost
        *work;          /* owned: the parts of the costs, tasks x devices; NULL: not as run mode runs it */
    uint32_t estimated; /* commands whose traced time is an estimate and went into their costs */
    uint32_t commands;  /* enqueued commands, failed ones not counted */
};

/* Knowledge beside the trace; each may be NULL. */
struct cw_plan_known {
    struct cw_trace_reach *reach; /* models of its kernels */
    bool as_run;                  /* these also say how kernels are cut */
    struct cw_plan_past *past;    /* the times of earlier runs */
};

/* Builds the graph of `t`, which must hold its edges and accesses.
 *   model            the platform to plan for; NULL: the devices that the trace used. On a device other than
 *                    its own a kernel then costs its time per work-item there elsewhere in the trace, or its
 *                    own time scaled by compute units x clock (which counts as an estimate)
 *   known            NULL: nothing
 *   drop_host_waits  leaves `host` edges out: as if the host never waited
 * Errors: CW_ERR_INVALID (no command in the trace; a damaged one), CW_ERR_INFEASIBLE (no device of the
 * platform can run a command: the message names it and the entry to add), CW_ERR_CYCLE, CW_ERR_NOMEM. */
enum cw_status cw_plan_graph_init(struct cw_plan_graph *pg, const struct cw_trace *t,
                                  const struct cw_platform_model *model, const struct cw_plan_known *known,
                                  bool drop_host_waits, struct cw_error *err);
void cw_plan_graph_finish(struct cw_plan_graph *pg); /* safe on a zeroed struct */

/* Moves an abstract graph to another platform: a device of `model` costs what the first device of its class
 * costs in `g` (on `p`), divided by its speed. *out is the caller's. Errors: CW_ERR_INFEASIBLE (no class in
 * common for a task), CW_ERR_NOMEM. */
enum cw_status cw_plan_graph_retarget(const struct cw_graph *g, const struct cw_platform *p,
                                      const struct cw_platform_model *model, struct cw_graph **out,
                                      struct cw_error *err);

#endif
