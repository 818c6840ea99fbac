/* list_order.h - the order in which HEFT and its descendants look at tasks. */
#ifndef CW_LIST_ORDER_H
#define CW_LIST_ORDER_H

#include "plan.h"

/* The tasks of plan->graph that are not placed yet, by descending rank_u, lowest id on ties, parents before
 * children. *order is malloc'd, the caller's, NULL on failure; *count of them. Errors: CW_ERR_NOMEM. */
enum cw_status cw_list_order_by_rank(const struct cw_plan *plan, uint32_t **order, uint32_t *count,
                                     struct cw_error *err);

#endif
