/* graph_file_edges.h - the edges of a large clweave-graph, read without a tree of JSON values, which would
 * take three times as long and ten times the memory. */
#ifndef CW_GRAPH_FILE_EDGES_H
#define CW_GRAPH_FILE_EDGES_H

#include <stddef.h>
#include <stdint.h>

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
