/* graph_made.h - a graph to be generated, named where a file may stand: KIND:[OPTION=VALUE,...], as
 * `topcuoglu:tasks=40,ccr=0.5,seed=7`, with the kinds and options of `clweave generate`. */
#ifndef CW_GRAPH_MADE_H
#define CW_GRAPH_MADE_H

#include "../../sched/generate.h"

/* Whether `text` begins as such a name does, and no file has it. */
bool cw_graph_made_is(const char *text);

/* Makes the graph; both results are the caller's, NULL on failure. CW_ERR_INVALID: an option that there is
 * not, or its value; those of cw_generate(). */
enum cw_status cw_graph_made(const char *text, struct cw_graph **graph, struct cw_platform **platform,
                             struct cw_error *err);

#endif
