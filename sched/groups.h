/* groups.h - priority groups (A8): an order for the tiles of several launches in which data stay in cache.
 *
 * A *step* is one launch (or any other command that can be done piece by piece), its *tiles* are ranges of it
 * along the dimension that it is cut in, in the order of their coordinate. The bytes that tiles touch decide
 * which tile depends on which: nothing is declared. Tiles of one step never depend on each other (they may be
 * cut). Steps may have different numbers of tiles: tile i of n stands at (i + 1/2) / n of the way, unless its
 * predecessors are elsewhere (a kernel over a border, a step of one tile): then it stands amid that. A step
 * of one tile that meets tiles half of the way apart (a reduction, a kernel that cannot be cut) ends a
 * *block*.
 *
 * Blocks are done one after the other. In a block each tile has a priority P, a coordinate in tiles of the
 * step that has most of them, and tiles go by group = floor(P / width), lower groups first:
 *   skew (clweave's)   P(t, x) = x + shift(t); shift(t) = max over dependences (s, y) -> (t, x) of shift(s) +
 *                      y - x, so R for each step that depends on neighbours R tiles away, and none for one
 *                      that does not
 *   max (the patent)   P(t, x) = max over the tiles that (t, x) depends on; in the block's first steps max
 *                      over the neighbourhood of x, min(x + R, last)
 *   by step            no block reorders: program order. The baseline
 * Within a group by step, then tile: that is in the order of dependence, as P never falls along one. The
 * source is the patent of the Institute of Computing Technology (CAS) on priority groups from data topology;
 * Algorithm A8. The model of height and width is clweave's: the bytes that a window of (shift of the
 * block + width + 2 R) tiles touches fit in the cache. The patent's bound on reuse is options.reuse: the
 * model's groups are the largest that fit, and smaller ones reuse less.
 *
 * *Grids.* A step may be cut in up to three dimensions: its tiles are numbered row by row, and each has a
 * coordinate, an R, a shift and a P in each dimension. Skewed groups are boxes of the grid, P / width in each
 * dimension, in the order of rows: no P falls along a dependence, so neither does that order. The patent's
 * maximum is that of the numbers of tiles, P(1, x) that of the corner x + R. The model keeps rows whole where
 * the window over them fits. Else it cuts the outer dimensions into strips, which a window goes along in the
 * next one; what that costs at the strips' borders is weighed against the steps that a block then takes.
 *
 * *Steps that lean.* Tiles that are cut at other places in each step, so that a tile's neighbours of the step
 * before lie in its own column and the one before, need no tile more for each step than the stencil is wide.
 * A caller that cuts so says it: `column`, `lean`.
 *
 * *Workers apart* (clweave's, after the split tiling of stencils: Grosser, Cohen, Kelly, Ramanujam,
 * Sadayappan, Verdoolaege, GPGPU-6, 2013): each worker has a range of the coordinate for itself and a cache
 * of its own. In each block it first runs the tiles that depend on no other worker's tiles of that block,
 * group by group, then the rest, which lies at its border: so workers meet once a block, not once a group.
 *
 * Pure. Ranges are half-open byte ranges of one flat address space; low >= high: nothing. */
#ifndef CW_GROUPS_H
#define CW_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "status.h"

CW_API_BEGIN

struct cw_groups_access {
    uint64_t low, high;
    bool write;
};

enum { CW_GROUPS_DIMS = 3 };

struct cw_groups_step {
    uint32_t tiles;    /* >= 1 */
    uint32_t accesses; /* of each tile */
    const struct cw_groups_access
        *access;            /* tiles x accesses: those of tile i from access[i * accesses] on */
    const uint32_t *column; /* of each tile, ascending, < 2^20; NULL: even, as said above */
    double lean; /* where `column`: its borders lie so many tiles before those of a step that stands */
    uint32_t grid[CW_GROUPS_DIMS]; /* tiles in each dimension, the slowest first, `tiles` in all; 0 first: one
                                      dimension. The others come without `column` */
};

enum cw_groups_rule { CW_GROUPS_SKEW, CW_GROUPS_MAX, CW_GROUPS_BY_STEP };

struct cw_groups_options {
    enum cw_groups_rule rule;
    uint32_t workers; /* 1 .. : a group's tiles are bound to them: neighbours to one, or (max) by index */
    bool separate;    /* skew: workers have ranges of the coordinate, and cache_bytes is that of one worker */
    uint32_t height;  /* H: effective steps of a block; 0: by the model */
    uint32_t width;   /* gw: tiles along the coordinate of a group; 0: by the model (1 to 4 for each worker;
                        apart: 1). Of a grid: in the first dimension */
    uint32_t inner[CW_GROUPS_DIMS - 1]; /* the same in the others */
    uint64_t cache_bytes;               /* LLC/2; 0: no limit */
    double reuse;  /* theta: groups touch each of their bytes more often than that, in the mean of a
                             block; else each of its steps is one. 0: no bound. Not under chaos */
    bool measured; /* the saving is known: bytes are not counted, and stay 0; those of groups are
                             where `reuse` needs them */
    uint64_t seed; /* not 0: chaos. Random widths and heights, and any legal order of the tiles */
};

/* In order: a predecessor stands before all that depend on it. */
struct cw_groups_tile {
    uint32_t step, tile;
    uint32_t group;  /* ascending over the order but under chaos; runs on over blocks */
    uint32_t worker; /* < workers */
    uint32_t waits;  /* tiles that it depends on */
    uint32_t first,
        successors; /* of cw_groups.successor: indices into cw_groups.tile, each larger than its own */
};

struct cw_groups {
    uint32_t tiles, groups, blocks;
    struct cw_groups_tile *tile;
    uint32_t *successor;
    uint32_t height, width;                 /* of the first block, as chosen: effective steps, tiles */
    uint32_t inner[CW_GROUPS_DIMS - 1];     /* width in the other dimensions of grids */
    double inner_reach[CW_GROUPS_DIMS - 1]; /* R in them */
    double reach; /* R: the largest difference of coordinates over a dependence, in tiles (not of steps of
                     one) */
    uint64_t footprint_bytes;               /* of the largest group, without steps of one tile */
    uint64_t accessed_bytes, grouped_bytes; /* likewise: of all accesses; of all groups, each byte once a
                                               group. Their ratio is the reuse */
    uint64_t touched_bytes;                 /* fetched from memory in this order, by a cache of cache_bytes */
    uint64_t plain_bytes;                   /* the same in program order */
    uint64_t written_bytes, plain_written_bytes; /* and the bytes that go back to memory */
};

/* Orders all tiles. *out is the caller's, for cw_groups_finish; empty on failure. The same input gives the
 * same order everywhere. Errors: CW_ERR_INVALID (no step, a step without tiles, no worker), CW_ERR_LIMIT
 * (2^22 tiles; or dependences are not local: each access meets more than 64 others in the mean and there are
 * more than 2^20), CW_ERR_NOMEM. O(A log A + pieces) for A accesses. Thread-safe. */
enum cw_status cw_groups_make(const struct cw_groups_step *step, uint32_t steps,
                              const struct cw_groups_options *options, struct cw_groups *out,
                              struct cw_error *err);
void cw_groups_finish(struct cw_groups *g); /* an empty one is fine */

/* How far the borders of each step should lie before those of the first that cuts alike, in tiles of `step`:
 * the shifts above, of tiles of which some, in the middle of all, are enough. lean[steps]. Errors as above.
 */
enum cw_status cw_groups_leans(const struct cw_groups_step *step, uint32_t steps, double *lean,
                               struct cw_error *err);

CW_API_END

#endif
