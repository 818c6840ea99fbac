/* tile.c - cut launches: blocks, parts, and their end. See tiles/tile.h. */
#include "tile.h"
#include "../core/clock.h"

#include <stdlib.h>
#include <string.h>

#include "../../trace/recorder.h"
#include "../core/fault.h"
#include "../../builds/isolated_compiler.h"
#include "share.h"
#include "../../../sched/whole.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../memory/spread.h"
#include "../tasks/task.h"
#include "../workers/worker.h"
#include "../tuning/tuning.h"

static void free_tiles(struct cw_run_tiles *x)
{
    if (!x)
        return;
    cw_run_tile_merge_free(x);
    free(x->block);
    free(x->part);
    free(x->access);
    free(x->hulls);
    cw_run_spread_beside_end(x->beside, false);
    free(x);
}

/* ---- as tasks */

/* Hands the block to its device, and waits until it is over. */
static cl_int run_block(struct cw_run_task *part)
{
    cl_command_queue queue = NULL;
    uint64_t start_ns;
    cl_int err;

    if (!cw_run_execute_begins(part, &start_ns))
        return part->launch.vendor;
    err = cw_run_tile_submit(part, &queue, NULL);
    return cw_run_execute_ends(part, start_ns, err, queue);
}

/* A block under a planted fault. */
static cl_int faulty_block(struct cw_run_task *part)
{
    bool twice, refuse, late;
    cl_int err;

    cw_run_global_lock_take();
    twice = cw_run_fault_now(CW_RUN_FAULT_TWICE);
    refuse = cw_run_is_away(part) && cw_run_fault_since(CW_RUN_FAULT_REFUSE);
    late = cw_run_is_away(part) && cw_run_fault_now(CW_RUN_FAULT_LATE);
    cw_run_global_lock_give();
    if (refuse)
        return CL_OUT_OF_RESOURCES;
    err = part->launch.vendor = cw_run_fault_launch(part);
    if (err == CL_SUCCESS)
        err = run_block(part);
    if (err == CL_SUCCESS)
        err = part->launch.vendor = cw_run_fault_launched(part);
    if (late && err == CL_SUCCESS)
        return CL_OUT_OF_RESOURCES;
    return twice && err == CL_SUCCESS ? run_block(part) : err;
}

cl_int cw_run_tile_execute(struct cw_run_task *part)
{
    struct cw_run_timing timing;
    cl_int status = CL_OUT_OF_RESOURCES;

    if (cw_run_timing_begins(part, &timing))
        status = CW_UNLIKELY(cw_run_fault_planted) ? faulty_block(part) : run_block(part);
    return cw_run_timing_ends(part, &timing, status);
}

void cw_run_tile_part_run(struct cw_run_worker *l, struct cw_run_task *part)
{
    if (CW_UNLIKELY(cw_run_tile_virtual_may(part->launch.part.of, part)))
        cw_run_tile_virtual_run(part);
    else
        cw_run_tile_crew_run(l, part);
}

void cw_run_tile_part_leaves(struct cw_run_task *part)
{
    struct cw_run_tiles *x = part->launch.part.of;

    part->state = CW_RUN_DONE;
    part->launch.part.known = 0;
    for (uint32_t i = 0; i < x->blocks; i++)
        if (!x->block[i].taken && x->block[i].part == (uint32_t)(part - x->part))
            x->block[i].part = CW_RUN_ANYBODY;
    if (x->share && x->share->holder == x)
        cw_adaptive_leave(x->share->control, part->at.place);
    cw_run_tile_parts_wake(x);
    cw_run_tile_part_ends(x);
}

/* ---- made */

