/* How fast policies plan: tasks a second from 10^3 to 10^6, each beside HEFT without gap search in the same
 * run, so that what the search costs and any growth beyond n log n show. Exit status 1 when time per task
 * grows more than GROWTH_MAX times from 10^4 to 10^6 tasks, or HEFT plans less than HEFT_MIN tasks a second
 * at 10^5. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../sched/generate.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"

#define GROWTH_MAX 5.0
#define HEFT_MIN   1e6

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tasks of hxdsp graphs may be shared, those of topcuoglu graphs not. */
static enum cw_status generate(uint32_t tasks, double ccr, bool hxdsp, struct cw_graph **g,
                               struct cw_platform **p, struct cw_error *err)
{
    struct cw_topcuoglu t = {.tasks = tasks,
                             .devices = 5,
                             .shape = 1,
                             .out_degree = 3,
                             .ccr = ccr,
                             .heterogeneity = 1,
                             .mean_cost = 1000,
                             .seed = 1};
    struct cw_hxdsp h = {.tasks = tasks, .dsps = 4, .out_degree = 5, .ccr = ccr, .seed = 1};

    return hxdsp ? cw_generate_hxdsp(&h, g, p, err) : cw_generate_topcuoglu(&t, g, p, err);
}

/* Seconds that `policy` takes for one plan of `g`; measures the plan too when `metrics_s` is not NULL. */
static double plan(const char *policy, const struct cw_graph *g, const struct cw_platform *p,
                   double *metrics_s)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_metrics m = {0};
    struct cw_error err = {0};
    double begin = now(), planned;
    enum cw_status status = cw_policy_parse(&config, policy, &err);

    if (status == CW_OK)
        status = cw_policy_run(&config, g, p, &s, &err);
    planned = now();
    if (status == CW_OK && metrics_s)
        status = cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err);
    if (metrics_s)
        *metrics_s = now() - planned;
    if (status != CW_OK) {
        fprintf(stderr, "bench_sched: %s\n", err.text);
        exit(1);
    }
    cw_metrics_finish(&m);
    cw_schedule_destroy(s);
    return planned - begin;
}

/* One row. Returns seconds per task. */
static double bench(const char *policy, uint32_t tasks, double ccr, bool hxdsp)
{
    struct cw_graph *g;
    struct cw_platform *p;
    struct cw_error err = {0};
    double seconds, baseline, metrics;

    if (generate(tasks, ccr, hxdsp, &g, &p, &err) != CW_OK) {
        fprintf(stderr, "bench_sched: %s\n", err.text);
        exit(1);
    }
    baseline = plan("heft:insertion=off", g, p, NULL);
    seconds = plan(policy, g, p, &metrics);
    printf("%-7s %8u %5g %12.2f %12.0f %9.2fx %12.2f\n", policy, tasks, ccr, 1e3 * seconds, tasks / seconds,
           seconds / baseline, 1e3 * metrics);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return seconds / tasks;
}

int main(void)
{
    static const char *const policies[] = {"heft", "cpop"};
    int failed = 0;

    printf("planning, 5 devices (baseline: HEFT without gap search, same graph)\n%-7s %8s %5s %12s %12s %10s "
           "%12s\n",
           "policy", "tasks", "CCR", "plan ms", "tasks/s", "baseline", "metrics ms");
    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
        double small = 0, middle = 0, large = 0;
        for (uint32_t tasks = 1000; tasks <= 1000000; tasks *= 10) {
            large = bench(policies[k], tasks, 1, false);
            small = tasks == 10000 ? large : small;
            middle = tasks == 100000 ? large : middle;
        }
        printf("%-7s time per task, 10^6 against 10^4 tasks: %.2fx (limit %g)\n", policies[k], large / small,
               GROWTH_MAX);
        failed |= large / small > GROWTH_MAX;
        if (k == 0) {
            printf("%-7s tasks a second at 10^5: %.0f (limit %.0f)\n", policies[k], 1 / middle, HEFT_MIN);
            failed |= 1 / middle < HEFT_MIN;
        }
    }
    bench("heft", 100000, 0.1, false);
    bench("heft", 100000, 10, false);
    for (uint32_t tasks = 300; tasks <= 30000; tasks *= 10)
        bench("hdgeft", tasks, 0.2, true);
    for (uint32_t tasks = 10; tasks <= 100000; tasks *= 10) /* searches up to some thousand tasks */
        bench("weave", tasks, 1, false);
    for (uint32_t tasks = 80; tasks <= 80000; tasks *= 10)
        bench("weave", tasks, 0.2, true);
    return failed;
}
