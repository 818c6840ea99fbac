/* costs.c - where a command may run, and its cost there. */
#include "costs.h"

#include <math.h>
#include <string.h>

#include "../../../analyzer/history/history.h"
#include "../../trace/recorder.h"
#include "../models/reach.h"
#include "../code/code.h"
#include "../core/context_device.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../core/tile_types.h"
#include "legal.h"

#define COPY_NS       300
#define COPY_BYTES_NS 6.0
#define UNIT_OPS_NS   512 /* of a compute unit: 128 workers, twice 2 GHz */

struct cw_key cw_run_costs_program_key(struct cw_run_program *p)
{
    const char *text = cw_run_program_text(p);

    if (cw_key_none(p->key) && text)
        p->key = cw_history_program(text, p->options);
    return p->key;
}

void cw_run_costs_name_kernel(struct cw_run_kernel *k)
{
    struct cw_key program = cw_run_costs_program_key(k->program);

    if (cw_key_none(k->key))
        k->key = cw_history_kernel(program, k->name);
}

double cw_run_costs_items(const struct cw_run_launch *l)
{
    double n = 1;

    for (cl_uint d = 0; d < l->dims; d++)
        n *= (double)l->global[d];
    return n;
}

/* The number of bits: a loop's limit matters to the time, but a count that goes up by one each launch is no
 * new shape. */
static uint64_t magnitude(uint64_t word)
{
    return word ? 64 - (uint64_t)__builtin_clzll(word) : 0;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* `about`: sizes of one magnitude are one shape. */
static uint64_t shape_of(const struct cw_run_launch *l, bool about)
{
    uint64_t hash = CW_FNV_START;

    for (cl_uint d = 0; d < l->dims; d++)
        hash = mixed(mixed(hash, about ? magnitude(l->global[d]) : l->global[d]),
                     l->has_local ? l->local[d] : 0);
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        const struct cw_run_arg *a = &l->args[i];
        uint64_t weight = a->memory                     ? a->memory->bytes
                          : a->kind == CW_RUN_ARG_LOCAL ? a->size
                          : a->size <= 8                ? magnitude(a->word)
                                                        : 0;
        hash = mixed(hash, weight);
    }
    return hash | 1;
}

/* That a worker copies. */
static double bytes_of(const struct cw_run_task *t)
{
    return t->work == CW_RUN_FILL ? (double)t->fill.bytes
           : t->work == CW_RUN_COPY && !t->copy.straight
               ? (double)t->copy.region[0] * (double)t->copy.region[1] * (double)t->copy.region[2]
               : 0;
}

struct cw_work cw_run_costs_work_of(const struct cw_run_task *t)
{
    struct cw_work w = {0};

    if (t->work == CW_RUN_LAUNCH) {
        w.kernel = t->launch.kernel->name;
        w.items = 1;
        for (cl_uint i = 0; i < t->launch.dims; i++)
            w.items *= (double)t->launch.global[i];
        w.items *= cw_run_tile_share(t);
    } else if (t->work == CW_RUN_COPY) {
        w.bytes = (double)t->copy.region[0] * (double)t->copy.region[1] * (double)t->copy.region[2];
    } else if (t->work == CW_RUN_FILL) {
        w.bytes = (double)t->fill.bytes;
    }
    return w;
}

/* The cost on an emulated device is its model's, not the measured time of the functional execution. */
static void model(const struct cw_run_task *t, double *cost, double *error)
{
    const struct cw_run_context *c = t->queue->context;
    struct cw_work work = cw_run_costs_work_of(t);
    struct cw_work_ops ops;

    work.ops = cw_run_reach_task_ops(t, false, &ops) ? &ops : NULL;
    for (size_t k = 0; k < c->devices->n; k++) {
        const struct cw_run_context_device *p = &c->places[k];
        double ns = cw_device_cost_ns(p->device, &work);

        if (isnan(ns) || isinf(cost[p->worker->number]))
            continue;
        cost[p->worker->number] = ns;
        error[p->worker->number] = ns / 100; /* contention for the DDR */
    }
}

static double groups_of(const struct cw_run_launch *l)
{
    double n = l->has_local;

    for (cl_uint d = 0; d < l->dims; d++)
        n *= l->has_local ? ceil((double)l->global[d] / (double)l->local[d]) : 1;
    return n;
}

