/* share_blocks.c - a shared launch while it runs: the next block of each part, its time, and whether
 * the launch gained. See tiles/share.h. */
#include "share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/context_device.h"
#include "../planner/costs.h"

#include "../tuning/tuning.h"
#include "../../../sched/whole.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../workers/worker.h"

double cw_run_share_group_items(const struct cw_run_task *t, size_t groups)
{
    return cw_run_costs_items(&t->launch) / (double)groups;
}

double cw_run_share_speed(const struct cw_run_tiles *x, uint32_t place)
{
    return cw_adaptive_speed(x->share->control, place) * x->share->group_items /
           cw_run_share_group_items(x->whole, x->cut.groups);
}

static void set_group_items(struct cw_run_share *h, double items)
{
    if (items != h->group_items)
        cw_adaptive_resize(h->control, items / h->group_items);
    h->group_items = items;
}

static bool adaptive(struct cw_run_tiles *x)
{
    if (x->share->holder == x)
        return true;
    if (x->share->holder || x->blocks)
        return false;
    x->share->holder = x;
    set_group_items(x->share, cw_run_share_group_items(x->whole, x->cut.groups));
    cw_adaptive_start(x->share->control, x->cut.groups);
    for (uint32_t i = 0; i < x->whole->queue->context->devices->n; i++) {
        uint32_t k = 0;
        while (k < x->parts && x->part[k].at.place != i)
            k++;
        if (k == x->parts || x->part[k].state == CW_RUN_DONE)
            cw_adaptive_leave(x->share->control, i);
    }
    return true;
}

/* A block that is small leaves a GPU idle, and what it has written stays in its memory. */
bool cw_run_share_stays(const struct cw_run_tiles *x)
{
    const struct cw_run_queue *q = x->whole->queue;

    return cw_run_context_device_is_gpu(&q->context->places[q->home]) && !cw_run_share_by_blocks();
}

/* By the controller's speeds; they sum to 1. */
static void shares_now(const struct cw_run_tiles *x, double share[CW_RUN_WORKERS])
{
    double all = 0;

    for (uint32_t k = 0; k < x->parts; k++)
        all += share[k] = cw_adaptive_share(x->share->control, x->part[k].at.place);
    for (uint32_t k = 0; k < x->parts; k++)
        share[k] = all > 0 ? share[k] / all : 1.0 / x->parts;
}

/* Those of the last launches, or of the bytes. */
static void hold_shares(const struct cw_run_tiles *x, double share[CW_RUN_WORKERS])
{
    double speed[CW_RUN_WORKERS];

    for (uint32_t k = 0; k < x->parts; k++)
        speed[k] = cw_run_share_speed(x, x->part[k].at.place);
    cw_run_share_hold(x, speed, x->share->byte_ns, share);
}

/* The part whose place comes next behind `place`; -1: the first. x->parts: there is none. */
static uint32_t next_by_place(const struct cw_run_tiles *x, int64_t place)
{
    uint32_t found = x->parts;

    for (uint32_t k = 0; k < x->parts; k++)
        if (x->part[k].at.place > place &&
            (found == x->parts || x->part[k].at.place < x->part[found].at.place))
            found = k;
    return found;
}

/* Bound blocks, one for each part, in the order of their places. */
static void divide(struct cw_run_tiles *x)
{
    double share[CW_RUN_WORKERS], sum = 0;
    int64_t place = -1;
    size_t first = 0, next;

    if (x->blocks)
        return;
    shares_now(x, share);
    if (cw_run_share_stays(x))
        hold_shares(x, share);
    for (uint32_t i = 0; i < x->parts; i++) {
        uint32_t k = next_by_place(x, place);

        place = x->part[k].at.place;
        sum += share[k];
        next = i + 1 == x->parts ? x->cut.groups
                                 : cw_whole_from(sum * (double)x->cut.groups + .5, x->cut.groups);
        next = next > x->cut.groups ? x->cut.groups : next;
        if (next > first)
            x->block[x->blocks++] =
                (struct cw_run_block){.first = first,
                                      .groups = next - first,
                                      .part = x->part[k].state == CW_RUN_DONE ? CW_RUN_ANYBODY : k};
        first = next > first ? next : first;
    }
    if (cw_run_share_stays(x))
        cw_run_tile_margin_find(x);
}

enum cw_run_taken cw_run_share_take(struct cw_run_tiles *x, const struct cw_run_task *part,
                                    struct cw_run_block *block)
{
    struct cw_adaptive *control = x->share->control;
    struct cw_adaptive_part p;

