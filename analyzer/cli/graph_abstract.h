/* graph_abstract.h - clweave graph for abstract task graphs: a summary, another format, a picture; and traces
 * written as task graphs. */
#ifndef CW_GRAPH_ABSTRACT_H
#define CW_GRAPH_ABSTRACT_H

#include "../plan/graph_format.h"
#include "../record/trace.h"

/* The format of task graphs that --format `name` or else the extension of `path` asks for: stg or wfformat
 * for a trace (whose json and dot are others), any for a task graph. NULL: none; both may be NULL. */
const struct cw_graph_format *cw_graph_abstract_format(const char *name, const char *path, bool of_trace);

/* Shows (out and name NULL) or writes the task graph at `path`, which is of format `in`. json: the summary as
 * JSON. Returns an exit status, having complained. */
int cw_graph_abstract_run(const struct cw_graph_format *in, const char *path, const char *out,
                          const char *name, bool json);

/* Writes the task graph of a trace, on the trace's own devices, as `format`. Errors: those of plan_graph.h
 * and of the format. */
enum cw_status cw_graph_abstract_export(const struct cw_graph_format *format, const struct cw_trace *t,
                                        const char *out, struct cw_error *err);

#endif
