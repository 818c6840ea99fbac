#include "plan_copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum cw_status cw_plan_copy_init(struct cw_plan_copy *c, const struct cw_plan *plan, struct cw_error *err)
{
    uint32_t n = plan->graph->tasks;

    *c = (struct cw_plan_copy){
        .length = INFINITY, .order = malloc(n * sizeof *c->order), .task = malloc(n * sizeof *c->task)};
    if (c->order && c->task)
        return CW_OK;
    cw_plan_copy_finish(c);
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a plan of %u tasks", n);
}

void cw_plan_copy_finish(struct cw_plan_copy *c)
{
    free(c->order);
    free(c->task);
    free(c->part);
    *c = (struct cw_plan_copy){0};
}

static enum cw_status keep(struct cw_plan_copy *c, const struct cw_schedule *s, uint32_t base,
                           struct cw_error *err)
{
    uint32_t parts = 0;

    if (s->parts > c->part_capacity) {
        struct cw_part *part = realloc(c->part, s->parts * sizeof *part);
        if (!part)
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u parts", s->parts);
        c->part = part;
        c->part_capacity = s->parts;
    }
    c->count = s->placed - base;
    memcpy(c->order, s->order + base, c->count * sizeof *c->order);
    for (uint32_t k = 0; k < c->count; k++) {
        const struct cw_placement *t = &s->task[c->order[k]];
        c->task[k] = *t;
        if (t->parts < 2)
            continue;
        memcpy(c->part + parts, s->part + t->first_part, t->parts * sizeof *c->part);
        c->task[k].first_part = parts;
        parts += t->parts;
    }
    return CW_OK;
}

enum cw_status cw_plan_copy_take(struct cw_plan_copy *c, struct cw_plan *plan, uint32_t base,
                                 struct cw_error *err)
{
    double length = cw_schedule_makespan(plan->schedule);
    enum cw_status status = CW_OK;

    if (length < c->length) {
        status = keep(c, plan->schedule, base, err);
        c->length = length;
    }
    while (status == CW_OK && plan->schedule->placed > base)
        status = cw_plan_undo(plan, err);
    return status;
}

enum cw_status cw_plan_copy_put(const struct cw_plan_copy *c, struct cw_plan *plan, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < c->count && status == CW_OK; k++) {
        const struct cw_placement *t = &c->task[k];
        struct cw_choice choice = {t->device, t->start, t->finish};
        if (t->parts > 1)
            status = cw_plan_place_parts(plan, c->order[k], c->part + t->first_part, t->parts, err);
        else
            status = cw_plan_place(plan, c->order[k], &choice, err);
    }
    return status;
}

struct started {
    double start;
    uint32_t place, task;
};

static int by_start(const void *a, const void *b)
{
    const struct started *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

enum cw_status cw_plan_copy_sequence(const struct cw_plan_copy *c, uint32_t *order, uint32_t *device,
                                     struct cw_error *err)
{
    struct started *list = malloc(((size_t)c->count + 1) * sizeof *list);

    if (!list)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the order of %u tasks", c->count);
    for (uint32_t k = 0; k < c->count; k++) {
        list[k] = (struct started){c->task[k].start, k, c->order[k]};
        device[c->order[k]] = c->task[k].device;
    }
    qsort(list, c->count, sizeof *list, by_start);
    for (uint32_t k = 0; k < c->count; k++)
        order[k] = list[k].task;
    free(list);
    return CW_OK;
}
