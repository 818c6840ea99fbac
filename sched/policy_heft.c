/* policy_heft.c - HEFT: tasks by upward rank, each where it finishes first, insertion-based.
 *
 * Topcuoglu, Hariri, Wu: Performance-effective and low-complexity task scheduling for heterogeneous
 * computing, IEEE TPDS 13(3), 2002, figure 3. O(edges x devices + tasks x devices x log tasks).
 *
 * Option critical-child=N: the device is chosen by the critical child, the successor that gives the task its
 * rank. The paper's alternatives B1 to B3, reconstructed: the child finishes first when it runs (1) on the
 * same device, (2) on whichever device suits it best; (3) the task's own finish and that of (2) have the
 * least sum. Own finish on ties. Parents of the child that are not placed yet count for nothing. */
#include "list_plan.h"
#include "policy.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

/* CPOP: the critical path on one device, everything else where it finishes first.
 *
 * Topcuoglu, Hariri, Wu, TPDS 2002, figure 4: priority = rank_u + rank_d; the critical path is walked from
 * the entry of highest priority; its device is the one with the least total cost of it; ready tasks by
 * priority, insertion-based. Several entries or exits act as if joined by tasks of no cost. When no device
 * can run the whole path, the one that can run most of it is taken, and the rest goes where it finishes
 * first. */

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

enum { SAME_DEVICE = 1, ANY_DEVICE = 2, SUM = 3 };

/* The successor that attains the task's rank, lowest id on ties; CW_SCHED_NONE for exits and when it is
 * placed already. */
static uint32_t critical_child(const struct cw_plan *plan, const struct cw_ranks *ranks, uint32_t task)
{
    const struct cw_adjacency *succ = &plan->graph->succ;
    uint32_t best = CW_SCHED_NONE;
    int64_t most = -1;

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++) {
        int64_t via = cw_ranks_comm(ranks, succ->data[e]) + ranks->up[succ->task[e]];
        if (via > most) {
            most = via;
            best = succ->task[e];
        }
    }
    return best == CW_SCHED_NONE || plan->schedule->task[best].parts ? CW_SCHED_NONE : best;
}

/* Judges the choice `c` for the task by its effect on `child`, as the variant says; less is better. */
static enum cw_status judge(struct cw_plan *plan, uint32_t task, const struct cw_choice *c, uint32_t child,
                            uint64_t variant, double *key, struct cw_error *err)
{
    enum cw_status status = cw_plan_place(plan, task, c, err);
    double cost = cw_graph_cost(plan->graph, child, c->device);

    if (status != CW_OK)
        return status;
    if (variant != SAME_DEVICE)
        *key = cw_plan_choose(plan, child, NULL).finish + (variant == SUM ? c->finish : 0);
    else if (isinf(cost))
        *key = INFINITY;
    else
        *key = cost + cw_plan_start(plan, c->device, cw_plan_ready(plan, child, c->device), cost);
    return cw_plan_undo(plan, err);
}

static enum cw_status place_for_child(struct cw_plan *plan, uint32_t task, uint32_t child, uint64_t variant,
                                      struct cw_error *err)
{
    struct cw_choice best = cw_plan_choose(plan, task, NULL);
    double least = INFINITY;
    enum cw_status status = CW_OK;

    for (uint32_t p = 0; child != CW_SCHED_NONE && p < plan->graph->devices && status == CW_OK; p++) {
        double cost = cw_graph_cost(plan->graph, task, p), start, key;
        struct cw_choice c;
        if (isinf(cost))
            continue;
        start = cw_plan_start(plan, p, cw_plan_ready(plan, task, p), cost);
        c = (struct cw_choice){p, start, start + cost};
        status = judge(plan, task, &c, child, variant, &key, err);
        if (status == CW_OK && (key < least || (key == least && !isinf(key) && c.finish < best.finish))) {
            best = c;
            least = key;
        }
    }
    return status == CW_OK ? cw_plan_place(plan, task, &best, err) : status;
}

static enum cw_status place_all_for_children(struct cw_plan *plan, const uint32_t *order, uint32_t count,
                                             uint64_t variant, struct cw_error *err)
{
    struct cw_ranks ranks;
    enum cw_status status = cw_ranks_init(&ranks, plan->graph, plan->platform, false, err);

    for (uint32_t k = 0; k < count && status == CW_OK; k++)
        status = place_for_child(plan, order[k], critical_child(plan, &ranks, order[k]), variant, err);
    cw_ranks_finish(&ranks);
    return status;
}

static enum cw_status plan_heft(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    uint32_t *order = NULL, count;
    enum cw_status status = CW_OK;

    if (o->critical_child > SUM)
        status = cw_error_set(err, CW_ERR_INVALID, "heft: critical-child is 0 (off), 1, 2 or 3, not %llu",
                              (unsigned long long)o->critical_child);
    if (status == CW_OK)
        status = cw_list_order_by_rank(plan, &order, &count, err);
    plan->insertion = o->insertion;
    if (status == CW_OK && o->critical_child)
        status = place_all_for_children(plan, order, count, o->critical_child, err);
    else if (status == CW_OK)
        status = cw_plan_place_in_order(plan, order, count, err);
    free(order);
    return status;
}

const struct cw_policy cw_policy_heft = {
    .name = "heft",
    .title = "earliest finish time, tasks by upward rank",
    .source = "Topcuoglu, Hariri, Wu, TPDS 2002, figure 3",
    .takes = CW_TAKES(insertion) | CW_TAKES(critical_child),
    .earliest = true,
    .plan = plan_heft,
};
