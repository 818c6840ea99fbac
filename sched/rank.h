/* rank.h - upward and downward ranks in exact integers, and the critical path that follows from them.
 *
 *   rank_u(i) = w(i) + max over successors j of (c(i,j) + rank_u(j))            Topcuoglu et al. 2002,
 * equation 6 rank_d(i) = max over predecessors j of (rank_d(j) + w(j) + c(j,i))          equation 8
 *
 * w(i) is the mean of the finite costs of i, c the mean transfer time (cw_platform_mean_comm).
 *
 * Doubles would break ties by rounding: on the graph of the HEFT paper rank_u(n3) = rank_u(n4) = 80 exactly,
 * and sums of rounded means reverse the two. So every rank is an integer multiple of 1/scale, where scale = D
 * * M, M = the least common multiple of the numbers of finite costs that occur, so that means are whole, D =
 * the least of 10^0 .. 10^9, then 2^1 .. 2^52, that makes every cost and mean transfer time whole. Then every
 * rank is exact. When no D does, or scale would let the longest path reach 2^62, the scale is instead the
 * largest power of two that keeps every path below 2^62, and each mean is rounded to it once: then ranks are
 * not exact but still integers, so that comparison is transitive and the order is the same on every machine.
 */
#ifndef CW_RANK_H
#define CW_RANK_H

#include "graph.h"
#include "platform.h"

struct cw_ranks {
    const struct cw_graph *graph;
    const struct cw_platform *platform;
    double scale;  /* integers per time unit */
    bool exact;    /* no rounding took place */
    int64_t *mean; /* w of each task, in 1/scale */
    int64_t *up;   /* rank_u */
    int64_t *down; /* rank_d; NULL unless asked for */
    /* internal: how means become integers */
    double unit;    /* D, or the power of two */
    int64_t factor; /* M, or 1 */
};

/* Computes the ranks of all tasks in O(tasks x devices + edges). `down`: also rank_d. The graph and platform
 * must outlive it. Errors: CW_ERR_NOMEM; `r` is then empty. */
enum cw_status cw_ranks_init(struct cw_ranks *r, const struct cw_graph *g, const struct cw_platform *p,
                             bool down, struct cw_error *err);
void cw_ranks_finish(struct cw_ranks *r); /* safe on a zeroed struct */

/* The mean transfer time of an edge that carries `data`, in 1/scale. */
int64_t cw_ranks_comm(const struct cw_ranks *r, double data);

/* The cost of task `i` on device `p`, finite, in 1/scale. */
int64_t cw_ranks_cost(const struct cw_ranks *r, uint32_t i, uint32_t p);

/* Static levels: rank_u without transfers. Writes one per task to `level`. */
void cw_ranks_levels(const struct cw_ranks *r, int64_t *level);

/* The critical path of CPOP: from the entry of highest rank_u + rank_d always to the successor of highest
 * rank_u + rank_d (lowest id on ties), until an exit. Needs `down`. Writes at most graph->tasks ids to `path`
 * and returns how many. */
uint32_t cw_ranks_critical_path(const struct cw_ranks *r, uint32_t *path);

#endif
