/* spread_claim.c - claims of memory/spread.h.
 *
 * Commands whose bytes overlap are ordered, but for those that wait for native work (memory/byte_range.c). A
 * launch is said to reach more bytes than it writes: in one memory that does no harm to a command that it is
 * not ordered with. In two it would: the bytes that one of them has written would not be valid any more. */
#include "spread_state.h"

#include "../../door/door.h"
#include "../core/global_lock.h"

static bool is_claimed(const struct cw_run_task *t, const struct cw_run_access *list, uint64_t low,
                       uint64_t high)
{
    for (const struct cw_run_access *a = list; a; a = a->next)
        if (a->task->claims && a->task != t && a->low < high && low < a->high &&
            (t->apart || cw_run_spread_memory_of(a->task) != cw_run_spread_memory_of(t)))
            return true;
    return false;
}

bool cw_run_spread_may_claim(const struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        if (a->region->root && (is_claimed(t, a->region->writes, a->low, a->high) ||
                                (a->write && is_claimed(t, a->region->reads, a->low, a->high))))
            return false;
    }
    return true;
}

void cw_run_spread_release(struct cw_run_task *t)
{
    t->claims = false;
    for (uint32_t i = 0; i < cw_run.num_lanes; i++)
        cw_run.lanes[i].blocked = false; /* they look again */
    cw_run_global_lock_tell();
}

/* The vendor counts maps that it has made itself. */
static bool is_mapped(const struct cw_run_memory *root)
{
    cl_uint maps = 0;

    cw_next.clGetMemObjectInfo((cl_mem)(uintptr_t)root->r.handle, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL);
    return root->maps || maps;
}

bool cw_run_spread_may_be_here(const struct cw_run_task *t)
{
    bool may = !cw_run_spread_is_away(t) || (!t->unordered && !t->queue->context->native_calls);

    for (uint32_t i = 0; may && cw_run_spread_is_away(t) && i < t->launch.kernel->count; i++)
        may = !t->launch.args[i].memory || !is_mapped(t->launch.args[i].memory->root);
    return may;
}
