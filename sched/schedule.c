#include "schedule.h"

#include <math.h>
#include <stdlib.h>

struct cw_schedule *cw_schedule_create(uint32_t tasks, uint32_t devices)
{
    struct cw_schedule *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->tasks = tasks;
    s->devices = devices;
    s->task = calloc(tasks, sizeof *s->task);
    s->order = malloc(tasks * sizeof *s->order);
    if (!s->task || !s->order) {
        cw_schedule_destroy(s);
        return NULL;
    }
    return s;
}

void cw_schedule_destroy(struct cw_schedule *s)
{
    if (!s)
        return;
    free(s->task);
    free(s->order);
    free(s->part);
    free(s);
}

struct cw_part cw_schedule_part(const struct cw_schedule *s, const struct cw_graph *g, uint32_t i, uint32_t k)
{
    const struct cw_placement *t = &s->task[i];

    if (t->parts > 1)
        return s->part[t->first_part + k];
    return (struct cw_part){
        .device = t->device, .groups = g->groups[i], .share = 1, .start = t->start, .finish = t->finish};
}

double cw_schedule_makespan(const struct cw_schedule *s)
{
    double makespan = 0;

    for (uint32_t i = 0; i < s->tasks; i++)
        makespan = fmax(makespan, s->task[i].finish);
    return makespan;
}
