/* watch.c - see workers/worker.h. */
#include "worker.h"
#include "../core/thread.h"

#include <stdatomic.h>

#include "../core/global_lock.h"
#include "../core/state.h"
#include "../core/tile_types.h"

static _Atomic uint32_t blocks_over; /* in all */
static uint32_t watching;            /* threads */

/* Waits until the counter changes, or until `until`; lock held, given up meanwhile. True: it has changed. */
static bool watch(_Atomic uint32_t *what, uint64_t until)
{
    uint32_t before = atomic_load_explicit(what, memory_order_relaxed);
    bool same;

    watching++;
    cw_run_global_lock_give();
    do {
        cw_thread_relax();
        same = atomic_load_explicit(what, memory_order_relaxed) == before;
    } while (same && cw_run_global_lock_now_ns() < until);
    cw_run_global_lock_take();
    watching--;
    return !same;
}

bool cw_run_watch_space(void)
{
    return cw_run.running + cw_run.preparing + watching < cw_thread_processors();
}

void cw_run_watch_begins(struct cw_run_worker *l)
{
    struct cw_run_watch *w = &l->watch;

    w->until_ns = cw_run_trial_passes(&w->rest) ? 0 : cw_run_global_lock_now_ns() + CW_RUN_WAKE_NS;
}

bool cw_run_watch_worker(struct cw_run_worker *l)
{
    struct cw_run_watch *w = &l->watch;
    uint64_t until = w->until_ns;

    w->until_ns = 0;
    if (!until || !cw_run_watch_space() || cw_run_global_lock_now_ns() >= until)
        return false;
    if (watch(&w->pushed, until))
        w->rest = (struct cw_run_trial){0};
    else if (cw_run_trial_fails(&w->rest))
        cw_run_trial_rest(&w->rest, CW_RUN_REST_LOOKS, 0, 1);
    return true;
}

void cw_run_watch_block_over(void)
{
    atomic_fetch_add_explicit(&blocks_over, 1, memory_order_relaxed);
}

bool cw_run_watch_parts(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = t && t->state == CW_RUN_RUNNING ? cw_run_tiles_of(t) : NULL;
    uint64_t now, until = x ? x->until_ns : 0;

    if (!until || !cw_run_watch_space())
        return false;
    now = cw_run_global_lock_now_ns();
    if ((until > now + CW_RUN_WAKE_NS && !t->queue->synchronous) || now >= until + CW_RUN_WAKE_NS)
        return false;
    watch(&blocks_over, until + CW_RUN_WAKE_NS);
    return true;
}
