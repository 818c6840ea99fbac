/* tiler.h - a launch cut into tiles, and which bytes each of them touches: for callers that know launches
 * only, as reach.h. */
#ifndef CW_FOOTPRINT_TILER_H
#define CW_FOOTPRINT_TILER_H

#include <stdbool.h>
#include <stddef.h>

#include "reach.h"

/* Where a buffer argument lies: arguments of one allocation (not 0) may overlap. */
struct cw_tiler_place {
    uint64_t allocation;
    int64_t base; /* in it, bytes */
};

/* Bytes [begin, end) of buffer argument `arg`; false: stop, there is no memory. Tiles come in order. */
typedef bool cw_tiler_touch(void *data, uint32_t tile, uint32_t arg, bool write, uint64_t begin,
                            uint64_t end);

/* Of one kernel. Belongs to one thread at a time; `model` must outlive it. NULL: out of memory. */
struct cw_tiler;
struct cw_tiler *cw_tiler_create(const struct cw_model *model);
void cw_tiler_destroy(struct cw_tiler *t); /* NULL is fine */

/* Cuts `launch` (place: one for each argument) into at most `tiles` tiles, and lists the bytes that each
 * touches at most. dims 1: whole slabs of work-groups (cut.h) along the dimension that the model names; else
 * boxes, in up to so many dimensions that allow it, the highest first. Tiles are numbered in rows of the
 * lowest one. An unknown local size counts as one work-item. made[]: how many tiles in each dimension, the
 * slowest first, 1 where it is not cut; made[0] is 0: it must not be cut, or arguments are not as the model
 * takes them. False: out of memory, or `touch` said so. */
bool cw_tiler_cut(struct cw_tiler *t, const struct cw_reach_launch *launch,
                  const struct cw_tiler_place *place, uint32_t tiles, uint32_t dims, cw_tiler_touch *touch,
                  void *data, uint32_t made[3]);

/* Into how many work-groups the launch may be cut, along the dimension that the model names; 1: it must not
 * be cut. Where the local size is not known, tiler.h chooses it, as in run mode. */
uint64_t cw_tiler_groups(struct cw_tiler *t, const struct cw_reach_launch *launch,
                         const struct cw_tiler_place *place);

/* The local size of launches in tiles where the program has chosen none, and results cannot depend
 * on it. */

/* Chooses local[0 .. dims - 1] for a range of `global`; the others stay. Along the first dimension it may not
 * divide the range: see below. */
void cw_pinned_local(unsigned dims, const size_t *global, size_t local[3]);

/* Now that it is known along which dimension the range is cut. True: the last work-group along it is smaller.
 */
bool cw_pinned_settle(unsigned dim, const size_t *global, size_t local[3]);

#endif
