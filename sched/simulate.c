/* simulate.c - see simulate.h. Parts are taken in the order of planned starts: that is an order of dependence
 * and of each device, so that everything a part waits for is known when its turn comes. */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>

#include "policy.h"
#include "dynamic.h"

struct done {
    double finish;
    double death;    /* the first of a device that had a part; INFINITY: none */
    uint32_t device; /* where a moved task ran; CW_SCHED_NONE: as planned */
    uint32_t left;   /* parts whose turn has not come */
};

struct start {
    double start;
    uint32_t task, part, place;
};

struct simulation {
    const struct cw_schedule *s;
    const struct cw_graph *g;
    const struct cw_platform *p;
    struct cw_world world;
    struct done *done;
    double *avail;       /* per device */
    struct start *order; /* of all parts */
    uint32_t parts;
    struct cw_error *err;
};

static int by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

/* Planned starts; ties in the order in which the policy placed tasks, which is one of dependence for tasks of
 * no cost. */
static enum cw_status put_in_order(struct simulation *m)
{
    const struct cw_schedule *s = m->s;

    for (uint32_t i = 0; i < s->tasks; i++)
        m->parts += s->task[i].parts;
    m->order = malloc(((size_t)m->parts + 1) * sizeof *m->order);
    if (!m->order)
        return cw_error_set(m->err, CW_ERR_NOMEM, "out of memory");
    m->parts = 0;
    for (uint32_t place = 0; place < s->placed; place++)
        for (uint32_t k = 0, i = s->order[place]; k < s->task[i].parts; k++)
            m->order[m->parts++] = (struct start){cw_schedule_part(s, m->g, i, k).start, i, k, place};
    qsort(m->order, m->parts, sizeof *m->order, by_start);
    return CW_OK;
}

/* Where predecessor `j` is nearest to device `to`. */
static uint32_t source(const struct simulation *m, uint32_t j, double data, uint32_t to)
{
    const struct cw_placement *t = &m->s->task[j];
    uint32_t best = m->done[j].device;

    for (uint32_t k = 0; m->done[j].device == CW_SCHED_NONE && k < t->parts; k++) {
        uint32_t d = cw_schedule_part(m->s, m->g, j, k).device;
        if (best == CW_SCHED_NONE ||
            cw_platform_comm(m->p, data, d, to) < cw_platform_comm(m->p, data, best, to))
            best = d;
    }
    return best;
}

/* When all that `task` reads is on `device`, no transfer beginning before `from`. `book`: the links are used.
 */
static double ready(struct simulation *m, uint32_t task, uint32_t device, double from, bool book)
{
    const struct cw_adjacency *pred = &m->g->pred;
    double latest = from;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        uint32_t j = pred->task[e], at = source(m, j, pred->data[e], device);
        double since = fmax(m->done[j].finish, from);
        latest = fmax(latest, cw_world_arrival(&m->world, pred->data[e], at, device, since, book));
    }
    return latest;
}

/* Runs `task` whole where it is done first among those that live, from `from` on; again when that one dies,
 * too. */
static enum cw_status move(struct simulation *m, uint32_t task, double from)
{
    m->world.result->moved++;
    for (;;) {
        double least = INFINITY, begin;
        uint32_t best = CW_SCHED_NONE;
        for (uint32_t d = 0; d < m->p->devices; d++) {
            double cost = cw_graph_cost(m->g, task, d),
                   end = fmax(ready(m, task, d, from, false), m->avail[d]) + cost;
            if (!isinf(cost) && m->world.dies[d] > from && (best == CW_SCHED_NONE || end < least))
                best = d, least = end;
        }
        if (best == CW_SCHED_NONE)
            return cw_error_set(m->err, CW_ERR_INFEASIBLE, "task %u: every device that can run it has died",
                                task);
        begin = fmax(ready(m, task, best, from, true), m->avail[best]);
        double end = begin + cw_world_length(&m->world, cw_graph_cost(m->g, task, best), task, best);
        if (end <= m->world.dies[best]) {
            m->avail[best] = end;
            m->done[task].finish = end, m->done[task].device = best;
            return CW_OK;
        }
        m->world.result->lost += fmax(0, m->world.dies[best] - begin);
        m->avail[best] = from = m->world.dies[best];
    }
}

