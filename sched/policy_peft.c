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
