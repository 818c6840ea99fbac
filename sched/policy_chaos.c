/* policy_chaos.c - chaos: ready tasks in random order on random devices. For tests: no order that a program's
 * dependences allow may change its results. Every ready task and every device that can run it are equally
 * likely; the plan's seed decides. */
#include "policy.h"
#include "random.h"
#include "ready_list.h"

#include <math.h>
#include <stdlib.h>

static struct cw_choice anywhere(const struct cw_plan *plan, uint32_t task, uint64_t *random)
{
    const struct cw_graph *g = plan->graph;
    uint32_t able = 0, pick, p = 0;
    double cost, start;

    for (uint32_t d = 0; d < g->devices; d++)
        able += !isinf(cw_graph_cost(g, task, d));
    pick = (uint32_t)cw_random_below(random, able);
    while (isinf(cw_graph_cost(g, task, p)) || pick-- > 0)
        p++;
    cost = cw_graph_cost(g, task, p);
    start = cw_plan_start(plan, p, cw_plan_ready(plan, task, p), cost);
    return (struct cw_choice){p, start, start + cost};
}

static enum cw_status plan_chaos(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    int64_t *key = calloc(plan->graph->tasks, sizeof *key);
    struct cw_ready_list list = {0};
    uint64_t random = plan->seed;
    enum cw_status status =
        key ? cw_ready_list_init(&list, plan->graph, key, err)
            : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", plan->graph->tasks);

    (void)o;
    plan->insertion = false;
    while (status == CW_OK && list.ready.count) {
        uint32_t task = cw_ready_list_take(&list, (uint32_t)cw_random_below(&random, list.ready.count));
        if (plan->schedule->task[task].parts == 0) {
            struct cw_choice choice = anywhere(plan, task, &random);
            status = cw_plan_place(plan, task, &choice, err);
        }
        cw_ready_list_done(&list, task);
    }
    cw_ready_list_finish(&list);
    free(key);
    return status;
}

const struct cw_policy cw_policy_chaos = {
    .name = "chaos",
    .title = "random order and devices, for tests",
    .source = "own",
    .commanding = true,
    .plan = plan_chaos,
};
