/* groups_order.h - priority numbers, blocks and groups over a net of tiles: the inside of groups.h. */
#ifndef CW_GROUPS_ORDER_H
#define CW_GROUPS_ORDER_H

#include "groups.h"

#include <stddef.h>
#include <stdint.h>

/* The memory that the tiles of priority groups touch, cut into pieces, and which tiles depend
 * on which.
 *
 * All ends of ranges cut the address space into *pieces*; each access is a run of them. Tiles are numbered in
 * program order: base[s] + i is tile i of step s. */

enum { CW_GROUPS_TILES_MAX = 1 << 22 };

struct cw_groups_run {
    uint32_t low, high; /* pieces [low, high) */
};

struct cw_groups_net {
    const struct cw_groups_step *step; /* borrowed */
    uint32_t steps, tiles;
    uint32_t *base;            /* steps + 1 entries */
    uint32_t *step_of;         /* of each tile */
    size_t *access_base;       /* steps + 1: the first access of each step in `run` */
    struct cw_groups_run *run; /* of each access */
    uint64_t *bound;           /* pieces + 1 ends, ascending; piece k is [bound[k], bound[k + 1]) */
    uint32_t pieces;
    uint64_t bytes;     /* of all pieces that are touched: between ranges lie others */
    size_t *pred_start; /* tiles + 1 */
    uint32_t *pred;     /* tiles that a tile depends on, each once, no order; all of earlier steps */
};

/* RAW, WAR and WAW, but WAW where a later step's read stands between (the order follows from the other two).
 * Errors: CW_ERR_INVALID, CW_ERR_LIMIT, CW_ERR_NOMEM; finish in any case. */
enum cw_status cw_groups_net_init(struct cw_groups_net *net, const struct cw_groups_step *step,
                                  uint32_t steps, struct cw_error *err);
void cw_groups_net_finish(struct cw_groups_net *net);

/* Tiles of a step in dimension `d`, and the coordinate of its tile `i` there. */
static inline uint32_t cw_groups_grid(const struct cw_groups_step *step, uint32_t d)
{
    return step->grid[0] ? step->grid[d] : d == 0 ? step->tiles : 1;
}

static inline uint32_t cw_groups_coordinate(const struct cw_groups_step *step, uint32_t i, uint32_t d)
{
    for (uint32_t inner = CW_GROUPS_DIMS - 1; inner > d; inner--)
        i /= cw_groups_grid(step, inner);
    return i % cw_groups_grid(step, d);
}

static inline uint64_t cw_groups_piece_bytes(const struct cw_groups_net *net, uint32_t piece)
{
    return net->bound[piece + 1] - net->bound[piece];
}

/* Runs of tile number `tile`: *count of them. */
static inline const struct cw_groups_run *cw_groups_runs(const struct cw_groups_net *net, uint32_t tile,
                                                         uint32_t *count,
                                                         const struct cw_groups_access **access)
{
    uint32_t s = net->step_of[tile], i = tile - net->base[s];

    *count = net->step[s].accesses;
    *access = net->step[s].access + (size_t)i * *count;
    return net->run + net->access_base[s] + (size_t)i * *count;
}

/* Coordinates and priorities count in this fraction of a tile, so that they are exact. */
enum { CW_GROUPS_UNIT = 1 << 16 };

/* The key that decides a tile's place. */
struct cw_groups_key {
    uint32_t block, group;
    uint32_t row;          /* group in the first dimension */
    uint32_t late, worker; /* late: apart, and it depends on another worker's tiles of its block */
    int64_t priority;      /* P in the dimension that workers share; rule max: P */
    uint32_t tile;         /* in program order, so by step, then by tile */
};

struct cw_groups_order {
    const struct cw_groups_net *net;
    const struct cw_groups_options *options;
    uint32_t dims;                 /* of the steps' grids, at least 1 */
    uint32_t most[CW_GROUPS_DIMS]; /* tiles of the step that has most, in each */
    int64_t *at;                   /* dims coordinates of each tile */
    bool *spread;                  /* step of one tile that meets tiles far apart */
    uint32_t *block;               /* of each step */
    uint32_t *level;               /* effective step in its block */
    int64_t *shift;                /* dims of each step */
    struct cw_groups_key *key;     /* of each tile, by number: blocks ascend */
    uint32_t blocks, groups, height;
    uint32_t width[CW_GROUPS_DIMS];
    uint32_t slide; /* the dimension in which groups follow each other; those before it are cut into strips */
    int64_t reach[CW_GROUPS_DIMS];   /* R */
    int64_t forward[CW_GROUPS_DIMS]; /* the same for dependences on tiles that stand behind, where steps lean;
                                        else R */
};

/* Fills `o`. Errors: CW_ERR_NOMEM; finish in any case. */
enum cw_status cw_groups_order_init(struct cw_groups_order *o, const struct cw_groups_net *net,
                                    const struct cw_groups_options *options, struct cw_error *err);
void cw_groups_order_finish(struct cw_groups_order *o);

/* The shift of each step as if all were one block. */
enum cw_status cw_groups_shifts(struct cw_groups_order *o, const struct cw_groups_net *net,
                                struct cw_error *err);

/* Shift and effective step of `s` in the block that begins with step `first`. */
void cw_groups_place_step(struct cw_groups_order *o, uint32_t first, uint32_t s);

/* Puts steps into blocks, o->shift and o->level within them (groups_block.c). */
enum cw_status cw_groups_blocks(struct cw_groups_order *o, struct cw_error *err);

/* The same, and the bytes that go through the window of all blocks, in *bytes, as far as the widths tell. */
enum cw_status cw_groups_weigh(struct cw_groups_order *o, double *bytes, struct cw_error *err);

/* The last two, in blocks that o->block says. Errors: CW_ERR_NOMEM. */
enum cw_status cw_groups_shift_blocks(struct cw_groups_order *o, struct cw_error *err);

/* The keys of all tiles. */
void cw_groups_order_keys(struct cw_groups_order *o);

/* What the tiles of one group touch (groups.c). */
struct cw_groups_use {
    uint32_t block;
    uint64_t accessed, touched; /* bytes: of each access, and each byte once */
};

/* The memory traffic of an order of tiles: one cache, fully associative, least recently used
 * out.
 *
 * The unit is a *piece* of memory: tiles read and write whole pieces, so that the model counts
 * capacity misses (order and size decide them) and neither lines nor conflicts. A written piece is fetched
 * first, as processors do, and written back when it leaves. LRU and the stack model: Mattson, Gecsei, Slutz,
 * Traiger, IBM Systems Journal 9(2), 1970. */

struct cw_cache_traffic {
    uint64_t fetched_bytes, written_bytes; /* from and to memory; data dirty at the end count as written */
};

/* ---- many numbers in ascending order, byte by byte, the lowest first (Knuth, The Art of Computer
 * Programming 3, 5.2.5).
 *
 * Bytes that all numbers share cost a look only. Pure. */

/* Sorts a[n]; scratch[n] is overwritten. O(n) for each byte that differs. Thread-safe, cannot fail. */
void cw_radix_sort(uint64_t *a, uint64_t *scratch, size_t n);

#endif
