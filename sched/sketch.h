/* sketch.h - a task graph being drawn by a generator: costs and data from a few rules, and tiles that know
 * their last writer.
 *
 * Two kinds of machine:
 *   unlike   `devices` devices p0, p1, ... A task's mean cost is mean_cost x work, with `random` times U(0,
 * 2); on one device U(1 - heterogeneity / 2, 1 + heterogeneity / 2) times that (Topcuoglu et al. 2002) board
 * one CPU and `dsps` DSPs; a task costs mean_cost x work on a DSP and three times that on the CPU, and its 64
 *            work-groups can be shared
 * An edge carries ccr x mean_cost x weight, with `random` times U(0, 2). Functions that draw return false
 * once anything has failed, with the reason in the sketch, so that a generator may draw on and look once at
 * the end. */
#ifndef CW_SKETCH_H
#define CW_SKETCH_H

#include "generate.h"

struct cw_sketch {
    const struct cw_generate_options *o;
    struct cw_graph_builder *builder;
    struct cw_platform *platform;
    uint64_t draws; /* state of cw_random_* */
    bool random, board;
    uint32_t tasks; /* drawn so far */
    double *cost;   /* scratch */
    uint32_t *tile; /* the last task that wrote each tile, CW_SCHED_NONE = none */
    uint32_t columns;
    enum cw_status status;
    struct cw_error *err;
};

/* Begins; `tiles` = rows x columns of them, 0 for none. */
void cw_sketch_init(struct cw_sketch *s, const struct cw_generate_options *o, bool board, bool random,
                    uint32_t rows, uint32_t columns, struct cw_error *err);

/* Draws a task and returns its id. The name is `name` with `i`, or `i` and `j`, behind it (negative: none).
 */
uint32_t cw_sketch_task(struct cw_sketch *s, const char *name, double work, int64_t i, int64_t j);
void cw_sketch_edge(struct cw_sketch *s, uint32_t from, uint32_t to, double weight);

/* `task` reads tile (row, column): an edge of weight 1 from its last writer. */
void cw_sketch_read(struct cw_sketch *s, uint32_t task, uint32_t row, uint32_t column);
/* `task` reads and writes it. */
void cw_sketch_update(struct cw_sketch *s, uint32_t task, uint32_t row, uint32_t column);

/* Ends; hands over the graph and the platform. Returns the first error. */
enum cw_status cw_sketch_finish(struct cw_sketch *s, struct cw_graph **graph, struct cw_platform **platform);

#endif