double cw_run_costs_home_ns(const struct cw_run_launch *l)
{
    const struct cw_run_known *k = l->kernel->known;
    double items = cw_run_costs_items(l);

    return items <= CW_RUN_HOME_LARGER * k->home_items ? k->home_ns * items / k->home_items : 0;
}

double cw_run_costs_measured_ns(const struct cw_run_task *t)
{
    double ns = cw_run_costs_home_ns(&t->launch);

    return ns > 0 ? ns : t->launch.kernel->known->mean_ns[t->queue->home_worker];
}

/* Operations that no compiler leaves out: index arithmetic is not counted. */
static double operations(const double per_item[CW_OPS])
{
    return per_item[CW_OP_SINGLE] + per_item[CW_OP_DOUBLE] + per_item[CW_OP_SINGLE_FMA] +
           per_item[CW_OP_DOUBLE_FMA] + per_item[CW_OP_SPECIAL] + per_item[CW_OP_DIVISION] +
           per_item[CW_OP_LOAD] + per_item[CW_OP_LOCAL] + per_item[CW_OP_STORE];
}

double cw_run_costs_least_ns(const struct cw_run_task *t)
{
    const struct cw_run_context_device *home = &t->queue->context->places[t->queue->home];
    const struct cw_run_launch *l = &t->launch;
    struct cw_work_ops ops;
    double measured;

    if (t->work != CW_RUN_LAUNCH || !cw_run_context_device_is_gpu(home))
        return 0;
    measured = cw_run_costs_measured_ns(t);
    if (measured > 0)
        return measured;
    if (!cw_run_reach_ops(l->kernel, l->args, l->dims, l->global, l->has_local ? l->local : NULL, false,
                          &ops))
        return 0;
    return operations(ops.per_item) * cw_run_costs_items(l) / (UNIT_OPS_NS * home->device->compute_units);
}

static uint32_t price_launch(struct cw_run_estimator *e, const struct cw_run_task *t, uint64_t workers,
                             bool chained, bool alone, const struct cw_run_travel *travel, double *cost,
                             double *error)
{
    const struct cw_run_launch_key key = {.kernel = t->launch.kernel->key,
                                          .shape = t->launch.measure.shape,
                                          .size = cw_run_costs_items(&t->launch),
                                          .groups = groups_of(&t->launch),
                                          .least_ns = cw_run_costs_least_ns(t),
                                          .home = t->queue->home_worker,
                                          .allowed = workers,
                                          .chained = chained,
                                          .alone = alone,
                                          .owed = t->launch.kernel->known->owed,
                                          .travel = travel};

    return cw_run_estimate_row(e, &key, cost, error);
}

double cw_run_costs_transfer_ns(const struct cw_run_task *t)
{
    return COPY_NS + bytes_of(t) / COPY_BYTES_NS;
}

static void price_transfer(uint32_t count, const struct cw_run_task *t, uint64_t workers, double *cost,
                           double *error)
{
    double ns = cw_run_costs_transfer_ns(t);

    for (uint32_t p = 0; p < count; p++) {
        cost[p] = workers >> p & 1 ? ns : INFINITY;
        error[p] = workers >> p & 1 ? ns / 4 : 0;
    }
}

uint32_t cw_run_costs_fill(struct cw_run_estimator *e, const struct cw_run_task *t, uint64_t workers,
                           bool chained, bool alone, const struct cw_run_travel *travel, double *cost,
                           double *error)
{
    uint32_t trial = CW_SCHED_NONE;

    if (t->work == CW_RUN_LAUNCH)
        trial = price_launch(e, t, workers, chained, alone, travel, cost, error);
    else
        price_transfer(e->devices, t, workers, cost, error);
    model(t, cost, error);
    return trial != CW_SCHED_NONE && cw_run.workers[trial].kind == CW_DEVICE_KIND_DSP ? CW_SCHED_NONE : trial;
}

void cw_run_costs_name_launch(struct cw_run_task *t)
{
    cw_run_costs_name_kernel(t->launch.kernel);
    t->launch.measure.shape = shape_of(&t->launch, false);
}

uint64_t cw_run_costs_shape_about(const struct cw_run_launch *l)
{
    return shape_of(l, true);
}
