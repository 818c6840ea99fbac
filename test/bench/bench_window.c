/* How fast a window of enqueued commands is planned, and how good the plans are: every policy that run mode
 * takes, over the graphs that programs enqueue. Table 1: 10,000 commands on 5 slots, everything from
 * predecessor lists to order and slots (graph, policy, profit test), against the policy alone on the finished
 * graph in the same run; least of the repetitions. Table 2: the plans' length against doing nothing,
 * geometric means over windows of 16 to 4,096 commands. Table 3: which policy is worth its time in windows of
 * 8 to 512 commands on 2 to 5 slots, weave too, which run mode does not take. A policy with shorter plans
 * than heft that plans for longer gains in windows that last longer than that time over the share that it
 * saves. Exit status 1 when heft, dm, dmda or eager plan fewer than 300,000 commands a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../sched/random.h"
#include "../../shim/run/planner/plan.h"

#define TASKS    10000
#define SLOTS    5
#define ROUNDS   9
#define PER_S    300000.0
#define FAN      8
#define EDGES(n) (4 * (size_t)(n))

struct shape {
    const char *name;
    uint32_t (*preds)(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred);
};

static uint32_t one_chain(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred)
{
    (void)tasks, (void)random;
    return i ? pred[0] = i - 1, 1 : 0;
}

static uint32_t eight_chains(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred)
{
    (void)tasks, (void)random;
    return i >= 8 ? pred[0] = i - 8, 1 : 0;
}

/* One, then two that wait for it, then one that waits for both, and so on. */
static uint32_t diamonds(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred)
{
    (void)tasks, (void)random;
    if (i == 0)
        return 0;
    pred[0] = i % 3 == 2 ? i - 2 : i - 1;
    pred[1] = i - 2;
    return i % 3 == 0 ? 2 : 1;
}

static uint32_t independent(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred)
{
    (void)i, (void)tasks, (void)random, (void)pred;
    return 0;
}

/* Steps over FAN bands: a band waits for itself and its neighbours one step before. */
static uint32_t stencil(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred)
{
    uint32_t n = 0, band = i % FAN;

    (void)tasks, (void)random;
    if (i < FAN)
        return 0;
    if (band > 0)
        pred[n++] = i - FAN - 1;
    pred[n++] = i - FAN;
    if (band < FAN - 1)
        pred[n++] = i - FAN + 1;
    return n;
}

static uint32_t random_near(uint32_t i, uint32_t tasks, uint64_t *random, uint32_t *pred)
{
    uint32_t n = i ? (uint32_t)cw_random_below(random, 4) : 0;

    (void)tasks;
    for (uint32_t k = 0; k < n; k++)
        pred[k] = i - 1 - (uint32_t)cw_random_below(random, i < 40 ? i : 40);
    return n;
}

