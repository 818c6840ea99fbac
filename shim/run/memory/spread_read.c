/* spread_read.c - see memory/spread.h. */
#include <string.h>

#include "../core/global_lock.h"
#include "../staging/staging.h"
#include "spread_state.h"

/* A launch that is not over may write some of these bytes. */
static bool are_to_be_written(const struct cw_run_region *r, uint64_t low, uint64_t high)
{
    for (const struct cw_run_access *a = r->writes; a; a = a->next)
        if (a->task->work == CW_RUN_LAUNCH && a->low < high && low < a->high)
            return true;
    return false;
}

bool cw_run_spread_read_pays(const struct cw_run_region *r, uint64_t low, uint64_t high)
{
    uint32_t devices = (uint32_t)__builtin_popcountll(cw_run.direct);
    struct cw_extent piece;

    if (devices < 2 || !r->spread || !r->root->context->places->copies || r->root->was_mapped ||
        cw_run_staging_is_small((high - low) / devices, false, CL_TRUE))
        return false;
    return are_to_be_written(r, low, high) ||
           cw_extents_missing(&r->spread->valid, low, high, cw_run_spread_bit(cw_run_spread_home_of(r)),
                              &piece);
}

/* The memory to read bytes from that are valid in these. CW_MEMORY_HOST: they have to come there first,
 * unless they are there. */
static uint32_t source_of(const struct cw_run_region *r, uint64_t valid)
{
    uint32_t home = cw_run_spread_home_of(r);
    uint64_t direct = valid & cw_run_spread_direct();

    return valid & cw_run_spread_bit(home) ? home
           : direct                        ? (uint32_t)__builtin_ctzll(direct)
                                           : CW_MEMORY_HOST;
}

static bool read_by_host(struct cw_run_region *r, const struct cw_extent *piece, uint8_t *to)
{
    if (!cw_run_spread_bring(NULL, r, piece->low, piece->high, CW_MEMORY_HOST))
        return false;
    cw_run_global_lock_give();
    memcpy(to, r->root->address + piece->low, piece->high - piece->low);
    cw_run_global_lock_take();
    return true;
}

/* What a helper does not give goes by way of the host's memory, as far as memory/quarantine.h saves it. */
static cl_int read_piece(struct cw_run_task *t, const struct cw_extent *piece, uint8_t *to)
{
    struct cw_run_region *r = t->copy.from.memory->region;
    struct cw_coherence_move move = {piece->low, piece->high, source_of(r, piece->valid), CW_MEMORIES};
    cl_int err = CL_OUT_OF_RESOURCES;

    if (move.from != CW_MEMORY_HOST)
        err = cw_run_spread_copy_out(r, &move, t->queue, to);
    if (err == CL_SUCCESS || move.from == cw_run_spread_home_of(r))
        return err;
    if (read_by_host(r, piece, to))
        return CL_COMPLETE;
    cw_run_spread_lost(t);
    return CL_OUT_OF_RESOURCES;
}

/* The next bytes behind `at` that come from one memory. False: there are none before `high`. */
static bool find_piece(const struct cw_run_region *r, uint64_t at, uint64_t high, struct cw_extent *piece)
{
    const struct cw_extents *valid = &r->spread->valid;
    struct cw_extent next;

    if (!cw_extents_missing(valid, at, high, UINT64_MAX, piece))
        return false;
    while (cw_extents_missing(valid, piece->high, high, UINT64_MAX, &next) && next.low == piece->high &&
           source_of(r, next.valid) == source_of(r, piece->valid)) {
        piece->high = next.high;
        piece->valid &= next.valid;
    }
    return true;
}

/* One piece after another: the threads that copy out of pinned memory are no quicker with several devices. */
cl_int cw_run_spread_read(struct cw_run_task *t)
{
    const struct cw_run_transfer *c = &t->copy;
    const struct cw_run_region *r = c->from.memory->region;
    uint64_t low = c->from.memory->offset + c->from.offset, high = low + c->region[0];
    uint8_t *to = cw_run_bytes_address(&c->to);
    struct cw_extent piece = {.high = low};
    cl_int err = CL_COMPLETE;

    cw_run_global_lock_take();
    cw_run_spread_copies_serve(t->order.recorded);
    cw_run_spread_copies_are(CW_MOVE_READ);
    while (err >= 0 && find_piece(r, piece.high, high, &piece))
        err = read_piece(t, &piece, to + (piece.low - low));
    cw_run_spread_copies_are(CW_MOVE_NEEDED);
    cw_run_global_lock_give();
    return err;
}
