/* groups_net.h - the memory that the tiles of priority groups touch, cut into pieces, and which tiles depend
 * on which.
 *
 * All ends of ranges cut the address space into *pieces*; each access is a run of them. Tiles are numbered in
 * program order: base[s] + i is tile i of step s. */
#ifndef CW_GROUPS_NET_H
#define CW_GROUPS_NET_H

#include "groups.h"

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

/* groups_deps.c: the part of the above that finds `pred_start` and `pred`. */
enum cw_status cw_groups_net_depend(struct cw_groups_net *net, struct cw_error *err);

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

#endif
