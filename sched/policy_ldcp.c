/* policy_ldcp.c - LDCP: the longest dynamic critical path first, each task where it finishes first; and H2GS:
 * LDCP, then a genetic search over the devices.
 *
 * Daoud, Kharma: A high performance algorithm for static task scheduling in heterogeneous distributed
 * computing systems, JPDC 68(4), 2008. A hybrid heuristic-genetic algorithm for task scheduling in
 * heterogeneous processor networks, JPDC 71(11), 2011: a reconstruction; the search is that of genetic.h, in
 * LDCP's order, seeded with LDCP's devices.
 *
 * How the graphs DAGP of the paper are kept. Device j has a graph of its own, with node sizes W[.][j] and
 * edges of the mean transfer time. Placing a task changes sizes and edges, but only of tasks that are placed,
 * and decisions read only tasks that are not: the ranks of these never change, and neither do the transfers
 * into them. So ranks are computed once. Of the changes, only these remain: the temporary edges of no cost on
 * DAGP_p, from the last task of device p to the tasks that are ready when a task is placed on p: one number
 * per task tells when it became ready, another when edges from it were drawn last. */
#include "genetic.h"

#include <math.h>
#include <stdlib.h>

struct ldcp {
    struct cw_plan *plan;
    double *rank;      /* tasks x devices: URank */
    uint32_t *waiting; /* per task: predecessors that are not placed */
    uint32_t *since;   /* per task: the step at which it became ready */
    /* per placed task: the last step at which temporary edges were drawn from it; 0 = never */
    uint32_t *drawn;
    uint32_t *last_on;      /* per device: its last task */
    uint32_t *stack, *seen; /* of the search for ancestors */
    uint32_t step;
    uint32_t last, last_graph; /* the last key and the number of its graph */
};

static bool is_placed(const struct ldcp *l, uint32_t i)
{
    return l->plan->schedule->task[i].parts > 0;
}

static bool is_ready(const struct ldcp *l, uint32_t i)
{
    return l->waiting[i] == 0 && !is_placed(l, i);
}

static double rank(const struct ldcp *l, uint32_t i, uint32_t j)
{
    return l->rank[(size_t)i * l->plan->graph->devices + j];
}

/* The size of a task on a device that cannot run it is its largest cost elsewhere. */
static double size_of(const struct cw_graph *g, uint32_t i, uint32_t j)
{
    double most = 0;

    if (!isinf(cw_graph_cost(g, i, j)))
        return cw_graph_cost(g, i, j);
    for (uint32_t p = 0; p < g->devices; p++)
        if (!isinf(cw_graph_cost(g, i, p)))
            most = fmax(most, cw_graph_cost(g, i, p));
    return most;
}

static void compute_ranks(struct ldcp *l)
{
    const struct cw_graph *g = l->plan->graph;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        for (uint32_t j = 0; j < g->devices; j++) {
            double most = 0;
            for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
                most = fmax(most, cw_platform_mean_comm(l->plan->platform, g->succ.data[e]) +
                                      rank(l, g->succ.task[e], j));
            l->rank[(size_t)i * g->devices + j] = size_of(g, i, j) + most;
        }
    }
}

/* The device in whose graph `key` has the highest rank. */
static uint32_t graph_of(const struct ldcp *l, uint32_t key)
{
    uint32_t best = 0;

    for (uint32_t j = 1; j < l->plan->graph->devices; j++)
        if (rank(l, key, j) > rank(l, key, best))
            best = j;
    return best;
}

/* The successor of the last key that attains its rank among those not placed; CW_SCHED_NONE without any. */
static uint32_t follow(const struct ldcp *l)
{
    const struct cw_graph *g = l->plan->graph;
    uint32_t best = CW_SCHED_NONE, x = l->last, j = l->last_graph;
    double most = -1;

    if (x == CW_SCHED_NONE)
        return x;
    for (uint32_t e = g->succ.start[x]; e < g->succ.start[x + 1]; e++) {
        uint32_t i = g->succ.task[e];
        double via = cw_platform_mean_comm(l->plan->platform, g->succ.data[e]) + rank(l, i, j);
        if (!is_placed(l, i) && via > most) {
            most = via;
            best = i;
        }
    }
    for (uint32_t i = 0; l->drawn[x] && l->plan->schedule->task[x].device == j && i < g->tasks; i++)
        if (is_ready(l, i) && l->since[i] <= l->drawn[x] &&
            (rank(l, i, j) > most || (rank(l, i, j) == most && i < best))) {
            most = rank(l, i, j);
            best = i;
        }
    return best;
}

/* The ready task with the highest rank in any graph. */
static uint32_t highest_ready(const struct ldcp *l)
{
    uint32_t best = CW_SCHED_NONE;

    for (uint32_t i = 0; i < l->plan->graph->tasks; i++)
        if (is_ready(l, i) &&
            (best == CW_SCHED_NONE || rank(l, i, graph_of(l, i)) > rank(l, best, graph_of(l, best))))
            best = i;
    return best;
}

