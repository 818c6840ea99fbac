/* graph_summary.h - a trace's graph in numbers. */
#ifndef CW_GRAPH_SUMMARY_H
#define CW_GRAPH_SUMMARY_H

#include <stdio.h>

#include "../graph/graph_build.h"
#include "../record/trace.h"

/* Per type of command: for kernels one row each, by name. */
struct cw_summary_row {
    uint32_t type, kernel; /* kernel: an id whose name the row has, CW_NONE for other types */
    uint64_t commands, failed;
    uint64_t read_bytes, written_bytes;
    bool at_most; /* not all of these need have been touched: a kernel's footprint, a map, a rectangle's rows
                     and gaps */
    uint64_t device_ns, timed; /* of those with device times, and how many they are */
};

struct cw_graph_summary {
    struct cw_summary_row *rows; /* owned; most device time first, then most commands */
    size_t row_count;
    uint64_t enqueues, host_waits;
    uint64_t works;         /* enqueues that the vendor did not refuse and that did not fail */
    uint64_t without_times; /* of these: how long they took is not known, so that sums and chains are lower
                               bounds */
    uint64_t edges[CW_EDGE_KINDS]; /* by enum cw_edge_kind */
    uint64_t hazards[4];           /* by enum cw_hazard */
    uint64_t unproven;             /* edges that are (struct cw_edge) */
    uint64_t races;     /* data edges between commands that the program has not ordered (graph_build.h) */
    uint64_t binding;   /* pairs of commands that a binding edge joins, each counted once per edge */
    uint64_t device_ns; /* sum over commands */
    uint64_t busy_ns;   /* at least one command ran on some device; with device_ns, not more than it */
    uint64_t
        critical_path_ns;   /* longest chain of binding edges, weighted with device times; 0 without times */
    uint64_t longest_chain; /* commands that have done work on the longest chain of binding edges */
    bool timed;             /* the longest chain is one of device times, which all commands have */
    struct cw_versions versions;
};

/* The order of commands that use memory again makes the longest chain at least 1.2 times as long. */
bool cw_graph_summary_reuses(const struct cw_graph_summary *s);
/* Prints one sentence about that chain, and what versions of buffers would make of it, where it does. */
void cw_graph_summary_print_reuse(const struct cw_graph_summary *s, FILE *f);

/* Fills `s`; finish it in any case. CW_ERR_NOMEM, CW_ERR_CYCLE. O(commands + edges). */
enum cw_status cw_graph_summary_init(struct cw_graph_summary *s, const struct cw_trace *t,
                                     struct cw_error *err);
void cw_graph_summary_finish(struct cw_graph_summary *s);

/* The most that more devices could gain, as a factor of at least 1: the time in which devices were busy, of
 * the critical path. 1 without times. */
double cw_graph_summary_gain(const struct cw_graph_summary *s);

/* Prints it as tables; a failure is printed as a line. */
void cw_graph_summary_print(const struct cw_trace *t, FILE *f);

/* Prints it as one JSON object: {"commands": [...], "edges": {...}, ...}. */
enum cw_status cw_graph_summary_json(const struct cw_trace *t, FILE *f, struct cw_error *err);

#endif
