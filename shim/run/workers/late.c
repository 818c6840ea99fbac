/* late.c - see workers/late.h. */
#include "late.h"

#include "../core/work_ops.h"

#include "../../../sched/whole.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../core/thresholds.h"
#include "../memory/coherence.h"
#include "../memory/spread.h"
#include "worker.h"

/* A launch with a usual time of `ns` counts as one that never ends. */
static uint64_t hung_ns(double ns)
{
    return ns > 0 ? CW_RUN_FAR_HUNG_NS + cw_whole_from(CW_RUN_FAR_HUNG_TIMES * ns, INT64_MAX)
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
    l->late_at_ns = now + CW_RUN_FAR_LATE_NS + cw_whole_from(CW_RUN_FAR_LATE_TIMES * ns, INT64_MAX);
    if (alone && t->work == CW_RUN_LAUNCH && !t->tile.launch && !t->group.run && l->has_thread && !l->home)
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

static bool send_one_home(struct cw_run_worker *l)
{
    uint32_t i = 0;
    struct cw_run_task *t;

    while (i < l->num_ready && l->heap[i]->at.home == l->number)
        i++;
    if (i == l->num_ready)
        return false;
    t = cw_run_ready_take(l, i);
    if (t->ops->leave) {
        cw_run.counts.parts_relieved++;
        t->ops->leave(t);
        return true;
    }
    cw_run.counts.relieved++;
    t->state = CW_RUN_LINKED;
    t->launch.kernel->memo.left = 0;
    t->at.worker = t->at.home;
    t->at.place = t->queue->home;
    cw_run_spread_release(t);
    cw_run_worker_ready(t);
    return true;
}

/* When the launch that runs at `l` counts as one that never ends. It fails then if no other memory has the
 * bytes that it needs, for which there is more patience. */
static uint64_t hung_at(const struct cw_run_worker *l)
{
    uint64_t ns = CW_UNLIKELY(cw_run_fault_hangs(l)) ? CW_RUN_FAR_HUNG_PLANTED_NS : l->hung_ns;

    return l->began_ns + ns * (cw_run_spread_is_elsewhere(l->runs) ? 1 : CW_RUN_FAR_HUNG_ALONE);
}

static void sooner(uint64_t *look, uint64_t at)
{
    *look = *look && *look < at ? *look : at;
}

uint64_t cw_run_late_look(bool *any)
{
    uint64_t now = 0, look = 0, hung;

    *any = false;
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        struct cw_run_worker *l = &cw_run.workers[i];

        if (!l->late_at_ns || (!l->num_ready && !l->runs))
            continue;
        now = now ? now : cw_run_global_lock_now_ns();
        hung = l->runs ? hung_at(l) : 0;
        if (hung && now >= hung) {
            cw_run_worker_leave_behind(l);
            *any = true;
        } else if (hung) {
            sooner(&look, hung);
        }
        if (now < l->late_at_ns && !l->quarantine.hung) {
            sooner(&look, l->late_at_ns);
            continue;
        }
        while (send_one_home(l))
            *any = true;
    }
    return look;
}
