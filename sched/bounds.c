#include "bounds.h"

#include <math.h>
#include <stdlib.h>

/* 1 / sum of speeds of the devices in class `class_id`, or of all devices for CW_SCHED_NONE. */
static double shared_cost(const struct cw_graph *g, const struct cw_platform *p, uint32_t i,
                          uint32_t class_id)
{
    double speed = 0;

    for (uint32_t d = 0; d < p->devices; d++)
        if (class_id == CW_SCHED_NONE || p->device[d].class_id == class_id)
            speed += 1 / cw_graph_cost(g, i, d);
    return 1 / speed;
}

double cw_bounds_task(const struct cw_graph *g, const struct cw_platform *p, enum cw_sharing sharing,
                      uint32_t i)
{
    double least = cw_graph_min_cost(g, i);

    if (sharing == CW_SHARE_NEVER || !g->splittable[i] || g->groups[i] == 1 || least <= 0)
        return least;
    if (sharing == CW_SHARE_ALL)
        return fmin(least, shared_cost(g, p, i, CW_SCHED_NONE));
    for (uint32_t d = 0; d < p->devices; d++)
        least = fmin(least, shared_cost(g, p, i, p->device[d].class_id));
    return least;
}

/* Longest path with each task at its least possible time; `below` has one entry per task. */
static double longest_path(const struct cw_graph *g, const struct cw_platform *p, enum cw_sharing sharing,
                           double *below)
{
    double longest = 0;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        double most = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            most = fmax(most, below[g->succ.task[e]]);
        below[i] = most + cw_bounds_task(g, p, sharing, i);
        longest = fmax(longest, below[i]);
    }
    return longest;
}

/* `finish[i * q + d]`: the least time from the start of i on device d to the end of everything behind it. */
static double oct_bound(const struct cw_graph *g, const struct cw_platform *p, double *finish)
{
    uint32_t q = p->devices;
    double bound = 0;

    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        double best = INFINITY;
        for (uint32_t d = 0; d < q; d++) {
            double behind = 0;
            for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++) {
                const double *next = &finish[(size_t)g->succ.task[e] * q];
                double least = INFINITY;
                for (uint32_t r = 0; r < q; r++) {
                    if (next[r] < least)
                        least = fmin(least, next[r] + cw_platform_comm(p, g->succ.data[e], d, r));
                }
                behind = fmax(behind, least);
            }
            finish[(size_t)i * q + d] = cw_graph_cost(g, i, d) + behind;
            best = fmin(best, finish[(size_t)i * q + d]);
        }
        bound = fmax(bound, best);
    }
    return bound;
}

/* ---- a lower bound for alike devices: by energetic reasoning, and by whole numbers */

enum { ENERGY_TASKS_MAX = 256 };

struct energy {
    const struct cw_graph *g;
    double devices;
    double *time, *head, *tail; /* per task: cost, longest path before it, and from its start to the end */
    double *from, *to;          /* scratch: where intervals begin and end */
};

/* Whether costs are whole numbers and nothing travels. */
static bool is_whole(const struct cw_graph *g, const struct cw_platform *p)
{
    double most = 0;

    for (size_t k = 0; k < (size_t)g->tasks * g->devices; k++)
        if (isfinite(g->cost[k]) && g->cost[k] != floor(g->cost[k]))
            return false;
    for (uint32_t e = 0; e < g->edges && !p->one_memory; e++)
        most = fmax(most, g->succ.data[e]);
    for (uint32_t d = 0; d < p->devices && !p->one_memory && g->edges; d++)
        for (uint32_t e = 0; e < p->devices; e++)
            most = fmax(most, d == e ? 0 : p->latency[(size_t)d * p->devices + e]);
    return most == 0;
}

static bool is_alike(const struct cw_graph *g)
{
    for (uint32_t i = 0; i < g->tasks; i++)
        for (uint32_t d = 1; d < g->devices; d++)
            if (cw_graph_cost(g, i, d) != cw_graph_cost(g, i, 0))
                return false;
    return true;
}

