/* plan_result.h - one planned schedule with its figures, and how it is printed. */
#ifndef CW_PLAN_RESULT_H
#define CW_PLAN_RESULT_H

#include "../../sched/metrics.h"
#include "../../sched/policy.h"
#include <stdio.h>

#include "lp_bound.h"
#include "platform_file.h"
#include "../record/trace.h"

/* The common input of all plans of one replay. Everything is borrowed. */
struct cw_plan_input {
    const char *file; /* as named on the command line */
    const struct cw_graph *graph;
    const struct cw_platform *platform;
    const char *platform_name;       /* built-in name or file; NULL: the input's own devices */
    const struct cw_trace *trace;    /* NULL for abstract graphs; task ids are its command ids */
    const struct cw_work_cost *work; /* the costs of the tasks, in parts: plans are run at the one memory
                                        (cw_plan_contend); NULL: not */
    struct cw_plan_bounds *bounds;   /* of graph and platform; NULL: no linear programs */
};

struct cw_plan_result {
    char label[120]; /* the policy as it was asked for, e.g. "hdgeft:share-idle" */
    struct cw_policy_config config;
    struct cw_schedule *schedule;
    struct cw_metrics metrics;
    struct cw_plan_bound bound; /* at least metrics.bounds.best */
    double seconds; /* of processor time that planning took: planning has one thread and waits for nothing */
};

/* Plans input->graph with `config`, runs that at the one memory where input->work says so, and measures the
 * schedule. `check` also runs the validator, against the bound. Errors: those of cw_policy_run,
 * cw_metrics_init and cw_schedule_check; `r` is then empty. */
enum cw_status cw_plan_result_init(struct cw_plan_result *r, const struct cw_plan_input *input,
                                   const char *label, const struct cw_policy_config *config, bool check,
                                   struct cw_error *err);
void cw_plan_result_finish(struct cw_plan_result *r); /* safe on a zeroed struct */

/* How many of them do. */
uint32_t cw_plan_work_tasks(const struct cw_plan_input *input);

/* The tasks that are work, in the order of their start (as placed on ties). `order` has room for all tasks;
 * returns how many. For replay --execute --order plan. Errors: CW_ERR_NOMEM. */
enum cw_status cw_plan_result_order(const struct cw_plan_result *r, const struct cw_plan_input *input,
                                    uint32_t *order, uint32_t *count, struct cw_error *err);

/* Writes one JSON object, or an array of them when count > 1. */
void cw_plan_result_json(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                         size_t count);

/* Writes tables for people: one row of figures per plan, then device use, then (short graphs, one plan) the
 * tasks. */
void cw_plan_result_print(FILE *f, const struct cw_plan_input *input, const struct cw_plan_result *r,
                          size_t count);

/* A time in the graph's unit for people: "75.75", or "1.234 ms" for traces, in the unit that suits `like`
 * (the makespan, so that all times of one plan have one unit). Returns `text`. */
const char *cw_plan_time(const struct cw_plan_input *input, double time, double like, char *text,
                         size_t size);

/* A finished plan where the devices slow each other at the one memory, of which no policy knows. Order and
 * places stay; the memory is that by which the emulated board runs its DSPs (ddr.h): a part starts when its
 * device is free and its predecessors have ended, and takes the share of the memory that the others leave. So
 * replay predicts what run mode measures there. Pure.
 *
 * Moves the times of `s`, a complete schedule of `g` on `p`, none of which becomes shorter. cost[task *
 * devices + device] has the tasks' computing and memory times; only devices of class "dsp" and parts whose
 * use of the memory is known (memory_ns > 0) slow each other. Nothing changes where the devices have several
 * memories. Errors: CW_ERR_NOMEM. */
enum cw_status cw_plan_contend(struct cw_schedule *s, const struct cw_graph *g, const struct cw_platform *p,
                               const struct cw_work_cost *cost, struct cw_error *err);

#endif