/* The part of `x` at `place`, a new one when there is none yet. */
static uint32_t part_at(struct cw_run_tiles *x, uint32_t place)
{
    const struct cw_run_task *t = x->whole;
    uint32_t i = 0;

    while (i < x->parts && x->part[i].at.place != place)
        i++;
    if (i == x->parts) {
        x->part[x->parts++] =
            (struct cw_run_task){.queue = t->queue,
                                 .work = CW_RUN_LAUNCH,
                                 .state = CW_RUN_RELEASED,
                                 .time.wanted = t->time.wanted,
                                 .at.place = place,
                                 .at.worker = t->queue->context->places[place].worker->number,
                                 .order.sequence = t->order.sequence,
                                 .behind_native = t->behind_native,
                                 .launch = cw_run_launch_part(&t->launch)};
        x->part[i].launch.part.of = x;
    }
    return i;
}

/* For `t`, with room for `blocks` and `parts`. */
static struct cw_run_tiles *make(struct cw_run_task *t, const struct cw_run_cut *cut, uint32_t blocks,
                                 uint32_t parts)
{
    cl_device_id home = t->queue->context->places[t->queue->home].device->device;
    struct cw_run_tiles *x = cw_isolated_compiler_space(home) ? calloc(1, sizeof *x)
                                                              : NULL; /* each part may load code of its own */

    if (!x)
        return NULL;
    x->whole = t;
    x->cut = *cut;
    x->block = calloc((size_t)blocks + parts, sizeof *x->block);
    x->part = calloc(parts, sizeof *x->part);
    if (x->block && x->part)
        return x;
    free_tiles(x);
    return NULL;
}

/* False: memory is out. */
static bool give(struct cw_run_task *t, struct cw_run_tiles *x)
{
    if (!cw_run_tile_memory_make(x)) {
        free_tiles(x);
        return false;
    }
    x->left = x->parts;
    t->launch.tiles = x;
    cw_run_task_goes_home(t);
    return true;
}

/* The pieces are the whole launch, once. */
static bool complete(const struct cw_run_cut *cut, const struct cw_run_piece *piece, uint32_t n)
{
    size_t next = 0;

    for (uint32_t i = 0; i < n; next += piece[i++].groups)
        if (piece[i].first != next || !piece[i].groups || piece[i].groups > cut->groups - next)
            return false;
    return next == cut->groups;
}

bool cw_run_tile_launch(struct cw_run_task *t, const struct cw_run_cut *cut, const struct cw_run_piece *piece,
                        uint32_t n)
{
    struct cw_run_tiles *x = complete(cut, piece, n) ? make(t, cut, n, n) : NULL;

    if (!x)
        return false;
    for (uint32_t i = 0; i < n; i++)
        x->block[i] = (struct cw_run_block){
            .first = piece[i].first, .groups = piece[i].groups, .part = part_at(x, piece[i].place)};
    x->blocks = n;
    return give(t, x);
}

bool cw_run_tile_shared(struct cw_run_task *t, const struct cw_run_cut *cut, struct cw_run_share *share,
                        const uint32_t *place, uint32_t n)
{
    struct cw_run_tiles *x = make(t, cut, n, n);

    if (!x)
        return false;
    x->share = share;
    x->again = cw_run_tile_late_may_run_again(t, cut);
    for (uint32_t i = 0; i < n; i++)
        part_at(x, place[i]);
    return give(t, x);
}

/* ---- blocks */

static uint32_t number(const struct cw_run_tiles *x, const struct cw_run_task *part)
{
    return (uint32_t)(part - x->part);
}

/* One of the bound blocks: of `part`, or free for any part. */
static bool take_bound(struct cw_run_tiles *x, struct cw_run_task *part)
{
    for (uint32_t i = 0; i < x->blocks; i++) {
        struct cw_run_block *b = &x->block[i];

        if (b->taken || (b->part != number(x, part) && b->part != CW_RUN_ANYBODY))
            continue;
        if (b->part != number(x, part)) {
            memset(b->margin, 0, sizeof b->margin);
            part->launch.part.known = 0;
        }
        b->taken = true;
        part->launch.part.block = i;
        return true;
    }
    return false;
}

static enum cw_run_taken take_shared(struct cw_run_tiles *x, struct cw_run_task *part)
{
    uint32_t own = x->parts + number(x, part); /* behind all that may be bound */

