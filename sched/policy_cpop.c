/* policy_cpop.c - CPOP: the critical path on one device, everything else where it finishes first.
 *
 * Topcuoglu, Hariri, Wu, TPDS 2002, figure 4: priority = rank_u + rank_d; the critical path is walked from
 * the entry of highest priority; its device is the one with the least total cost of it; ready tasks by
 * priority, insertion-based. Several entries or exits act as if joined by tasks of no cost. When no device
 * can run the whole path, the one that can run most of it is taken, and the rest goes where it finishes
 * first. */
#include "list_plan.h"
#include "policy.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

struct cpop {
    struct cw_ranks ranks;
    int64_t *priority;
    uint32_t *path;
    bool *critical;  /* per task */
    uint32_t device; /* of the critical path */
};

static void cpop_finish(struct cpop *c)
{
    cw_ranks_finish(&c->ranks);
    free(c->priority);
    free(c->path);
    free(c->critical);
}

/* argmin over devices of (tasks of the path that it cannot run, total cost of the others). Tasks that are
 * placed already do not count, but their data have to arrive. */
static uint32_t critical_device(const struct cw_plan *plan, const uint32_t *path, uint32_t length)
{
    const struct cw_graph *g = plan->graph;
    uint32_t best = 0, best_missing = UINT32_MAX;
    double best_sum = INFINITY;

    for (uint32_t p = 0; p < g->devices; p++) {
        uint32_t missing = 0;
        double sum = 0;
        for (uint32_t k = 0; k < length; k++) {
            if (plan->schedule->task[path[k]].parts)
                continue;
            if (isinf(cw_graph_cost(g, path[k], p)))
                missing++;
            else
                sum = fmax(sum, cw_plan_ready(plan, path[k], p)) + cw_graph_cost(g, path[k], p);
        }
        if (missing < best_missing || (missing == best_missing && sum < best_sum)) {
            best = p;
            best_missing = missing;
            best_sum = sum;
        }
    }
    return best;
}

static enum cw_status cpop_init(struct cpop *c, const struct cw_plan *plan, struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    enum cw_status status = cw_ranks_init(&c->ranks, g, plan->platform, true, err);
    uint32_t length;

    if (status != CW_OK)
        return status;
    c->priority = malloc(g->tasks * sizeof *c->priority);
    c->path = malloc(g->tasks * sizeof *c->path);
    c->critical = calloc(g->tasks, sizeof *c->critical);
    if (!c->priority || !c->path || !c->critical)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", g->tasks);
    for (uint32_t i = 0; i < g->tasks; i++)
        c->priority[i] = c->ranks.up[i] + c->ranks.down[i];
    length = cw_ranks_critical_path(&c->ranks, c->path);
    for (uint32_t k = 0; k < length; k++)
        c->critical[c->path[k]] = true;
    c->device = critical_device(plan, c->path, length);
    return CW_OK;
}

static struct cw_choice choose(struct cw_plan *plan, uint32_t task, const void *context)
{
    const struct cpop *c = context;
    double cost = cw_graph_cost(plan->graph, task, c->device), start;

    if (!c->critical[task] || isinf(cost))
        return cw_plan_choose(plan, task, NULL);
    start = cw_plan_start(plan, c->device, cw_plan_ready(plan, task, c->device), cost);
    return (struct cw_choice){c->device, start, start + cost};
}

static enum cw_status plan_cpop(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    struct cpop c = {0};
    enum cw_status status = cpop_init(&c, plan, err);

    plan->insertion = o->insertion;
    if (status == CW_OK)
        status = cw_list_plan(plan, c.priority, choose, &c, err);
    cpop_finish(&c);
    return status;
}

const struct cw_policy cw_policy_cpop = {
    .name = "cpop",
    .title = "critical path on one device, the rest by earliest finish time",
    .source = "Topcuoglu, Hariri, Wu, TPDS 2002, figure 4",
    .takes = CW_TAKES(insertion),
    .plan = plan_cpop,
};
