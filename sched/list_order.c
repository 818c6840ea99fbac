#include "list_order.h"
#include "rank.h"
#include "ready_list.h"

#include <stdlib.h>

enum cw_status cw_list_order_by_rank(const struct cw_plan *plan, uint32_t **order, uint32_t *count,
                                     struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    struct cw_ranks ranks = {0};
    enum cw_status status;

    *count = 0;
    *order = malloc(g->tasks * sizeof **order);
    if (!*order)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the order of %u tasks", g->tasks);
    status = cw_ranks_init(&ranks, g, plan->platform, false, err);
    if (status == CW_OK)
        status = cw_ready_list_order(g, ranks.up, *order, err);
    cw_ranks_finish(&ranks);
    if (status != CW_OK) {
        free(*order);
        *order = NULL;
        return status;
    }
    for (uint32_t k = 0; k < g->tasks; k++)
        if (plan->schedule->task[(*order)[k]].parts == 0)
            (*order)[(*count)++] = (*order)[k];
    return CW_OK;
}
