/* tile_steps.h - launches of a trace, or tasks of a graph, as steps of tiles for priority groups
 * (sched/groups.h). */
#ifndef CW_TILE_STEPS_H
#define CW_TILE_STEPS_H

#include "../../sched/graph.h"
#include "../../sched/groups.h"
#include "../graph/trace_reach.h"

/* Steps of one chain may be reordered against each other; chains follow each other. */
struct cw_tile_steps {
    struct cw_groups_step *step; /* their accesses are owned, too */
    uint32_t *command; /* of each step: the trace's command, or the first task of the graph's level */
    uint32_t *chain;   /* of each step, ascending */
    uint32_t steps, chains;
    uint32_t cut, whole; /* launches in several tiles; commands in one */
};

/* Of a trace whose accesses are built. A kernel whose model says that it may be cut is cut into at most
 * `tiles` tiles: whole slabs of work-groups along the dimension that the model names (dims 1), or boxes in up
 * to `dims` dimensions. The bytes that each touches are evaluated. All other commands that touch memory are
 * one tile. A chain ends where the host waits (`keep_waits`), and with a command that touches unknown memory.
 * Memory objects are laid out one after the other. Errors: CW_ERR_INVALID (no such command), CW_ERR_NOMEM. *x
 * is to be finished either way. */
enum cw_status cw_tile_steps_of_trace(struct cw_tile_steps *x, const struct cw_trace *t,
                                      struct cw_trace_reach *reach, uint32_t tiles, uint32_t dims,
                                      bool keep_waits, struct cw_error *err);

/* Of a task graph: a step is all tasks that are equally far from an entry, a tile is a task, in the order of
 * ids. Each task writes memory of its own, as many bytes as the largest edge out of it carries (at least
 * one), and reads as many of its predecessors' as their edges carry. Errors: CW_ERR_NOMEM. */
enum cw_status cw_tile_steps_of_graph(struct cw_tile_steps *x, const struct cw_graph *g,
                                      struct cw_error *err);

void cw_tile_steps_finish(struct cw_tile_steps *x); /* safe on a zeroed struct */

/* The first step behind the chain of step `first`. */
uint32_t cw_tile_steps_chain_end(const struct cw_tile_steps *x, uint32_t first);

#endif