static const struct shape shapes[] = {
    {"chain", one_chain},         {"8chains", eight_chains}, {"diamonds", diamonds},
    {"independent", independent}, {"stencil", stencil},      {"random", random_near},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static const struct cw_plan_device alike[SLOTS] = {{.class_name = "cpu", .handoff_ns = 1000},
                                                   {.class_name = "cpu", .handoff_ns = 5000},
                                                   {.class_name = "cpu", .handoff_ns = 5000},
                                                   {.class_name = "cpu", .handoff_ns = 5000},
                                                   {.class_name = "cpu", .handoff_ns = 5000}};

struct window {
    struct cw_run_window w;
    uint32_t *pred_start, *pred;
    double *cost;
};

static void *must(void *p)
{
    if (!p) {
        fprintf(stderr, "bench_window: out of memory\n");
        exit(1);
    }
    return p;
}

/* Commands of mean_ns / 8 to mean_ns * 8, each slower on other slots by up to `spread` times, 10 % not
 * allowed there. */
static struct window make_window(const struct shape *shape, uint32_t tasks, uint32_t slots, double mean_ns,
                                 double spread, uint64_t seed)
{
    struct window x = {.pred_start = must(malloc((tasks + 1) * sizeof(uint32_t))),
                       .pred = must(malloc(EDGES(tasks) * sizeof(uint32_t))),
                       .cost = must(malloc((size_t)tasks * slots * sizeof(double)))};
    uint64_t random = seed;
    uint32_t edges = 0;

    for (uint32_t i = 0; i < tasks; i++) {
        double base = mean_ns * exp2(cw_random_uniform(&random, -3, 3));
        x.pred_start[i] = edges;
        edges += shape->preds(i, tasks, &random, x.pred + edges);
        for (uint32_t p = 0; p < slots; p++) {
            x.cost[(size_t)i * slots + p] = p ? base * cw_random_uniform(&random, 1, spread) : base;
            if (p && spread > 1 && cw_random_below(&random, 10) == 0)
                x.cost[(size_t)i * slots + p] = INFINITY;
        }
    }
    x.pred_start[tasks] = edges;
    x.w =
        (struct cw_run_window){.tasks = tasks, .pred_start = x.pred_start, .pred = x.pred, .cost_ns = x.cost};
    return x;
}

static void drop_window(struct window *x)
{
    free(x->pred_start);
    free(x->pred);
    free(x->cost);
}

static struct cw_run_planner *planner_of(const struct cw_policy *policy, uint32_t slots, bool always)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_policy_config config;
    struct cw_run_planner *planner;

    rules.always = always;
    cw_policy_config_init(&config, policy);
    return cw_run_planner_create(alike, slots, &rules, &config, &planner, NULL) == CW_OK ? planner : NULL;
}

/* ---- clocks */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cheaper(double a, double b)
{
    return a == 0 || b < a ? b : a;
}

/* ---- table 1 */

/* The policy alone, on the window's graph. Seconds. */
static double policy_alone(const struct cw_policy *policy, const struct window *x)
{
    struct cw_graph_builder *b = must(cw_graph_builder_create(SLOTS));
    struct cw_device_spec spec[SLOTS] = {
        {.memory = "host"}, {.memory = "host"}, {.memory = "host"}, {.memory = "host"}, {.memory = "host"}};
    struct cw_policy_config config;
    struct cw_platform *platform;
    struct cw_schedule *s = NULL;
    struct cw_graph *g;
    double begin;

    for (uint32_t i = 0; i < x->w.tasks; i++)
        cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = x->cost + (size_t)i * SLOTS}, NULL);
    for (uint32_t i = 0; i < x->w.tasks; i++)
        for (uint32_t e = x->pred_start[i]; e < x->pred_start[i + 1]; e++)
            cw_graph_builder_add_edge(b, x->pred[e], i, 0, NULL);
    if (cw_graph_builder_finish(b, &g, NULL) != CW_OK ||
        cw_platform_create(spec, SLOTS, NULL, INFINITY, NULL, 0, &platform, NULL) != CW_OK)
        exit(1);
    cw_policy_config_init(&config, policy);
    begin = now();
    cw_policy_run(&config, g, platform, &s, NULL);
    begin = now() - begin;
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    cw_platform_destroy(platform);
    return begin;
}

/* One row. Returns commands a second over the worst shape. */
static double speed_row(const struct cw_policy *policy)
{
    struct cw_run_planner *planner = planner_of(policy, SLOTS, true);
    double worst = INFINITY;

    for (size_t k = 0; k < SHAPES; k++) {
        struct window x = make_window(&shapes[k], TASKS, SLOTS, 50000, 3, 1);
        double whole = 0, alone = 0;
        struct cw_run_plan plan = {0};
        for (int n = 0; n < ROUNDS; n++) {
            double begin = now();
            if (cw_run_plan_make(planner, &x.w, &plan, NULL) != CW_OK || !plan.planned)
                exit(1);
            whole = cheaper(whole, now() - begin);
            alone = cheaper(alone, policy_alone(policy, &x));
        }
        printf("%-10s %-12s %10.2f %12.0f %10.2fx\n", policy->name, shapes[k].name, 1e3 * whole,
               TASKS / whole, whole / alone);
        worst = fmin(worst, TASKS / whole);
        cw_run_plan_finish(&plan);
        drop_window(&x);
    }
    cw_run_planner_destroy(planner);
    return worst;
}

