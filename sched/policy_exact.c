/* policy_exact.c - exact: branch and bound for small graphs.
 *
 * Every schedule that cannot be improved by starting one task earlier is reached by placing tasks in the
 * order of their starts, each behind the last one of its device, at once when its data are there; so the
 * search goes over all ways to append a ready task to a device with starts that never decrease. It begins
 * with HEFT's schedule and leaves out
 *   - every branch that cannot end before the best so far: for each task that is not placed, the least over
 * devices of (earliest start there, given the placed tasks) + (least time from there to the end of the graph,
 * transfers exact: the OCT bound); and all work that is left at its least cost, spread over all devices;
 *   - the second of two orders of tasks that start at the same time;
 *   - the second of two devices that are alike and both unused.
 * Exponential. After `nodes` placements (0: WORK_BUDGET looks at an edge or a device) it keeps the best so
 * far and says so in the schedule's note; graphs of more than TASKS_MAX tasks are not tried. On a plan that
 * holds tasks, gaps between them are used by HEFT only. */
#include "list_plan.h"
#include "policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 64 };
#define WORK_BUDGET 500000000u /* a few seconds */

/* One way to go on. */
struct step {
    uint32_t task, device;
    double start, finish, bound;
};

struct exact {
    struct cw_plan *plan;
    const struct cw_graph *g;
    uint32_t q;
    double *behind; /* tasks x devices: least time from the start of i on p to the end of the graph */
    double *finish; /* tasks x devices, of the node at hand: earliest finish of i on p; INFINITY: elsewhere */
    double *avail;  /* per device */
    uint32_t *twin; /* per device: a lower one that is alike, or itself */
    uint32_t *used; /* per device: tasks */
    uint32_t *waiting;      /* per task: predecessors that are not placed */
    uint32_t at[TASKS_MAX]; /* per task: its device, or CW_SCHED_NONE */
    double end[TASKS_MAX];
    struct step *steps; /* scratch of each depth: tasks x devices */
    struct step path[TASKS_MAX], best[TASKS_MAX];
    uint32_t depth, best_length; /* best_length 0: HEFT's */
    double least, work;          /* the best makespan; the least costs of all that is not placed */
    uint64_t nodes;
};

/* ---- bounds */

/* Earliest arrival on device p of the data of predecessor j, wherever j runs. */
static double arrival(const struct exact *s, uint32_t j, double data, uint32_t p)
{
    const struct cw_platform *pf = s->plan->platform;
    const double *finish = &s->finish[(size_t)j * s->q];
    double least = INFINITY;

    if (s->at[j] != CW_SCHED_NONE)
        return s->end[j] + cw_platform_comm(pf, data, s->at[j], p);
    for (uint32_t r = 0; r < s->q; r++)
        if (finish[r] < least)
            least = fmin(least, finish[r] + cw_platform_comm(pf, data, r, p));
    return least;
}

/* When device p can begin a task of this cost; a task of no cost fits between any two tasks, as in
 * timeline.h. */
static double idle_from(const struct exact *s, uint32_t p, double cost)
{
    return cost > 0 ? s->avail[p] : 0;
}

/* Earliest finishes of everything that is not placed, when nothing more starts before `now`. Returns a bound
 * of the makespan; stops early when that reaches the best. */
static double bound(struct exact *s, double now)
{
    const struct cw_adjacency *pred = &s->g->pred;
    double latest = 0, work = s->work;

    for (uint32_t p = 0; p < s->q; p++)
        work += fmax(s->avail[p], now);
    latest = work / s->q;
    for (uint32_t k = 0; k < s->g->tasks && latest < s->least; k++) {
        uint32_t i = s->g->topo[k];
        double best = INFINITY;
        if (s->at[i] != CW_SCHED_NONE)
            continue;
        for (uint32_t p = 0; p < s->q; p++) {
            double cost = cw_graph_cost(s->g, i, p), start = fmax(now, idle_from(s, p, cost));
            for (uint32_t e = pred->start[i]; !isinf(cost) && e < pred->start[i + 1]; e++)
                start = fmax(start, arrival(s, pred->task[e], pred->data[e], p));
            s->finish[(size_t)i * s->q + p] = start + cost;
            best = fmin(best, start + s->behind[(size_t)i * s->q + p]);
        }
        latest = fmax(latest, best);
    }
    return latest;
}

/* behind[i][p] = W + max over successors of min over devices r of (behind[j][r] + exact transfer). */
static void look_behind(struct exact *s)
{
    for (uint32_t k = s->g->tasks; k-- > 0;) {
        uint32_t i = s->g->topo[k];
        for (uint32_t p = 0; p < s->q; p++) {
            double most = 0;
            for (uint32_t e = s->g->succ.start[i]; e < s->g->succ.start[i + 1]; e++) {
                const double *next = &s->behind[(size_t)s->g->succ.task[e] * s->q];
                double least = INFINITY;
                for (uint32_t r = 0; r < s->q; r++)
                    if (next[r] < least)
                        least = fmin(least,
                                     next[r] + cw_platform_comm(s->plan->platform, s->g->succ.data[e], p, r));
                most = fmax(most, least);
            }
            s->behind[(size_t)i * s->q + p] = cw_graph_cost(s->g, i, p) + most;
        }
    }
}

