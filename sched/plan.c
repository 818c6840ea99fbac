#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True when no schedule can end beyond the range of a double: all work and all transfers, one after the
 * other.
 */
static bool times_are_finite(const struct cw_graph *g, const struct cw_platform *p)
{
    double slowest = INFINITY, latest = 0, total = 0;

    for (uint32_t m = 0; m < p->devices; m++) {
        /* tasks are taken back in reverse order, so these parts are the last */
        for (uint32_t n = 0; n < p->devices; n++)
            if (m != n) {
                latest = fmax(latest, p->latency[(size_t)m * p->devices + n]);
                slowest = fmin(slowest, p->bandwidth[(size_t)m * p->devices + n]);
            }
    }
    for (size_t k = 0; k < (size_t)g->tasks * g->devices; k++)
        if (!isinf(g->cost[k]))
            total += g->cost[k];
    for (uint32_t e = 0; e < g->edges; e++)
        total += latest + g->succ.data[e] / slowest;
    return isfinite(total);
}

enum cw_status cw_plan_init(struct cw_plan *plan, const struct cw_graph *g, const struct cw_platform *p,
                            struct cw_error *err)
{
    *plan = (struct cw_plan){.graph = g, .platform = p, .tries = UINT64_MAX, .insertion = true};
    if (g->devices != p->devices)
        return cw_error_set(err, CW_ERR_INVALID, "the graph has costs for %u devices, the platform has %u",
                            g->devices, p->devices);
    if (!times_are_finite(g, p))
        return cw_error_set(
            err, CW_ERR_LIMIT,
            "the costs, or the data over the slowest bandwidth, are too large to be added up");
    plan->schedule = cw_schedule_create(g->tasks, p->devices);
    plan->timeline = calloc(p->devices, sizeof *plan->timeline);
    plan->tie_rank = malloc(p->devices * sizeof *plan->tie_rank);
    plan->ready = malloc(p->devices * sizeof *plan->ready);
    if (!plan->schedule || !plan->timeline || !plan->tie_rank || !plan->ready) {
        cw_plan_finish(plan);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a plan of %u tasks", g->tasks);
    }
    for (uint32_t d = 0; d < p->devices; d++) {
        cw_timeline_init(&plan->timeline[d]);
        plan->tie_rank[d] = d;
    }
    return CW_OK;
}

void cw_plan_finish(struct cw_plan *plan)
{
    for (uint32_t d = 0; plan->timeline && d < plan->platform->devices; d++)
        cw_timeline_finish(&plan->timeline[d]);
    cw_schedule_destroy(plan->schedule);
    free(plan->timeline);
    free(plan->tie_rank);
    free(plan->ready);
    *plan = (struct cw_plan){0};
}

enum cw_status cw_plan_occupy(struct cw_plan *plan, uint32_t p, double until, struct cw_error *err)
{
    if (!(until >= 0) || isinf(until) || !cw_timeline_is_idle(&plan->timeline[p], 0, until))
        return cw_error_set(err, CW_ERR_INVALID, "device %u cannot be busy until %g: it has tasks before", p,
                            until);
    if (!cw_timeline_place(&plan->timeline[p], 0, until))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the timeline of device %u", p);
    return CW_OK;
}

/* ---- when */

/* When `data` of placed task `j` can be on device `p`; from the nearest of its parts' devices. */
static double arrival(const struct cw_plan *plan, uint32_t j, double data, uint32_t p)
{
    const struct cw_placement *from = &plan->schedule->task[j];
    double travel = INFINITY;

    if (from->parts == 1)
        return from->finish + cw_platform_comm(plan->platform, data, from->device, p);
    for (uint32_t k = 0; k < from->parts; k++) {
        uint32_t m = plan->schedule->part[from->first_part + k].device;
        travel = fmin(travel, cw_platform_comm(plan->platform, data, m, p));
    }
    return from->finish + travel;
}

double cw_plan_ready(const struct cw_plan *plan, uint32_t task, uint32_t p)
{
    const struct cw_adjacency *pred = &plan->graph->pred;
    double ready = 0;

    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++)
        if (plan->schedule->task[pred->task[e]].parts)
            ready = fmax(ready, arrival(plan, pred->task[e], pred->data[e], p));
    return ready;
}

double cw_plan_start(const struct cw_plan *plan, uint32_t p, double ready, double length)
{
    if (plan->insertion)
        return cw_timeline_first_fit(&plan->timeline[p], ready, length);
    return fmax(ready, plan->timeline[p].avail);
}

void cw_plan_ready_everywhere(const struct cw_plan *plan, uint32_t task, double *ready)
{
    const struct cw_platform *pf = plan->platform;
    const struct cw_adjacency *pred = &plan->graph->pred;

    memset(ready, 0, pf->devices * sizeof *ready);
    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        const struct cw_placement *from = &plan->schedule->task[pred->task[e]];
        if (from->parts == 1) {
            const double *rate = &pf->bandwidth[(size_t)from->device * pf->devices],
                         *latency = &pf->latency[(size_t)from->device * pf->devices];
            double data = pred->data[e]; /* `away`: when all links of the sender are alike */
            double away =
                from->finish + (latency[from->device == 0 && pf->devices > 1] + data / pf->mean_bandwidth);
            for (uint32_t p = 0; p < pf->devices; p++) {
                double at = cw_platform_shared(pf, from->device, p) ? from->finish
                            : pf->one_bandwidth && pf->by_sender
                                ? away
                                : from->finish + (latency[p] + data / rate[p]);
                ready[p] = at > ready[p] ? at : ready[p];
            }
        } else if (from->parts > 1) {
            for (uint32_t p = 0; p < pf->devices; p++)
                ready[p] = fmax(ready[p], arrival(plan, pred->task[e], pred->data[e], p));
        }
    }
}

