/* tile_crew.c - one thread runs parts of a cut launch: its own, and those of devices that have threads of
 * their own.
 *
 * Where enqueueing runs the kernel (PoCL basic), each worker needs a thread. Other devices only have to be
 * handed their blocks: a thread that runs a part first hands out theirs too, then runs one of the former kind
 * itself, if there is one. So no worker has to be woken only to wake a device's thread, and no thread sleeps
 * that has work. */
#include "../../../analyzer/record/command_facts.h"
#include "../core/fault.h"
#include "../core/thread.h"
#include "share.h"
#include "tile.h"
#include "../memory/coherence.h"
#include "../workers/worker.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../tasks/task.h"

struct member {
    struct cw_run_task *part;
    struct cw_run_worker *worker;
    bool at_once;     /* its blocks run while they are enqueued, or under a model of the device's time */
    bool holds, over; /* a block, which has ended */
    cl_event event;
    cl_int status;
    uint64_t start_ns, ns; /* of the block */
};

struct crew {
    struct cw_run_tiles *x;
    struct member m[CW_RUN_WORKERS];
    uint32_t n;
};

static const struct cw_cl_device *device_of(const struct cw_run_task *part)
{
    return part->queue->context->places[part->at.place].device;
}

static bool runs_at_once(const struct cw_run_task *part)
{
    const struct cw_cl_device *device = device_of(part);

    return part->launch.part.of->several || cw_device_has(device, CW_VENDOR_IN_CALL) ||
           cw_device_is_modelled(device) || cw_run_fault_planted || cw_device_clock_is_virtual();
}

/* ---- members; lock held */

static void enlist(struct crew *c, struct cw_run_worker *l, struct cw_run_task *part)
{
    l->busy = true;
    cw_run.running++;
    part->state = CW_RUN_RUNNING;
    c->m[c->n++] = (struct member){.part = part, .worker = l, .at_once = runs_at_once(part)};
}

/* Parts that stand in the heaps of idle workers, but of those that need a thread one in all. */
static void enlist_others(struct crew *c)
{
    struct cw_run_tiles *x = c->x;
    bool occupied = false;

    for (uint32_t i = 0; i < c->n; i++)
        occupied |= c->m[i].at_once;
    for (uint32_t i = 0; i < x->parts && c->n < CW_RUN_WORKERS; i++) {
        struct cw_run_task *part = &x->part[i];
        struct cw_run_worker *l = &cw_run.workers[part->at.worker];
        bool at_once = runs_at_once(part);

        if (part->state != CW_RUN_READY || l->busy || l->quit || (at_once && occupied))
            continue;
        cw_run_ready_remove(part);
        enlist(c, l, part);
        occupied |= at_once;
    }
}

static void leaves(struct crew *c, uint32_t i, enum cw_run_taken taken)
{
    struct member m = c->m[i];

    c->m[i] = c->m[--c->n];
    m.worker->busy = false;
    cw_run.running--;
    if (m.at_once)
        cw_run_watch_begins(m.worker);
    if (taken == CW_RUN_TAKEN_LATER) {
        m.part->state = CW_RUN_RELEASED;
    } else {
        m.part->state = CW_RUN_DONE;
        cw_run_tile_part_ends(c->x);
    }
}

/* The bytes of its block are where it works. Lock given up meanwhile. */
static bool has_bytes(struct cw_run_tiles *x, struct member *m)
{
    cl_int lost;

    m->start_ns = cw_run_global_lock_now_ns(); /* they are a part of the block's time ... */
    if (cw_run_tile_memory_fetch(m->part, &lost)) {
        if (x->share && cw_run_share_stays(x)) /* ... but later launches find them there */
            m->start_ns = cw_run_global_lock_now_ns();
        return true;
    }
    cw_run_tile_part_refuses(x, m->part, lost);
    cw_run_tile_parts_wake(x);
    return false;
}

/* Those without a block take one, or leave. */
static void take_blocks(struct crew *c)
{
    for (uint32_t i = 0; i < c->n;) {
        struct member *m = &c->m[i];
        enum cw_run_taken taken;

        if (m->holds || m->status < 0) {
            if (m->holds)
                i++;
            else
                leaves(c, i, CW_RUN_TAKEN_NONE);
            continue;
        }
        taken = cw_run_tile_part_take(c->x, m->part);
        if (taken == CW_RUN_TAKEN) {
            m->holds = true;
            m->over = false;
            m->start_ns = 0;
            m->part->launch.begun = false;
            m->holds = !c->x->several || has_bytes(c->x, m);
            if (m->holds)
                i++;
            else
                leaves(c, i, CW_RUN_TAKEN_NONE);
        } else {
            leaves(c, i, taken);
        }
    }
}

/* A block of `part` has ended so. */
static void block_ends(struct cw_run_tiles *x, struct cw_run_task *part, cl_int status, uint64_t ns)
{
    if (x->several && !cw_run_tile_memory_over(part, status))
        part->launch.begun = false;
    if (status >= 0)
        cw_run_tile_part_has_run(x, part, ns);
    else
        cw_run_tile_part_fails(x, part, status);
}

/* Reports the blocks that have ended. */
static void report(struct crew *c)
{
    bool any = false;

    for (uint32_t i = 0; i < c->n; i++) {
        struct member *m = &c->m[i];

        if (!m->holds || !m->over)
            continue;
        cw_run_watch_block_over();
        block_ends(c->x, m->part, m->status, m->ns);
        m->holds = false;
        any = true;
    }
    if (any)
        cw_run_tile_parts_wake(c->x);
}