/* ---- branching */

static bool is_pred(const struct exact *s, uint32_t before, uint32_t after)
{
    for (uint32_t e = s->g->pred.start[after]; e < s->g->pred.start[after + 1]; e++)
        if (s->g->pred.task[e] == before)
            return true;
    return false;
}

/* True when another order or device leads to the same. */
static bool is_repeated(const struct exact *s, const struct step *x)
{
    const struct step *last = s->depth ? &s->path[s->depth - 1] : NULL;

    if (s->twin[x->device] != x->device && !s->used[x->device] && !s->used[s->twin[x->device]])
        return true;
    if (!last || x->start > last->start)
        return false;
    return x->start < last->start ||
           (x->task < last->task && x->device != last->device && !is_pred(s, last->task, x->task));
}

static int by_bound(const void *a, const void *b)
{
    const struct step *x = a, *y = b;

    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->device < y->device ? -1 : x->device > y->device;
}

/* Fills `steps` with the ways to go on, the most promising first. Returns how many. Reads s->finish. */
static uint32_t expand(const struct exact *s, struct step *steps)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->g->tasks; i++) {
        if (s->at[i] != CW_SCHED_NONE || s->waiting[i])
            continue;
        for (uint32_t p = 0; p < s->q; p++) {
            double cost = cw_graph_cost(s->g, i, p);
            struct step x = {.task = i, .device = p};
            if (isinf(cost))
                continue;
            x.start = idle_from(s, p, cost);
            for (uint32_t e = s->g->pred.start[i]; e < s->g->pred.start[i + 1]; e++)
                x.start = fmax(x.start, arrival(s, s->g->pred.task[e], s->g->pred.data[e], p));
            x.finish = x.start + cost;
            x.bound = x.start + s->behind[(size_t)i * s->q + p];
            if (x.bound < s->least && !is_repeated(s, &x))
                steps[n++] = x;
        }
    }
    if (n > 1)
        qsort(steps, n, sizeof *steps, by_bound);
    return n;
}

/* Adds (sign 1) or takes back (sign -1) the counts of a step, which need no memory of their own. */
static void count(struct exact *s, const struct step *x, int sign)
{
    const struct cw_adjacency *succ = &s->g->succ;

    for (uint32_t e = succ->start[x->task]; e < succ->start[x->task + 1]; e++)
        s->waiting[succ->task[e]] -= (uint32_t)sign;
    s->used[x->device] += (uint32_t)sign;
}

static void search(struct exact *s, uint32_t left, double now, double latest)
{
    struct step *steps = s->steps + (size_t)s->depth * s->g->tasks * s->q;
    double work = s->work;
    uint32_t n;

    if (left == 0) {
        if (latest < s->least) {
            s->least = latest;
            s->best_length = s->depth;
            memcpy(s->best, s->path, s->depth * sizeof *s->best);
        }
        return;
    }
    if (bound(s, now) >= s->least)
        return;
    n = expand(s, steps);
    for (uint32_t k = 0; k < n && s->nodes > 0; k++) {
        struct step x = steps[k];
        double avail = s->avail[x.device];
        if (x.bound >= s->least)
            break;
        s->nodes--;
        s->avail[x.device] = fmax(avail, x.finish);
        s->at[x.task] = x.device;
        s->end[x.task] = x.finish;
        s->work = work - cw_graph_min_cost(s->g, x.task);
        s->path[s->depth++] = x;
        count(s, &x, 1);
        search(s, left - 1, x.start, fmax(latest, x.finish));
        count(s, &x, -1);
        s->depth--;
        s->at[x.task] = CW_SCHED_NONE;
        s->avail[x.device] = avail;
    }
    s->work = work;
}

/* ---- beginning and end */

static bool are_alike(const struct exact *s, uint32_t a, uint32_t b)
{
    const struct cw_platform *p = s->plan->platform;

    if (s->avail[a] != s->avail[b] || s->used[a] || s->used[b])
        return false;
    for (uint32_t i = 0; i < s->g->tasks; i++)
        if (cw_graph_cost(s->g, i, a) != cw_graph_cost(s->g, i, b))
            return false;
    for (uint32_t c = 0; c < s->q; c++)
        if (c != a && c != b)
            for (double x = 0; x < 2; x++) /* the time of nothing, and of one unit, both ways */
                if (cw_platform_comm(p, x, a, c) != cw_platform_comm(p, x, b, c) ||
                    cw_platform_comm(p, x, c, a) != cw_platform_comm(p, x, c, b))
                    return false;
    return cw_platform_comm(p, 0, a, b) == cw_platform_comm(p, 0, b, a) &&
           cw_platform_comm(p, 1, a, b) == cw_platform_comm(p, 1, b, a);
}

