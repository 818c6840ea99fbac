/* plan_source.h - the input of a plan: a trace or an abstract graph, and the platform that it is planned
 * for. */
#ifndef CW_PLAN_SOURCE_H
#define CW_PLAN_SOURCE_H

#include "frame/cli.h"
#include "../graph/selection.h"
#include "../plan/plan_graph.h"
#include "../plan/plan_result.h"
#include "../../sched/generate.h"
#include "../plan/graph_format.h"
#include "../record/trace.h"
#include "../../sched/policy.h"

#include <stdio.h>

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
    uint32_t estimated, commands; /* of plan_graph */
};

/* Further knowledge that plans of a trace may rest on. */
struct cw_plan_source_known {
    bool as_run;                       /* kernels are cut as run does it */
    const struct cw_cli_list *history; /* files of run's, and traces; NULL: none */
    const struct cw_selection *part;   /* of the trace; NULL: all of it */
    uint32_t versions; /* of a trace: copies of each buffer that take turns; 0 or 1: the program's alone */
};

/* Reads `path`, or makes the graph that it names.
 *   platform   built-in or file, NULL: the devices of the input, or hxdsp when `dsp` >= 0
 *   dsp        number of DSPs, -1 = as the platform says
 *   processors alike processors of graph files that name no devices; 0 = graph_format.h's default
 *   drop_waits leave out the order that the host's waiting imposed
 *   known      NULL: the trace alone
 *   plan       false: of a trace, the trace alone (input.graph stays NULL)
 * Errors: those of the readers and of cw_plan_graph_init; the
 * source is to be finished either way. */
enum cw_status cw_plan_source_init(struct cw_plan_source *s, const char *path, const char *platform,
                                   int64_t dsp, uint32_t processors, const struct cw_plan_source_known *known,
                                   bool drop_waits, bool plan, struct cw_error *err);
/* Complains on stderr when costs are estimates. */
void cw_plan_source_complain(const struct cw_plan_source *s);

/* --processors: 0 where the option was not given (-1). Errors: CW_ERR_INVALID. */
enum cw_status cw_plan_processors(int64_t option, uint32_t *processors, struct cw_error *err);
void cw_plan_source_finish(struct cw_plan_source *s); /* safe on a zeroed struct */

/* Gives the memory back except for the facts that cw_plan_source_complain needs; finish is still due. */
void cw_plan_source_release(struct cw_plan_source *s);

/* A graph to be generated, named where a file may stand: KIND:[OPTION=VALUE,...], as
 * `topcuoglu:tasks=40,ccr=0.5,seed=7`, with the kinds and options of `clweave generate`. */

/* Clweave graph for abstract task graphs: a summary, another format, a picture; and traces
 * written as task graphs. */

/* Clweave replay --policy groups: the memory traffic of an order by priority groups.
 */

struct cw_replay_groups_options {
    const char *rule;    /* "max", "skew", NULL: both */
    const char *picture; /* file; NULL: none */
    double reuse;        /* -1: no bound */
    bool json, keep_waits;
    /* of cw_replay_groups_parse; 0: height and width by the model */
    uint64_t height, width, tiles, dims, cache;
};

/* Sets the options of "height=3,width=2,tiles=64,dims=2,cache=16M", and the default of each that is not there
 * (--list-policies explains them). Errors: CW_ERR_INVALID (no such option, a value out of its range, or
 * `reuse` is); CW_ERR_NOMEM. */
enum cw_status cw_replay_groups_parse(const char *text, struct cw_replay_groups_options *o,
                                      struct cw_error *err);

/* Orders the commands of `source` (its trace with accesses, or its graph) and prints the results. */
enum cw_status cw_replay_groups(const struct cw_replay_groups_options *o, struct cw_plan_source *source,
                                FILE *out, struct cw_error *err);

/* ---- the policies of a command line: --policy NAME[:OPTION,...], repeated, or `all`. */

struct cw_policy_args {
    struct cw_policy_config *config;
    const char **label; /* as asked for: in the list, or a policy's name */
    size_t count;
};

void cw_policy_args_finish(struct cw_policy_args *a); /* safe on a zeroed struct */

/* Adds every word of `list`; an empty list gives `fallback`. `all` stands for every policy. All get `seed`, 0
 * when it is negative. Errors: those of cw_policy_parse; CW_ERR_NOMEM. After an error, too, the caller
 * finishes `a`. */
enum cw_status cw_policy_args_add(struct cw_policy_args *a, const struct cw_cli_list *list,
                                  const char *fallback, int64_t seed, struct cw_error *err);

/* Prints every policy (name, description, source, the options that it takes), then every option. */
void cw_policy_args_print(FILE *f);

#endif
