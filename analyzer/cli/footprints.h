/* footprints.h - the tool's way to graphs with kernel footprints. */
#ifndef CW_CLI_FOOTPRINTS_H
#define CW_CLI_FOOTPRINTS_H

#include "../graph/trace_reach.h"

/* Builds the graph of `t` anew with the footprints of its kernels, where their sources are recorded. When
 * there are none, leaves it as it is or, with `bare`, builds it without them. Models are kept in the user's
 * cache. Where a source depends on the vendor's macros, the traced devices are asked, if this machine has
 * them. Says on standard error when the helper is there and does not work; with `asked` also when it is not
 * there, or refuses a source. CW_ERR_NOMEM, CW_ERR_LIMIT as cw_graph_build. */
enum cw_status cw_footprints_build(struct cw_trace *t, bool asked, bool bare, struct cw_error *err);

/* Reads the trace at `path`, JSON or a log, into `t` as cw_trace_load does; a log's graph is built with
 * footprints, so that it is that of the JSON trace. Errors as cw_trace_load. */
enum cw_status cw_footprints_load(struct cw_trace *t, const char *path, struct cw_error *err);

/* The models of the kernels of `t`, got the same way; finish it either way. CW_ERR_NOMEM. */
enum cw_status cw_footprints_reach(struct cw_trace_reach *reach, const struct cw_trace *t,
                                   struct cw_error *err);

/* The same of models that earlier commands have kept: nothing is analysed, no vendor asked. */
enum cw_status cw_footprints_kept(struct cw_trace_reach *reach, const struct cw_trace *t,
                                  struct cw_error *err);

#endif
