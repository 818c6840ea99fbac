#include "moldable.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One step, and the values that take it back. */
struct change {
    uint32_t task, mode_before;
    uint32_t from, to; /* positions in the order; equal: the mode changed */
};

enum cw_status cw_share_search_init(struct cw_share_search *s, const struct cw_plan *plan,
                                    enum cw_sharing sharing, double overhead, uint64_t seed,
                                    struct cw_error *err)
{
    size_t bytes = plan->graph->tasks * sizeof(uint32_t);
    enum cw_status status;

    *s = (struct cw_share_search){.random = seed, .length = INFINITY};
    status = cw_moldable_init(&s->m, plan, sharing, overhead, err);
    if (status != CW_OK)
        return status;
    s->order = malloc(bytes);
    s->mode = malloc(bytes);
    s->now_order = malloc(bytes);
    s->now_mode = malloc(bytes);
    s->position = malloc(bytes);
    if (s->order && s->mode && s->now_order && s->now_mode && s->position)
        return CW_OK;
    cw_share_search_finish(s);
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a search over %u tasks", plan->graph->tasks);
}

void cw_share_search_finish(struct cw_share_search *s)
{
    cw_moldable_finish(&s->m);
    free(s->order);
    free(s->mode);
    free(s->now_order);
    free(s->now_mode);
    free(s->position);
    *s = (struct cw_share_search){0};
}

void cw_share_search_start(struct cw_share_search *s, const uint32_t *order, uint32_t count,
                           const uint32_t *mode)
{
    if (!cw_moldable_decode(&s->m, order, count, mode, s->length))
        return;
    s->count = count;
    s->length = s->m.length;
    memcpy(s->order, order, count * sizeof *order);
    memcpy(s->mode, mode, s->m.graph->tasks * sizeof *mode);
}

static void keep_if_best(struct cw_share_search *s)
{
    if (!(s->now_length < s->length))
        return;
    s->length = s->now_length;
    memcpy(s->order, s->now_order, s->count * sizeof *s->order);
    memcpy(s->mode, s->now_mode, s->m.graph->tasks * sizeof *s->mode);
}

/* ---- steps */

static void shift(struct cw_share_search *s, uint32_t from, uint32_t to)
{
    uint32_t task = s->now_order[from];

    for (uint32_t k = from; k > to; k--)
        s->position[s->now_order[k] = s->now_order[k - 1]] = k;
    for (uint32_t k = from; k < to; k++)
        s->position[s->now_order[k] = s->now_order[k + 1]] = k;
    s->position[s->now_order[to] = task] = to;
    s->m.work += from > to ? from - to : to - from;
}

/* A position where `task` may stand, CW_SCHED_NONE when it is the only one. */
static uint32_t any_position(struct cw_share_search *s, uint32_t task)
{
    const struct cw_adjacency *pred = &s->m.graph->pred, *succ = &s->m.graph->succ;
    uint32_t low = 0, high = s->count - 1, at = s->position[task], to;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        uint32_t k = s->position[pred->task[e]];
        if (k != CW_SCHED_NONE && k + 1 > low)
            low = k + 1;
    }
    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++)
        if (s->position[succ->task[e]] - 1 < high)
            high = s->position[succ->task[e]] - 1;
    if (low == high)
        return CW_SCHED_NONE;
    to = low + (uint32_t)cw_random_below(&s->random, high - low);
    return to < at ? to : to + 1;
}

static struct change change(struct cw_share_search *s)
{
    struct change c = {.task = s->now_order[cw_random_below(&s->random, s->count)]};
    uint32_t to = CW_SCHED_NONE;

    c.mode_before = s->now_mode[c.task];
    c.from = c.to = s->position[c.task];
    if (cw_random_below(&s->random, 2))
        to = any_position(s, c.task);
    if (to != CW_SCHED_NONE) {
        c.to = to;
        shift(s, c.from, c.to);
    } else {
        uint32_t modes = cw_moldable_modes(s->m.graph->devices);
        uint32_t mode = (uint32_t)cw_random_below(&s->random, modes - 1);
        s->now_mode[c.task] = mode < c.mode_before ? mode : mode + 1;
    }
    return c;
}

static void change_back(struct cw_share_search *s, const struct change *c)
{
    s->now_mode[c->task] = c->mode_before;
    if (c->from != c->to)
        shift(s, c->to, c->from);
}

void cw_share_search_run(struct cw_share_search *s, uint64_t work)
{
    uint64_t end = s->m.work + work;

    memcpy(s->now_order, s->order, s->count * sizeof *s->order);
    memcpy(s->now_mode, s->mode, s->m.graph->tasks * sizeof *s->mode);
    memset(s->position, 0xff, s->m.graph->tasks * sizeof *s->position);
    for (uint32_t k = 0; k < s->count; k++)
        s->position[s->order[k]] = k;
    s->now_length = s->length;
    for (uint32_t k = 0; k < CW_SHARE_SEARCH_LATE; k++)
        s->late[k] = s->length;
    for (uint64_t step = 0; s->m.work < end && s->length > s->least; step++) {
        double *late = &s->late[step % CW_SHARE_SEARCH_LATE];
        double limit = nextafter(fmax(*late, s->now_length), INFINITY);
        struct change c = change(s);
        s->m.work++;
        if (cw_moldable_decode(&s->m, s->now_order, s->count, s->now_mode, limit))
            s->now_length = s->m.length;
        else
            change_back(s, &c);
        *late = s->now_length;
        keep_if_best(s);
    }
}

enum cw_status cw_share_search_place(struct cw_share_search *s, struct cw_plan *plan, struct cw_error *err)
{
    cw_moldable_decode(&s->m, s->order, s->count, s->mode, INFINITY);
    return cw_moldable_place(&s->m, s->order, s->count, plan, err);
}
