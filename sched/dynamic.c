#include "dynamic.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* When `device` really finishes the tasks assigned to it. */
static double avail(const struct cw_dynamic *d, uint32_t device)
{
    return d->plan->world ? d->live.device[device].avail : d->plan->timeline[device].avail;
}

/* ---- questions of policies */

static bool dynamic_live_is_alive(const struct cw_dynamic *d, uint32_t device);

bool cw_dynamic_may(const struct cw_dynamic *d, uint32_t task, uint32_t device)
{
    return !isinf(cw_graph_cost(d->plan->graph, task, device)) &&
           (!d->rules->may || d->rules->may(d, task, device, d->context)) &&
           (!d->plan->world || dynamic_live_is_alive(d, device));
}

static double dynamic_live_expect(const struct cw_dynamic *d, uint32_t device);

/* When `device` could start `task` now: behind its earlier tasks, and when the data have arrived or, without
 * `transfers`, as if they were there. */
static double dynamic_start(const struct cw_dynamic *d, uint32_t task, uint32_t device, bool transfers)
{
    double start = d->plan->world ? dynamic_live_expect(d, device) : fmax(d->now, avail(d, device));

    return transfers ? fmax(start, cw_plan_ready(d->plan, task, device)) : start;
}

uint32_t cw_dynamic_earliest(const struct cw_dynamic *d, uint32_t task, bool transfers)
{
    const uint32_t *tie = d->plan->tie_rank;
    uint32_t best = CW_SCHED_NONE;
    double least = INFINITY;

    for (uint32_t p = 0; p < d->plan->graph->devices; p++) {
        double finish;
        if (!cw_dynamic_may(d, task, p))
            continue;
        finish = dynamic_start(d, task, p, transfers) + cw_graph_cost(d->plan->graph, task, p);
        if (best == CW_SCHED_NONE || finish < least || (finish == least && tie[p] < tie[best])) {
            best = p;
            least = finish;
        }
    }
    return best;
}

uint32_t cw_dynamic_find(const struct cw_dynamic *d, uint32_t k, uint32_t device)
{
    const struct cw_task_heap *queue = &d->queue[k];
    uint32_t best = CW_SCHED_NONE;

    if (queue->count && cw_dynamic_may(d, queue->task[0], device))
        return 0;
    for (uint32_t at = 1; at < queue->count; at++)
        if (cw_dynamic_may(d, queue->task[at], device) &&
            (best == CW_SCHED_NONE || cw_task_heap_before(queue, queue->task[at], queue->task[best])))
            best = at;
    return best;
}

/* ---- events */

static enum cw_status no_memory(const struct cw_dynamic *d, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a queue of %u tasks", d->plan->graph->tasks);
}

/* Bits of times that are not negative order as the times do. */
static int64_t time_bits(double time)
{
    int64_t bits;

    time += 0.0; /* -0 would order before everything */
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

/* `task` is ready at `when`: an event. */
static enum cw_status will_be_ready(struct cw_dynamic *d, uint32_t task, double when, struct cw_error *err)
{
    d->ready[task] = when;
    d->event_key[task] = -time_bits(when);
    return cw_task_heap_push(&d->event, task) ? CW_OK : no_memory(d, err);
}

/* `task` is placed: tasks that waited for nothing else will be ready when the last of its predecessors has
 * finished. */
static enum cw_status released(struct cw_dynamic *d, uint32_t task, struct cw_error *err)
{
    const struct cw_adjacency *succ = &d->plan->graph->succ;
    const struct cw_placement *at = &d->plan->schedule->task[task];

    for (uint32_t e = succ->start[task]; e < succ->start[task + 1]; e++) {
        uint32_t j = succ->task[e];
        if (d->freed[j] == CW_SCHED_NONE || at->finish > d->ready[j])
            d->freed[j] = at->device;
        d->ready[j] = fmax(d->ready[j], at->finish);
        if (--d->waiting[j] == 0 && d->plan->schedule->task[j].parts == 0) {
            enum cw_status status = will_be_ready(d, j, d->ready[j], err);
            if (status != CW_OK)
                return status;
        }
    }
    return CW_OK;
}

static bool dynamic_live_give(struct cw_dynamic *d, uint32_t task, uint32_t device, struct cw_choice *choice);

static enum cw_status start(struct cw_dynamic *d, uint32_t task, uint32_t device, struct cw_error *err)
{
    struct cw_choice choice = {.device = device};
    enum cw_status status;

    if (!d->plan->world) {
        choice.start = dynamic_start(d, task, device, true);
        choice.finish = choice.start + cw_graph_cost(d->plan->graph, task, device);
    } else if (!dynamic_live_give(d, task, device, &choice)) {
        return will_be_ready(d, task, choice.finish, err);
    }
    status = cw_plan_place(d->plan, task, &choice, err);
    return status == CW_OK ? released(d, task, err) : status;
}

/* Whether a device that may run `task` is there and alive. */
static bool has_home(const struct cw_dynamic *d, uint32_t task)
{
    for (uint32_t p = 0; p < d->plan->graph->devices; p++)
        if (cw_dynamic_may(d, task, p))
            return true;
    return false;
}

static enum cw_status homeless(uint32_t task, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_INFEASIBLE, "task %u: every device that can run it has died", task);
}

