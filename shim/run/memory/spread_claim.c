/* spread_claim.c - claims of memory/spread.h.
 *
 * Commands whose bytes overlap are ordered, but for those that wait for native work (memory/byte_range.c). A
 * launch is said to reach more bytes than it writes: in one memory that does no harm to a command that it is
 * not ordered with. In two it would: the bytes that one of them has written would not be valid any more. */
#include "spread_state.h"

#include "../../door/door.h"
#include "../core/global_lock.h"
#include "native_use.h"
#include "spread_ahead.h"

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

        if (a->write && cw_run_spread_copies_ahead(a->region, a->low, a->high))
            return false;
        if (a->region->root && (is_claimed(t, a->region->writes, a->low, a->high) ||
                                (a->write && is_claimed(t, a->region->reads, a->low, a->high))))
            return false;
    }
    return true;
}

void cw_run_spread_set_claims(struct cw_run_task *t, bool claims)
{
    for (uint32_t i = 0; i < t->accesses.n && claims != t->claims; i++)
        t->accesses.of[i].region->writers += !t->accesses.of[i].write ? 0 : claims ? 1 : UINT32_MAX;
    t->claims = claims;
}

void cw_run_spread_release(struct cw_run_task *t)
{
    cw_run_spread_set_claims(t, false);
    cw_run_spread_ahead_look();
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

bool cw_run_spread_may_copy_ahead(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    const struct cw_run_memory *root = r->root;

    return !r->writers && !root->was_mapped && !root->context->native_calls && !cw_run.off &&
           !cw_run.ending && cw_run_native_use_is_over(r) && !is_mapped(root) && cw_run_spread_may_copy(r, m);
}

bool cw_run_spread_may_be_here(const struct cw_run_task *t)
{
    bool may = !cw_run_spread_is_away(t) || (!t->unordered && !t->queue->context->native_calls);

    for (uint32_t i = 0; may && cw_run_spread_is_away(t) && i < t->launch.kernel->count; i++)
        may = !t->launch.args[i].memory || !is_mapped(t->launch.args[i].memory->root);
    return may;
}
