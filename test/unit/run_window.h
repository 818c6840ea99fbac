/* run_window.h - windows for the tests of plans, and what a plan must be, whatever the policy. Include it
 * in one file of a test program. */
#ifndef CW_TEST_RUN_WINDOW_H
#define CW_TEST_RUN_WINDOW_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/random.h"
#include "../../shim/run/planner/plan.h"

#define TASKS_MAX 200
#define SLOTS_MAX 5

/* A window with room for its arrays. */
struct window {
    struct cw_run_window w;
    uint32_t pred_start[TASKS_MAX + 1], pred[4 * TASKS_MAX], home[TASKS_MAX];
    uint64_t groups[TASKS_MAX];
    double cost[TASKS_MAX * SLOTS_MAX], error[TASKS_MAX * SLOTS_MAX], busy[SLOTS_MAX];
};

static const struct cw_plan_device two_slots[] = {{.class_name = "cpu"}, {.class_name = "dsp"}};
/* `tasks` tasks of `cost` ns on each of `devices` devices; task i waits for task i - stride. stride 0: for
 * none.
 */
static void make_chains(struct window *x, uint32_t tasks, uint32_t devices, uint32_t stride, double cost,
                        double error)
{
    uint32_t edges = 0;

    memset(x, 0, sizeof *x);
    for (uint32_t i = 0; i < tasks; i++) {
        x->pred_start[i] = edges;
        if (stride && i >= stride)
            x->pred[edges++] = i - stride;
    }
    x->pred_start[tasks] = edges;
    for (uint32_t k = 0; k < tasks * devices; k++) {
        x->cost[k] = cost;
        x->error[k] = error;
    }
    x->w = (struct cw_run_window){.tasks = tasks,
                                  .pred_start = x->pred_start,
                                  .pred = x->pred,
                                  .cost_ns = x->cost,
                                  .error_ns = x->error,
                                  .groups = x->groups,
                                  .home = x->home,
                                  .busy_ns = x->busy};
}

static const struct cw_plan_device five_slots[] = {
    {.class_name = "cpu", .handoff_ns = 500},
    {.class_name = "cpu", .handoff_ns = 5000, .set_up_ns = 30000},
    {.class_name = "cpu", .handoff_ns = 5000},
    {.class_name = "dsp", .handoff_ns = 9000},
    {.class_name = "gpu", .handoff_ns = 20000}};

static inline void make_random(struct window *x, uint64_t *random, uint32_t devices)
{
    uint32_t tasks = 1 + (uint32_t)cw_random_below(random, TASKS_MAX), edges = 0;
    double scatter = cw_random_below(random, 2) ? 2000 : 200000;

    make_chains(x, tasks, devices, 0, 0, 0);
    for (uint32_t i = 0; i < tasks; i++) {
        double base = cw_random_uniform(random, 0, 300000);
        x->home[i] = (uint32_t)cw_random_below(random, 2);
        x->groups[i] = cw_random_below(random, 4) ? 1 + cw_random_below(random, 100) : 0;
        x->pred_start[i] = edges;
        for (uint64_t n = i ? cw_random_below(random, 4) : 0; n > 0; n--)
            x->pred[edges++] = (uint32_t)cw_random_below(random, i); /* the same one twice is allowed */
        for (uint32_t p = 0; p < devices; p++) {
            x->cost[i * devices + p] =
                cw_random_below(random, 20) ? base * cw_random_uniform(random, 0.5, 3) : 0;
            x->error[i * devices + p] = cw_random_uniform(random, 0, scatter);
            if (p != x->home[i] && cw_random_below(random, 5) == 0)
                x->cost[i * devices + p] = INFINITY;
        }
    }
    x->pred_start[tasks] = edges;
    for (uint32_t p = 0; p < devices; p++)
        x->busy[p] = cw_random_below(random, 2) ? cw_random_uniform(random, 0, 1e6) : 0;
    x->w.seed = cw_random_next(random);
}

