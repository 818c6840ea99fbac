/* graph_format.h - the file formats of abstract task graphs: one const struct each, in one NULL-ended table.
 *
 * clweave-graph (graph_file.h) says everything that a graph and its platform are. The others are formats in
 * which people exchange task graphs; ../FORMAT.md says how each is read and which facts get lost in it:
 *   stg       Standard Task Graph Set (Tobita, Kasahara, J. Scheduling 5(5), 2002), with and without
 *             communication costs, and its prototype
 *   wfformat  WfCommons WfFormat, versions 1.2 to 1.5 (JSON)
 *   dot       graphviz: numbers as attributes of nodes and edges
 * They know one time per task: a graph that is read has `processors` alike devices of class "cpu", each with
 * a memory of its own; --platform (platform_file.h) makes another machine of it.
 *
 * Adding a format is one file and one line. Thread-safety: formats are immutable. */
#ifndef CW_GRAPH_FORMAT_H
#define CW_GRAPH_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "../../sched/graph.h"
#include "../../sched/platform.h"

enum { CW_GRAPH_PROCESSORS = 4, CW_GRAPH_PROCESSORS_MAX = 4096 };

/* Bytes per second between the machines of a WfFormat file, which does not say: 1 Gbit/s. */
#define CW_WFFORMAT_BYTES_PER_S 125e6

/* The graph to be written. */
struct cw_graph_output {
    const struct cw_graph *graph;
    const struct cw_platform *platform;
    double unit_s;     /* seconds per unit of time of the graph: 1e-9 for traces, 1 where it says nothing */
    const char *title; /* the name of the graph */
};

struct cw_graph_format {
    const char *name;        /* as in --format */
    const char *suffix;      /* of file names, with its dot */
    const char *description; /* one line for help */
    /* True when a file that begins with `head` (and ends with `tail`) is of this format. */
    bool (*probe)(const char *head, size_t head_bytes, const char *tail, size_t tail_bytes);
    /* Reads `path`. `processors`: alike devices for formats that name none; 0: as the file says, else
     * CW_GRAPH_PROCESSORS. Both results are the caller's, NULL on failure. Errors: CW_ERR_IO, CW_ERR_FORMAT
     * (file, line and column, or file and path of the field), CW_ERR_VERSION, CW_ERR_NOMEM, those of the
     * builder. */
    enum cw_status (*read)(const char *path, uint32_t processors, struct cw_graph **graph,
                           struct cw_platform **platform, struct cw_error *err);
    /* Writes to `f`; the caller looks at its error flag. Errors: CW_ERR_UNSUPPORTED (the format cannot say
     * it), CW_ERR_NOMEM. */
    enum cw_status (*write)(const struct cw_graph_output *o, FILE *f, struct cw_error *err);
};

/* All formats, ended by NULL; clweave-graph is the first. */
extern const struct cw_graph_format *const cw_graph_formats[];

/* The format called `name`, or (name NULL) the one whose suffix `path` has; NULL when there is none. */
const struct cw_graph_format *cw_graph_format_find(const char *name, const char *path);

/* The format of the file at `path`, by its suffix or its content; NULL when it looks like none of them (a
 * trace, a pipe, something else, or it cannot be read). */
const struct cw_graph_format *cw_graph_format_probe(const char *path);

/* Writes a graph as `format` to `path` (as in output.h). Errors: CW_ERR_IO and those of the format. */
enum cw_status cw_graph_format_write(const struct cw_graph_format *format, const char *path,
                                     const struct cw_graph_output *o, struct cw_error *err);

/* For readers: a platform of alike processors, p0, p1, ..., with one bandwidth. */
enum cw_status cw_graph_alike(uint32_t processors, double bandwidth, struct cw_platform **platform,
                              struct cw_error *err);
/* For readers: adds a task that costs the same everywhere. `cost` has room for `processors`. */
enum cw_status cw_graph_add_alike(struct cw_graph_builder *b, double *cost, uint32_t processors, double time,
                                  const char *name, struct cw_error *err);
/* For writers: the time that a task takes: the mean of its finite costs. */
double cw_graph_mean_cost(const struct cw_graph *g, uint32_t i);

extern const struct cw_graph_format cw_graph_format_clweave, cw_graph_format_stg, cw_graph_format_wfformat,
    cw_graph_format_dot;

#endif