static enum cw_status arrive(struct cw_dynamic *d, uint32_t task, struct cw_error *err)
{
    uint32_t k = d->plan->graph->devices;

    if (d->plan->world && !has_home(d, task))
        return homeless(task, err);
    if (d->rules->assign)
        return start(d, task, d->rules->assign(d, task, d->context), err);
    d->queue_key[task] = d->rules->by_priority ? d->ranks.up[task] : -d->arrivals++;
    if (d->rules->enqueue)
        k = d->rules->enqueue(d, task, d->context);
    return cw_task_heap_push(&d->queue[k], task) ? CW_OK : no_memory(d, err);
}

/* Step 1 of the header: tasks that are ready by now arrive, highest rank first. */
static enum cw_status become_ready(struct cw_dynamic *d, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    while (status == CW_OK) {
        while (d->event.count && d->ready[d->event.task[0]] <= d->now)
            if (!cw_task_heap_push(&d->due, cw_task_heap_take(&d->event, 0)))
                return no_memory(d, err);
        if (d->due.count == 0)
            break;
        status = arrive(d, cw_task_heap_take(&d->due, 0), err);
    }
    return status;
}

/* Step 2: idle devices ask. *taken tells whether one of them got something. */
static enum cw_status serve(struct cw_dynamic *d, bool *taken, struct cw_error *err)
{
    uint32_t q = d->plan->graph->devices;
    enum cw_status status = CW_OK;

    *taken = false;
    for (uint32_t n = q; d->rules->shuffled && n > 1; n--) {
        uint32_t k = (uint32_t)cw_random_below(&d->random, n), device = d->asking[k];
        d->asking[k] = d->asking[n - 1];
        d->asking[n - 1] = device;
    }
    for (uint32_t n = 0; n < q && status == CW_OK; n++) {
        uint32_t device = d->asking[n], k, at;
        if (avail(d, device) > d->now)
            continue;
        k = d->rules->source ? d->rules->source(d, device, d->context) : q;
        at = k == CW_SCHED_NONE ? k : cw_dynamic_find(d, k, device);
        if (at == CW_SCHED_NONE)
            continue;
        *taken = true;
        status = start(d, cw_task_heap_take(&d->queue[k], at), device, err);
    }
    return status;
}

/* The next moment at which a task becomes ready, or a device idle while tasks wait. False when there is none.
 */
static bool advance(struct cw_dynamic *d)
{
    double next = d->event.count ? d->ready[d->event.task[0]] : INFINITY;
    bool waiting = false;

    for (uint32_t k = 0; k <= d->plan->graph->devices; k++)
        waiting |= d->queue[k].count > 0;
    for (uint32_t p = 0; waiting && p < d->plan->graph->devices; p++)
        if (avail(d, p) > d->now)
            next = fmin(next, avail(d, p));
    if (isinf(next))
        return false;
    d->now = next;
    return true;
}

/* ---- beginning and end */

static void dynamic_live_finish(struct cw_dynamic_live *l);

static void dynamic_finish(struct cw_dynamic *d)
{
    for (uint32_t k = 0; d->queue && k <= d->plan->graph->devices; k++)
        cw_task_heap_finish(&d->queue[k]);
    free(d->queue);
    cw_task_heap_finish(&d->event);
    cw_task_heap_finish(&d->due);
    cw_ranks_finish(&d->ranks);
    free(d->event_key);
    free(d->queue_key);
    free(d->ready);
    free(d->freed);
    free(d->waiting);
    free(d->asking);
    dynamic_live_finish(&d->live);
}

