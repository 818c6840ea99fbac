/* share_blocks.c - a shared launch while it runs: the next block of each part, its time, and whether
 * the launch gained. See tiles/share.h. */
#include "share.h"
#include "../core/least.h"
#include "../core/thresholds.h"

#include "../tuning/perf_model.h"
#include "../../../sched/whole.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../workers/timing.h"

static bool adaptive(struct cw_run_tiles *x)
{
    if (x->share->holder == x)
        return true;
    if (x->share->holder || x->blocks)
        return false;
    x->share->holder = x;
    cw_adaptive_start(x->share->control, x->cut.groups);
    for (uint32_t i = 0; i < x->whole->queue->context->slots->n; i++) {
        uint32_t k = 0;
        while (k < x->parts && x->part[k].at.place != i)
            k++;
        if (k == x->parts || x->part[k].state == CW_RUN_DONE)
            cw_adaptive_leave(x->share->control, i);
    }
    return true;
}

/* Another launch of this shape has the controller: bound blocks, by its speeds. */
static void divide(struct cw_run_tiles *x)
{
    double all = 0, sum = 0;
    size_t first = 0;

    if (x->blocks)
        return;
    for (uint32_t k = 0; k < x->parts; k++)
        all += cw_adaptive_share(x->share->control, x->part[k].at.place);
    for (uint32_t k = 0; k < x->parts; k++) {
        size_t next;
        sum += all > 0 ? cw_adaptive_share(x->share->control, x->part[k].at.place) / all : 1.0 / x->parts;
        next = k + 1 == x->parts ? x->cut.groups : cw_whole_from(sum * (double)x->cut.groups, x->cut.groups);
        next = next > x->cut.groups ? x->cut.groups : next;
        if (next > first)
            x->block[x->blocks++] =
                (struct cw_run_block){.first = first,
                                      .groups = next - first,
                                      .part = x->part[k].state == CW_RUN_DONE ? CW_RUN_ANYBODY : k};
        first = next > first ? next : first;
    }
}

enum cw_run_taken cw_run_share_take(struct cw_run_tiles *x, const struct cw_run_task *part,
                                    struct cw_run_block *block)
{
    struct cw_adaptive *control = x->share->control;
    struct cw_adaptive_part p;

    if ((cw_device_clock_is_virtual() && !x->by_events) || !adaptive(x)) {
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
        cw_adaptive_leave(control,
                          part->at.place); /* nothing is left; should a lane fail, another one has the rest */
        return CW_RUN_TAKEN_NONE;
    default:
        return CW_RUN_TAKEN_NONE;
    }
}

double cw_run_share_expects_ns(const struct cw_run_tiles *x, const struct cw_run_task *part)
{
    const struct cw_cl_device *slot = x->whole->queue->context->places[part->at.place].slot;
    double speed = cw_adaptive_speed(x->share->control, part->at.place), alone;
    double ns = speed > 0 ? (double)x->block[part->window.index].groups / speed : 0;
    struct cw_work work;

    if (!slot->dsp)
        return speed > 0 ? CW_RUN_SHARE_PART_NS / 2 + ns : 0;
    work = cw_run_timing_work_of(part);
    alone = cw_device_cost_ns(slot, &work);
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
    if (x->share->holder == x)
        cw_adaptive_report(x->share->control, part->at.place, first ? 0 : ns);
    else if (!first)
        cw_adaptive_know(x->share->control, part->at.place, x->block[part->window.index].groups, (double)ns);
}

void cw_run_share_lost(struct cw_run_tiles *x, const struct cw_run_task *part)
{
    cw_adaptive_lost(x->share->control, part->at.place);
}

void cw_run_share_over(struct cw_run_tiles *x, uint64_t ns)
{
    struct cw_run_share *h = x->share;

    if (h->holder == x)
        h->holder = NULL;
    if (!ns)
        return;
    h->cut_ns = cw_run_least_of_late(h->cut_ns, (double)ns);
    h->cuts++;
    cw_run_share_keep(x);
    if (h->cuts <= 2 || cw_run.all || cw_run.preparing)
        return; /* the vendor has compiled */
    h->poor = h->whole_ns > 0 && (double)ns > h->whole_ns ? h->poor + 1 : 0;
    if (!h->poor && h->cuts > CW_RUN_SHARE_STEADY)
        h->rest_ns = 0;
    if (h->poor >= CW_RUN_SHARE_POOR)
        cw_run_share_rests(h);
}
