#include "ready_list.h"

#include <stdlib.h>

static bool before(const struct cw_ready_list *r, uint32_t a, uint32_t b)
{
    return r->key[a] != r->key[b] ? r->key[a] > r->key[b] : a < b;
}

static void sift_up(struct cw_ready_list *r, uint32_t at)
{
    uint32_t task = r->task[at];

    for (; at > 0 && before(r, task, r->task[(at - 1) / 2]); at = (at - 1) / 2)
        r->task[at] = r->task[(at - 1) / 2];
    r->task[at] = task;
}

static void sift_down(struct cw_ready_list *r, uint32_t at)
{
    uint32_t task = r->task[at], child;

    while ((child = 2 * at + 1) < r->count) {
        if (child + 1 < r->count && before(r, r->task[child + 1], r->task[child]))
            child++;
        if (!before(r, r->task[child], task))
            break;
        r->task[at] = r->task[child];
        at = child;
    }
    r->task[at] = task;
}

static void push(struct cw_ready_list *r, uint32_t task)
{
    r->task[r->count++] = task;
    sift_up(r, r->count - 1);
}

enum cw_status cw_ready_list_init(struct cw_ready_list *r, const struct cw_graph *g, const int64_t *key,
                                  struct cw_error *err)
{
    *r = (struct cw_ready_list){.graph = g,
                                .key = key,
                                .task = malloc(g->tasks * sizeof *r->task),
                                .waiting = malloc(g->tasks * sizeof *r->waiting)};
    if (!r->task || !r->waiting) {
        cw_ready_list_finish(r);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a list of %u tasks", g->tasks);
    }
    for (uint32_t i = 0; i < g->tasks; i++) {
        r->waiting[i] = g->pred.start[i + 1] - g->pred.start[i];
        if (r->waiting[i] == 0)
            push(r, i);
    }
    return CW_OK;
}

void cw_ready_list_finish(struct cw_ready_list *r)
{
    free(r->task);
    free(r->waiting);
    *r = (struct cw_ready_list){0};
}

uint32_t cw_ready_list_take(struct cw_ready_list *r, uint32_t at)
{
    uint32_t task = r->task[at];

    r->count--;
    if (at < r->count) {
        r->task[at] = r->task[r->count];
        sift_down(r, at);
        sift_up(r, at);
    }
    return task;
}

uint32_t cw_ready_list_pop(struct cw_ready_list *r)
{
    return r->count ? cw_ready_list_take(r, 0) : CW_SCHED_NONE;
}

void cw_ready_list_done(struct cw_ready_list *r, uint32_t task)
{
    const struct cw_adjacency *succ = &r->graph->succ;

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++)
        if (--r->waiting[succ->task[e]] == 0)
            push(r, succ->task[e]);
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