/* ---- blocks; lock not held */

static uint64_t block_ns(const struct member *m)
{
    return device_of(m->part)->dsp ? m->part->time.at[3] - m->part->time.at[1]
                                   : cw_run_global_lock_now_ns() - m->start_ns;
}

static void run_here(struct member *m)
{
    m->start_ns = cw_run_global_lock_now_ns();
    m->status = cw_run_tile_execute(m->part);
    m->ns = block_ns(m);
    m->over = true;
}

static void hand_out(struct member *m)
{
    cl_command_queue queue = NULL;

    m->start_ns = cw_run_global_lock_now_ns();
    m->status = cw_run_tile_submit(m->part, &queue, &m->event);
    m->over = m->status < 0;
    m->ns = 0;
    if (!m->over)
        cw_next.clFlush(queue);
}

/* By the device's own clock, as the thread may have looked long after the end. */
static uint64_t took_ns(const struct member *m)
{
    uint64_t now = cw_run_global_lock_now_ns(), at[4] = {0};

    if (cw_next.clGetEventProfilingInfo(m->event, CL_PROFILING_COMMAND_QUEUED, sizeof at[0], &at[0], NULL) !=
            CL_SUCCESS ||
        cw_next.clGetEventProfilingInfo(m->event, CL_PROFILING_COMMAND_END, sizeof at[3], &at[3], NULL) !=
            CL_SUCCESS ||
        !cw_event_times_are_possible(at) || at[3] == at[0] || at[3] - at[0] > now - m->start_ns)
        return now - m->start_ns;
    return at[3] - at[0];
}

/* Looks whether the block has ended. */
static bool look(struct member *m)
{
    cl_int status = cw_query_status(m->event);

    if (status > CL_COMPLETE)
        return false;
    m->status = status;
    m->ns = took_ns(m);
    if (m->part->time.wanted)
        m->part->time.at[3] = cw_run_global_lock_now_ns();
    m->over = true;
    cw_next.clReleaseEvent(m->event);
    m->event = NULL;
    return true;
}

static bool look_at_all(struct crew *c)
{
    bool any = false;

    for (uint32_t i = 0; i < c->n; i++)
        if (c->m[i].event)
            any |= look(&c->m[i]);
    return any;
}

/* Until one of those that are out has ended. `watches`: there is a processor for that. */
static void wait_for_one(struct crew *c, bool watches, uint64_t until)
{
    struct member *first = NULL;

    while (watches && cw_run_global_lock_now_ns() < until + CW_RUN_WAKE_NS) {
        if (look_at_all(c))
            return;
        for (int i = 0; i < 8; i++)
            cw_thread_relax();
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (c->m[i].event && (!first || c->m[i].start_ns < first->start_ns))
            first = &c->m[i];
    cw_next.clWaitForEvents(1, &first->event);
    look_at_all(c);
}

static void run_blocks(struct crew *c, bool watches, uint64_t until)
{
    struct member *here = NULL;
    bool over = false, out = false;

    for (uint32_t i = 0; i < c->n; i++) {
        struct member *m = &c->m[i];

        if (m->at_once)
            here = m;
        else if (!m->start_ns)
            hand_out(m);
        over |= m->over;
        out |= m->event != NULL;
    }
    if (here)
        run_here(here);
    if (out && !look_at_all(c) && !here && !over)
        wait_for_one(c, watches, until);
}

/* The block of the one member of a crew whose parts work in several memories. False: it has been left behind.
 * Lock held, given up meanwhile. */
static bool run_fetched(struct member *m)
{
    struct cw_run_task copy, *run;

    if (m->worker->memory != CW_MEMORY_HOST)
        cw_run_late_begins(m->worker, m->part, true);
    run = cw_run_worker_begins(m->worker, m->part, &copy);
    m->status = cw_run_tile_execute(run);
    cw_run_worker_ended(m->worker, m->part, run);
    if (CW_UNLIKELY(m->worker->quarantine.hung))
        return false;
    cw_run_late_ends(m->worker);
    if (m->status >= 0)
        m->status = cw_run_tile_merge_collect(m->part);
    m->ns = block_ns(m);
    return m->over = true;
}

void cw_run_tile_crew_hangs(struct cw_run_task *part)
{
    struct cw_run_tiles *x = part->launch.part.of;

    x->whole->storage = CW_RUN_LEFT;
    block_ends(x, part, part->launch.vendor, 0);
    part->state = CW_RUN_DONE;
    cw_run_tile_parts_wake(x);
    cw_run_tile_part_ends(x);
}

void cw_run_tile_crew_run(struct cw_run_worker *l, struct cw_run_task *part)
{
    struct crew c = {.x = part->launch.part.of};
    bool watches;
    uint64_t until;

    enlist(&c, l, part);
    if (c.x->whole->state < CW_RUN_RUNNING) {
        c.x->began_ns = cw_run_global_lock_now_ns();
        cw_run_worker_starts(c.x->whole);
    }
    for (;;) {
        enlist_others(&c);
        take_blocks(&c);
        if (!c.n)
            break; /* x may go now */
        if (CW_UNLIKELY(c.x->several)) {
            if (!run_fetched(&c.m[0]))
                return; /* another thread has seen to it */
            report(&c);
            continue;
        }
        watches = cw_run_watch_space();
        until = c.x->until_ns;
        cw_run_global_lock_give();
        run_blocks(&c, watches, until);
        cw_run_global_lock_take();
        report(&c);
    }
    cw_run_worker_retire();
}