/* ---- table 2 */

/* Plan's length over that of doing nothing, and microseconds of planning a command: geometric means over the
 * sizes. */
static void quality(const struct cw_policy *policy, const struct shape *shape, uint32_t slots, double spread,
                    double *length, double *us)
{
    struct cw_run_planner *planner = planner_of(policy, slots, true);
    double logs = 0, time = 0;
    uint32_t tasks, runs = 0;

    for (tasks = 16; tasks <= 1024; tasks *= 4)
        for (uint64_t seed = 1; seed <= 3; seed++, runs++) {
            struct window x = make_window(shape, tasks, slots, 50000, spread, seed);
            struct cw_run_plan plan = {0};
            double begin = now();
            if (cw_run_plan_make(planner, &x.w, &plan, NULL) != CW_OK || !plan.planned)
                exit(1);
            time += 1e6 * (now() - begin) / tasks;
            logs += log(plan.plan_ns / plan.home_ns);
            cw_run_plan_finish(&plan);
            drop_window(&x);
        }
    *length = exp(logs / runs);
    *us = time / runs;
    cw_run_planner_destroy(planner);
}

static void quality_table(uint32_t slots, double spread)
{
    printf("\nplans against doing nothing (1.00), %u slots, others up to %gx slower; us of planning a "
           "command\n%-12s",
           slots, spread, "policy");
    for (size_t k = 0; k < SHAPES; k++)
        printf(" %11s", shapes[k].name);
    printf(" %8s %8s\n", "mean", "us");
    for (size_t n = 0; cw_policies[n]; n++) {
        struct cw_run_planner *planner = planner_of(cw_policies[n], slots, true);
        double logs = 0, length, us, time = 0;
        cw_run_planner_destroy(planner);
        if (!planner)
            continue;
        printf("%-12s", cw_policies[n]->name);
        for (size_t k = 0; k < SHAPES; k++) {
            quality(cw_policies[n], &shapes[k], slots, spread, &length, &us);
            printf(" %11.3f", length);
            logs += log(length);
            time += us;
        }
        printf(" %8.3f %8.2f\n", exp(logs / SHAPES), time / SHAPES);
    }
}

/* ---- table 3 */

static const char *const rivals[] = {"heft", "dm", "dls", "hdgeft", "hscgs", "weave:effort=1", "weave"};
#define RIVALS (sizeof rivals / sizeof *rivals)

/* The policy of that name, also one that run mode does not take. `own`: its copy. */
static struct cw_run_planner *planner_for(const char *name, uint32_t slots, struct cw_policy *own)
{
    struct cw_run_rules rules = CW_RUN_RULES_DEFAULT;
    struct cw_policy_config config;
    struct cw_run_planner *planner;

    rules.always = true;
    if (cw_policy_parse(&config, name, NULL) != CW_OK)
        exit(1);
    memcpy(own, config.policy, sizeof *own);
    own->offline = false;
    config.policy = own;
    if (cw_run_planner_create(alike, slots, &rules, &config, &planner, NULL) != CW_OK)
        exit(1);
    return planner;
}

/* Adds the logarithm of the plan's length, and microseconds of planning. Returns the length in us. */
static double rival(const char *name, uint32_t slots, const struct window *x, double *logs, double *us)
{
    struct cw_policy own;
    struct cw_run_planner *planner = planner_for(name, slots, &own);
    struct cw_run_plan plan = {0};
    double begin = now(), length;

    if (cw_run_plan_make(planner, &x->w, &plan, NULL) != CW_OK || !plan.planned)
        exit(1);
    *us += 1e6 * (now() - begin);
    length = plan.plan_ns / 1e3;
    *logs += log(length);
    cw_run_plan_finish(&plan);
    cw_run_planner_destroy(planner);
    return length;
}

