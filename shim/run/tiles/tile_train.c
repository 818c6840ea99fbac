/* tile_train.c - see tiles/tile_train.h. */
#include "tile_train.h"

#include <stdlib.h>
#include <string.h>

#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../core/thresholds.h"
#include "../memory/quarantine.h"
#include "../memory/spread.h"
#include "../memory/spread_rehearsal.h"
#include "../workers/exclusion.h"
#include "../workers/watch.h"
#include "../workers/worker.h"
#include "share.h"
#include "tile_apart.h"

enum {
    LAUNCHES = 16,  /* at most: the program may wait for the first */
    CUTS_BEFORE = 2 /* of launches like it: their code is there */
};

struct cw_run_train {
    struct cw_run_tiles *x[LAUNCHES];
    uint32_t n, left; /* left: parts that have not run */
    cl_int status;    /* of the first part that failed */
    uint64_t began_ns;
};

/* ---- which launches */

/* Its parts can begin now, and do nothing else before. */
static bool are_idle(const struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->parts; i++) {
        const struct cw_run_task *part = &x->part[i];
        const struct cw_run_worker *l = &cw_run.lanes[part->at.lane];

        if (part->state > CW_RUN_RUNNING || l->quit || l->quarantine.error ||
            (part->state == CW_RUN_READY && (l->busy || l->num_ready > 1)))
            return false;
    }
    return true;
}

/* One block for each part, of which all bytes are known, and are there; and so is the code. */
static bool is_prepared(const struct cw_run_tiles *x)
{
    bool so = x->blocks == x->parts && x->share->cuts > CUTS_BEFORE;

    for (uint32_t i = 0; so && i < x->blocks; i++)
        so = x->block[i].part < x->parts && x->part[x->block[i].part].tile.known &&
             x->share->seen >> x->part[i].at.place & 1;
    return so;
}

static bool may_begin(const struct cw_run_tiles *x)
{
    return !cw_run.chaos && !cw_run_fault_planted && !cw_device_clock_is_virtual() &&
           cw_run.claims == x->whole && !x->whole->links.claims && is_prepared(x) && are_idle(x);
}

/* Its callbacks run when it starts or ends, before the next one does. */
static bool is_watched(const struct cw_run_task *t)
{
    return t->event && t->event->callbacks;
}

/* Only launches of the train are before `t`, which is cut between the same devices. */
static bool may_follow(const struct cw_run_tiles *x, const struct cw_run_task *t)
{
    const struct cw_run_tiles *y = t->tile.launch;
    bool so = t->work == CW_RUN_LAUNCH && t->state == CW_RUN_LINKED && t->released &&
              t->batch.waits == t->waits && t->queue == x->whole->queue && !t->outcome.failed &&
              !is_watched(t) && y && y->apart && y->share && !y->given_up && !y->blocks &&
              y->parts == x->parts && cw_run_exclusion_may(t);

    for (uint32_t i = 0; so && i < x->parts; i++)
        so = y->part[i].at.place == x->part[i].at.place;
    return so;
}

/* The launch behind `last` of the train with this number; NULL: there is none. */
static struct cw_run_tiles *behind(const struct cw_run_tiles *last, uint64_t number)
{
    struct cw_run_tiles *found = NULL;

    for (uint32_t i = 0; i < last->whole->edges.n; i++) {
        uintptr_t edge = last->whole->edges.to[i];
        struct cw_run_task *t = (struct cw_run_task *)(edge & ~(uintptr_t)CW_RUN_EDGE_BITS);

        if (!t || edge & CW_RUN_AT_RETIRE)
            continue;
        t->batch.waits = t->batch.number == number ? t->batch.waits + 1 : 1;
        t->batch.number = number;
        if (!found && may_follow(last, t))
            found = t->tile.launch;
    }
    return found;
}

/* It is as if it had not been looked at. */
static void forget(struct cw_run_tiles *y)
{
    y->blocks = 0;
    for (uint32_t i = 0; i < y->parts; i++)
        y->part[i].tile.known = 0;
}

/* What is valid where is as after the launches that were played. */
static bool joins(struct cw_run_tiles *y)
{
    cw_run_share_bind(y);
    if (cw_run_tile_margin_goes_on(y) && is_prepared(y))
        return true;
    forget(y);
    return false;
}

static bool play(struct cw_run_rehearsal *r, const struct cw_run_tiles *x)
{
    bool good = true;

    for (uint32_t i = 0; good && i < x->parts; i++)
        good = cw_run_spread_rehearsal_play(r, &x->part[i], x->part[i].tile.known, false);
    for (uint32_t i = 0; good && i < x->parts; i++)
        good = cw_run_spread_rehearsal_play(r, &x->part[i], x->part[i].tile.known, true);
    if (good)
        cw_run_tile_apart_go_on(x);
    return good;
}

static void find(struct cw_run_train *t)
{
    struct cw_run_rehearsal r = {0};
    uint64_t number = ++cw_run.batches;
    double ns = t->x[0]->share->cut_ns;
    struct cw_run_tiles *y;

    while (t->n < LAUNCHES && play(&r, t->x[t->n - 1]) && (y = behind(t->x[t->n - 1], number)) &&
           ((ns += y->share->cut_ns) <= CW_RUN_TRAIN_NS || cw_run.all) && joins(y))
        t->x[t->n++] = y;
    cw_run_spread_rehearsal_end(&r);
}

/* ---- made */

/* Parts claim their bytes; nothing is copied. */
static bool claim(struct cw_run_tiles *x)
{
    bool good = true;

    for (uint32_t i = 0; i < x->parts; i++) {
        struct cw_run_task *part = &x->part[i];

        part->accesses.n = part->tile.known;
        part->tile.known = 0;
        good = good && cw_run_spread_prepare(part);
    }
    return good;
}