struct cw_choice cw_plan_choose(struct cw_plan *plan, uint32_t task, const double *bias)
{
    cw_plan_ready_everywhere(plan, task, plan->ready);
    return cw_plan_choose_from(plan, task, plan->ready, bias);
}

struct cw_choice cw_plan_choose_from(const struct cw_plan *plan, uint32_t task, const double *ready,
                                     const double *bias)
{
    const double *cost = &plan->graph->cost[(size_t)task * plan->graph->devices];
    struct cw_choice best = {.device = CW_SCHED_NONE};
    double best_key = INFINITY;

    for (uint32_t p = 0; p < plan->platform->devices; p++) {
        double start, key, extra = bias ? bias[p] : 0;
        /* starting when ready is the best that can happen; most devices need no search at all */
        if (isinf(cost[p]) || ready[p] + cost[p] + extra > best_key)
            continue;
        start = cw_plan_start(plan, p, ready[p], cost[p]);
        key = start + cost[p] + extra;
        if (best.device == CW_SCHED_NONE || key < best_key ||
            (key == best_key && plan->tie_rank[p] < plan->tie_rank[best.device])) {
            best = (struct cw_choice){p, start, start + cost[p]};
            best_key = key;
        }
    }
    return best;
}

/* ---- place and take back */

static enum cw_status refuse(const struct cw_plan *plan, uint32_t task, uint32_t device, double start,
                             double finish, struct cw_error *err)
{
    char text[96];

    cw_graph_describe(plan->graph, task, text, sizeof text);
    if (cw_timeline_is_idle(&plan->timeline[device], start, finish))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the timeline of device %u", device);
    return cw_error_set(err, CW_ERR_INVALID,
                        "%s cannot be placed on device %u from %g to %g: it is busy then", text, device,
                        start, finish);
}

static enum cw_status refuse_twice(const struct cw_plan *plan, uint32_t task, struct cw_error *err)
{
    if (plan->schedule->task[task].parts == 0)
        return CW_OK;
    return cw_error_set(err, CW_ERR_INVALID, "task %u is placed twice", task);
}

static void record(struct cw_schedule *s, uint32_t task, struct cw_placement placement)
{
    s->task[task] = placement;
    s->order[s->placed++] = task;
}

enum cw_status cw_plan_place(struct cw_plan *plan, uint32_t task, const struct cw_choice *choice,
                             struct cw_error *err)
{
    enum cw_status status = refuse_twice(plan, task, err);

    if (status != CW_OK)
        return status;
    if (!cw_timeline_place(&plan->timeline[choice->device], choice->start, choice->finish))
        return refuse(plan, task, choice->device, choice->start, choice->finish, err);
    record(plan->schedule, task,
           (struct cw_placement){choice->start, choice->finish, choice->device, 1, CW_SCHED_NONE});
    return CW_OK;
}

static bool reserve_parts(struct cw_schedule *s, uint32_t more)
{
    if (s->parts + more > s->part_capacity) {
        uint32_t capacity = 2 * (s->parts + more);
        struct cw_part *part = realloc(s->part, capacity * sizeof *part);
        if (!part)
            return false;
        s->part = part;
        s->part_capacity = capacity;
    }
    return true;
}

enum cw_status cw_plan_place_parts(struct cw_plan *plan, uint32_t task, const struct cw_part *parts,
                                   uint32_t count, struct cw_error *err)
{
    struct cw_schedule *s = plan->schedule;
    struct cw_placement all = {INFINITY, 0, parts[0].device, count, s->parts};
    enum cw_status status = refuse_twice(plan, task, err);

    if (status != CW_OK)
        return status;
    if (!reserve_parts(s, count))
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u parts", count);
    for (uint32_t k = 0; k < count; k++) {
        if (!cw_timeline_place(&plan->timeline[parts[k].device], parts[k].start, parts[k].finish)) {
            status = refuse(plan, task, parts[k].device, parts[k].start, parts[k].finish, err);
            while (k-- > 0)
                cw_timeline_remove(&plan->timeline[parts[k].device], parts[k].start, parts[k].finish);
            return status;
        }
        all.start = fmin(all.start, parts[k].start);
        all.finish = fmax(all.finish, parts[k].finish);
        s->part[s->parts + k] = parts[k];
    }
    record(s, task, all);
    s->parts += count;
    return CW_OK;
}

enum cw_status cw_plan_undo(struct cw_plan *plan, struct cw_error *err)
{
    struct cw_schedule *s = plan->schedule;
    uint32_t task;
    bool done = true;

    if (s->placed == 0)
        return cw_error_set(err, CW_ERR_INVALID, "nothing to take back");
    task = s->order[--s->placed];
    for (uint32_t k = 0; k < s->task[task].parts; k++) {
        struct cw_part part = cw_schedule_part(s, plan->graph, task, k);
        done &= cw_timeline_remove(&plan->timeline[part.device], part.start, part.finish);
    }
    if (s->task[task].parts > 1)
        s->parts = s->task[task].first_part;
    s->task[task] = (struct cw_placement){0};
    return done ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory while taking back task %u", task);
}

enum cw_status cw_plan_place_in_order(struct cw_plan *plan, const uint32_t *order, uint32_t count,
                                      struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < count && status == CW_OK; k++) {
        struct cw_choice choice = cw_plan_choose(plan, order[k], NULL);
        status = cw_plan_place(plan, order[k], &choice, err);
    }
    return status;
}
