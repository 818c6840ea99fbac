/* use_graph.h - what is done with a graph file that a reader has accepted: planned, written in every format
 * and read again. */
#ifndef FUZZ_USE_GRAPH_H
#define FUZZ_USE_GRAPH_H

#include "../../analyzer/plan/graph_format.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"
#include "harness.h"

enum {
    FUZZ_TASKS = 60,
    FUZZ_DEVICES = 12
}; /* of graphs that are planned: more take too long for thousands of inputs */

static inline void fuzz_plan(const struct cw_policy *policy, const struct cw_graph *g,
                             const struct cw_platform *p)
{
    struct cw_policy_config config;
    struct cw_schedule *s = NULL;
    struct cw_metrics m;
    struct cw_error err = {0};
    enum cw_status status;

    cw_policy_config_init(&config, policy);
    config.options.nodes = 300;
    config.options.effort = 1000;
    status = cw_policy_run(&config, g, p, &s, &err);
    FUZZ_PROMISE(status == CW_OK || status == CW_ERR_LIMIT, "%s: %s", policy->name, err.text);
    if (status != CW_OK)
        return;
    FUZZ_PROMISE(cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err) == CW_OK, "%s", err.text);
    FUZZ_PROMISE(cw_schedule_check(s, g, p, cw_policy_sharing(&config), m.bounds.best, &err) == CW_OK,
                 "%s: %s", policy->name, err.text);
    cw_metrics_finish(&m);
    cw_schedule_destroy(s);
}

/* One policy per input, which the input chooses. */
static inline void fuzz_plan_one(const uint8_t *data, size_t size, const struct cw_graph *g,
                                 const struct cw_platform *p)
{
    size_t policies = 0, sum = size;

    if (g->tasks > FUZZ_TASKS || p->devices > FUZZ_DEVICES)
        return;
    while (cw_policies[policies])
        policies++;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    fuzz_plan(cw_policies[sum % policies], g, p);
}

/* What is written is read again, with as many tasks. */
static inline void fuzz_write_again(const struct cw_graph *g, const struct cw_platform *p)
{
    const struct cw_graph_output out = {.graph = g, .platform = p, .unit_s = 1, .title = "title"};

    for (size_t k = 0; cw_graph_formats[k]; k++) {
        struct cw_graph *again = NULL;
        struct cw_platform *platform = NULL;
        struct cw_error err = {0};
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        FUZZ_PROMISE(f, "out of memory");
        enum cw_status status = cw_graph_formats[k]->write(&out, f, &err);
        fclose(f);
        if (status == CW_OK) {
            status = cw_graph_formats[k]->read(fuzz_file(text, bytes), p->devices, &again, &platform, &err);
            FUZZ_PROMISE(status == CW_OK && again->tasks == g->tasks, "written as %s, read again: %s",
                         cw_graph_formats[k]->name, err.text);
        }
        cw_graph_destroy(again);
        cw_platform_destroy(platform);
        free(text);
    }
}

static inline int fuzz_graph(const struct cw_graph_format *format, const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct cw_graph *g = NULL;
    struct cw_platform *p = NULL;
    struct cw_error err = {0};

    (void)cw_graph_format_probe(path);
    if (format->read(path, size % 3, &g, &p, &err) != CW_OK) {
        FUZZ_PROMISE(!g && !p && err.status != CW_OK && err.text[0], "refused, but: %s", err.text);
        return 0;
    }
    fuzz_plan_one(data, size, g, p);
    if (g->tasks <= FUZZ_TASKS && p->devices <= FUZZ_DEVICES)
        fuzz_write_again(g, p);
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    return 0;
}

#endif
