#include "plan_graph.h"
#include "../graph/graph_build.h"
#include "lp_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <CL/cl.h>

const char *cw_plan_bound_kind_name(enum cw_bound_kind kind)
{
    static const char *const names[] = {"critical path", "oct", "area", "energy", "lp"};

    return names[kind];
}

uint32_t cw_plan_bounds_entries(const char *choice)
{
    if (!choice || strcmp(choice, "auto") == 0)
        return CW_LP_BOUND_ENTRIES;
    return strcmp(choice, "on") == 0 ? INT32_MAX : 0; /* the solver counts in int */
}

static enum cw_status solve(struct cw_plan_bounds *bounds, const struct cw_graph *g,
                            const struct cw_platform *p, enum cw_sharing sharing, struct cw_error *err)
{
    enum cw_status status;

    if (bounds->known[sharing])
        return CW_OK;
    status = cw_lp_bound_compute(g, p, sharing, bounds->entries_max, &bounds->lp[sharing], err);
    bounds->known[sharing] = status == CW_OK;
    return status;
}

enum cw_status cw_plan_bound_find(struct cw_plan_bound *bound, struct cw_plan_bounds *bounds,
                                  const struct cw_bounds *simple, const struct cw_graph *g,
                                  const struct cw_platform *p, enum cw_sharing sharing, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    *bound = (struct cw_plan_bound){.best = simple->critical_path, .kind = CW_BOUND_PATH};
    if (simple->oct > bound->best)
        *bound = (struct cw_plan_bound){.best = simple->oct, .kind = CW_BOUND_OCT};
    if (simple->area > bound->best)
        *bound = (struct cw_plan_bound){.best = simple->area, .kind = CW_BOUND_AREA};
    if (simple->energy > bound->best)
        *bound = (struct cw_plan_bound){.best = simple->energy, .kind = CW_BOUND_ENERGY};
    if (!bounds || bounds->entries_max == 0) {
        snprintf(bound->lp.reason, sizeof bound->lp.reason, "it is switched off");
        return CW_OK;
    }
    status = solve(bounds, g, p, sharing, err);
    if (status == CW_OK)
        bound->lp = bounds->lp[sharing];
    if (status == CW_OK && bound->lp.bound > bound->best) {
        bound->best = bound->lp.bound;
        bound->kind = CW_BOUND_LP;
    }
    return status;
}

/* Between devices without a common memory, when nothing says otherwise: PCI Express. */
#define DEFAULT_BYTES_PER_NS 8.0
#define DEFAULT_LATENCY_NS   10000.0

struct conversion {
    const struct cw_trace *trace;
    const struct cw_platform_model *model; /* NULL: the trace's own devices */
    const struct cw_platform *platform;
    struct cw_work_times times;
    struct cw_plan_past *past;     /* NULL: none */
    struct cw_launch_parts *parts; /* NULL: no models */
    bool as_run;                   /* kernels are cut as run mode does it */
    uint32_t *device;              /* platform device -> device of the trace; only without a model */
    double *cost;                  /* scratch, one per device of the platform */
    struct cw_graph_builder *builder;
    struct cw_plan_graph *out;
};

static const char *class_name(uint64_t type)
{
    return type & CL_DEVICE_TYPE_GPU           ? "gpu"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "dsp"
           : type & CL_DEVICE_TYPE_CPU         ? "cpu"
                                               : "device";
}

/* A platform of the devices that have a queue in the trace. */
static enum cw_status own_platform(struct conversion *c, struct cw_error *err)
{
    const struct cw_trace *t = c->trace;
    struct cw_device_spec *spec = calloc(t->devices.count + 1, sizeof *spec);
    uint32_t n = 0;
    enum cw_status status = CW_OK;

    c->device = calloc(t->devices.count + 1, sizeof *c->device);
    if (!spec || !c->device)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t d = 0; status == CW_OK && d < t->devices.count; d++) {
        bool used = false;
        for (size_t q = 0; q < t->queues.count; q++)
            used |= t->queues.v[q].device == d;
        if (!used)
            continue;
        spec[n] = (struct cw_device_spec){.name = t->devices.v[d].name,
                                          .class_name = class_name(t->devices.v[d].type),
                                          .memory = t->devices.v[d].host_unified ? "host" : NULL};
        c->device[n++] = d;
    }
    if (status == CW_OK && n == 0)
        status = cw_error_set(err, CW_ERR_INVALID, "the trace has no queue, so nothing to replay");
    if (status == CW_OK)
        status = cw_platform_create(spec, n, NULL, DEFAULT_BYTES_PER_NS, NULL, DEFAULT_LATENCY_NS,
                                    &c->out->platform, err);
    c->platform = c->out->platform;
    free(spec);
    return status;
}

