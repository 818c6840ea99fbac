/* extents.h - in which memories each byte of a buffer is valid: a sorted list of byte ranges, each with a
 * mask of memories.
 *
 * The ranges of a struct cw_extents are disjoint and cover [0, bytes); neighbours with equal masks are
 * one. Pure: no OpenCL, no lock; one thread at a time. */
#ifndef CW_EXTENTS_H
#define CW_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

struct cw_extent {
    uint64_t low, high; /* bytes: [low, high) */
    uint64_t valid;     /* bit s: these bytes are valid in memory s */
};

struct cw_extents {
    uint64_t bytes;
    uint32_t n, capacity;
    uint32_t promised; /* further ranges for which there is room: cw_extents_reserve */
    struct cw_extent *of;
};

/* All `bytes` bytes, at least one, are valid in `valid`. False: no memory. The caller calls
 * cw_extents_finish. */
bool cw_extents_init(struct cw_extents *e, uint64_t bytes, uint64_t valid);
void cw_extents_finish(struct cw_extents *e);

/* Each change of a range may add two ranges. cw_extents_reserve makes room for so many later changes, beside
 * those that are promised already; false: no memory, and nothing is promised. cw_extents_change needs one of
 * them, which it uses up. cw_extents_return gives promised changes back. */
bool cw_extents_reserve(struct cw_extents *e, uint32_t changes);
void cw_extents_return(struct cw_extents *e, uint32_t changes);

/* In [low, high), cut to the buffer: valid = (valid & keep) | set. */
void cw_extents_change(struct cw_extents *e, uint64_t low, uint64_t high, uint64_t keep, uint64_t set);

/* The first piece of [low, high) that is not valid in all memories of `where`, in *piece, cut to [low, high).
 * False: there is none. */
bool cw_extents_missing(const struct cw_extents *e, uint64_t low, uint64_t high, uint64_t where,
                        struct cw_extent *piece);

#endif
