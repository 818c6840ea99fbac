#include "sketch.h"
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static enum cw_status make_platform(struct cw_sketch *s)
{
    uint32_t n = s->board ? (uint32_t)s->o->dsps + 1 : (uint32_t)s->o->devices;
    struct cw_device_spec *spec = calloc(n, sizeof *spec);
    char(*name)[16] = calloc(n, sizeof *name);
    enum cw_status status;

    for (uint32_t d = 0; spec && name && d < n; d++) {
        if (s->board && d == 0)
            snprintf(name[d], sizeof *name, "cpu");
        else
            snprintf(name[d], sizeof *name, "%s%u", s->board ? "dsp" : "p", s->board ? d - 1 : d);
        spec[d].name = name[d];
        spec[d].class_name = !s->board ? "p" : d ? "dsp" : "cpu";
    }
    status = spec && name ? cw_platform_create(spec, n, NULL, 1, NULL, 0, &s->platform, s->err)
                          : cw_error_set(s->err, CW_ERR_NOMEM, "out of memory for %u devices", n);
    free(spec);
    free(name);
    return status;
}

void cw_sketch_init(struct cw_sketch *s, const struct cw_generate_options *o, bool board, bool random,
                    uint32_t rows, uint32_t columns, struct cw_error *err)
{
    size_t tiles = (size_t)rows * columns;

    *s = (struct cw_sketch){
        .o = o, .draws = o->seed, .random = random, .board = board, .columns = columns, .err = err};
    s->status = make_platform(s);
    if (s->status != CW_OK)
        return;
    s->builder = cw_graph_builder_create(s->platform->devices);
    s->cost = malloc(s->platform->devices * sizeof *s->cost);
    s->tile = malloc((tiles + 1) * sizeof *s->tile);
    if (!s->builder || !s->cost || !s->tile)
        s->status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for a graph");
    for (size_t k = 0; s->status == CW_OK && k < tiles; k++)
        s->tile[k] = CW_SCHED_NONE;
}

static double spread(struct cw_sketch *s)
{
    return s->random ? cw_random_uniform(&s->draws, 0, 2) : 1;
}

uint32_t cw_sketch_task(struct cw_sketch *s, const char *name, double work, int64_t i, int64_t j)
{
    struct cw_task_spec spec = {
        .cost = s->cost, .name = name, .groups = s->board ? 64 : 0, .splittable = s->board};
    double mean = s->o->mean_cost * work * spread(s), h = s->o->heterogeneity;
    char text[64];

    if (s->status != CW_OK)
        return 0;
    if (i >= 0 && j >= 0)
        snprintf(text, sizeof text, "%s %" PRId64 " %" PRId64, name, i, j);
    else if (i >= 0)
        snprintf(text, sizeof text, "%s %" PRId64, name, i);
    spec.name = i >= 0 ? text : name;
    for (uint32_t p = 0; p < s->platform->devices; p++)
        s->cost[p] = !s->board ? mean * cw_random_uniform(&s->draws, 1 - h / 2, 1 + h / 2)
                     : p       ? mean
                               : 3 * mean;
    s->status = cw_graph_builder_add_task(s->builder, &spec, s->err);
    return s->tasks++;
}

void cw_sketch_edge(struct cw_sketch *s, uint32_t from, uint32_t to, double weight)
{
    if (s->status == CW_OK)
        s->status = cw_graph_builder_add_edge(s->builder, from, to,
                                              s->o->ccr * s->o->mean_cost * weight * spread(s), s->err);
}

void cw_sketch_read(struct cw_sketch *s, uint32_t task, uint32_t row, uint32_t column)
{
    if (s->status == CW_OK && s->tile[(size_t)row * s->columns + column] != CW_SCHED_NONE)
        cw_sketch_edge(s, s->tile[(size_t)row * s->columns + column], task, 1);
}

void cw_sketch_update(struct cw_sketch *s, uint32_t task, uint32_t row, uint32_t column)
{
    cw_sketch_read(s, task, row, column);
    if (s->status == CW_OK)
        s->tile[(size_t)row * s->columns + column] = task;
}

enum cw_status cw_sketch_finish(struct cw_sketch *s, struct cw_graph **graph, struct cw_platform **platform)
{
    free(s->cost);
    free(s->tile);
    if (s->status == CW_OK)
        s->status = cw_graph_builder_finish(s->builder, graph, s->err);
    else
        cw_graph_builder_destroy(s->builder);
    if (s->status == CW_OK)
        *platform = s->platform;
    else
        cw_platform_destroy(s->platform);
    return s->status;
}
