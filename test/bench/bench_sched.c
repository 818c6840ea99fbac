/* How fast policies plan: tasks a second from 10^3 to 10^6, so that growth beyond n log n shows. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../sched/generate.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"

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

static int bench(const char *policy, uint32_t tasks, double ccr, bool hxdsp)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_graph *g = NULL;
    struct cw_platform *p = NULL;
    struct cw_metrics m = {0};
    struct cw_error err = {0};
    double begin, planned, measured;
    enum cw_status status = generate(tasks, ccr, hxdsp, &g, &p, &err);

    if (status == CW_OK)
        status = cw_policy_parse(&config, policy, &err);
    begin = now();
    if (status == CW_OK)
        status = cw_policy_run(&config, g, p, &s, &err);
    planned = now();
    if (status == CW_OK)
        status = cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err);
    measured = now();
    if (status == CW_OK)
        printf("%-8s %8u tasks x 5, ccr %g: planned in %8.1f ms, %9.0f tasks/s, metrics %7.1f ms\n", policy,
               tasks, ccr, 1e3 * (planned - begin), tasks / (planned - begin), 1e3 * (measured - planned));
    else
        fprintf(stderr, "bench_sched: %s\n", err.text);
    cw_metrics_finish(&m);
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return status != CW_OK;
}

int main(void)
{
    static const char *const policies[] = {"heft", "cpop"};
    int failed = 0;

    for (size_t k = 0; k < sizeof policies / sizeof *policies; k++)
        for (uint32_t tasks = 1000; tasks <= 1000000; tasks *= 10)
            failed |= bench(policies[k], tasks, 1, false);
    failed |= bench("heft", 100000, 0.1, false) | bench("heft", 100000, 10, false);
    for (uint32_t tasks = 300; tasks <= 30000; tasks *= 10)
        failed |= bench("hdgeft", tasks, 0.2, true);
    return failed;
}