    part->launch.part.block = own;
    if (x->inherits)
        return cw_run_share_rest(x, &x->block[own]) ? CW_RUN_TAKEN : CW_RUN_TAKEN_NONE;
    return cw_run_share_take(x, part, &x->block[own]);
}

static void expect(struct cw_run_tiles *x, const struct cw_run_task *part)
{
    double ns = cw_run_share_expects_ns(x, part);
    uint64_t until = cw_run_global_lock_now_ns() + cw_whole_from(ns, INT64_MAX);

    x->until_ns = ns > 0 && until > x->until_ns ? until : x->until_ns;
}

enum cw_run_taken cw_run_tile_part_take(struct cw_run_tiles *x, struct cw_run_task *part)
{
    enum cw_run_taken taken = CW_RUN_TAKEN_NONE;

    if (x->whole->outcome.failed)
        return taken;
    if (x->share && !x->blocks)
        taken = take_shared(x, part);
    if (taken == CW_RUN_TAKEN_NONE && take_bound(x, part))
        taken = CW_RUN_TAKEN;
    if (taken != CW_RUN_TAKEN)
        return taken;
    part->time.at[2] = part->time.wanted ? cw_run_clock_now_ns() : 0;
    if (x->share)
        expect(x, part);
    return taken;
}

void cw_run_tile_part_has_run(struct cw_run_tiles *x, const struct cw_run_task *part, uint64_t ns)
{
    const struct cw_run_block *b = &x->block[part->launch.part.block];

    if (CW_UNLIKELY(x->whole->order.recorded))
        cw_device_times_part(&(struct cw_times_part){.seq = x->whole->order.recorded - 1,
                                                     .device = cw_run.workers[part->at.worker].recorded,
                                                     .dim = x->cut.dim,
                                                     .first = b->first,
                                                     .groups = b->groups,
                                                     .start_ns = part->time.at[2],
                                                     .end_ns = part->time.at[3]});
    x->run++;
    x->done += x->block[part->launch.part.block].groups;
    if (x->share && !x->inherits)
        cw_run_share_has_run(x, part, ns);
    for (int i = 1; i < 3; i++)
        if (!x->times[i] || part->time.at[i] < x->times[i])
            x->times[i] = part->time.at[i];
    if (part->time.at[3] > x->times[3])
        x->times[3] = part->time.at[3];
}

/* Its block, which has run or not, and those that are bound to it are free for any part. */
static void give_back(struct cw_run_tiles *x, const struct cw_run_task *part, bool has_run)
{
    if (part->launch.part.block >= x->blocks) {
        cw_run_share_lost(x, part);
        return;
    }
    x->block[part->launch.part.block].taken = has_run;
    for (uint32_t i = 0; i < x->blocks; i++)
        if (!x->block[i].taken && x->block[i].part == number(x, part))
            x->block[i].part = CW_RUN_ANYBODY;
}

void cw_run_tile_part_fails(struct cw_run_tiles *x, const struct cw_run_task *part, cl_int status)
{
    x->whole->launch.kernel->tile_broken |= UINT64_C(1) << part->at.worker;
    x->status = status;
    if (part->launch.begun) {
        x->spoilt = x->spoilt ? x->spoilt : status;
        cw_run_tile_part_has_run(x, part, 0);
    }
    give_back(x, part, part->launch.begun);
}

void cw_run_tile_part_refuses(struct cw_run_tiles *x, struct cw_run_task *part, cl_int lost)
{
    struct cw_run_task *t = x->whole;

    give_back(x, part, false);
    if (lost == CL_SUCCESS)
        return;
    x->spoilt = t->outcome.failed = lost;
    cw_run_spread_lost(t);
}

/* ---- the end */

/* The launch is over, or runs whole. A thread that never comes back may use `x` for ever. */
static void let_go(struct cw_run_tiles *x)
{
    x->whole->launch.tiles = NULL;
    if (x->whole->storage != CW_RUN_LEFT)
        free_tiles(x);
}

