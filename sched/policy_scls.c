/* policy_scls.c - SCLS: list scheduling that looks at the transfers behind a task; and HSCGS: SCLS, then a
 * genetic search over the devices (genetic.h), never worse than SCLS.
 *
 * Zhao, Li, Wang, Computer Engineering and Design 2014(9), after Wang, Gu, Wang, Zhao, ICA3PP 2012. */
#include "genetic.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

/* The options that both take. */
#define SCLS_TAKES (CW_TAKES(insertion) | CW_TAKES(down_rank) | CW_TAKES(mean_transfer))

struct scls {
    struct cw_plan *plan;
    const struct cw_policy_options *o;
    struct cw_ranks ranks;
    int64_t *priority; /* per task */
    uint32_t *order;   /* the tasks by priority */
    uint32_t *stack;
    double *rate; /* per device: mean bandwidth to the others; infinite when nothing travels */
    double *bias;
};

struct keyed {
    int64_t key;
    uint32_t task;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return x->task < y->task ? -1 : 1;
}

static enum cw_status sort_by_priority(struct scls *s, struct cw_error *err)
{
    uint32_t n = s->plan->graph->tasks;
    struct keyed *keyed = malloc(n * sizeof *keyed);

    if (!keyed)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", n);
    for (uint32_t i = 0; i < n; i++) {
        s->priority[i] = s->ranks.up[i] + (s->o->down_rank ? s->ranks.down[i] : 0);
        keyed[i] = (struct keyed){s->priority[i], i};
    }
    qsort(keyed, n, sizeof *keyed, by_key);
    for (uint32_t i = 0; i < n; i++)
        s->order[i] = keyed[i].task;
    free(keyed);
    return CW_OK;
}

static void mean_rates(struct scls *s)
{
    const struct cw_platform *p = s->plan->platform;

    for (uint32_t m = 0; m < p->devices; m++) {
        double sum = 0;
        for (uint32_t n = 0; n < p->devices; n++)
            sum += n == m ? 0 : p->bandwidth[(size_t)m * p->devices + n];
        s->rate[m] = p->one_memory ? INFINITY : sum / (p->devices - 1);
    }
}

static enum cw_status place(struct scls *s, uint32_t task, struct cw_error *err)
{
    const struct cw_adjacency *succ = &s->plan->graph->succ;
    double most = 0, sum = 0;
    struct cw_choice choice;

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++) {
        most = fmax(most, succ->data[e]);
        sum += succ->data[e];
    }
    if (s->o->mean_transfer && sum > 0)
        most = sum / (succ->start[task + 1] - succ->start[task]);
    for (uint32_t m = 0; m < s->plan->graph->devices; m++)
        s->bias[m] = most / s->rate[m];
    choice = cw_plan_choose(s->plan, task, s->bias);
    return cw_plan_place(s->plan, task, &choice, err);
}

/* The predecessor of `task` with the highest priority among those that are not placed, or CW_SCHED_NONE. */
static uint32_t missing_parent(const struct scls *s, uint32_t task)
{
    const struct cw_adjacency *pred = &s->plan->graph->pred;
    uint32_t best = CW_SCHED_NONE;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++)
        if (s->plan->schedule->task[pred->task[e]].parts == 0 &&
            (best == CW_SCHED_NONE || s->priority[pred->task[e]] > s->priority[best]))
            best = pred->task[e];
    return best;
}

static enum cw_status place_all(struct scls *s, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < s->plan->graph->tasks && status == CW_OK; k++) {
        uint32_t depth = 0;
        if (s->plan->schedule->task[s->order[k]].parts)
            continue;
        s->stack[depth++] = s->order[k];
        while (depth > 0 && status == CW_OK) {
            uint32_t parent = missing_parent(s, s->stack[depth - 1]);
            if (parent != CW_SCHED_NONE)
                s->stack[depth++] = parent;
            else
                status = place(s, s->stack[--depth], err);
        }
    }
    return status;
}

/* Places every task that is not placed yet, by descending priority, after those of its ancestors that are not
 * placed.
 *   priority  rank_u, or with option down-rank rank_u + rank_d
 *   device    least finish + max over successors j of d_ij / B_m, B_m the mean bandwidth from m to the
 *             others; with option mean-transfer the mean over successors
 * Errors: CW_ERR_NOMEM, those of cw_plan_place. */
static enum cw_status plan_scls(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    uint32_t n = plan->graph->tasks, q = plan->graph->devices;
    struct scls s = {.plan = plan,
                     .o = o,
                     .priority = malloc(n * sizeof *s.priority),
                     .order = malloc(n * sizeof *s.order),
                     .stack = malloc(n * sizeof *s.stack),
                     .rate = malloc(q * sizeof *s.rate),
                     .bias = malloc(q * sizeof *s.bias)};
    enum cw_status status = s.priority && s.order && s.stack && s.rate && s.bias
                                ? cw_ranks_init(&s.ranks, plan->graph, plan->platform, o->down_rank, err)
                                : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", n);

    plan->insertion = o->insertion;
    if (status == CW_OK)
        status = sort_by_priority(&s, err);
    if (status == CW_OK) {
        mean_rates(&s);
        status = place_all(&s, err);
    }
    cw_ranks_finish(&s.ranks);
    free(s.priority);
    free(s.order);
    free(s.stack);
    free(s.rate);
    free(s.bias);
    return status;
}

const struct cw_policy cw_policy_scls = {
    .name = "scls",
    .title = "by rank, earliest finish plus the transfers that follow",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .takes = SCLS_TAKES,
    .plan = plan_scls,
};

static enum cw_status plan_hscgs(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    uint32_t base = plan->schedule->placed;
    enum cw_status status;

    plan->insertion = o->insertion;
    status = plan_scls(plan, o, err);
    return status == CW_OK ? cw_genetic_improve(plan, base, o, err) : status;
}

const struct cw_policy cw_policy_hscgs = {
    .name = "hscgs",
    .title = "SCLS, improved by a genetic search",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .takes = SCLS_TAKES | CW_GENETIC_TAKES,
    .plan = plan_hscgs,
};
