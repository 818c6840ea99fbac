/* generate.h - random task graphs of the papers, the same for the same seed on every machine.
 *
 * Every function hands back a graph and its platform, both the caller's and NULL on failure. Errors:
 * CW_ERR_INVALID (an option out of its range), CW_ERR_NOMEM. Thread-safe. */
#ifndef CW_GENERATE_H
#define CW_GENERATE_H

#include "graph.h"
#include "platform.h"

/* Topcuoglu, Hariri, Wu, TPDS 2002, section 5.1.1. Tasks lie on about sqrt(v) / shape levels of about sqrt(v)
 * * shape tasks (uniform around the mean); each task has `out_degree` successors (fewer near the end) drawn
 * from the next level, then from later ones, and every task below the first level has a predecessor one level
 * up. The mean cost of a task is U(0, 2 * mean_cost), on one device U(1 - heterogeneity / 2, 1 +
 * heterogeneity / 2) times that. An edge carries U(0, 2 * ccr * mean_cost) at bandwidth 1. */
struct cw_topcuoglu {
    uint32_t tasks;       /* v >= 1 */
    uint32_t devices;     /* >= 1 */
    double shape;         /* alpha > 0 */
    uint32_t out_degree;  /* >= 1 */
    double ccr;           /* communication to computation ratio >= 0 */
    double heterogeneity; /* beta in 0 .. 2 */
    double mean_cost;     /* > 0 */
    uint64_t seed;
};
enum cw_status cw_generate_topcuoglu(const struct cw_topcuoglu *o, struct cw_graph **graph,
                                     struct cw_platform **platform, struct cw_error *err);

/* The random graphs of the HXDSP paper (Gu, Ning, Zheng 2022, table 2; a reconstruction): each task draws
 * `out_degree` distinct successors uniformly from the later ones (all of them near the end); a task costs w ~
 * U(5, 95) on every DSP and 1.1 * w * U(0.5, 1.5) on the CPU; an edge takes U(0, 100 * ccr). One CPU (device
 * 0) and `dsps` DSPs, every task divisible without limit. */
struct cw_hxdsp {
    uint32_t tasks; /* >= 1 */
    uint32_t dsps;
    uint32_t out_degree;
    double ccr; /* >= 0 */
    uint64_t seed;
};
enum cw_status cw_generate_hxdsp(const struct cw_hxdsp *o, struct cw_graph **graph,
                                 struct cw_platform **platform, struct cw_error *err);

#endif
