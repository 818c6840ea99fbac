/* ldcp.h - LDCP: the longest dynamic critical path first; for the policies ldcp and h2gs.
 *
 * Daoud, Kharma: A high performance algorithm for static task scheduling in heterogeneous distributed
 * computing systems, JPDC 68(4), 2008. */
#ifndef CW_LDCP_H
#define CW_LDCP_H

#include "plan.h"

/* Places every task that is not placed yet. O(tasks x (tasks + edges)). Errors: CW_ERR_NOMEM, those of
 * cw_plan_place. */
enum cw_status cw_ldcp_plan(struct cw_plan *plan, struct cw_error *err);

#endif