static void unclaim(struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->parts; i++) {
        cw_run_spread_abandon(&x->part[i]);
        x->part[i].accesses.n = 0;
    }
}

/* Parts that wait for their devices show no accesses: they need not be asked whether they may claim them. */
static void hide(struct cw_run_task *part, bool hides)
{
    uint32_t n = part->accesses.n;

    part->accesses.n = part->tile.known;
    part->tile.known = hides ? n : 0;
}

/* A launch behind the first begins with it. */
static void couple(struct cw_run_train *t, struct cw_run_tiles *y)
{
    y->train = t;
    for (uint32_t i = 0; i < y->blocks; i++) {
        struct cw_run_task *part = &y->part[y->block[i].part];

        y->block[i].taken = true;
        part->window.index = i;
        part->state = CW_RUN_RUNNING;
        part->begun = false;
    }
    cw_run_worker_starts(y->whole);
    cw_run_spread_claim(y->whole);
}

void cw_run_tile_train_form(struct cw_run_tiles *x)
{
    struct cw_run_train *t = may_begin(x) ? calloc(1, sizeof *t) : NULL;
    bool good = t;

    if (!t)
        return;
    *t = (struct cw_run_train){.x[0] = x, .n = 1, .left = x->parts};
    find(t);
    for (uint32_t k = 0; t->n > 1 && k < t->n; k++)
        good &= claim(t->x[k]);
    if (t->n > 1 && good) {
        x->train = t;
        for (uint32_t i = 0; i < x->parts; i++)
            hide(&x->part[i], true);
        for (uint32_t k = 1; k < t->n; k++)
            couple(t, t->x[k]);
        t->began_ns = cw_run_global_lock_now_ns();
        cw_run.counts.trains++;
        cw_run.counts.coupled += t->n;
        return;
    }
    for (uint32_t k = 0; t->n > 1 && k < t->n; k++)
        unclaim(t->x[k]);
    for (uint32_t k = 1; k < t->n; k++)
        forget(t->x[k]);
    free(t);
}

/* ---- run */

/* Lock not held. */
static cl_int hand_over(const struct cw_run_train *t, uint32_t number)
{
    const struct cw_run_task *first = &t->x[0]->part[number];
    const struct cw_run_context_device *p = &first->queue->context->places[first->at.place];
    cl_command_queue queue = NULL;
    cl_int err = CL_SUCCESS, ended;

    for (uint32_t k = 0; err == CL_SUCCESS && k < t->n; k++) {
        err = cw_run_tile_submit(&t->x[k]->part[number], &queue, NULL);
        if (err == CL_SUCCESS && !k)
            cw_next.clFlush(queue);
    }
    ended = queue ? cw_next.clFinish(queue) : CL_SUCCESS;
    err = err == CL_SUCCESS ? ended : err;
    if (err != CL_SUCCESS && cw_run_quarantine_is_due(err))
        p->lane->quarantine.fails = true;
    return err;
}

/* Launch `k` has ended well. All took as long as each other, for each work-group. */
static void ends_well(struct cw_run_train *t, uint32_t k, uint64_t now)
{
    struct cw_run_tiles *x = t->x[k];
    uint64_t each = (now - t->began_ns) / t->n;

    x->began_ns = now - each;
    for (uint32_t i = 0; i < x->parts; i++) {
        struct cw_run_task *part = &x->part[i];
        uint64_t ns = part->measure.took_ns;

        part->time.at[2] = part->time.at[3] - ns * (t->n - k);
        part->time.at[3] -= ns * (t->n - k - 1);
        cw_run_tile_apart_over(part, CL_COMPLETE);
        cw_run_tile_part_has_run(x, part, ns);
    }
}

static void fails(const struct cw_run_train *t, uint32_t k)
{
    struct cw_run_tiles *x = t->x[k];

    unclaim(x);
    cw_run_tile_part_refuses(x, &x->part[0], t->status);
}

/* All parts have run. */
static void end(struct cw_run_train *t)
{
    uint64_t now = cw_run_global_lock_now_ns();

    cw_run_watch_block_over();
    for (uint32_t k = 0; k < t->n; k++) {
        struct cw_run_tiles *x = t->x[k];

        if (t->status < 0)
            fails(t, k);
        else
            ends_well(t, k, now);
        x->train = NULL;
        for (uint32_t i = 0, parts = x->parts; i < parts; i++) {
            x->part[i].state = CW_RUN_DONE;
            cw_run_tile_part_ends(x);
        }
    }
    free(t);
}

void cw_run_tile_train_run(struct cw_run_task *part)
{
    struct cw_run_train *t = part->tile.part_of->train;
    uint32_t number = (uint32_t)(part - part->tile.part_of->part);
    uint64_t start = cw_run_global_lock_now_ns(), ns;
    cl_int status;

    hide(part, false);
    cw_run_global_lock_give();
    status = hand_over(t, number);
    cw_run_global_lock_take();
    ns = (cw_run_global_lock_now_ns() - start) / t->n;
    for (uint32_t k = 0; k < t->n; k++) {
        t->x[k]->part[number].measure.took_ns = ns;
        t->x[k]->part[number].time.at[3] = start + t->n * ns;
    }
    if (status < 0 && t->status == CL_SUCCESS)
        t->status = status;
    if (status < 0 && cw_run_quarantine_is_due(status))
        cw_run_quarantine_begin(&cw_run.lanes[part->at.lane], status, false);
    if (!--t->left)
        end(t);
}
