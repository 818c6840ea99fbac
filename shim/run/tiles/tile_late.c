/* tile_late.c - blocks of cut launches on emulated DSPs that are slow or hang.
 *
 * A block that is late is not simply run again elsewhere: the late one might still write, long after the
 * program has gone on. So the DSP is stopped first (cw_device_stop), and only where the launch reads no byte
 * that it may write, atomics included: both then write the same bytes.
 * Devices that cannot be stopped are waited for. */
#include "tile.h"

#include <stdlib.h>

#include "../../../analyzer/kernels/footprint/form.h"
#include "../../../sched/whole.h"
#include "../core/global_lock.h"

static bool among_dsps(const struct cw_run_context *c)
{
    for (size_t i = 0; i < c->devices->n; i++)
        if (c->devices->device[i].dsp && !c->devices->device[i].home)
            return true;
    return false;
}

bool cw_run_tile_late_may_run_again(const struct cw_run_task *t, const struct cw_run_cut *cut)
{
    const int64_t from[] = {0, (int64_t)cut->groups};
    struct cw_arg_hulls *hulls;
    bool again;

    if (!among_dsps(t->queue->context) || cw_device_clock_is_virtual())
        return false;
    hulls = calloc((size_t)t->launch.kernel->count + 1, sizeof *hulls);
    again =
        hulls && cw_run_cut_hulls(t, cut, from, 1, hulls) && !cw_run_cut_hulls_in_place(&t->launch, hulls);
    free(hulls);
    return again;
}

uint64_t cw_run_tile_late_look(const struct cw_run_task *t)
{
    struct cw_run_tiles *x = t && t->state == CW_RUN_RUNNING ? cw_run_tiles_of(t) : NULL;
    uint64_t now, deadline;

    if (!x || !x->again || !x->share || x->until_ns <= x->began_ns)
        return 0;
    now = cw_run_global_lock_now_ns();
    deadline = x->until_ns +
               cw_whole_from(CW_RUN_LATE_SHARE * (double)(x->until_ns - x->began_ns), INT64_MAX) +
               2 * CW_RUN_WAKE_NS;
    if (now < deadline)
        return deadline;
    for (uint32_t i = 0; i < x->parts; i++) {
        const struct cw_cl_device *device = t->queue->context->places[x->part[i].at.place].device;

        if (x->part[i].state == CW_RUN_RUNNING && !device->home)
            cw_device_stop(device);
    }
    return now + 2 * CW_RUN_WAKE_NS;
}
