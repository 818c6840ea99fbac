#include "generate.h"
#include "random.h"
#include "whole.h"

#include <math.h>
#include <stdlib.h>

/* Hands over builder and platform as results; on failure frees both. */
static enum cw_status finish(enum cw_status status, struct cw_graph_builder *b, struct cw_graph **graph,
                             struct cw_platform **platform, struct cw_error *err)
{
    if (status == CW_OK)
        status = cw_graph_builder_finish(b, graph, err);
    else
        cw_graph_builder_destroy(b);
    if (status != CW_OK) {
        cw_platform_destroy(*platform);
        *platform = NULL;
    }
    return status;
}

/* ---- topcuoglu */

/* first[l] .. first[l + 1] - 1 are the tasks of level l. Returns the number of levels. */
static uint32_t draw_levels(const struct cw_topcuoglu *o, uint64_t *random, uint32_t *first)
{
    double mean = fmax(1, sqrt(o->tasks) * o->shape);
    uint32_t levels = 0, at = 0;

    while (at < o->tasks) {
        double width = floor(cw_random_uniform(random, 1, 2 * mean));
        first[levels++] = at;
        at += (uint32_t)cw_whole_from(width, o->tasks - at);
    }
    first[levels] = o->tasks;
    return levels;
}

static enum cw_status topcuoglu_tasks(const struct cw_topcuoglu *o, uint64_t *random,
                                      struct cw_graph_builder *b, struct cw_error *err)
{
    double *cost = malloc(o->devices * sizeof *cost);
    enum cw_status status = cost ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    for (uint32_t i = 0; i < o->tasks && status == CW_OK; i++) {
        double mean = cw_random_uniform(random, 0, 2 * o->mean_cost);
        for (uint32_t p = 0; p < o->devices; p++)
            cost[p] = mean * cw_random_uniform(random, 1 - o->heterogeneity / 2, 1 + o->heterogeneity / 2);
        status = cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost}, err);
    }
    free(cost);
    return status;
}

static enum cw_status topcuoglu_edges(const struct cw_topcuoglu *o, uint64_t *random, const uint32_t *first,
                                      uint32_t levels, struct cw_graph_builder *b, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    double most = 2 * o->ccr * o->mean_cost;

    for (uint32_t l = 0; l + 1 < levels && status == CW_OK; l++) {
        uint32_t width = first[l + 2] - first[l + 1];
        for (uint32_t i = first[l]; i < first[l + 1] && status == CW_OK; i++) {
            /* out_degree successors in a row of the next level, wrapping into the levels after it: distinct
             * by design */
            uint32_t from = first[l + 1] + (uint32_t)cw_random_below(random, width);
            for (uint32_t k = 0; k < o->out_degree && from + k < o->tasks && status == CW_OK; k++)
                status = cw_graph_builder_add_edge(b, i, from + k, cw_random_uniform(random, 0, most), err);
        }
        for (uint32_t j = first[l + 1]; j < first[l + 2] && status == CW_OK; j++) {
            uint32_t i = first[l] + (uint32_t)cw_random_below(random, first[l + 1] - first[l]);
            status = cw_graph_builder_add_edge(b, i, j, cw_random_uniform(random, 0, most), err);
        }
    }
    return status;
}

enum cw_status cw_generate_topcuoglu(const struct cw_topcuoglu *o, struct cw_graph **graph,
                                     struct cw_platform **platform, struct cw_error *err)
{
    uint64_t random = o->seed;
    uint32_t *first = malloc(((size_t)o->tasks + 2) * sizeof *first), levels;
    struct cw_device_spec *spec = calloc((size_t)o->devices + 1, sizeof *spec);
    struct cw_graph_builder *b = NULL;
    enum cw_status status;

    *graph = NULL;
    *platform = NULL;
    if (o->tasks == 0 || !(o->shape > 0) || !(o->ccr >= 0) ||
        !(o->heterogeneity >= 0 && o->heterogeneity <= 2) || !(o->mean_cost > 0))
        status = cw_error_set(err, CW_ERR_INVALID, "topcuoglu: an option is out of its range");
    else if (!first || !spec)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", o->tasks);
    else
        status = cw_platform_create(spec, o->devices, NULL, 1, NULL, 0, platform, err);
    if (status == CW_OK && !(b = cw_graph_builder_create(o->devices)))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", o->tasks);
    if (status == CW_OK) {
        levels = draw_levels(o, &random, first);
        status = topcuoglu_tasks(o, &random, b, err);
        if (status == CW_OK)
            status = topcuoglu_edges(o, &random, first, levels, b, err);
    }
    free(first);
    free(spec);
    return finish(status, b, graph, platform, err);
}

