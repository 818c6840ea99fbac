/* graph_file.h - abstract task graphs as JSON ("clweave-graph", version 1).
 *
 *   {"format": "clweave-graph", "version": 1,
 *    "devices": [{"name": "p0", "class": "cpu"}, {"name": "d0", "class": "dsp", "memory": "ddr"}],
 *    "bandwidth": 1.0, "latency": 0.0,
 *    "tasks": [{"name": "n1", "cost": [14, 16], "groups": 64, "splittable": true}],
 *    "edges": [{"from": 0, "to": 1, "data": 18}]}
 *
 * cost      one number per device, null = the device cannot run the task
 * groups    work-groups; absent = divisible without limit
 * bandwidth one number, or a matrix by sending and receiving device (null = infinite); absent = 1
 * latency   one number, one per sending device, or such a matrix; absent = 0
 * memory    devices that name the same one exchange data for free; absent = a memory of its own
 * Tasks and devices count from 0. Keys that are not listed are ignored. */
#ifndef CW_GRAPH_FILE_H
#define CW_GRAPH_FILE_H

#include "../../sched/graph.h"
#include "../../sched/platform.h"

#define CW_GRAPH_FORMAT  "clweave-graph"
#define CW_GRAPH_VERSION 1

/* Reads a graph and the platform that it names. Both are the caller's, NULL on failure. Errors: CW_ERR_IO,
 * CW_ERR_FORMAT (with line and column, or the path of the field), CW_ERR_VERSION, and those of
 * cw_platform_create and the builder. */
enum cw_status cw_graph_file_read(const char *path, struct cw_graph **graph, struct cw_platform **platform,
                                  struct cw_error *err);

/* ---- the edges of a large graph, read without a tree of JSON values, which would take three times as long
 * and ten times the memory: for graph_file.c */

struct cw_graph_file_edge {
    uint32_t from, to;
    double data;
};

struct cw_graph_file_edges {
    struct cw_graph_file_edge *v; /* to be freed */
    size_t count, capacity;
};

/* Reads the member "edges" of the file at `path` into the empty `edges`. Returns the file's text with an
 * empty array in its place, to be freed; NULL when the file is small, or not as simple as clweave writes
 * it (faults among them, which the reader of the whole file explains): then `edges` is empty. Thread-safe. */
char *cw_graph_file_edges_take(const char *path, struct cw_graph_file_edges *edges);

#endif
