#include "dynamic.h"

#include <math.h>
#include <stdlib.h>

enum cw_status cw_dynamic_live_init(struct cw_dynamic_live *l, uint32_t tasks, uint32_t devices,
                                    struct cw_error *err)
{
    l->task = calloc(tasks, sizeof *l->task);
    l->device = calloc(devices, sizeof *l->device);
    if (!l->task || !l->device)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a simulation of %u tasks", tasks);
    for (uint32_t p = 0; p < devices; p++)
        l->device[p] = (struct cw_live_device){0, CW_SCHED_NONE, CW_SCHED_NONE};
    return CW_OK;
}

void cw_dynamic_live_finish(struct cw_dynamic_live *l)
{
    free(l->task);
    free(l->device);
}

bool cw_dynamic_live_is_alive(const struct cw_dynamic *d, uint32_t device)
{
    return d->now < d->plan->world->dies[device];
}

double cw_dynamic_live_expect(const struct cw_dynamic *d, uint32_t device)
{
    struct cw_live_device *at = &d->live.device[device];
    double t = d->now;

    while (at->first != CW_SCHED_NONE && d->live.task[at->first].end <= d->now)
        at->first = d->live.task[at->first].next;
    for (uint32_t i = at->first; i != CW_SCHED_NONE; i = d->live.task[i].next) {
        double cost = cw_graph_cost(d->plan->graph, i, device);
        if (d->live.task[i].begin <= d->now)
            t = fmax(t, d->live.task[i].begin + cost);
        else
            t = fmax(t, cw_plan_ready(d->plan, i, device)) + cost;
    }
    return t;
}

/* When the data of all predecessors really are on `device`; links are used for it. */
static double arrival(struct cw_dynamic *d, uint32_t task, uint32_t device)
{
    const struct cw_adjacency *pred = &d->plan->graph->pred;
    double latest = 0;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        const struct cw_placement *from = &d->plan->schedule->task[pred->task[e]];
        latest = fmax(latest, cw_world_arrival(d->plan->world, pred->data[e], from->device, device,
                                               from->finish, true));
    }
    return latest;
}

bool cw_dynamic_live_give(struct cw_dynamic *d, uint32_t task, uint32_t device, struct cw_choice *choice)
{
    struct cw_world *w = d->plan->world;
    struct cw_live_device *at = &d->live.device[device];
    double begin = fmax(fmax(d->now, at->avail), arrival(d, task, device));
    double end = begin + cw_world_length(w, cw_graph_cost(d->plan->graph, task, device), task, device);
    bool done = end <= w->dies[device];

    if (!done) {
        w->result->moved++;
        w->result->lost += fmax(0, w->dies[device] - begin);
        begin = fmin(begin, w->dies[device]);
        end = w->dies[device];
    }
    at->avail = end;
    d->live.task[task] = (struct cw_live_task){begin, end, CW_SCHED_NONE};
    if (at->first == CW_SCHED_NONE)
        at->first = task;
    else
        d->live.task[at->last].next = task;
    at->last = task;
    *choice = (struct cw_choice){device, begin, end};
    return done;
}
