#include "disjunctive.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 8, /* critical tasks that a step looks at */
    BAN = 3,    /* steps that a task may not return, at least; up to twice that and some for large graphs */
    PATIENCE = 30, /* steps without progress before the search is thrown back */
    KICK = 5       /* tasks that are then moved at random */
};

/* The best of the moves of one step. */
struct move {
    struct cw_reinsertion *r;
    uint32_t task, at, from, after; /* the task at hand, its position, device, and the task before it */
    uint32_t best_at;               /* CW_SCHED_NONE: no move so far */
    struct cw_insertion best;
    uint32_t to; /* throw_back: where tasks go */
};

enum cw_status cw_reinsertion_init(struct cw_reinsertion *r, const struct cw_plan *plan, uint64_t seed,
                                   struct cw_error *err)
{
    size_t n = plan->graph->tasks, q = plan->graph->devices;
    enum cw_status status;

    *r = (struct cw_reinsertion){.random = seed, .length = INFINITY};
    status = cw_disjunctive_init(&r->d, plan, err);
    if (status != CW_OK)
        return status;
    r->order = malloc(n * sizeof *r->order);
    r->device = malloc(n * sizeof *r->device);
    r->critical = malloc(n * sizeof *r->critical);
    r->banned_until = calloc(n * q, sizeof *r->banned_until);
    if (r->order && r->device && r->critical && r->banned_until)
        return CW_OK;
    cw_reinsertion_finish(r);
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a search over %zu tasks", n);
}

void cw_reinsertion_finish(struct cw_reinsertion *r)
{
    cw_disjunctive_finish(&r->d);
    free(r->order);
    free(r->device);
    free(r->critical);
    free(r->banned_until);
    *r = (struct cw_reinsertion){0};
}

static bool keep_if_best(struct cw_reinsertion *r)
{
    if (!(r->d.length < r->length))
        return false;
    memcpy(r->order, r->d.order, r->d.count * sizeof *r->order);
    memcpy(r->device, r->d.device, r->d.graph->tasks * sizeof *r->device);
    r->length = r->d.length;
    return true;
}

/* Fills r->critical. The margin only has to be wider than rounding: a task too many costs time, not quality.
 */
static uint32_t find_critical(struct cw_reinsertion *r)
{
    const struct cw_disjunctive *d = &r->d;
    double most = d->length * (1 - 1e-12);
    uint32_t n = 0;

    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t i = d->order[k];
        if (d->head[i] + d->cost[i] + d->tail[i] >= most)
            r->critical[n++] = k;
    }
    return n;
}

static uint64_t *banned_until(struct cw_reinsertion *r, uint32_t task, uint32_t device)
{
    return &r->banned_until[(size_t)task * r->d.graph->devices + device];
}

static void consider(void *context, const struct cw_insertion *place)
{
    struct move *m = context;

    if (place->device == m->from && place->after == m->after)
        return;
    if (*banned_until(m->r, m->task, place->device) > m->r->step && !(place->length < m->r->length))
        return;
    if (m->best_at != CW_SCHED_NONE &&
        (place->length > m->best.length ||
         (place->length == m->best.length && place->through >= m->best.through)))
        return;
    m->best = *place;
    m->best_at = m->at;
}

/* The best place on device m->to. */
static void consider_there(void *context, const struct cw_insertion *place)
{
    struct move *m = context;

    if (place->device != m->to ||
        (m->best_at == m->at && (place->length > m->best.length ||
                                 (place->length == m->best.length && place->through >= m->best.through))))
        return;
    m->best = *place;
    m->best_at = m->at;
}

/* Looks at all places of the task at order[at], which stays where it is. */
static void look(struct move *m, uint32_t at, cw_disjunctive_visit *visit)
{
    struct cw_disjunctive *d = &m->r->d;

    m->at = at;
    m->task = d->order[at];
    m->from = d->device[m->task];
    m->after = d->prev[m->task];
    cw_disjunctive_take_out(d, at);
    cw_disjunctive_places(d, m->task, visit, m);
    cw_disjunctive_put_back(d, m->task, m->from, m->after);
}

