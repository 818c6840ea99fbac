/* costs.c - where a command may run, and what it costs there. */
#include "../tuning/perf_model.h"

#include <math.h>
#include <string.h>

#include "../../../analyzer/history/history_key.h"
#include "../../trace/recorder.h"
#include "../models/reach.h"
#include "../tuning/learn.h"
#include "../tuning/activation.h"
#include "../../builds/source.h"
#include "../core/record.h"
#include "../core/state.h"
#include "../tuning/first_launch.h"
#include "../workers/legal.h"
#include "../workers/timing.h"

#define COPY_NS       300
#define COPY_BYTES_NS 6.0
/* ns of one program's kernels at home before helpers build it, which takes a compiler 100 ms: where a
 * processor has nothing else to do and the program has run before, and where the compiler may get in the
 * program's way */
#define WORTH_A_BUILD 2e7
#define WORTH_A_DELAY 1e9

struct cw_key cw_run_program_key(struct cw_run_program *p)
{
    const char *text = cw_run_program_text(p);

    if (cw_key_none(p->key) && text)
        p->key = cw_history_program(text, p->options);
    return p->key;
}

/* Sets the key of its program, too. */
static void set_key(struct cw_run_kernel *k)
{
    struct cw_key program = cw_run_program_key(k->program);

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

static uint64_t shape_of(const struct cw_run_launch *l)
{
    uint64_t hash = CW_FNV_START;

    for (cl_uint d = 0; d < l->dims; d++)
        hash = mixed(mixed(hash, l->global[d]), l->has_local ? l->local[d] : 0);
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

struct cw_run_warm_what cw_run_costs_kind(const struct cw_run_launch *l)
{
    struct cw_run_warm_what what = {.kernel = l->kernel->key, .form = l->dims | (l->has_local ? 4 : 0)};

    for (cl_uint d = 0; d < l->dims; d++)
        what.size[d] = l->has_local ? l->local[d] : l->global[d];
    return what;
}

/* True when another lane builds `p` and keeps what `l` can take. */
static bool others_build(const struct cw_run_program *p, const struct cw_run_worker *l)
{
    for (uint32_t i = 0; i < cw_run.num_lanes; i++)
        if (p->copy[i] == CW_RUN_COPY_WANTED && i != l->number && cw_run.lanes[i].kind == l->kind)
            return true;
    return false;
}

/* `p` has been sought on lane `l` in vain. True: it is to be built there. Where another lane has built it
 * meanwhile it is sought again. */
static bool should_build(struct cw_run_program *p, const struct cw_run_worker *l)
{
    double spent;

    if (others_build(p, l))
        return false;
    for (uint32_t i = 0; i < cw_run.num_lanes; i++)
        if (p->copy[i] == CW_RUN_COPY_READY && cw_run.lanes[i].kind == l->kind &&
            !(p->sought_again >> l->number & 1)) {
            p->sought_again |= UINT64_C(1) << l->number;
            p->copy[l->number] = CW_RUN_COPY_NONE;
            return false;
        }
    spent = cw_run_perf_model_spent_ever(p);
    return (cw_run_activation_is_trial() || spent >= WORTH_A_DELAY ||
            (spent >= WORTH_A_BUILD && !cw_run_activation_is_first() &&
             cw_run_activation_idle_processor())) &&
           cw_run_learn_begins(CW_RUN_LEARN_BUILD);
}

/* Asks the worker of `l` for the program of `k` there: what an earlier run has kept at once, a build when it
 * is worth that. True when it is there. */
static bool is_built(struct cw_run_kernel *k, struct cw_run_worker *l)
{
    struct cw_run_program *p = k->program;
    uint8_t *copy = &p->copy[l->number];
    bool build;

    if ((cw_run.all || cw_run.chaos) && (*copy == CW_RUN_COPY_NONE || *copy == CW_RUN_COPY_MISSED)) {
        set_key(k);
        return true; /* whoever runs the first launch there builds it */
    }
    if (l->num_wanted == CW_RUN_WANTED)
        return *copy == CW_RUN_COPY_READY;
    build = *copy == CW_RUN_COPY_MISSED && should_build(p, l);
    if (build || *copy == CW_RUN_COPY_NONE) {
        *copy = build ? CW_RUN_COPY_WANTED : CW_RUN_COPY_SOUGHT;
        set_key(k);
        l->wanted[l->num_wanted++] = p;
        cw_run.wanted++;
        cw_run_record_pin(&p->r);
    }
    return *copy == CW_RUN_COPY_READY;
}

/* Transfers are done by the host, whose worker does not matter. */
static bool may_run(const struct cw_run_task *t, const struct cw_run_context_device *p)
{
    if (p->lane->number == t->home_lane)
        return true;
    if (p->lane->building || p->lane->num_wanted)
        return false;
    if (t->work != CW_RUN_LAUNCH)
        return p->slot->one_memory && !p->slot->home && !p->slot->dsp;
    return cw_run_legal_may_move(t, p) && is_built(t->launch.kernel, p->lane);
}

uint64_t cw_run_costs_devices_allowed(const struct cw_run_task *t)
{
    const struct cw_run_context *c = t->queue->context;
    uint64_t lanes = 0;

    for (size_t k = 0; k < c->slots->n; k++)
        if (may_run(t, &c->places[k]))
            lanes |= UINT64_C(1) << c->places[k].lane->number;
    return lanes;
}

static double bytes_of(const struct cw_run_task *t)
{
    return t->work == CW_RUN_FILL ? (double)t->fill.bytes
           : t->work == CW_RUN_COPY
               ? (double)t->copy.region[0] * (double)t->copy.region[1] * (double)t->copy.region[2]
               : 0;
}

/* An emulated device takes what its model says, not what the functional execution was measured to take. */
static void model(const struct cw_run_task *t, double *cost, double *error)
{
    const struct cw_run_context *c = t->queue->context;
    struct cw_work work = cw_run_timing_work_of(t);
    struct cw_work_ops ops;

    work.ops = cw_run_reach_task_ops(t, false, &ops) ? &ops : NULL;
    for (size_t k = 0; k < c->slots->n; k++) {
        const struct cw_run_context_device *p = &c->places[k];
        double ns = cw_device_cost_ns(p->slot, &work);

        if (isnan(ns) || isinf(cost[p->lane->number]))
            continue;
        cost[p->lane->number] = ns;
        error[p->lane->number] = ns / 100; /* contention for the DDR */
    }
}

static uint32_t price_launch(struct cw_run_brain *b, const struct cw_run_task *t, uint64_t lanes,
                             bool chained, bool alone, double *cost, double *error)
{
    const struct cw_run_launch_key key = {.kernel = t->launch.kernel->key,
                                          .shape = t->shape,
                                          .size = cw_run_costs_items(&t->launch),
                                          .home = t->home_lane,
                                          .allowed = lanes,
                                          .chained = chained,
                                          .alone = alone,
                                          .owed = t->launch.kernel->owed};

    return cw_run_estimate_row(&b->estimator, &key, cost, error);
}

static void price_transfer(uint32_t count, const struct cw_run_task *t, uint64_t lanes, double *cost,
                           double *error)
{
    double ns = COPY_NS + bytes_of(t) / COPY_BYTES_NS;

    for (uint32_t p = 0; p < count; p++) {
        cost[p] = lanes >> p & 1 ? ns : INFINITY;
        error[p] = lanes >> p & 1 ? ns / 4 : 0;
    }
}

uint32_t cw_run_costs_fill(struct cw_run_brain *b, const struct cw_run_task *t, uint64_t lanes, bool chained,
                           bool alone, double *cost, double *error)
{
    uint32_t trial = CW_SCHED_NONE;

    if (t->work == CW_RUN_LAUNCH)
        trial = price_launch(b, t, lanes, chained, alone, cost, error);
    else
        price_transfer(b->lanes, t, lanes, cost, error);
    model(t, cost, error);
    return trial != CW_SCHED_NONE && cw_run.lanes[trial].kind == CW_SLOT_DSP ? CW_SCHED_NONE : trial;
}

void cw_run_costs_name_launch(struct cw_run_task *t)
{
    set_key(t->launch.kernel);
    t->shape = shape_of(&t->launch);
}