static enum cw_status dynamic_live_init(struct cw_dynamic_live *l, uint32_t tasks, uint32_t devices,
                                        struct cw_error *err);

static enum cw_status allocate(struct cw_dynamic *d, struct cw_error *err)
{
    const struct cw_graph *g = d->plan->graph;
    enum cw_status status = cw_ranks_init(&d->ranks, g, d->plan->platform, false, err);

    if (status != CW_OK)
        return status;
    d->queue = calloc((size_t)g->devices + 1, sizeof *d->queue);
    d->event_key = malloc(g->tasks * sizeof *d->event_key);
    d->queue_key = malloc(g->tasks * sizeof *d->queue_key);
    d->ready = calloc(g->tasks, sizeof *d->ready);
    d->freed = malloc(g->tasks * sizeof *d->freed);
    d->waiting = malloc(g->tasks * sizeof *d->waiting);
    d->asking = malloc(g->devices * sizeof *d->asking);
    if (!d->queue || !d->event_key || !d->queue_key || !d->ready || !d->freed || !d->waiting || !d->asking)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a simulation of %u tasks", g->tasks);
    d->event.key = d->event_key;
    d->due.key = d->rules->by_priority ? d->ranks.up : d->event_key;
    for (uint32_t k = 0; k <= g->devices; k++)
        d->queue[k].key = d->queue_key;
    for (uint32_t p = 0; p < g->devices; p++)
        d->asking[p] = p;
    return d->plan->world ? dynamic_live_init(&d->live, g->tasks, g->devices, err) : CW_OK;
}

/* Entry tasks are ready at 0; tasks that are placed already run. */
static enum cw_status begin(struct cw_dynamic *d, struct cw_error *err)
{
    const struct cw_graph *g = d->plan->graph;
    enum cw_status status = CW_OK;

    for (uint32_t i = 0; i < g->tasks; i++) {
        d->waiting[i] = g->pred.start[i + 1] - g->pred.start[i];
        d->freed[i] = CW_SCHED_NONE;
        if (d->waiting[i] == 0 && d->plan->schedule->task[i].parts == 0) {
            d->event_key[i] = 0;
            if (!cw_task_heap_push(&d->event, i))
                return no_memory(d, err);
        }
    }
    for (uint32_t k = 0; k < d->plan->schedule->placed && status == CW_OK; k++)
        status = released(d, d->plan->schedule->order[k], err);
    return status;
}

enum cw_status cw_dynamic_plan(struct cw_plan *plan, const struct cw_dynamic_rules *rules,
                               const void *context, struct cw_error *err)
{
    struct cw_dynamic d = {.plan = plan, .rules = rules, .context = context, .random = plan->seed};
    enum cw_status status = allocate(&d, err);
    bool taken;

    plan->insertion = false;
    if (status == CW_OK)
        status = begin(&d, err);
    while (status == CW_OK) {
        status = become_ready(&d, err);
        taken = false;
        if (status == CW_OK && !rules->assign)
            status = serve(&d, &taken, err);
        if (status == CW_OK && !taken && !advance(&d))
            break;
    }
    for (uint32_t i = 0; i < plan->graph->tasks && status == CW_OK && plan->world; i++)
        if (plan->schedule->task[i].parts == 0)
            status = homeless(i, err); /* it waits in the queue of those that died */
    dynamic_finish(&d);
    return status;
}

/* ---- a world that departs from the plan */

static enum cw_status dynamic_live_init(struct cw_dynamic_live *l, uint32_t tasks, uint32_t devices,
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

/* Errors: CW_ERR_NOMEM; finish is due either way. */
static void dynamic_live_finish(struct cw_dynamic_live *l)
{
    free(l->task);
    free(l->device);
}

/* True when `device` has not died by now. */
static bool dynamic_live_is_alive(const struct cw_dynamic *d, uint32_t device)
{
    return d->now < d->plan->world->dies[device];
}

/* When `device` should finish the tasks assigned to it: the running one after its planned time, at least
 * until now, then the rest. O(unfinished tasks of the device). */
static double dynamic_live_expect(const struct cw_dynamic *d, uint32_t device)
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

/* `task` goes to `device` now. Returns true and when it runs in *choice, or false when the device dies first:
 * then the task is lost at choice->finish. */
static bool dynamic_live_give(struct cw_dynamic *d, uint32_t task, uint32_t device, struct cw_choice *choice)
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