/* ---- hxdsp */

static enum cw_status hxdsp_edges(const struct cw_hxdsp *o, uint64_t *random, struct cw_graph_builder *b,
                                  struct cw_error *err)
{
    uint32_t *later = malloc(o->tasks * sizeof *later);
    enum cw_status status = later ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    for (uint32_t i = 0; i < o->tasks && status == CW_OK; i++) {
        uint32_t n = o->tasks - 1 - i;
        for (uint32_t k = 0; k < n; k++)
            later[k] = i + 1 + k;
        for (uint32_t k = 0; k < o->out_degree && k < n && status == CW_OK;
             k++) { /* the start of a shuffle */
            uint32_t pick = k + (uint32_t)cw_random_below(random, n - k), j = later[pick];
            later[pick] = later[k];
            status = cw_graph_builder_add_edge(b, i, j, cw_random_uniform(random, 0, 100 * o->ccr), err);
        }
    }
    free(later);
    return status;
}

static enum cw_status hxdsp_tasks(const struct cw_hxdsp *o, uint64_t *random, struct cw_graph_builder *b,
                                  struct cw_error *err)
{
    double *cost = malloc(((size_t)o->dsps + 1) * sizeof *cost);
    enum cw_status status = cost ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    for (uint32_t i = 0; i < o->tasks && status == CW_OK; i++) {
        double dsp = cw_random_uniform(random, 5, 95);
        cost[0] = 1.1 * dsp * cw_random_uniform(random, 0.5, 1.5);
        for (uint32_t d = 1; d <= o->dsps; d++)
            cost[d] = dsp;
        status = cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost, .splittable = true}, err);
    }
    free(cost);
    return status;
}

enum cw_status cw_generate_hxdsp(const struct cw_hxdsp *o, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err)
{
    uint64_t random = o->seed;
    struct cw_device_spec *spec = calloc((size_t)o->dsps + 1, sizeof *spec);
    struct cw_graph_builder *b = NULL;
    enum cw_status status;

    *graph = NULL;
    *platform = NULL;
    if (o->tasks == 0 || !(o->ccr >= 0))
        status = cw_error_set(err, CW_ERR_INVALID, "hxdsp: an option is out of its range");
    else if (!spec)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", o->dsps);
    else {
        for (uint32_t d = 0; d <= o->dsps; d++)
            spec[d].class_name = d ? "dsp" : "cpu";
        status = cw_platform_create(spec, o->dsps + 1, NULL, 1, NULL, 0, platform, err);
    }
    if (status == CW_OK && !(b = cw_graph_builder_create(o->dsps + 1)))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", o->tasks);
    if (status == CW_OK)
        status = hxdsp_tasks(o, &random, b, err);
    if (status == CW_OK)
        status = hxdsp_edges(o, &random, b, err);
    free(spec);
    return finish(status, b, graph, platform, err);
}

/* ---- hscgs: topcuoglu's graph, with costs and links of its own */

static enum cw_status hscgs_platform(const struct cw_generate_options *o, uint64_t *random,
                                     struct cw_platform **platform, struct cw_error *err)
{
    uint32_t q = (uint32_t)o->devices;
    struct cw_device_spec *spec = calloc(q, sizeof *spec);
    double *rate = malloc((size_t)q * q * sizeof *rate);
    enum cw_status status = CW_OK;

    if (!spec || !rate)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", q);
    for (uint32_t m = 0; m < q && status == CW_OK; m++)
        for (uint32_t n = m; n < q; n++)
            rate[(size_t)m * q + n] = rate[(size_t)n * q + m] = cw_random_uniform(random, 1, o->rate_range);
    if (status == CW_OK)
        status = cw_platform_create(spec, q, rate, 1, NULL, 0, platform, err);
    free(spec);
    free(rate);
    return status;
}

static enum cw_status hscgs_tasks(const struct cw_generate_options *o, uint64_t *random,
                                  struct cw_graph_builder *b, struct cw_error *err)
{
    double *cost = malloc((size_t)o->devices * sizeof *cost);
    enum cw_status status = cost ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    for (int64_t i = 0; i < o->tasks && status == CW_OK; i++) {
        double least = cw_random_uniform(random, 0, 2 * o->mean_cost);
        for (int64_t p = 0; p < o->devices; p++)
            cost[p] = least * cw_random_uniform(random, 1, o->speed_range);
        status = cw_graph_builder_add_task(b, &(struct cw_task_spec){.cost = cost}, err);
    }
    free(cost);
    return status;
}

