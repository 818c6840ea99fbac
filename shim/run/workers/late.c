/* late.c - see workers/late.h. */
#include "late.h"

#include "../../../sched/whole.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../core/thresholds.h"
#include "../memory/coherence.h"
#include "../memory/spread.h"
#include "worker.h"

void cw_run_late_begins(struct cw_run_worker *l, const struct cw_run_task *t)
{
    double ns = t->work == CW_RUN_LAUNCH ? t->launch.kernel->known->mean_ns[l->number] : 0;

    if (cw_run.chaos && cw_run_fault_planted != CW_RUN_FAULT_SLOW)
        return; /* the lot says where commands run, however busy the machine is */
    l->late_at_ns = cw_run_global_lock_now_ns() + CW_RUN_FAR_LATE_NS +
                    cw_whole_from(CW_RUN_FAR_LATE_TIMES * ns, INT64_MAX);
}

void cw_run_late_ends(struct cw_run_worker *l)
{
    l->late_at_ns = 0;
}

bool cw_run_late_is(const struct cw_run_worker *l)
{
    return CW_UNLIKELY(l->late_at_ns) && cw_run_global_lock_now_ns() >= l->late_at_ns;
}

static bool send_one_home(struct cw_run_worker *l)
{
    uint32_t i = 0;
    struct cw_run_task *t;

    while (i < l->num_ready && l->heap[i]->at.home == l->number)
        i++;
    if (i == l->num_ready)
        return false;
    t = cw_run_worker_take(l, i);
    t->state = CW_RUN_LINKED;
    t->launch.kernel->memo.left = 0;
    t->at.lane = t->at.home;
    t->at.place = t->queue->home;
    cw_run_spread_release(t);
    cw_run_worker_ready(t);
    cw_run.counts.relieved++;
    return true;
}

uint64_t cw_run_late_look(bool *any)
{
    uint64_t now = 0, look = 0;

    *any = false;
    for (uint32_t i = 0; i < cw_run.num_lanes; i++) {
        struct cw_run_worker *l = &cw_run.lanes[i];

        if (!l->late_at_ns || !l->num_ready)
            continue;
        now = now ? now : cw_run_global_lock_now_ns();
        if (now < l->late_at_ns)
            look = look && look < l->late_at_ns ? look : l->late_at_ns;
        while (now >= l->late_at_ns && send_one_home(l))
            *any = true;
    }
    return look;
}