static void rivals_row(uint32_t tasks, uint32_t slots, double spread)
{
    double logs[RIVALS] = {0}, us[RIVALS] = {0}, window = 0;

    for (size_t k = 0; k < SHAPES; k++) {
        struct window x = make_window(&shapes[k], tasks, slots, 50000, spread, 1);
        for (size_t n = 0; n < RIVALS; n++) {
            double length = rival(rivals[n], slots, &x, &logs[n], &us[n]);
            window += n ? 0 : length / SHAPES;
        }
        drop_window(&x);
    }
    printf("%3u %2u %2.0fx %8.0f", tasks, slots, spread, window);
    for (size_t n = 0; n < RIVALS; n++) {
        double length = exp((logs[n] - logs[0]) / SHAPES), more = (us[n] - us[0]) / SHAPES;
        if (n && length < 0.9995)
            printf(" | %.3f %6.0f %8.0f", length, us[n] / SHAPES, fmax(more, 0) / (1 - length) / 1e3);
        else
            printf(" | %.3f %6.0f %8s", length, us[n] / SHAPES, "-");
    }
    printf("\n");
}

static void rivals_table(void)
{
    printf("\ncommands, slots, others up to so many times slower, heft's plan in us; of each policy: plan's "
           "length "
           "(heft: 1), us of planning a window, ms from which on windows gain by it\n%-19s",
           "");
    for (size_t n = 0; n < RIVALS; n++)
        printf(" | %-21s", rivals[n]);
    printf("\n");
    for (int spread = 1; spread <= 3; spread += 2)
        for (uint32_t slots = 2; slots <= SLOTS; slots++)
            for (uint32_t tasks = 8; tasks <= 512; tasks *= 4)
                rivals_row(tasks, slots, spread);
}

/* One plan, for who counts its instructions. */
static int plan_once(const char *policy, const char *shape)
{
    const struct cw_policy *found = cw_policy_find(policy);
    struct cw_run_plan plan = {0};
    int failed = 1;

    for (size_t k = 0; found && k < SHAPES; k++)
        if (strcmp(shapes[k].name, shape) == 0) {
            struct cw_run_planner *planner = planner_of(found, SLOTS, true);
            struct window x = make_window(&shapes[k], TASKS, SLOTS, 50000, 3, 1);
            double begin = now();
            failed = cw_run_plan_make(planner, &x.w, &plan, NULL) != CW_OK || !plan.planned;
            printf("%s, %s: %d commands in %.2f ms\n", policy, shape, TASKS, 1e3 * (now() - begin));
            cw_run_planner_destroy(planner);
            drop_window(&x);
        }
    cw_run_plan_finish(&plan);
    return failed;
}

int main(int argc, char **argv)
{
    static const char *const policies[] = {"heft", "dm", "dmda", "eager", "ws", "random", "chaos"};
    int failed = 0;

    if (argc == 3)
        return plan_once(argv[1], argv[2]);
    printf("planning a window of %d commands, %d slots; baseline: the policy alone\n%-10s %-12s %10s %12s "
           "%11s\n",
           TASKS, SLOTS, "policy", "shape", "ms", "commands/s", "baseline");
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        double rate = speed_row(cw_policy_find(policies[k]));
        if (k < 4)
            printf("%-10s at least %.0f commands a second, limit %.0f  %s\n", policies[k], rate, PER_S,
                   rate < PER_S ? "UNDER" : "ok");
        failed |= k < 4 && rate < PER_S;
    }
    quality_table(2, 1);
    quality_table(5, 1);
    quality_table(5, 3);
    rivals_table();
    return failed;
}