static uint64_t took_ns(const struct cw_run_tiles *x)
{
    return cw_device_clock_is_virtual() ? x->times[3] - x->times[1]
                                        : cw_run_global_lock_now_ns() - x->began_ns;
}

static void over(struct cw_run_tiles *x, cl_int status)
{
    struct cw_run_task *t = x->whole;

    if (t->time.wanted && x->run) {
        if (x->times[1]) /* set by a model of the device's time */
            t->time.at[1] = x->times[1];
        t->time.at[2] = x->times[2];
        t->time.at[3] = x->times[3];
    }
    if (x->share)
        cw_run_share_over(x, status < 0 || !x->run ? 0 : took_ns(x));
    if (x->several)
        cw_run_tile_memory_end(x, status);
    cw_run.counts.cut += x->run > 1;
    cw_run.counts.tiles += x->run > 1 ? x->run : 0;
    cw_run_worker_done(t, status);
    let_go(x);
}

/* A part whose worker still runs this kernel, at home where the others may lack its bytes; home's, made of
 * another one, when all have failed; NULL: home has, too. */
static struct cw_run_task *heir(struct cw_run_tiles *x)
{
    uint64_t broken = x->whole->launch.kernel->tile_broken;
    struct cw_run_task *last = &x->part[x->parts - 1];

    for (uint32_t i = 0; i < x->parts; i++)
        if (!(broken >> x->part[i].at.worker & 1) &&
            (!x->several || x->part[i].at.worker == x->whole->queue->home_worker))
            return &x->part[i];
    if (broken >> x->whole->queue->home_worker & 1)
        return NULL;
    last->at.place = x->whole->queue->home;
    last->at.worker = x->whole->queue->home_worker;
    last->launch.part.able = false;
    return last;
}

/* All its parts have left before any of them has asked for a block: there is none yet. */
static bool is_untouched(const struct cw_run_tiles *x)
{
    return x->share && !x->blocks && x->share->holder != x;
}

static void whole_at_home(struct cw_run_tiles *x, const char *why)
{
    struct cw_run_task *t = x->whole;

    if (x->share)
        cw_run_share_over(x, 0);
    if (x->several)
        cw_run_tile_memory_give_up(x);
    let_go(x);
    t->state = CW_RUN_RELEASED;
    t->launch.kernel->repeat_place.left = 0;
    t->launch.group.may = false; /* it runs as every launch does */
    cw_run_reasons_whole(t, why);
    cw_run_worker_ready(t);
}

/* Parts that wait for their workers, or for others, have nothing to do any more. */
static void dismiss(struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->parts; i++) {
        struct cw_run_task *part = &x->part[i];

        if (part->state > CW_RUN_READY)
            continue;
        if (part->state == CW_RUN_READY)
            cw_run_ready_remove(part);
        part->state = CW_RUN_DONE;
        x->left--;
    }
}

void cw_run_tile_part_ends(struct cw_run_tiles *x)
{
    bool all = x->whole->outcome.failed || x->done == x->cut.groups;
    struct cw_run_task *next;

    x->left--;
    if (all)
        dismiss(x);
    if (x->left)
        return;
    if (all) {
        over(x, x->spoilt ? x->spoilt : CL_COMPLETE);
    } else if (!x->run && is_untouched(x)) {
        whole_at_home(x, "its devices were late");
    } else if (!x->run && !heir(x)) {
        whole_at_home(x, "its rewritten form did not run");
    } else if ((next = heir(x))) {
        x->left = 1;
        x->inherits = true;
        cw_run_worker_ready(next);
    } else {
        over(x, x->status < 0 ? x->status : CL_OUT_OF_RESOURCES);
    }
}

void cw_run_tile_parts_wake(struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->parts && x->share; i++)
        if (x->part[i].state == CW_RUN_RELEASED)
            cw_run_worker_ready(&x->part[i]);
}
