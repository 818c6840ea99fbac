/* relieve.c - see windows/window.h. */
#include "window.h"

#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/ready.h"
#include "../memory/spread.h"
#include "../tiles/tile.h"
#include "../workers/worker.h"

#define PLANTED_NS UINT64_C(200000000) /* the same of a launch that a test has planted */

static bool send_one_home(struct cw_run_worker *l)
{
    uint32_t i = 0;
    struct cw_run_task *t;

    while (i < l->num_ready && l->heap[i]->queue->home_worker == l->number)
        i++;
    if (i == l->num_ready)
        return false;
    t = cw_run_ready_take(l, i);
    if (t->launch.part.of) {
        cw_run.counts.parts_relieved++;
        cw_run_tile_part_leaves(t);
        return true;
    }
    cw_run.counts.relieved++;
    t->state = CW_RUN_RELEASED;
    t->launch.kernel->repeat_place.left = 0;
    cw_run_task_goes_home(t);
    cw_run_spread_release(t);
    cw_run_worker_ready(t);
    return true;
}

/* When the launch that runs at `l` counts as one that never ends. It fails then if no other memory has the
 * bytes that it needs, for which there is more patience. */
static uint64_t hung_at(const struct cw_run_worker *l)
{
    uint64_t ns = CW_UNLIKELY(cw_run_fault_hangs(l)) ? PLANTED_NS : l->hung_ns;

    return l->began_ns + ns * (cw_run_spread_is_elsewhere(l->runs) ? 1 : CW_RUN_FAR_HUNG_ALONE);
}

static void sooner(uint64_t *look, uint64_t at)
{
    *look = *look && *look < at ? *look : at;
}

static void leave_behind(struct cw_run_worker *l)
{
    struct cw_run_task *part = cw_run_worker_leave_behind(l);

    if (part)
        cw_run_tile_crew_hangs(part);
}

uint64_t cw_run_relieve_look(bool *any)
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
            leave_behind(l);
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
