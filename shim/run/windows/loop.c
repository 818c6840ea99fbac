/* loop.c - the threads of workers: each runs the commands of one, closes windows and makes programs. */
#include "../../door/door.h"
#include "../core/global_lock.h"
#include "../core/ready.h"
#include "../core/state.h"
#include "../core/thread.h"
#include "../groups/group.h"
#include "../memory/spread.h"
#include "../tasks/foreign.h"
#include "../tiles/tile.h"
#include "../workers/worker.h"
#include "window.h"

void cw_run_loop_run(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last)
{
    if (CW_UNLIKELY(cw_run_spread_read_is(t)))
        cw_run_worker_run_read(t);
    else if (CW_UNLIKELY(cw_run.far_workers) && t->accesses.n && !cw_run_worker_fetch(l, t))
        ;
    else if (CW_UNLIKELY(cw_run_cut_launch_of(t) != NULL))
        cw_run_tile_part_run(l, t);
    else if (CW_UNLIKELY(t->work == CW_RUN_LAUNCH && t->launch.group.run))
        cw_run_group_run_part(l, t);
    else if (CW_LIKELY(!cw_run_is_group_candidate(t)) || !cw_run_group_begin(t, last))
        cw_run_worker_run_command(l, t, last);
    if (CW_UNLIKELY(cw_run.quarantines))
        cw_run_worker_save_all();
}

static void *work(void *data)
{
    struct cw_run_worker *l = data;
    struct cw_run_task *t;

    cw_run_thread_becomes_worker(true);
    cw_door_depth = 1; /* calls that come in here are the vendor's, or a callback's */
    cw_run_global_lock_take();
    while (!l->quit) {
        cw_run_worker_take_ready();
        if (l->num_ready && !l->busy && !l->blocked && (t = cw_run_worker_take_first(l))) {
            cw_run_loop_run(l, t, UINT64_MAX);
        } else if (l->opens && !l->busy && !cw_run.ending) {
            cw_run_wanted_open(l);
        } else if (!(l->num_wanted && l->kind == CW_DEVICE_KIND_GPU) && cw_run_window_is_due()) {
            cw_run_window_step(); /* a GPU's worker has what the window may wait for (windows/hold.c) */
        } else if (l->num_wanted && !l->busy && !cw_run.ending) {
            cw_run_wanted_prepare(l);
        } else if (cw_run_foreign_give_and_take()) {
            continue;
        } else if (!cw_run_watch_worker(l)) {
            l->asleep = true;
            cw_run_global_lock_kick();
            pthread_cond_wait(&l->wake, &cw_run.lock);
            l->asleep = false;
        }
    }
    cw_run_global_lock_give();
    return NULL;
}

void cw_run_loop_staff(void)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        struct cw_run_worker *l = &cw_run.workers[i];

        if (l->has_thread || l->busy || l->quit || !cw_run_has_work(l))
            continue;
        if (!l->orphan)
            l->has_thread = cw_run_thread_create(&l->thread, work, l);
        if (!l->has_thread) {
            cw_run.timer_wanted = l->orphan = true; /* that thread is there */
            cw_run_wanted_nothing(l);
        }
    }
}

bool cw_run_loop_run_orphan(void)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        struct cw_run_worker *l = &cw_run.workers[i];
        struct cw_run_task *t =
            l->orphan && l->num_ready && !l->busy && !l->blocked ? cw_run_worker_take_first(l) : NULL;

        if (!t)
            continue;
        cw_run_loop_run(l, t, UINT64_MAX);
        return true;
    }
    return false;
}

void cw_run_loop_stop_all(void)
{
    cw_run_global_lock_take();
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        cw_run.workers[i].quit = true; /* no worker begins from here on */
        pthread_cond_signal(&cw_run.workers[i].wake);
    }
    for (uint32_t i = 0; i < cw_run.num_workers && !cw_run.abandoned;
         i++) { /* else they stop where they are */
        struct cw_run_worker *l = &cw_run.workers[i];

        if (!l->has_thread || l->quarantine.hung)
            continue;
        l->has_thread = false;
        cw_run_global_lock_give();
        pthread_join(l->thread, NULL);
        cw_run_global_lock_take();
    }
    cw_run_global_lock_give();
}