/* Fills c->cost for command `id`, and its row of `work`. Returns whether an estimate went into it. */
static bool fill_costs(struct conversion *c, size_t id)
{
    const struct cw_command *command = &c->trace->commands.v[id];
    struct cw_work work;
    struct cw_work_ops ops;
    bool exact, any = false;

    if (command->status != 0 || !(cw_work_is_kernel(command) || cw_work_is_transfer(command))) {
        memset(c->cost, 0, c->platform->devices * sizeof *c->cost);
        return false;
    }
    exact = cw_work_times_get(&c->times, command, &work);
    if (work.kernel && c->past && cw_plan_past_predict(c->past, c->trace, c->parts, command, &work.traced_ns))
        exact = true;
    if (work.kernel && c->parts && cw_launch_parts_ops(c->parts, command, &ops))
        work.ops = &ops;
    for (uint32_t d = 0; d < c->platform->devices; d++) {
        bool traced = true, there = true;
        if (c->out->work)
            cw_platform_model_parts(c->model, d, &work, &c->out->work[id * c->platform->devices + d]);
        if (c->model)
            c->cost[d] = cw_platform_model_cost(c->model, d, &work, &traced);
        else
            c->cost[d] = cw_work_times_elsewhere(&c->times, command, &work, c->device[d], &there);
        any |= (traced && !exact) || !there;
    }
    return any;
}

/* Work-groups along the slowest dimension; 1 = cannot be cut. */
static uint64_t cuts(const struct cw_command *command)
{
    int dim = 2;
    uint64_t local;

    while (dim > 0 && command->global_size[dim] <= 1)
        dim--;
    local = command->local_size[dim];
    if (command->local_null || local == 0)
        local = dim == 0 ? 64 : 1;
    return (command->global_size[dim] + local - 1) / local;
}

static const char *task_name(const struct cw_trace *t, const struct cw_command *command)
{
    if (cw_work_is_kernel(command) && command->kernel < t->kernels.count)
        return t->kernels.v[command->kernel].name;
    return cw_trace_command_short_name(command->type);
}

static enum cw_status add_task(struct conversion *c, size_t id, struct cw_error *err)
{
    const struct cw_command *command = &c->trace->commands.v[id];
    struct cw_task_spec spec = {.cost = c->cost, .name = task_name(c->trace, command), .groups = 1};
    bool runnable = false;

    c->out->estimated += fill_costs(c, id);
    c->out->commands += cw_trace_command_is_enqueue(command) && command->status == 0;
    for (uint32_t d = 0; d < c->platform->devices; d++)
        runnable |= isfinite(c->cost[d]);
    if (!runnable)
        return cw_error_set(err, CW_ERR_INFEASIBLE,
                            "command %zu (%s) can run on no device of the platform; %s", id,
                            spec.name ? spec.name : "?",
                            cw_work_is_kernel(command)
                                ? "give a device a rule in \"kernels\" that matches it without \"run\": false"
                                : "give at least one device \"transfers\" other than false");
    if (cw_work_is_kernel(command) && command->status == 0)
        spec.groups = c->as_run ? cw_launch_parts_groups(c->parts, command) : cuts(command);
    spec.groups += spec.groups == 0;
    spec.splittable = spec.groups > 1;
    return cw_graph_builder_add_task(c->builder, &spec, err);
}

static enum cw_status add_edges(struct conversion *c, bool drop_host_waits, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (size_t k = 0; status == CW_OK && k < c->trace->edges.count; k++) {
        const struct cw_edge *e = &c->trace->edges.v[k];
        if (!cw_graph_edge_binds(e) || (drop_host_waits && e->kind == CW_EDGE_HOST))
            continue;
        status = cw_graph_builder_add_edge(
            c->builder, e->from, e->to,
            e->hazard == CW_HAZARD_RAW && e->memory != CW_NONE ? (double)e->bytes : 0, err);
    }
    return status;
}

static enum cw_status convert(struct conversion *c, const struct cw_plan_known *known, bool drop_host_waits,
                              struct cw_error *err)
{
    enum cw_status status = cw_work_times_init(&c->times, c->trace, err);

    c->past = known ? known->past : NULL;
    c->as_run = known && known->reach && known->as_run;
    if (known && known->reach && !(c->parts = cw_launch_parts_create(c->trace, known->reach)))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");