/* The ready ancestor of `key` with the highest rank in graph `j`. */
static uint32_t ready_ancestor(struct ldcp *l, uint32_t key, uint32_t j)
{
    const struct cw_adjacency *pred = &l->plan->graph->pred;
    uint32_t best = CW_SCHED_NONE, depth = 0;

    l->stack[depth++] = key;
    while (depth > 0) {
        uint32_t x = l->stack[--depth];
        if (is_ready(l, x) && (best == CW_SCHED_NONE || rank(l, x, j) > rank(l, best, j) ||
                               (rank(l, x, j) == rank(l, best, j) && x < best)))
            best = x;
        for (uint32_t e = pred->start[x]; e < pred->start[x + 1]; e++)
            if (!is_placed(l, pred->task[e]) && l->seen[pred->task[e]] != l->step) {
                l->seen[pred->task[e]] = l->step;
                l->stack[depth++] = pred->task[e];
            }
    }
    return best;
}

/* Counts `task` as placed: its successors may become ready. */
static void settle(struct ldcp *l, uint32_t task)
{
    const struct cw_adjacency *succ = &l->plan->graph->succ;
    uint32_t *last = &l->last_on[l->plan->schedule->task[task].device];

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++)
        if (--l->waiting[succ->task[e]] == 0)
            l->since[succ->task[e]] = l->step;
    if (*last == CW_SCHED_NONE || l->plan->schedule->task[task].start >= l->plan->schedule->task[*last].start)
        *last = task;
    l->drawn[*last] = l->step;
}

static enum cw_status place_next(struct ldcp *l, struct cw_error *err)
{
    uint32_t key = follow(l), graph, selected;
    struct cw_choice choice;
    enum cw_status status;

    l->step++;
    key = key == CW_SCHED_NONE ? highest_ready(l) : key;
    graph = graph_of(l, key);
    selected = l->waiting[key] ? ready_ancestor(l, key, graph) : key;
    if (selected == key) {
        l->last = key;
        l->last_graph = graph;
    }
    choice = cw_plan_choose(l->plan, selected, NULL);
    status = cw_plan_place(l->plan, selected, &choice, err);
    if (status == CW_OK)
        settle(l, selected);
    return status;
}

static bool allocate(struct ldcp *l, uint32_t tasks, uint32_t devices)
{
    l->rank = malloc((size_t)tasks * devices * sizeof *l->rank);
    l->waiting = malloc(tasks * sizeof *l->waiting);
    l->since = calloc(tasks, sizeof *l->since);
    l->drawn = calloc(tasks, sizeof *l->drawn);
    l->stack = malloc(tasks * sizeof *l->stack);
    l->seen = calloc(tasks, sizeof *l->seen);
    l->last_on = malloc(devices * sizeof *l->last_on);
    return l->rank && l->waiting && l->since && l->drawn && l->stack && l->seen && l->last_on;
}

/* Places every task that is not placed yet. O(tasks x (tasks + edges)). Errors: CW_ERR_NOMEM, those of
 * cw_plan_place. */
static enum cw_status place_all(struct cw_plan *plan, struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    struct ldcp l = {.plan = plan, .last = CW_SCHED_NONE};
    enum cw_status status = CW_OK;

    if (!allocate(&l, g->tasks, g->devices)) {
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", g->tasks);
        goto out;
    }
    compute_ranks(&l);
    for (uint32_t i = 0; i < g->tasks; i++)
        l.waiting[i] = g->pred.start[i + 1] - g->pred.start[i];
    for (uint32_t p = 0; p < g->devices; p++)
        l.last_on[p] = CW_SCHED_NONE;
    for (uint32_t k = 0; k < plan->schedule->placed; k++)
        settle(&l, plan->schedule->order[k]);
    while (status == CW_OK && plan->schedule->placed < g->tasks)
        status = place_next(&l, err);
out:
    free(l.rank);
    free(l.waiting);
    free(l.since);
    free(l.drawn);
    free(l.stack);
    free(l.seen);
    free(l.last_on);
    return status;
}

static enum cw_status plan_ldcp(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    plan->insertion = o->insertion;
    return place_all(plan, err);
}

const struct cw_policy cw_policy_ldcp = {
    .name = "ldcp",
    .title = "longest dynamic critical path first",
    .source = "Daoud, Kharma, JPDC 68(4), 2008",
    .takes = CW_TAKES(insertion),
    .quadratic = true,
    .plan = plan_ldcp,
};

static enum cw_status plan_h2gs(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    uint32_t base = plan->schedule->placed;
    enum cw_status status;

    plan->insertion = o->insertion;
    status = place_all(plan, err);
    return status == CW_OK ? cw_genetic_improve(plan, base, o, err) : status;
}

const struct cw_policy cw_policy_h2gs = {
    .name = "h2gs",
    .title = "LDCP, improved by a genetic search",
    .source = "Daoud, Kharma, JPDC 71(11), 2011",
    .takes = CW_TAKES(insertion) | CW_GENETIC_TAKES,
    .offline = true,
    .plan = plan_h2gs,
};
