/* tile_virtual.c - a shared launch on the emulated board's virtual clock.
 *
 * There, the host's time for a block says nothing about its end, so workers cannot be left to race for
 * blocks. One thread runs the blocks of all of them, in the order in which the model's time has them asked
 * for: a worker that is early there takes from the next, as on the real clock, and everything about it is
 * exact. */
#include "share.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../tasks/task.h"
#include "../workers/worker.h"

struct member {
    struct cw_run_task *part;
    struct cw_run_worker *worker;
    uint64_t at_ns; /* when it asks, or its block ends; on the clock of cw_device_now_ns */
    bool holds;     /* a block, which has run */
    bool waits;     /* for others */
    cl_int status;
};

struct cast {
    struct cw_run_tiles *x;
    struct member m[CW_RUN_WORKERS];
    uint32_t n;
};

bool cw_run_tile_virtual_may(const struct cw_run_tiles *x, const struct cw_run_task *first)
{
    if (!cw_device_clock_is_virtual() || x->several || !x->share || x->share->holder || x->blocks ||
        x->inherits)
        return false;
    for (uint32_t i = 0; i < x->parts; i++) {
        const struct cw_run_worker *l = &cw_run.workers[x->part[i].at.worker];

        if (&x->part[i] != first && (x->part[i].state != CW_RUN_READY || l->busy || l->quit))
            return false;
    }
    return true;
}

static void enlist(struct cast *c, struct cw_run_task *part)
{
    struct cw_run_worker *l = &cw_run.workers[part->at.worker];
    uint64_t offset = (uint64_t)cw_device_profiling_offset_ns();
    uint64_t ready = part->time.ready_ns > offset ? part->time.ready_ns - offset : cw_device_now_ns();

    l->busy = true;
    cw_run.running++;
    part->state = CW_RUN_RUNNING;
    c->m[c->n++] = (struct member){.part = part,
                                   .worker = l,
                                   .at_ns = ready < l->virtual_end_ns ? l->virtual_end_ns : ready,
                                   .status = CL_SUCCESS};
}

static void leaves(struct cast *c, struct member *gone)
{
    struct member m = *gone;

    *gone = c->m[--c->n];
    m.worker->busy = false;
    cw_run.running--;
    m.part->state = CW_RUN_DONE;
    cw_run_tile_part_ends(c->x);
}

/* Ends come before questions of the same moment, workers in their order. NULL: all wait. */
static struct member *earliest(struct cast *c)
{
    struct member *best = NULL;

    for (uint32_t i = 0; i < c->n; i++) {
        struct member *m = &c->m[i];

        if (m->waits)
            continue;
        if (!best || m->at_ns < best->at_ns ||
            (m->at_ns == best->at_ns &&
             (m->holds > best->holds || (m->holds == best->holds && m->part < best->part))))
            best = m;
    }
    return best;
}

/* Reports the time of its block. */
static void report(struct cast *c, struct member *m)
{
    m->holds = false;
    if (m->status >= 0)
        cw_run_tile_part_has_run(c->x, m->part, m->part->time.at[3] - m->part->time.at[1]);
    else
        cw_run_tile_part_fails(c->x, m->part, m->status);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->m[i].waits) {
            c->m[i].waits = false;
            c->m[i].at_ns = m->at_ns;
        }
    if (m->status < 0)
        leaves(c, m);
}

/* Runs a block from the moment on at which it was asked for. Lock given up meanwhile. */
static void run(struct member *m)
{
    uint64_t offset = (uint64_t)cw_device_profiling_offset_ns();

    m->part->launch.begun = false;
    m->part->time.ready_ns = m->at_ns + offset;
    cw_run_global_lock_give();
    m->status = cw_run_tile_execute(m->part);
    cw_run_global_lock_take();
    m->at_ns = m->part->time.at[3] - offset;
    m->holds = true;
}

void cw_run_tile_virtual_run(struct cw_run_task *first)
{
    struct cast c = {.x = first->launch.part.of};
    struct member *m;

    for (uint32_t i = 0; i < c.x->parts; i++) {
        if (&c.x->part[i] != first)
            cw_run_ready_remove(&c.x->part[i]);
        enlist(&c, &c.x->part[i]);
    }
    if (c.x->whole->state < CW_RUN_RUNNING)
        cw_run_worker_starts(c.x->whole);
    c.x->by_events = true;
    while (c.n) {
        m = earliest(&c);
        if (!m) {
            leaves(&c, &c.m[0]); /* no part is left that they could wait for */
            continue;
        }
        c.x->virtual_ns = m->at_ns;
        if (m->holds) {
            report(&c, m);
            continue;
        }
        switch (cw_run_tile_part_take(c.x, m->part)) {
        case CW_RUN_TAKEN:
            run(m);
            break;
        case CW_RUN_TAKEN_LATER:
            m->waits = true;
            break;
        case CW_RUN_TAKEN_NONE:
            leaves(&c, m);
            break;
        }
    }
    cw_run_worker_retire();
}
