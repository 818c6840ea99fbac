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
#include "platform_file.h"
#include "../record/trace.h"
#include "../kernels/footprint/op_kinds.h"
#include "../graph/trace_reach.h"

/* Facts about a trace's launches from models of kernels, for plans and reports: into how
 * many work-groups each may be cut, as run mode does it, how many operations it has, what it does in all.
 * Belongs to one thread. */

struct cw_launch_parts;

/* For the launches of `t`; both must outlive it. NULL: out of memory. */
struct cw_launch_parts *cw_launch_parts_create(const struct cw_trace *t, struct cw_trace_reach *reach);
void cw_launch_parts_destroy(struct cw_launch_parts *p); /* NULL allowed */

/* Work-groups along the dimension that it is cut along; 1: it stays whole, as does a launch without a
 * model. */
uint64_t cw_launch_parts_groups(struct cw_launch_parts *p, const struct cw_command *launch);

/* False: not known. */
bool cw_launch_parts_ops(struct cw_launch_parts *p, const struct cw_command *launch, struct cw_work_ops *ops);

/* What the launch does; `without`: the reason where its kernel has no model. */
void cw_launch_parts_work(struct cw_launch_parts *p, const struct cw_command *launch, const char *without,
                          struct cw_launch_work *work);

/* The times of earlier runs, for plans of a trace: the history that `clweave run` keeps, and
 * other traces of the program that have device times.
 *
 * Which of the history's entries are of the very launches of the trace it cannot say, and traces of the same
 * input are no predictions: other sizes of the kernel are asked, by regression (history.h) over the launch's
 * operations where models of both say how many those are, else over work-items. Belongs to one thread. */

struct cw_plan_past;

/* Empty; NULL: out of memory. */
struct cw_plan_past *cw_plan_past_create(void);
void cw_plan_past_destroy(struct cw_plan_past *past); /* NULL allowed */

/* True for a file that cw_plan_past_add_history reads. */
bool cw_plan_past_is_history(const char *path);

/* Adds the times that `clweave run --history` keeps. Errors: those of cw_history_load. */
enum cw_status cw_plan_past_add_history(struct cw_plan_past *past, const char *path, struct cw_error *err);

/* Adds the launches of `t` that have device times. parts: the models of its kernels; NULL: none. Returns how
 * many. */
size_t cw_plan_past_add_trace(struct cw_plan_past *past, const struct cw_trace *t,
                              struct cw_launch_parts *parts);

/* The time that the launch `c` takes on the device of `t` that it was enqueued to. parts: as above. False:
 * too little is known of its kernel. */
bool cw_plan_past_predict(struct cw_plan_past *past, const struct cw_trace *t, struct cw_launch_parts *parts,
                          const struct cw_command *c, double *ns);

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

/* ---- how long each command of a trace took, measured or estimated. */

/* Measured time and the work done in it. */
struct cw_rate {
    double ns, amount; /* amount: work-items or bytes */
};

struct cw_work_times {
    const struct cw_trace *trace;
    uint32_t *name_of; /* kernel id -> number of its name; kernel objects of one name count as one */
    uint32_t names;
    struct cw_rate *kernel;     /* names x devices */
    struct cw_rate *any_device; /* names */
    struct cw_rate any_kernel, transfer;
};

/* Collects the device times of all commands of `t`, which must outlive it. O(commands + kernels log kernels).
 * Errors: CW_ERR_NOMEM. */
enum cw_status cw_work_times_init(struct cw_work_times *w, const struct cw_trace *t, struct cw_error *err);
void cw_work_times_finish(struct cw_work_times *w); /* safe on a zeroed struct */

/* True for commands that launch a kernel; and for those that move, fill or map memory. Both false: no cost.
 */
bool cw_work_is_kernel(const struct cw_command *c);
bool cw_work_is_transfer(const struct cw_command *c);

/* Describes `c`, a kernel or transfer. Returns false when work->traced_ns is an estimate (plan_graph.h says
 * how). */
bool cw_work_times_get(const struct cw_work_times *w, const struct cw_command *c, struct cw_work *work);

/* The time on device `d` of the trace of `c`, which took work->traced_ns on its own device. *measured: false
 * when that is scaled by compute units x clock. Transfers take the same everywhere. */
double cw_work_times_elsewhere(const struct cw_work_times *w, const struct cw_command *c,
                               const struct cw_work *work, uint32_t d, bool *measured);

#endif
