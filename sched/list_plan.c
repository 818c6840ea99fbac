#include "list_plan.h"
#include "ready_list.h"

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

/* The position in the list of the task to be placed next; a task that is placed already comes at once. */
static uint32_t most_urgent(struct cw_plan *plan, const struct cw_task_heap *ready, cw_list_score *score,
                            const void *context, struct cw_choice *choice)
{
    uint32_t best = CW_SCHED_NONE;
    double most = 0;

    for (uint32_t at = 0; at < ready->count; at++) {
        struct cw_choice c;
        double s;
        if (plan->schedule->task[ready->task[at]].parts)
            return at;
        s = score(plan, ready->task[at], &c, context);
        if (best == CW_SCHED_NONE || s > most || (s == most && ready->task[at] < ready->task[best])) {
            best = at;
            most = s;
            *choice = c;
        }
    }
    return best;
}

enum cw_status cw_list_plan_by_score(struct cw_plan *plan, cw_list_score *score, const void *context,
                                     struct cw_error *err)
{
    int64_t *key = calloc(plan->graph->tasks, sizeof *key);
    struct cw_ready_list list = {0};
    enum cw_status status =
        key ? cw_ready_list_init(&list, plan->graph, key, err)
            : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", plan->graph->tasks);

    while (status == CW_OK && list.ready.count) {
        struct cw_choice choice = {0};
        uint32_t task = cw_ready_list_take(&list, most_urgent(plan, &list.ready, score, context, &choice));
        if (plan->schedule->task[task].parts == 0)
            status = cw_plan_place(plan, task, &choice, err);
        cw_ready_list_done(&list, task);
    }
    cw_ready_list_finish(&list);
    free(key);
    return status;
}