static struct cw_topcuoglu levels_of(const struct cw_generate_options *o)
{
    return (struct cw_topcuoglu){.tasks = (uint32_t)o->tasks,
                                 .devices = (uint32_t)o->devices,
                                 .shape = o->shape,
                                 .out_degree = (uint32_t)o->out_degree,
                                 .ccr = o->ccr,
                                 .heterogeneity = o->heterogeneity,
                                 .mean_cost = o->mean_cost,
                                 .seed = o->seed};
}

static enum cw_status make_hscgs(const struct cw_generate_options *o, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err)
{
    struct cw_topcuoglu levels = levels_of(o);
    uint64_t random = o->seed;
    uint32_t *first = malloc(((size_t)o->tasks + 2) * sizeof *first), count;
    struct cw_graph_builder *b = cw_graph_builder_create((uint32_t)o->devices);
    enum cw_status status =
        first && b ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", levels.tasks);

    if (status == CW_OK)
        status = hscgs_platform(o, &random, platform, err);
    if (status == CW_OK) {
        count = draw_levels(&levels, &random, first);
        status = hscgs_tasks(o, &random, b, err);
        if (status == CW_OK)
            status = topcuoglu_edges(&levels, &random, first, count, b, err);
    }
    free(first);
    return finish(status, b, graph, platform, err);
}

/* ---- in the table */

static enum cw_status make_topcuoglu(const struct cw_generate_options *o, struct cw_graph **graph,
                                     struct cw_platform **platform, struct cw_error *err)
{
    struct cw_topcuoglu t = levels_of(o);

    return cw_generate_topcuoglu(&t, graph, platform, err);
}

static enum cw_status make_hxdsp(const struct cw_generate_options *o, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err)
{
    struct cw_hxdsp h = {(uint32_t)o->tasks, (uint32_t)o->dsps, (uint32_t)o->out_degree, o->ccr, o->seed};

    return cw_generate_hxdsp(&h, graph, platform, err);
}

#define LEVELS                                                                                               \
    (CW_GENERATES(tasks) | CW_GENERATES(devices) | CW_GENERATES(shape) | CW_GENERATES(out_degree) |          \
     CW_GENERATES(ccr) | CW_GENERATES(mean_cost))

const struct cw_generator cw_generator_topcuoglu = {
    .name = "topcuoglu",
    .title = "random levels: TASKS tasks",
    .source = "Topcuoglu, Hariri, Wu, TPDS 2002, section 5.1.1",
    .takes = LEVELS | CW_GENERATES(heterogeneity),
    .generate = make_topcuoglu,
};

const struct cw_generator cw_generator_hxdsp = {
    .name = "hxdsp",
    .title = "random successors among later tasks, one CPU and DSPs: TASKS tasks",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022, table 2",
    .takes = CW_GENERATES(tasks) | CW_GENERATES(dsps) | CW_GENERATES(out_degree) | CW_GENERATES(ccr),
    .generate = make_hxdsp,
};

const struct cw_generator cw_generator_hscgs = {
    .name = "hscgs",
    .title = "random levels, W = w U(1, SPEED-RANGE), bandwidth U(1, RATE-RANGE): TASKS tasks",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .takes = LEVELS | CW_GENERATES(speed_range) | CW_GENERATES(rate_range),
    .generate = make_hscgs,
};

/* ---- all generators */

static enum cw_status check_option(const struct cw_generator *generator, const char *name, bool taken,
                                   double value, double initial, double least, double most,
                                   struct cw_error *err)
{
    if (!taken && value != initial)
        return cw_error_set(err, CW_ERR_INVALID, "%s has no option \"%s\"", generator->name, name);
    if (taken && !(value >= least && value <= most))
        return cw_error_set(err, CW_ERR_INVALID, "%s: %s is %g; it must be from %g to %g", generator->name,
                            name, value, least, most);
    return CW_OK;
}

enum cw_status cw_generate(const struct cw_generator *generator, const struct cw_generate_options *o,
                           struct cw_graph **graph, struct cw_platform **platform, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    *graph = NULL;
    *platform = NULL;
#define CW_GENERATE_OPTION(field, kind, initial, least, most, name, argument, help)                          \
    if (status == CW_OK)                                                                                     \
        status = check_option(generator, name, generator->takes & CW_GENERATES(field), (double)o->field,     \
                              initial, least, most, err);
#include "generate_options.inc"
#undef CW_GENERATE_OPTION
    return status == CW_OK ? generator->generate(o, graph, platform, err) : status;
}
