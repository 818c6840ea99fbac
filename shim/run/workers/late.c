/* late.c - see workers/worker.h. */
#include "worker.h"

#include "../../../sched/whole.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"

/* A launch with a usual time of `ns` counts as one that never ends. */
static uint64_t hung_ns(double ns)
{
    return ns > 0 ? CW_RUN_MOST_NS + cw_whole_from(CW_RUN_FAR_HUNG_TIMES * ns, INT64_MAX)
                  : CW_RUN_FAR_HUNG_NEW_NS;
}

void cw_run_late_begins(struct cw_run_worker *l, const struct cw_run_task *t, bool alone)
{
    double ns = t->work == CW_RUN_LAUNCH ? t->launch.kernel->known->mean_ns[l->number] : 0;
    enum cw_run_fault planted = cw_run_fault_planted;
    uint64_t now;

    if ((cw_run.chaos || planted) && planted != CW_RUN_FAULT_SLOW && planted != CW_RUN_FAULT_HUNG)
        return; /* the lot says where commands run, however busy the machine is */
    if (cw_run.timer_asleep)
        cw_run.timer_wanted = true;
    now = l->began_ns = cw_run_global_lock_now_ns();
    l->late_at_ns = now + CW_RUN_BUILD_NS + cw_whole_from(CW_RUN_FAR_LONGER * ns, INT64_MAX);
    if (alone && t->work == CW_RUN_LAUNCH && !t->launch.tiles && !t->launch.group.run && l->has_thread &&
        !l->home)
        l->hung_ns = hung_ns(ns);
}

void cw_run_late_ends(struct cw_run_worker *l)
{
    l->late_at_ns = l->hung_ns = 0;
}

bool cw_run_late_watches(void)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        const struct cw_run_worker *l = &cw_run.workers[i];

        if (CW_UNLIKELY(l->late_at_ns) && (!l->quarantine.hung || cw_run.unfinished))
            return true;
    }
    return false;
}
