/* run_tile.c - cut launches: blocks, parts, and what becomes of them. See run_tile.h. */
#include "run_tile.h"

#include <stdlib.h>

#include "run_fault.h"

void cw_run_tiles_free(struct cw_run_tiles *x)
{
    if (!x)
        return;
    free(x->block);
    free(x->part);
    free(x);
}

/* ---- made */

/* The part of `x` at `place`, a new one when there is none yet. */
static uint32_t part_at(struct cw_run_tiles *x, uint32_t place)
{
    const struct cw_run_task *t = x->whole;
    uint32_t i = 0;

    while (i < x->parts && x->part[i].place != place)
        i++;
    if (i == x->parts)
        x->part[x->parts++] = (struct cw_run_task){.queue = t->queue,
                                                   .type = t->type,
                                                   .work = CW_RUN_LAUNCH,
                                                   .released = true,
                                                   .timed = t->timed,
                                                   .place = place,
                                                   .lane = t->queue->context->places[place].lane->number,
                                                   .home_lane = t->home_lane,
                                                   .sequence = t->sequence,
                                                   .launch = t->launch,
                                                   .part_of = x};
    return i;
}

static struct cw_run_tiles *make(uint32_t n)
{
    struct cw_run_tiles *x = calloc(1, sizeof *x);

    if (!x)
        return NULL;
    x->block = calloc(2 * (size_t)n, sizeof *x->block);
    x->part = calloc(n, sizeof *x->part);
    if (x->block && x->part)
        return x;
    cw_run_tiles_free(x);
    return NULL;
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

bool cw_run_tile(struct cw_run_task *t, const struct cw_run_cut *cut, const struct cw_run_piece *piece, uint32_t n)
{
    struct cw_run_tiles *x = complete(cut, piece, n) ? make(n) : NULL;

    if (!x)
        return false;
    x->whole = t;
    x->cut = *cut;
    for (uint32_t i = 0; i < n; i++)
        x->block[i] = (struct cw_run_block){.first = piece[i].first, .groups = piece[i].groups, .part = part_at(x, piece[i].place)};
    x->blocks = n;
    x->left = x->parts;
    t->tiles = x;
    t->lane = t->home_lane;
    t->place = t->queue->home;
    return true;
}

/* ---- run */

/* Gives `part` a block that is its, or anybody's. */
static bool take(struct cw_run_tiles *x, struct cw_run_task *part)
{
    uint32_t own = (uint32_t)(part - x->part);

    if (x->whole->failed)
        return false;
    for (uint32_t i = 0; i < x->blocks; i++) {
        struct cw_run_block *b = &x->block[i];

        if (b->taken || (b->part != own && b->part != CW_RUN_ANYBODY))
            continue;
        b->taken = true;
        part->index = i;
        part->times[2] = part->timed ? cw_run_event_now_ns() : 0;
        return true;
    }
    return false;
}

static void has_run(struct cw_run_tiles *x, const struct cw_run_task *part)
{
    x->run++;
    for (int i = 1; i < 3; i++)
        if (!x->times[i] || part->times[i] < x->times[i])
            x->times[i] = part->times[i];
    if (part->times[3] > x->times[3])
        x->times[3] = part->times[3];
}

/* The device did not run it: somebody else does. */
static void give_back(struct cw_run_tiles *x, const struct cw_run_task *part, cl_int status)
{
    x->block[part->index].taken = false;
    x->whole->launch.kernel->tiled->broken[part->lane] = true;
    x->status = status;
    for (uint32_t i = 0; i < x->blocks; i++)
        if (!x->block[i].taken && x->block[i].part == (uint32_t)(part - x->part))
            x->block[i].part = CW_RUN_ANYBODY;
}

static void over(struct cw_run_tiles *x, cl_int status)
{
    struct cw_run_task *t = x->whole;

    if (t->timed && x->run) {
        if (x->part[0].times[1]) /* set by who models the device's time */
            t->times[1] = x->times[1];
        t->times[2] = x->times[2];
        t->times[3] = x->times[3];
    }
    cw_run.counts.cut += x->run > 1;
    cw_run.counts.tiles += x->run > 1 ? x->run : 0;
    cw_run_task_done(t, status);
}

/* A part whose lane still runs this kernel; home's, made of another one, when all have failed; NULL: home has, too. */
static struct cw_run_task *heir(struct cw_run_tiles *x)
{
    const bool *broken = x->whole->launch.kernel->tiled->broken;
    struct cw_run_task *last = &x->part[x->parts - 1];

    for (uint32_t i = 0; i < x->parts; i++)
        if (!broken[x->part[i].lane])
            return &x->part[i];
    if (broken[x->whole->home_lane])
        return NULL;
    last->place = x->whole->queue->home;
    last->lane = x->whole->home_lane;
    return last;
}

static void whole_at_home(struct cw_run_tiles *x)
{
    x->given_up = true;
    x->whole->state = CW_RUN_LINKED;
    cw_run_cut_whole("its rewritten form did not run");
    cw_run_ready(x->whole);
}

static void part_ends(struct cw_run_tiles *x)
{
    struct cw_run_task *next;

    if (--x->left)
        return;
    if (x->whole->failed || x->run == x->blocks) {
        over(x, CL_COMPLETE);
    } else if (!x->run && !heir(x)) {
        whole_at_home(x);
    } else if ((next = heir(x))) {
        x->left = 1;
        cw_run_ready(next);
    } else {
        over(x, x->status);
    }
}

void cw_run_tile_run(struct cw_run_lane *l, struct cw_run_task *part)
{
    struct cw_run_tiles *x = part->part_of;
    cl_int status = CL_COMPLETE;

    l->busy = true;
    cw_run.running++;
    part->state = CW_RUN_RUNNING;
    if (x->whole->state < CW_RUN_RUNNING)
        cw_run_starts(x->whole);
    while (status >= 0 && take(x, part)) {
        cw_run_unlock();
        status = cw_run_execute_timed(part);
        cw_run_lock();
        if (status >= 0)
            has_run(x, part);
        else
            give_back(x, part, status);
    }
    l->busy = false;
    cw_run.running--;
    part->state = CW_RUN_DONE;
    part_ends(x);
    cw_run_retire();
}
