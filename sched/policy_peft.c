/* policy_peft.c - PEFT: earliest finish plus an optimistic cost of the tasks behind.
 *
 * Arabnejad, Barbosa: List scheduling algorithm for heterogeneous systems by an optimistic cost table, IEEE
 * TPDS 25(3), 2014: OCT(i,p) = max over successors j of min over devices r of (OCT(j,r) + W[j][r] + c(i,j)
 * when r differs from p), c the mean transfer time; rank = mean of OCT(i,p); of the ready tasks the one with
 * the highest rank (which is no topological order by itself) goes to the device with the least finish + OCT.
 * In the exact integers of rank.h. */
#include "list_plan.h"
#include "policy.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

/* Lookahead: HEFT's order, each task where its children can finish first.
 *
 * Bittencourt, Sakellariou, Madeira: DAG scheduling using a lookahead variant of the heterogeneous earliest
 * finish time algorithm, PDP 2010. For each device the task is placed there, then its children where they
 * finish first, in the order of their ranks (parents that are not placed yet count for nothing); the device
 * with the least latest finish of the children is taken, then the least own finish. O(edges x devices)
 * placements. */

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

struct peft {
    struct cw_ranks ranks;
    int64_t *oct;  /* tasks x devices */
    int64_t *rank; /* per task, rounded down */
    double *bias;  /* per device */
};

/* Raises row `oct` of a task to the need of its successor `j` over an edge with transfer time `comm`. */
static void follow(const struct peft *s, int64_t *oct, uint32_t j, int64_t comm)
{
    const struct cw_graph *g = s->ranks.graph;
    const int64_t *next = &s->oct[(size_t)j * g->devices];
    int64_t least = INT64_MAX;

    for (uint32_t r = 0; r < g->devices; r++)
        if (!isinf(cw_graph_cost(g, j, r)) && next[r] + cw_ranks_cost(&s->ranks, j, r) < least)
            least = next[r] + cw_ranks_cost(&s->ranks, j, r);
    for (uint32_t p = 0; p < g->devices; p++) {
        int64_t stay = least + comm;
        if (!isinf(cw_graph_cost(g, j, p)) && next[p] + cw_ranks_cost(&s->ranks, j, p) < stay)
            stay = next[p] + cw_ranks_cost(&s->ranks, j, p);
        oct[p] = stay > oct[p] ? stay : oct[p];
    }
}

static void fill_table(struct peft *s)
{
    const struct cw_graph *g = s->ranks.graph;
    uint32_t q = g->devices;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        int64_t *oct = &s->oct[(size_t)i * q], whole = 0, rest = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            follow(s, oct, g->succ.task[e], cw_ranks_comm(&s->ranks, g->succ.data[e]));
        for (uint32_t p = 0; p < q; p++) { /* the mean, without overflow */
            whole += oct[p] / q;
            rest += oct[p] % q;
        }
        s->rank[i] = whole + rest / q;
    }
}

static struct cw_choice choose(struct cw_plan *plan, uint32_t task, const void *context)
{
    const struct peft *s = context;

    for (uint32_t p = 0; p < plan->graph->devices; p++)
        s->bias[p] = (double)s->oct[(size_t)task * plan->graph->devices + p] / s->ranks.scale;
    return cw_plan_choose(plan, task, s->bias);
}

static enum cw_status plan_peft(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    const struct cw_graph *g = plan->graph;
    struct peft s = {.oct = calloc((size_t)g->tasks * g->devices, sizeof *s.oct),
                     .rank = malloc(g->tasks * sizeof *s.rank),
                     .bias = malloc(g->devices * sizeof *s.bias)};
    enum cw_status status = s.oct && s.rank && s.bias
                                ? cw_ranks_init(&s.ranks, g, plan->platform, false, err)
                                : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", g->tasks);

    plan->insertion = o->insertion;
    if (status == CW_OK) {
        fill_table(&s);
        status = cw_list_plan(plan, s.rank, choose, &s, err);
    }
    cw_ranks_finish(&s.ranks);
    free(s.oct);
    free(s.rank);
    free(s.bias);
    return status;
}

const struct cw_policy cw_policy_peft = {
    .name = "peft",
    .title = "earliest finish plus an optimistic cost of the tasks behind",
    .source = "Arabnejad, Barbosa, IEEE TPDS 25(3), 2014",
    .takes = CW_TAKES(insertion),
    .plan = plan_peft,
};
