/* spread_claim.c - claims of memory/spread.h: bytes that a command uses in one memory until it is over.
 *
 * Commands whose bytes overlap are ordered, but for those that wait for native work (memory/byte_range.c).
 * A launch is said to reach more bytes than it writes: in one memory that does no harm to a command that
 * it is not ordered with. In two it would: the bytes that one of them has written would not be valid any
 * more. One after the other, in any order, they may use several: the later one fetches all that the
 * earlier one has written (cw_coherence_written). So it is enough that they do not overlap in time, which
 * claims see to:
 *
 *   - A command claims all its bytes at once, under the lock, before its first copy begins, and keeps them
 *     until its writes are noted, or it is sent elsewhere. So none waits for a claim while it has one.
 *   - The claims of commands are one list: those of a region are not enough, as an access that a later write
 *     covers is taken out of them.
 *   - Only a command in another memory is held up; a launch whose tiles work in several, by all. Commands
 *     that the vendor runs are not of them: no launch leaves home beside those (memory/native_use.h), nor
 *     beside maps. */
#include "spread_state.h"

#include "../../door/door.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "native_use.h"
#include "spread_ahead.h"

static struct cw_run_task none,
    *claims = &none; /* commands that claim bytes, by links.claims up to `none`; lock held */

static bool meet(const struct cw_run_access *a, const struct cw_run_access *b)
{
    return a->region == b->region && a->region->root && (a->write || b->write) && a->low < b->high &&
           b->low < a->high;
}

static bool share_bytes(const struct cw_run_task *t, const struct cw_run_task *other)
{
    for (uint32_t i = 0; i < t->accesses.n; i++)
        for (uint32_t j = 0; j < other->accesses.n; j++)
            if (meet(&t->accesses.of[i], &other->accesses.of[j]))
                return true;
    return false;
}

bool cw_run_spread_may_claim(const struct cw_run_task *t)
{
    uint32_t memory = cw_run_spread_memory_of(t);

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        if (a->write && cw_run_spread_copies_ahead(a->region, a->low, a->high) &&
            !cw_run_fault_since(CW_RUN_FAULT_HEEDLESS))
            return false;
    }
    for (const struct cw_run_task *other = claims; other != &none; other = other->links.claims)
        if (other != t && (cw_run_tile_fetches_itself(t) || cw_run_spread_memory_of(other) != memory) &&
            share_bytes(t, other))
            return false;
    return true;
}

/* Commands that claim bytes to write them (more: 1), or do so no longer (-1). */
static void count_writers(struct cw_run_task *t, int more)
{
    for (uint32_t i = 0; i < t->accesses.n; i++)
        t->accesses.of[i].region->writers += t->accesses.of[i].write ? (uint32_t)more : 0;
}

void cw_run_spread_claim(struct cw_run_task *t)
{
    if (t->links.claims)
        return;
    t->links.claims = claims;
    claims = t;
    count_writers(t, 1);
}

void cw_run_spread_release(struct cw_run_task *t)
{
    struct cw_run_task **at = &claims;

    if (!t->links.claims)
        return;
    while (*at != t)
        at = &(*at)->links.claims;
    *at = t->links.claims;
    t->links.claims = NULL;
    count_writers(t, -1);
    cw_run_spread_uncover(t);
    cw_run_spread_ahead_look();
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        cw_run.workers[i].blocked = false; /* they look again */
    cw_run_global_lock_tell();
}

/* The vendor counts maps that it has made itself, some those of sub-buffers at these. */
static cl_uint vendor_maps(const struct cw_run_memory *m)
{
    cl_uint maps = 0;

    cw_next.clGetMemObjectInfo((cl_mem)(uintptr_t)m->r.handle, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL);
    return maps;
}

static bool is_mapped(const struct cw_run_memory *root)
{
    bool mapped = root->maps || vendor_maps(root);
    const struct cw_run_memory *part =
        cw_device_has(&root->context->devices->device[0], CW_VENDOR_SEPARATE_PARTS) ? root->parts : NULL;

    for (; part && !mapped; part = part->next_part)
        mapped = vendor_maps(part);
    return mapped;
}

bool cw_run_spread_may_copy_ahead(const struct cw_run_region *r, const struct cw_coherence_move *m)
{
    const struct cw_run_memory *root = r->root;

    return (!r->writers || cw_run_fault_since(CW_RUN_FAULT_RASH)) && !root->was_mapped &&
           !root->context->native_calls && !cw_run.off && !cw_run.ending && cw_run_native_use_is_over(r) &&
           !is_mapped(root) && cw_run_spread_may_copy(r, m);
}

bool cw_run_spread_may_be_here(const struct cw_run_task *t)
{
    bool may = !cw_run_spread_is_away(t) || !cw_run_native_use_begins(t);

    for (uint32_t i = 0; may && cw_run_spread_is_away(t) && i < t->launch.kernel->count; i++)
        may = !t->launch.args[i].memory || !is_mapped(t->launch.args[i].memory->root);
    return may;
}
