/* edge.h - edges between commands: one waits for another. Lock held. */
#ifndef CW_RUN_EDGE_H
#define CW_RUN_EDGE_H

#include "types.h"

/* `after` waits for `before`, if that is not over. False: out of memory, and `after` fails. All edges into a
 * command are made in one go. */
bool cw_run_edge_add(struct cw_run_task *before, struct cw_run_task *after, enum cw_run_edge edge);

#endif
