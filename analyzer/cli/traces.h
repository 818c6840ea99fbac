/* traces.h - traces as commands take them: a part of one, with footprints of kernels. */
#ifndef CW_TRACES_H
#define CW_TRACES_H

#include "../graph/selection.h"
#include "frame/cli.h"
#include "../graph/trace_reach.h"

/* The rows of every command that takes a part of a trace (graph/selection.h). */

/* Of option tables whose values are a `T` with a struct cw_selection `selection`. */
#define CW_SELECTION_ROW(T, name, argument, help)                                                            \
    {                                                                                                        \
#name, 0, CW_CLI_STRING, offsetof(T, selection.name), argument, NULL, help                           \
    }
#define CW_SELECTION_ROWS(T)                                                                                 \
    CW_SELECTION_ROW(                                                                                        \
        T, from, "TIME",                                                                                     \
        "only commands that were enqueued so long behind the start of recording, as 1.5s or 200ms"),         \
        CW_SELECTION_ROW(T, to, "TIME", "only commands that were enqueued before that"),                     \
        CW_SELECTION_ROW(T, commands, "A..B", "only commands A to B, also as A.., ..B and A"),               \
        CW_SELECTION_ROW(T, windows, "A..B",                                                                 \
                         "only windows A to B: window 0 ends with the first call that blocks"),              \
        CW_SELECTION_ROW(                                                                                    \
            T, kernel, "RE",                                                                                 \
            "only launches of kernels whose name the extended regular expression matches, and waits that "   \
            "join several of them")

/* Complains about options that say nothing; false then. */
bool cw_selection_options_check(const struct cw_selection *s);

/* The tool's way to graphs with kernel footprints. */

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
enum cw_status cw_footprints_stored(struct cw_trace_reach *reach, const struct cw_trace *t,
                                    struct cw_error *err);

#endif