    /* another launch of this shape may have the controller */
    if ((cw_device_clock_is_virtual() && !x->by_events) || cw_run_share_stays(x) || !adaptive(x)) {
        divide(x);
        return CW_RUN_TAKEN_NONE;
    }
    switch (cw_adaptive_next(control, part->at.place,
                             x->by_events ? x->virtual_ns : cw_run_global_lock_now_ns(), &p)) {
    case CW_ADAPTIVE_PART:
        *block = (struct cw_run_block){
            .first = p.first, .groups = p.groups, .part = (uint32_t)(part - x->part), .taken = true};
        return CW_RUN_TAKEN;
    case CW_ADAPTIVE_WAIT:
        if (cw_run_share_by_blocks())
            return CW_RUN_TAKEN_LATER;
        cw_adaptive_leave(
            control, part->at.place); /* nothing is left; should a worker fail, another one has the rest */
        return CW_RUN_TAKEN_NONE;
    default:
        return CW_RUN_TAKEN_NONE;
    }
}

/* That the part runs. */
static size_t groups_of(const struct cw_run_tiles *x, const struct cw_run_task *part)
{
    const struct cw_run_block *b = &x->block[part->launch.part.block];
    size_t more = b->margin[0] + b->margin[1];

    return b->groups + (more ? (more + x->units / 2) / x->units : 0);
}

double cw_run_share_expects_ns(const struct cw_run_tiles *x, const struct cw_run_task *part)
{
    const struct cw_cl_device *device = x->whole->queue->context->places[part->at.place].device;
    double speed = cw_run_share_speed(x, part->at.place), alone;
    double ns = speed > 0 ? (double)groups_of(x, part) / speed : 0;
    struct cw_work work;

    if (!device->dsp)
        return speed > 0 ? CW_RUN_SHARE_PART_NS / 2 + ns : 0;
    work = cw_run_costs_work_of(part);
    alone = cw_device_cost_ns(device, &work);
    alone = speed > 0 ? alone : CW_RUN_SHARE_DSP_MARGIN * alone; /* others may be in its way at the memory */
    ns += CW_RUN_SHARE_SET_UP_NS;
    return alone > ns && alone < 1e18 ? alone : ns;
}

bool cw_run_share_rest(struct cw_run_tiles *x, struct cw_run_block *block)
{
    struct cw_adaptive_part p;

    if (x->share->holder != x)
        return false;
    cw_adaptive_rest_done(x->share->control);
    if (!cw_adaptive_rest(x->share->control, &p))
        return false;
    *block = (struct cw_run_block){.first = p.first, .groups = p.groups, .taken = true};
    return true;
}

void cw_run_share_has_run(struct cw_run_tiles *x, const struct cw_run_task *part, uint64_t ns)
{
    bool first = !(x->share->seen >> part->at.place & 1) &&
                 !cw_device_clock_is_virtual(); /* where compiling takes no time */

    x->share->seen |= UINT64_C(1) << part->at.place;
    x->is_first |= first;
    if (x->share->holder == x)
        cw_adaptive_report(x->share->control, part->at.place, first ? 0 : ns);
    else if (!first)
        cw_adaptive_know(x->share->control, part->at.place,
                         (double)groups_of(x, part) * cw_run_share_group_items(x->whole, x->cut.groups) /
                             x->share->group_items,
                         (double)ns);
}

void cw_run_share_lost(struct cw_run_tiles *x, const struct cw_run_task *part)
{
    cw_adaptive_lost(x->share->control, part->at.place);
}

static const struct cw_run_context_device *home_of(const struct cw_run_task *t)
{
    return &t->queue->context->places[t->queue->home];
}

void cw_run_share_over(struct cw_run_tiles *x, uint64_t ns)
{
    struct cw_run_share *h = x->share;

    if (h->holder == x)
        h->holder = NULL;
    if (!ns)
        return;
    if (cw_run_context_device_is_gpu(home_of(x->whole)))
        cw_run_gpu_gain_cut(x->home_ns, (double)ns, x->is_first ? 0 : (uint64_t)h->cuts);
    h->cut_ns = cw_run_trial_least(h->cut_ns, (double)ns);
    h->cuts++;
    if (x->fetches && (double)ns > h->cut_ns)
        h->copies_ns = cw_run_trial_least(h->copies_ns, (double)ns - h->cut_ns);
    h->copying += ((x->fetches ? 1 : 0) - h->copying) / fmin(h->cuts, CW_RUN_SAMPLE);
    cw_run_share_keep(x);
    if (h->cuts <= CW_RUN_SHARE_COMPILED || cw_run.all || cw_run.preparing)
        return; /* the vendor has compiled */
    if (!(x->whole_ns > 0) || (double)ns <= x->whole_ns) {
        h->rest.poor = 0;
        h->rest.wait = h->cuts > CW_RUN_LOOK_EACH ? 0 : h->rest.wait;
    } else if (cw_run_trial_fails(&h->rest)) {
        cw_run_share_rests(h);
    }
}