static void measure(struct energy *x)
{
    const struct cw_graph *g = x->g;

    for (uint32_t k = 0; k < g->tasks; k++) {
        uint32_t i = g->topo[k];
        x->time[i] = cw_graph_cost(g, i, 0);
        x->head[i] = 0;
        for (uint32_t e = g->pred.start[i]; e < g->pred.start[i + 1]; e++)
            x->head[i] = fmax(x->head[i], x->head[g->pred.task[e]] + x->time[g->pred.task[e]]);
    }
    for (uint32_t k = g->tasks; k-- > 0;) {
        uint32_t i = g->topo[k];
        x->tail[i] = 0;
        for (uint32_t e = g->succ.start[i]; e < g->succ.start[i + 1]; e++)
            x->tail[i] = fmax(x->tail[i], x->tail[g->succ.task[e]]);
        x->tail[i] += x->time[i];
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static uint32_t distinct(double *v, uint32_t n)
{
    uint32_t stay = 0;

    qsort(v, n, sizeof *v, by_value);
    for (uint32_t k = 0; k < n; k++)
        if (stay == 0 || v[k] != v[stay - 1])
            v[stay++] = v[k];
    return stay;
}

/* The work that must lie between a and b when all tasks shall end by `length`. */
static double needed(const struct energy *x, double length, double a, double b)
{
    double sum = 0;

    for (uint32_t i = 0; i < x->g->tasks; i++) {
        double early = x->head[i] + x->time[i] - a, late = b - (length - x->tail[i]);
        double least = fmin(fmin(early, late), fmin(x->time[i], b - a));
        if (least > 0)
            sum += least;
    }
    return sum;
}

/* True when no schedule is of that length. */
static bool refuted(const struct energy *x, double length)
{
    uint32_t n = x->g->tasks, starts, ends;

    for (uint32_t i = 0; i < n; i++) {
        x->from[i] = x->head[i];
        x->to[i] = length - x->tail[i] + x->time[i];
        if (length < x->head[i] + x->tail[i])
            return true;
    }
    starts = distinct(x->from, n);
    ends = distinct(x->to, n);
    for (uint32_t s = 0; s < starts; s++)
        for (uint32_t e = ends; e-- > 0 && x->to[e] > x->from[s];) {
            double capacity = x->devices * (x->to[e] - x->from[s]);
            if (needed(x, length, x->from[s], x->to[e]) > capacity * (1 + 1e-9))
                return true;
        }
    return false;
}

/* The first of least, least + step, least + 2 steps, ... that is not refuted, by doubling and halving. */
static double search(const struct energy *x, double least, double step)
{
    double low = -1, high = 0; /* steps: low is refuted, high is not */

    while (refuted(x, least + high * step)) {
        low = high;
        high = high > 0 ? 2 * high : 1;
    }
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (refuted(x, least + middle * step))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The largest T found such that no schedule of whole tasks ends before T, at least `least`, a bound that
 * holds. Where all costs are whole numbers and nothing travels, every schedule without needless waits ends at
 * one, so that `least` is rounded up. Where besides each task costs the same on all devices and there are at
 * most ENERGY_TASKS_MAX of them, a length T is refuted when in some interval the tasks, each as early or
 * as late as T allows, must do more than the devices can (Fernandez, Bussell, IEEE Trans. Computers C-22(8),
 * 1973, made destructive). O(tasks^3) for each T that is tried, of which there are a few. *bound is set on
 * success. Errors: CW_ERR_NOMEM. */
static enum cw_status energy_bound(const struct cw_graph *g, const struct cw_platform *p, double least,
                                   double *bound, struct cw_error *err)
{
    bool whole = is_whole(g, p);
    struct energy x = {.g = g, .devices = p->devices};
    double step, steps;

    *bound = whole && least < 0x1p52 ? ceil(least) : least;
    if (g->tasks > ENERGY_TASKS_MAX || !is_alike(g) || !(least > 0) || least > 1e300)
        return CW_OK;
    x.time = malloc(5 * (size_t)g->tasks * sizeof *x.time);
    if (!x.time)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a bound of %u tasks", g->tasks);
    x.head = x.time + g->tasks;
    x.tail = x.head + g->tasks;
    x.from = x.tail + g->tasks;
    x.to = x.from + g->tasks;
    measure(&x);
    step = whole && *bound < 0x1p52 ? 1 : *bound / 1024;
    steps = search(&x, *bound, step);
    if (steps > 0) /* where lengths need not be whole, only the refuted ones are known */
        *bound += (step == 1 && whole ? steps : steps - 1) * step;
    free(x.time);
    return CW_OK;
}

/* ---- all bounds */

enum cw_status cw_bounds_compute(const struct cw_graph *g, const struct cw_platform *p,
                                 enum cw_sharing sharing, struct cw_bounds *bounds, struct cw_error *err)
{
    double *scratch = malloc((size_t)g->tasks * g->devices * sizeof *scratch), work = 0;
    bool shared = false;
    enum cw_status status = CW_OK;

    if (!scratch)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the bounds of %u tasks", g->tasks);
    for (uint32_t i = 0; i < g->tasks; i++) {
        work += cw_graph_min_cost(g, i);
        shared |= sharing != CW_SHARE_NEVER && g->splittable[i] && g->groups[i] != 1;
    }
    bounds->critical_path = longest_path(g, p, sharing, scratch);
    bounds->oct = shared ? bounds->critical_path : oct_bound(g, p, scratch);
    bounds->area = work / p->devices;
    bounds->best = fmax(fmax(bounds->critical_path, bounds->oct), bounds->area);
    free(scratch);
    bounds->energy = bounds->best;
    if (!shared)
        status = energy_bound(g, p, bounds->best, &bounds->energy, err);
    bounds->best = bounds->energy;
    return status;
}