static struct cw_run_planner *planner_of(const struct cw_plan_device *devices, uint32_t count,
                                         const char *policy, const struct cw_run_rules *rules)
{
    struct cw_run_rules usual = CW_RUN_RULES_DEFAULT;
    struct cw_policy_config config;
    struct cw_run_planner *planner = NULL;
    struct cw_error err = {0};

    if (cw_policy_parse(&config, policy, &err) != CW_OK ||
        cw_run_planner_create(devices, count, rules ? rules : &usual, &config, &planner, &err) != CW_OK)
        fail_msg("%s: %s", policy, err.text);
    return planner;
}

/* ---- what a plan must be, whatever the policy */

/* The parts of task `i`: all its work-groups once, on devices that may run it, each busy for its share.
 * Returns when the first starts; *end: when the last has ended. */
static double check_parts(const struct cw_run_plan *plan, const struct cw_run_window *w, uint32_t i,
                          const struct cw_plan_device *devices, uint32_t count, double *avail, double *end)
{
    double first = INFINITY;
    uint64_t next = 0, used = 0;

    *end = 0;
    for (uint32_t k = 0; k < plan->parts[i]; k++) {
        const struct cw_run_plan_part *part = &plan->part[plan->first_part[i] + k];
        double whole = w->cost_ns[i * count + part->device],
               set_up = fmin(devices[part->device].set_up_ns, whole), begin;
        assert_true(part->device < count && !isinf(whole) && !(used >> part->device & 1) && part->groups > 0);
        used |= UINT64_C(1) << part->device;
        assert_int_equal(part->first_group, next);
        next += part->groups;
        begin = fmax(avail[part->device], plan->start_ns[i]);
        first = fmin(first, begin);
        avail[part->device] = begin + devices[part->device].handoff_ns + set_up +
                              (whole - set_up) * (double)part->groups / (double)w->groups[i];
        *end = fmax(*end, avail[part->device]);
    }
    assert_int_equal(next, w->groups[i]);
    assert_int_equal(plan->part[plan->first_part[i]].device, plan->device[i]);
    return first;
}

static void check_plan(const struct cw_run_plan *plan, const struct window *x,
                       const struct cw_plan_device *devices, uint32_t count, double wake)
{
    const struct cw_run_window *w = &x->w;
    double avail[SLOTS_MAX], last = 0;
    uint32_t at[TASKS_MAX], moved = 0, shared = 0;

    memcpy(avail, x->busy, sizeof avail);
    memset(at, 0xff, sizeof at);
    assert_int_equal(plan->tasks, w->tasks);
    for (uint32_t k = 0; k < w->tasks; k++) {
        uint32_t i = plan->order[k], p = plan->device[i];
        assert_true(i < w->tasks && at[i] == UINT32_MAX && p < count);
        at[i] = k;
        assert_false(isinf(w->cost_ns[i * count + p]));
        if (plan->parts[i] > 1) {
            double end, first = check_parts(plan, w, i, devices, count, avail, &end);
            assert_true(plan->start_ns[i] <= first && plan->finish_ns[i] >= end - 1e-3);
            for (uint32_t k = 0; k < plan->parts[i]; k++) /* parts that wait begin later than thought here */
                avail[plan->part[plan->first_part[i] + k].device] = 0;
            shared++;
        } else {
            assert_true(plan->start_ns[i] >= avail[p]);
            assert_float_equal(plan->finish_ns[i],
                               plan->start_ns[i] + w->cost_ns[i * count + p] + devices[p].handoff_ns, 1e-3);
            avail[p] = plan->finish_ns[i];
        }
        last = fmax(last, plan->finish_ns[i]);
        moved += plan->parts[i] > 1 || p != x->home[i];
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++) {
            uint32_t j = w->pred[e];
            assert_true(at[j] != UINT32_MAX);
            bool here =
                plan->parts[i] > 1 || plan->device[j] == p; /* one of the parts, or it, need not be woken */
            assert_true(plan->start_ns[i] >= plan->finish_ns[j] + (here ? 0 : wake));
        }
    }
    assert_float_equal(plan->plan_ns, last, 1e-3);
    assert_int_equal(plan->moved, moved);
    assert_int_equal(plan->shared, shared);
    assert_true(plan->planned ||
                (plan->moved == 0 && plan->reordered == 0 && plan->plan_ns == plan->home_ns));
    assert_true(plan->verdict != CW_RUN_GAIN || plan->plan_ns < plan->home_ns);
}

#endif
