#include "list_plan.h"

#include <stdlib.h>

enum cw_status cw_ready_list_init(struct cw_ready_list *r, const struct cw_graph *g, const int64_t *key,
                                  struct cw_error *err)
{
    *r = (struct cw_ready_list){.graph = g,
                                .ready = {.key = key, .task = malloc(g->tasks * sizeof(uint32_t))},
                                .waiting = malloc(g->tasks * sizeof *r->waiting)};
    if (!r->ready.task || !r->waiting) {
        cw_ready_list_finish(r);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a list of %u tasks", g->tasks);
    }
    r->ready.capacity = g->tasks; /* so that no push can fail */
    for (uint32_t i = 0; i < g->tasks; i++) {
        r->waiting[i] = g->pred.start[i + 1] - g->pred.start[i];
        if (r->waiting[i] == 0)
            cw_task_heap_push(&r->ready, i);
    }
    return CW_OK;
}

void cw_ready_list_finish(struct cw_ready_list *r)
{
    cw_task_heap_finish(&r->ready);
    free(r->waiting);
    *r = (struct cw_ready_list){0};
}

uint32_t cw_ready_list_take(struct cw_ready_list *r, uint32_t at)
{
    return cw_task_heap_take(&r->ready, at);
}

uint32_t cw_ready_list_pop(struct cw_ready_list *r)
{
    return r->ready.count ? cw_task_heap_take(&r->ready, 0) : CW_SCHED_NONE;
}

void cw_ready_list_done(struct cw_ready_list *r, uint32_t task)
{
    const struct cw_adjacency *succ = &r->graph->succ;

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++)
        if (--r->waiting[succ->task[e]] == 0)
            cw_task_heap_push(&r->ready, succ->task[e]);
}

enum cw_status cw_ready_list_order(const struct cw_graph *g, const int64_t *key, uint32_t *order,
                                   struct cw_error *err)
{
    struct cw_ready_list ready;
    enum cw_status status = cw_ready_list_init(&ready, g, key, err);

    for (uint32_t k = 0; status == CW_OK && k < g->tasks; k++) {
        order[k] = cw_ready_list_pop(&ready);
        cw_ready_list_done(&ready, order[k]);
    }
    cw_ready_list_finish(&ready);
    return status;
}