/* The part's turn; with the last of its task it is clear whether that has to be run again. */
static enum cw_status run(struct simulation *m, const struct start *which)
{
    struct cw_part part = cw_schedule_part(m->s, m->g, which->task, which->part);
    struct done *done = &m->done[which->task];
    double dies = m->world.dies[part.device];

    if (m->avail[part.device] >= dies) {
        done->death = fmin(done->death, dies); /* known by now */
    } else {
        double begin = fmax(ready(m, which->task, part.device, 0, true), m->avail[part.device]);
        double end = begin + cw_world_length(&m->world, part.finish - part.start, which->task, part.device);
        if (end > dies) {
            m->world.result->lost += fmax(0, dies - begin);
            done->death = fmin(done->death, dies);
            end = dies;
        }
        m->avail[part.device] = end;
        done->finish = fmax(done->finish, end);
    }
    return --done->left || isinf(done->death) ? CW_OK : move(m, which->task, done->death);
}

static enum cw_status run_all(struct simulation *m, double *finish)
{
    enum cw_status status = put_in_order(m);
    double makespan = 0;

    for (uint32_t i = 0; i < m->g->tasks; i++)
        m->done[i] = (struct done){0, INFINITY, CW_SCHED_NONE, m->s->task[i].parts};
    for (uint32_t k = 0; k < m->parts && status == CW_OK; k++)
        status = run(m, &m->order[k]);
    for (uint32_t i = 0; i < m->g->tasks; i++) {
        makespan = fmax(makespan, m->done[i].finish);
        if (finish && status == CW_OK)
            finish[i] = m->done[i].finish;
    }
    cw_world_end(&m->world, makespan);
    return status;
}

enum cw_status cw_simulate(const struct cw_schedule *s, const struct cw_graph *g, const struct cw_platform *p,
                           const struct cw_simulate_options *o, struct cw_simulate_result *r, double *finish,
                           struct cw_error *err)
{
    struct simulation m = {.s = s, .g = g, .p = p, .err = err};
    enum cw_status status = cw_world_init(&m.world, p, o, r, err);

    if (status != CW_OK)
        return status;
    r->planned = cw_schedule_makespan(s);
    m.done = calloc(g->tasks, sizeof *m.done);
    m.avail = calloc(p->devices, sizeof *m.avail);
    if (s->placed != g->tasks || g->devices != p->devices)
        status = cw_error_set(err, CW_ERR_INVALID, "simulate: the schedule is not one of the graph");
    else if (!m.done || !m.avail)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    else
        status = run_all(&m, finish);
    free(m.done);
    free(m.order);
    free(m.avail);
    cw_world_finish(&m.world);
    return status;
}

/* The plan that a dynamic policy makes in this world is the simulated schedule. */
static enum cw_status simulate_dynamic(const struct cw_policy_config *config, const struct cw_graph *g,
                                       const struct cw_platform *p, const struct cw_simulate_options *o,
                                       struct cw_simulate_result *r, struct cw_error *err)
{
    struct cw_world world;
    struct cw_plan plan = {0};
    enum cw_status status = cw_world_init(&world, p, o, r, err);

    if (status == CW_OK)
        status = cw_plan_init(&plan, g, p, err);
    if (status == CW_OK) {
        plan.seed = config->seed;
        plan.world = &world;
        status = config->policy->plan(&plan, &config->options, err);
    }
    if (status == CW_OK)
        cw_world_end(&world, cw_schedule_makespan(plan.schedule));
    cw_plan_finish(&plan);
    cw_world_finish(&world);
    return status;
}

enum cw_status cw_simulate_policy(const struct cw_policy_config *config, const struct cw_schedule *plan,
                                  const struct cw_graph *g, const struct cw_platform *p,
                                  const struct cw_simulate_options *o, struct cw_simulate_result *r,
                                  struct cw_error *err)
{
    enum cw_status status;

    if (!config->policy->dynamic)
        return cw_simulate(plan, g, p, o, r, NULL, err);
    status = simulate_dynamic(config, g, p, o, r, err);
    r->planned = cw_schedule_makespan(plan);
    return status;
}
