/* plan_source.h - what a plan is made of: a trace or an abstract graph, and the platform that it is planned
 * for. */
#ifndef CW_PLAN_SOURCE_H
#define CW_PLAN_SOURCE_H

#include "../plan/plan_graph.h"
#include "../plan/plan_result.h"

struct cw_plan_source {
    struct cw_plan_input input; /* borrows from the rest */
    struct cw_trace trace;
    bool is_trace;
    struct cw_plan_bounds bounds; /* zeroed: no linear programs; set entries_max for them */
    /* internal */
    struct cw_platform_model *model;
    struct cw_graph *graph;       /* abstract graphs */
    struct cw_platform *platform; /* that came with it */
    struct cw_plan_graph plan_graph;
};

/* Reads `path`.
 *   platform   built-in or file, NULL: the devices of the input, or hxdsp when `dsp` >= 0
 *   dsp        number of DSPs, -1 = as the platform says
 *   drop_waits leave out the order that the host's waiting imposed
 *   plan       false: of a trace, the trace alone (input.graph stays NULL)
 * Complains on stderr when costs are estimates. Errors: those of the readers and of cw_plan_graph_init; the
 * source is to be finished either way. */
enum cw_status cw_plan_source_init(struct cw_plan_source *s, const char *path, const char *platform,
                                   int64_t dsp, bool drop_waits, bool plan, struct cw_error *err);
void cw_plan_source_finish(struct cw_plan_source *s); /* safe on a zeroed struct */

#endif
