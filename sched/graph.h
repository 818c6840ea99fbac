/* graph.h - a task graph: costs per device, data per edge, both directions of adjacency.
 *
 * Model of Topcuoglu, Hariri, Wu (TPDS 2002), section 2: a directed acyclic graph of v tasks; task i costs
 * cost[i * devices + p] on device p (INFINITY: p cannot run it) and edge (i, j) carries data[e] units that
 * travel only when i and j run on devices without a common memory. Time and data have any unit as long as it
 * is one unit; traces use nanoseconds and bytes. A task whose work-groups may be shared between devices is
 * `splittable`.
 *
 * Tasks, devices and edges count from 0. Adjacency is in compressed rows, neighbours in ascending order.
 *
 * Thread-safety: a built graph is immutable and may be read by any number of threads; a builder belongs to
 * one. */
#ifndef CW_GRAPH_H
#define CW_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "api.h"
#include "status.h"

CW_API_BEGIN

/* "No such task, device or part". */
#define CW_SCHED_NONE UINT32_MAX

/* One direction of adjacency: the neighbours of task i are entries start[i] to start[i + 1] - 1. */
struct cw_adjacency {
    uint32_t *start; /* tasks + 1 entries */
    uint32_t *task;  /* the neighbour */
    double *data;    /* data that the edge carries, >= 0 */
};

struct cw_graph {
    uint32_t tasks, devices, edges;
    double *cost;             /* tasks x devices, row by row; >= 0, INFINITY = cannot run */
    struct cw_adjacency succ; /* successors of each task */
    struct cw_adjacency pred; /* predecessors of each task */
    uint32_t *topo;           /* the tasks in a topological order */
    uint64_t *groups;         /* work-groups of each task; 0 = divisible without limit */
    bool *splittable;         /* may be shared between devices */
    uint32_t *name;           /* index into `names`, CW_SCHED_NONE = unnamed */
    char **names;             /* distinct names */
    uint32_t name_count;
};

/* Describes a new task. */
struct cw_task_spec {
    const double *cost; /* one per device of the builder, copied */
    const char *name;   /* copied; NULL = unnamed */
    uint64_t groups;    /* 0 = divisible without limit */
    bool splittable;
};

struct cw_graph_builder;

/* Makes a builder for graphs over `devices` >= 1 devices. NULL when memory is out. Owner: the caller, who
 * hands it to cw_graph_builder_finish or cw_graph_builder_destroy. */
struct cw_graph_builder *cw_graph_builder_create(uint32_t devices);
void cw_graph_builder_destroy(struct cw_graph_builder *b); /* NULL allowed */

/* Adds a task; its id is the number of tasks before it. Errors: CW_ERR_INVALID (a cost is negative or not a
 * number), CW_ERR_INFEASIBLE (every cost is infinite), CW_ERR_NOMEM, CW_ERR_LIMIT (2^32 - 2 tasks). */
enum cw_status cw_graph_builder_add_task(struct cw_graph_builder *b, const struct cw_task_spec *spec,
                                         struct cw_error *err);

/* Adds an edge that carries `data`; the tasks may be added later. Several edges between the same two tasks
 * become one that carries the sum. Errors: CW_ERR_INVALID (data negative, infinite or not a number),
 * CW_ERR_CYCLE (from == to), CW_ERR_NOMEM, CW_ERR_LIMIT. */
enum cw_status cw_graph_builder_add_edge(struct cw_graph_builder *b, uint32_t from, uint32_t to, double data,
                                         struct cw_error *err);

/* Turns the builder into a graph in O(tasks x devices + edges) and destroys it, also on failure. *graph is
 * set to NULL on failure. Errors: CW_ERR_INVALID (no task; an edge names a task that does not exist),
 * CW_ERR_CYCLE (the message names the tasks of one cycle), CW_ERR_NOMEM. */
enum cw_status cw_graph_builder_finish(struct cw_graph_builder *b, struct cw_graph **graph,
                                       struct cw_error *err);
void cw_graph_destroy(struct cw_graph *g); /* NULL allowed */

/* The cost of task `i` on device `p`. */
static inline double cw_graph_cost(const struct cw_graph *g, uint32_t i, uint32_t p)
{
    return g->cost[(size_t)i * g->devices + p];
}

/* min_p cost of task `i`. */
double cw_graph_min_cost(const struct cw_graph *g, uint32_t i);

/* The task's name, or NULL. */
static inline const char *cw_graph_name(const struct cw_graph *g, uint32_t i)
{
    return g->name[i] == CW_SCHED_NONE ? NULL : g->names[g->name[i]];
}

/* Writes "task 3" or "task 3 (mul0)" for messages; long names are cut. Returns `text`. */
const char *cw_graph_describe(const struct cw_graph *g, uint32_t i, char *text, size_t size);

CW_API_END

#endif
