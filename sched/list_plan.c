#include "list_plan.h"
#include "rank.h"

#include <math.h>
#include <stdlib.h>

enum cw_status cw_list_plan(struct cw_plan *plan, const int64_t *key, cw_list_choose *choose,
                            const void *context, struct cw_error *err)
{
    struct cw_ready_list list;
    enum cw_status status = cw_ready_list_init(&list, plan->graph, key, err);
    uint32_t task;

    while (status == CW_OK && (task = cw_ready_list_pop(&list)) != CW_SCHED_NONE) {
        if (plan->schedule->task[task].parts == 0) {
            struct cw_choice choice = choose ? choose(plan, task, context) : cw_plan_choose(plan, task, NULL);
            status = cw_plan_place(plan, task, &choice, err);
        }
        cw_ready_list_done(&list, task);
    }
    cw_ready_list_finish(&list);
    return status;
}

struct by_score {
    struct cw_plan *plan;
    cw_list_score *score;
    const void *context;
    struct cw_ready_list list;
    int64_t *key;
    double *ready; /* tasks x devices: when the data of ready tasks can be there */
    double *last;  /* per task: its last score; INFINITY: its row of `ready` is not filled */
    bool falling;
};

static double score_of(struct by_score *s, uint32_t task, struct cw_choice *choice)
{
    double *ready = &s->ready[(size_t)task * s->plan->graph->devices];

    if (isinf(s->last[task]))
        cw_plan_ready_everywhere(s->plan, task, ready);
    return s->last[task] = s->score(s->plan, task, ready, choice, s->context);
}

/* The position in the list of the task to be placed next; a task that is placed already comes at once. */
static uint32_t most_urgent(struct by_score *s, struct cw_choice *choice)
{
    const struct cw_task_heap *ready = &s->list.ready;
    uint32_t best = CW_SCHED_NONE;
    double most = 0;

    for (uint32_t at = 0; at < ready->count; at++) {
        uint32_t task = ready->task[at];
        struct cw_choice c;
        double score;
        if (s->plan->schedule->task[task].parts)
            return at;
        if (s->falling && best != CW_SCHED_NONE && s->last[task] < most)
            continue;
        score = score_of(s, task, &c);
        if (best == CW_SCHED_NONE || score > most || (score == most && task < ready->task[best])) {
            best = at;
            most = score;
            *choice = c;
        }
    }
    return best;
}

static enum cw_status place_all(struct by_score *s, struct cw_error *err)
{
    enum cw_status status = cw_ready_list_init(&s->list, s->plan->graph, s->key, err);

    while (status == CW_OK && s->list.ready.count) {
        struct cw_choice choice = {0};
        uint32_t task = cw_ready_list_take(&s->list, most_urgent(s, &choice));
        if (s->plan->schedule->task[task].parts == 0)
            status = cw_plan_place(s->plan, task, &choice, err);
        cw_ready_list_done(&s->list, task);
    }
    cw_ready_list_finish(&s->list);
    return status;
}

enum cw_status cw_list_plan_by_score(struct cw_plan *plan, cw_list_score *score, bool falling,
                                     const void *context, struct cw_error *err)
{
    size_t n = plan->graph->tasks;
    struct by_score s = {.plan = plan,
                         .score = score,
                         .context = context,
                         .key = calloc(n, sizeof *s.key),
                         .ready = malloc(n * plan->graph->devices * sizeof *s.ready),
                         .last = malloc(n * sizeof *s.last),
                         .falling = falling};
    enum cw_status status = s.key && s.ready && s.last
                                ? CW_OK
                                : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %zu tasks", n);

    for (size_t i = 0; i < n && status == CW_OK; i++)
        s.last[i] = INFINITY;
    if (status == CW_OK)
        status = place_all(&s, err);
    free(s.key);
    free(s.ready);
    free(s.last);
    return status;
}

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