static void make(const struct move *m)
{
    struct cw_disjunctive *d = &m->r->d;
    uint32_t v = d->order[m->best_at], ban = BAN + (uint32_t)sqrt(d->count) / 2;

    *banned_until(m->r, v, d->device[v]) = m->r->step + ban + cw_random_below(&m->r->random, ban);
    cw_disjunctive_take_out(d, m->best_at);
    cw_disjunctive_insert(d, v, &m->best);
}

/* A random neighbour of `task` in the task graph that is not placed before; `task` when there is none. */
static uint32_t any_neighbour(struct cw_reinsertion *r, uint32_t task)
{
    const struct cw_graph *g = r->d.graph;
    uint32_t ins = g->pred.start[task + 1] - g->pred.start[task],
             outs = g->succ.start[task + 1] - g->succ.start[task], k, j;

    if (ins + outs == 0)
        return task;
    k = (uint32_t)cw_random_below(&r->random, ins + outs);
    j = k < ins ? g->pred.task[g->pred.start[task] + k] : g->succ.task[g->succ.start[task] + k - ins];
    return r->d.device[j] == CW_SCHED_NONE ? task : j;
}

/* The best schedule with a few neighbouring tasks moved to one device. */
static void throw_back(struct cw_reinsertion *r)
{
    struct cw_disjunctive *d = &r->d;
    struct move m = {.r = r, .to = (uint32_t)cw_random_below(&r->random, d->graph->devices)};
    uint32_t task, moves = 1 + (uint32_t)cw_random_below(&r->random, KICK);

    cw_disjunctive_load(d, r->order, d->count, r->device);
    task = d->order[cw_random_below(&r->random, d->count)];
    for (uint32_t k = 0; k < moves; k++) {
        uint32_t at = 0;
        while (d->order[at] != task)
            at++;
        m.best_at = CW_SCHED_NONE;
        look(&m, at, consider_there);
        if (m.best_at != CW_SCHED_NONE)
            make(&m);
        task = any_neighbour(r, task);
    }
}

static void step(struct cw_reinsertion *r)
{
    struct move m = {.r = r, .best_at = CW_SCHED_NONE};
    uint32_t n = find_critical(r);

    r->step++;
    for (uint32_t k = 0; k < n && k < SAMPLE; k++) { /* the start of a shuffle */
        uint32_t pick = k + (uint32_t)cw_random_below(&r->random, n - k), at = r->critical[pick];
        r->critical[pick] = r->critical[k];
        look(&m, at, consider);
    }
    if (m.best_at != CW_SCHED_NONE)
        make(&m);
}

void cw_reinsertion_search(struct cw_reinsertion *r, const uint32_t *order, uint32_t count,
                           const uint32_t *device, uint64_t work)
{
    uint64_t end = r->d.work + work, idle = 0;

    cw_disjunctive_load(&r->d, order, count, device);
    keep_if_best(r);
    while (r->d.work < end && r->length > r->least) {
        step(r);
        idle = keep_if_best(r) ? 0 : idle + 1;
        if (idle < PATIENCE)
            continue;
        throw_back(r);
        keep_if_best(r);
        idle = 0;
    }
}

enum cw_status cw_reinsertion_place(struct cw_reinsertion *r, struct cw_plan *plan, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    cw_disjunctive_load(&r->d, r->order, r->d.count, r->device);
    for (uint32_t k = 0; k < r->d.count && status == CW_OK; k++) {
        uint32_t i = r->d.order[k];
        struct cw_choice c = {r->d.device[i], r->d.head[i], r->d.head[i] + r->d.cost[i]};
        status = cw_plan_place(plan, i, &c, err);
    }
    return status;
}
