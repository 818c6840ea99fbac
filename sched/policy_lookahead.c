/* policy_lookahead.c - lookahead: HEFT's order, each task where its children can finish first.
 *
 * Bittencourt, Sakellariou, Madeira: DAG scheduling using a lookahead variant of the heterogeneous earliest
 * finish time algorithm, PDP 2010. For each device the task is placed there, then its children where they
 * finish first, in the order of their ranks (parents that are not placed yet count for nothing); the device
 * with the least latest finish of the children is taken, then the least own finish. O(edges x devices)
 * placements. */
#include "list_plan.h"
#include "policy.h"

#include <math.h>
#include <stdlib.h>

struct lookahead {
    struct cw_plan *plan;
    uint32_t *order, count, *place; /* place: of each task in the order, CW_SCHED_NONE when placed before */
    uint32_t *child;                /* scratch: the children of one task, in the order */
};

/* Fills l->child with the children of `task` that are to be placed. Returns how many. */
static uint32_t find_children(const struct lookahead *l, uint32_t task)
{
    const struct cw_adjacency *succ = &l->plan->graph->succ;
    uint32_t n = 0;

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++) {
        uint32_t j = succ->task[e], k = n;
        if (l->place[j] == CW_SCHED_NONE)
            continue;
        for (; k > 0 && l->place[l->child[k - 1]] > l->place[j]; k--)
            l->child[k] = l->child[k - 1];
        l->child[k] = j;
        n++;
    }
    return n;
}

/* *latest: the latest finish of the children with the task placed as chosen; its own without children. */
static enum cw_status look(struct lookahead *l, uint32_t task, const struct cw_choice *choice,
                           uint32_t children, double *latest, struct cw_error *err)
{
    uint32_t before = l->plan->schedule->placed;
    enum cw_status status = cw_plan_place(l->plan, task, choice, err);

    *latest = children ? 0 : choice->finish;
    for (uint32_t k = 0; k < children && status == CW_OK; k++) {
        struct cw_choice c = cw_plan_choose(l->plan, l->child[k], NULL);
        status = cw_plan_place(l->plan, l->child[k], &c, err);
        *latest = fmax(*latest, c.finish);
    }
    while (status == CW_OK && l->plan->schedule->placed > before)
        status = cw_plan_undo(l->plan, err);
    return status;
}

static enum cw_status place_next(struct lookahead *l, uint32_t task, struct cw_error *err)
{
    uint32_t children = find_children(l, task);
    struct cw_choice best = {.device = CW_SCHED_NONE};
    double least = INFINITY;
    enum cw_status status = CW_OK;

    for (uint32_t p = 0; p < l->plan->graph->devices && status == CW_OK; p++) {
        double cost = cw_graph_cost(l->plan->graph, task, p), start, latest;
        struct cw_choice c;
        if (isinf(cost))
            continue;
        start = cw_plan_start(l->plan, p, cw_plan_ready(l->plan, task, p), cost);
        c = (struct cw_choice){p, start, start + cost};
        status = look(l, task, &c, children, &latest, err);
        if (latest < least || (latest == least && c.finish < best.finish)) {
            best = c;
            least = latest;
        }
    }
    return status == CW_OK ? cw_plan_place(l->plan, task, &best, err) : status;
}

static enum cw_status plan_lookahead(struct cw_plan *plan, const struct cw_policy_options *o,
                                     struct cw_error *err)
{
    struct lookahead l = {.plan = plan};
    uint32_t tasks = plan->graph->tasks;
    enum cw_status status = cw_list_order_by_rank(plan, &l.order, &l.count, err);

    plan->insertion = o->insertion;
    l.place = malloc(tasks * sizeof *l.place);
    l.child = malloc(tasks * sizeof *l.child);
    if (status == CW_OK && (!l.place || !l.child))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", tasks);
    if (status == CW_OK) {
        for (uint32_t i = 0; i < tasks; i++)
            l.place[i] = CW_SCHED_NONE;
        for (uint32_t k = 0; k < l.count; k++)
            l.place[l.order[k]] = k;
    }
    for (uint32_t k = 0; k < l.count && status == CW_OK; k++)
        status = place_next(&l, l.order[k], err);
    free(l.order);
    free(l.place);
    free(l.child);
    return status;
}

const struct cw_policy cw_policy_lookahead = {
    .name = "lookahead",
    .title = "HEFT's order, each task where its children can finish first",
    .source = "Bittencourt, Sakellariou, Madeira, PDP 2010",
    .takes = CW_TAKES(insertion),
    .plan = plan_lookahead,
};