    if (status == CW_OK && c->trace->commands.count == 0)
        status = cw_error_set(err, CW_ERR_INVALID, "the trace has no commands, so nothing to replay");
    if (status == CW_OK && c->model)
        c->platform = cw_platform_model_platform(c->model);
    else if (status == CW_OK)
        status = own_platform(c, err);
    if (status != CW_OK)
        return status;
    c->cost = malloc(c->platform->devices * sizeof *c->cost);
    c->builder = cw_graph_builder_create(c->platform->devices);
    if (c->as_run && c->model)
        c->out->work = calloc(c->trace->commands.count * c->platform->devices, sizeof *c->out->work);
    if (!c->cost || !c->builder || (c->as_run && c->model && !c->out->work))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (size_t i = 0; status == CW_OK && i < c->trace->commands.count; i++)
        status = add_task(c, i, err);
    if (status == CW_OK)
        status = add_edges(c, drop_host_waits, err);
    if (status == CW_OK) {
        status = cw_graph_builder_finish(c->builder, &c->out->graph, err);
        c->builder = NULL;
    }
    return status;
}

enum cw_status cw_plan_graph_init(struct cw_plan_graph *pg, const struct cw_trace *t,
                                  const struct cw_platform_model *model, const struct cw_plan_known *known,
                                  bool drop_host_waits, struct cw_error *err)
{
    struct conversion c = {.trace = t, .model = model, .out = pg};
    enum cw_status status;

    *pg = (struct cw_plan_graph){0};
    status = convert(&c, known, drop_host_waits, err);
    cw_work_times_finish(&c.times);
    cw_graph_builder_destroy(c.builder);
    cw_launch_parts_destroy(c.parts);
    free(c.device);
    free(c.cost);
    if (status != CW_OK)
        cw_plan_graph_finish(pg);
    return status;
}

void cw_plan_graph_finish(struct cw_plan_graph *pg)
{
    cw_graph_destroy(pg->graph);
    cw_platform_destroy(pg->platform);
    free(pg->work);
    *pg = (struct cw_plan_graph){0};
}

/* ---- abstract graphs on another platform */

/* For each device of `to` the first device of `from` of the same class, CW_SCHED_NONE when there is none. */
static uint32_t *match_classes(const struct cw_platform *from, const struct cw_platform *to)
{
    uint32_t *column = malloc(to->devices * sizeof *column);

    for (uint32_t d = 0; column && d < to->devices; d++) {
        column[d] = CW_SCHED_NONE;
        for (uint32_t k = from->devices; k-- > 0;)
            if (strcmp(from->device[k].class_name, to->device[d].class_name) == 0)
                column[d] = k;
    }
    return column;
}

/* The class of a device that can run task `i`: every task has one. */
static const char *able_class(const struct cw_graph *g, uint32_t i, const struct cw_platform *from)
{
    uint32_t d = 0;

    while (d + 1 < from->devices && isinf(cw_graph_cost(g, i, d)))
        d++;
    return from->device[d].class_name;
}

static enum cw_status copy_task(const struct cw_graph *g, uint32_t i, const struct cw_platform *from,
                                const struct cw_platform_model *model, const uint32_t *column, double *cost,
                                struct cw_graph_builder *b, struct cw_error *err)
{
    const struct cw_platform *to = cw_platform_model_platform(model);
    struct cw_task_spec spec = {cost, cw_graph_name(g, i), g->groups[i], g->splittable[i]};
    bool runnable = false;
    char text[96];

    for (uint32_t d = 0; d < to->devices; d++) {
        cost[d] = column[d] == CW_SCHED_NONE
                      ? INFINITY
                      : cw_graph_cost(g, i, column[d]) / cw_platform_model_speed(model, d);
        runnable |= isfinite(cost[d]);
    }
    if (!runnable)
        return cw_error_set(err, CW_ERR_INFEASIBLE,
                            "%s can run on no device of the platform; add one of a class that it "
                            "has a cost for, such as \"%.60s\"",
                            cw_graph_describe(g, i, text, sizeof text), able_class(g, i, from));
    return cw_graph_builder_add_task(b, &spec, err);
}

enum cw_status cw_plan_graph_retarget(const struct cw_graph *g, const struct cw_platform *p,
                                      const struct cw_platform_model *model, struct cw_graph **out,
                                      struct cw_error *err)
{
    const struct cw_platform *to = cw_platform_model_platform(model);
    uint32_t *column = match_classes(p, to);
    double *cost = malloc(to->devices * sizeof *cost);
    struct cw_graph_builder *b = cw_graph_builder_create(to->devices);
    enum cw_status status = CW_OK;

    *out = NULL;
    if (!column || !cost || !b)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t i = 0; status == CW_OK && i < g->tasks; i++) {
        status = copy_task(g, i, p, model, column, cost, b, err);
        for (uint32_t e = g->succ.start[i]; status == CW_OK && e < g->succ.start[i + 1]; e++)
            status = cw_graph_builder_add_edge(b, i, g->succ.task[e], g->succ.data[e], err);
    }
    if (status == CW_OK) {
        status = cw_graph_builder_finish(b, out, err);
        b = NULL;
    }
    cw_graph_builder_destroy(b);
    free(column);
    free(cost);
    return status;
}