static bool allocate(struct exact *s)
{
    size_t n = s->g->tasks;

    s->behind = malloc(n * s->q * sizeof *s->behind);
    s->finish = malloc(n * s->q * sizeof *s->finish);
    s->avail = malloc(s->q * sizeof *s->avail);
    s->twin = malloc(s->q * sizeof *s->twin);
    s->used = calloc(s->q, sizeof *s->used);
    s->waiting = calloc(n, sizeof *s->waiting);
    s->steps = malloc(n * n * s->q * sizeof *s->steps);
    return s->behind && s->finish && s->avail && s->twin && s->used && s->waiting && s->steps;
}

/* Reads the state of the plan before the search adds to it. Returns the latest finish. */
static double read_plan(struct exact *s)
{
    const struct cw_schedule *schedule = s->plan->schedule;

    s->work = 0;
    for (uint32_t i = 0; i < s->g->tasks; i++) {
        const struct cw_placement *t = &schedule->task[i];
        s->at[i] = t->parts ? t->device : CW_SCHED_NONE;
        s->end[i] = t->finish;
        if (t->parts)
            s->used[t->device]++;
        else
            s->work += cw_graph_min_cost(s->g, i);
        for (uint32_t e = s->g->pred.start[i]; e < s->g->pred.start[i + 1]; e++)
            s->waiting[i] += schedule->task[s->g->pred.task[e]].parts == 0;
    }
    for (uint32_t p = 0; p < s->q; p++)
        s->avail[p] = s->plan->timeline[p].avail;
    for (uint32_t p = 0; p < s->q; p++) {
        s->twin[p] = p;
        for (uint32_t k = 0; k < p && s->twin[p] == p; k++)
            s->twin[p] = are_alike(s, k, p) ? k : p;
    }
    return cw_schedule_makespan(schedule);
}

/* Searches, and replaces HEFT's tasks (those after the first `base`) when there is something better. */
static enum cw_status improve(struct exact *s, uint32_t base, uint64_t nodes, struct cw_error *err)
{
    struct cw_schedule *schedule = s->plan->schedule;
    uint32_t count = schedule->placed - base;
    struct step heft[TASKS_MAX], *chosen = heft;
    enum cw_status status = CW_OK;
    double latest;

    s->least = cw_schedule_makespan(schedule);
    for (uint32_t k = count; k-- > 0 && status == CW_OK;) {
        uint32_t i = schedule->order[base + k];
        heft[k] =
            (struct step){i, schedule->task[i].device, schedule->task[i].start, schedule->task[i].finish, 0};
        status = cw_plan_undo(s->plan, err);
    }
    if (status != CW_OK)
        return status;
    latest = read_plan(s);
    look_behind(s);
    if (nodes == 0)
        nodes = WORK_BUDGET / (64 + s->q * s->g->tasks + s->q * s->q * (uint64_t)s->g->edges);
    s->nodes = nodes;
    search(s, count, 0, latest);
    if (s->nodes == 0)
        snprintf(schedule->note, sizeof schedule->note,
                 "exact gave up after %llu placements; the schedule is not proven to be the shortest (option "
                 "nodes=N)",
                 (unsigned long long)nodes);
    if (s->best_length)
        chosen = s->best;
    for (uint32_t k = 0; k < count && status == CW_OK; k++)
        status = cw_plan_place(s->plan, chosen[k].task,
                               &(struct cw_choice){chosen[k].device, chosen[k].start, chosen[k].finish}, err);
    return status;
}

static enum cw_status plan_exact(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    struct exact *s = calloc(1, sizeof *s);
    uint32_t *order, count, base = plan->schedule->placed;
    enum cw_status status = cw_list_order_by_rank(plan, &order, &count, err);

    if (status == CW_OK && !s)
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    if (status == CW_OK)
        status = cw_plan_place_in_order(plan, order, count, err);
    free(order);
    if (status == CW_OK && plan->graph->tasks > TASKS_MAX) {
        snprintf(plan->schedule->note, sizeof plan->schedule->note,
                 "exact takes up to %d tasks; this is HEFT's schedule", TASKS_MAX);
    } else if (status == CW_OK) {
        s->plan = plan;
        s->g = plan->graph;
        s->q = plan->graph->devices;
        status = allocate(s) ? improve(s, base, o->nodes, err)
                             : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", s->g->tasks);
        free(s->behind);
        free(s->finish);
        free(s->avail);
        free(s->twin);
        free(s->used);
        free(s->waiting);
        free(s->steps);
    }
    free(s);
    return status;
}

const struct cw_policy cw_policy_exact = {
    .name = "exact",
    .title = "branch and bound: the shortest schedule of small graphs",
    .source = "own",
    .takes = CW_TAKES(nodes),
    .offline = true,
    .plan = plan_exact,
};
