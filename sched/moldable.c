#include "moldable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gaps before this many periods from the end are left out: long lists would take quadratic time. */
enum { PERIODS_BACK = 64 };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- room */

static bool is_uniform(const struct cw_platform *p)
{
    for (uint32_t m = 0; m < p->devices; m++)
        for (uint32_t n = 0; n < p->devices; n++)
            if (m != n && p->latency[(size_t)m * p->devices + n] != p->latency[1])
                return false;
    return p->one_bandwidth;
}

static void read_platform(struct cw_moldable *m)
{
    const struct cw_platform *p = m->platform;

    m->uniform = is_uniform(p);
    for (uint32_t d = 0; d < p->devices; d++) {
        m->memory[d] = 0;
        for (uint32_t e = 0; e < p->devices; e++)
            if (cw_platform_shared(p, d, e))
                m->memory[d] |= UINT64_C(1) << e;
    }
    for (uint32_t e = 0; e < m->graph->edges; e++)
        m->in_time[e] = m->uniform ? m->graph->pred.data[e] / p->mean_bandwidth : m->graph->pred.data[e];
}

enum cw_status cw_moldable_init(struct cw_moldable *m, const struct cw_plan *plan, enum cw_sharing sharing,
                                double overhead, struct cw_error *err)
{
    size_t n = plan->graph->tasks, q = plan->graph->devices;
    enum cw_status status;

    *m = (struct cw_moldable){.sharing = sharing, .overhead = overhead};
    if (q > CW_MOLDABLE_DEVICES_MAX)
        return cw_error_set(err, CW_ERR_UNSUPPORTED, "%zu devices are too many to share tasks", q);
    m->graph = plan->graph;
    m->platform = plan->platform;
    m->task = calloc(n, sizeof *m->task);
    m->part = malloc(n * q * sizeof *m->part);
    m->at_hand = malloc(n * sizeof *m->at_hand);
    m->memory = malloc(q * sizeof *m->memory);
    m->in_time = malloc(((size_t)m->graph->edges + 1) * sizeof *m->in_time);
    m->period = malloc(2 * n * q * sizeof *m->period);
    m->periods = malloc(q * sizeof *m->periods);
    m->ready = malloc(q * sizeof *m->ready);
    m->avail = malloc(q * sizeof *m->avail);
    m->trial[0] = malloc(q * sizeof **m->trial);
    m->trial[1] = malloc(q * sizeof **m->trial);
    if (m->task && m->part && m->at_hand && m->memory && m->in_time && m->period && m->periods && m->ready &&
        m->avail && m->trial[0] && m->trial[1])
        status = cw_release_init(&m->release, plan, err);
    else
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for shares of %zu tasks", n);
    if (status == CW_OK)
        read_platform(m);
    else
        cw_moldable_finish(m);
    return status;
}

void cw_moldable_finish(struct cw_moldable *m)
{
    cw_release_finish(&m->release);
    free(m->task);
    free(m->part);
    free(m->at_hand);
    free(m->memory);
    free(m->in_time);
    free(m->period);
    free(m->periods);
    free(m->ready);
    free(m->avail);
    free(m->trial[0]);
    free(m->trial[1]);
    *m = (struct cw_moldable){0};
}

/* ---- when data are there */

/* Of placed task `j`, over an edge of `time`, on device `p`: from the nearest of its parts. */
static double arrival(const struct cw_moldable *m, uint32_t j, double time, uint32_t p)
{
    const struct cw_placement *t = &m->task[j];
    double least = INFINITY;

    if (m->at_hand[j] >> p & 1)
        return t->finish;
    if (m->uniform)
        return t->finish + (m->platform->latency[m->platform->devices > 1] + time);
    if (t->parts == 1)
        return t->finish + cw_platform_comm(m->platform, time, t->device, p);
    for (uint32_t k = 0; k < t->parts; k++)
        least = fmin(least, cw_platform_comm(m->platform, time, m->part[t->first_part + k].device, p));
    return t->finish + least;
}

static void find_ready(struct cw_moldable *m, uint32_t task)
{
    const struct cw_adjacency *pred = &m->graph->pred;
    uint32_t q = m->graph->devices;

    for (uint32_t p = 0; p < q; p++)
        m->ready[p] = cw_release_ready(&m->release, task, p);
    for (uint32_t e = pred->start[task]; e < pred->start[task + 1]; e++) {
        uint32_t j = pred->task[e];
        for (uint32_t p = 0; m->task[j].parts && p < q; p++)
            m->ready[p] = larger(m->ready[p], arrival(m, j, m->in_time[e], p));
    }
    m->work += (uint64_t)q * (1 + pred->start[task + 1] - pred->start[task]);
}

/* ---- whole */

/* As cw_plan_start with insertion: the first start >= ready at which device `p` is idle for `length`. */
static double first_fit(struct cw_moldable *m, uint32_t p, double ready, double length)
{
    const double *period = m->period + 2 * (size_t)m->graph->tasks * p;
    uint32_t k = m->periods[p];
    double from;

    if (length <= 0 || ready >= m->avail[p])
        return ready;
    while (k > 0 && period[2 * k - 1] > ready &&
           m->periods[p] - k < PERIODS_BACK) /* those that end by `ready` are out of the way */
        k--;
    m->work += m->periods[p] - k;
    from = larger(ready, k ? period[2 * k - 1] : m->release.avail[p]);
    for (; k < m->periods[p]; k++) {
        if (from + length <= period[2 * k])
            return from;
        from = larger(from, period[2 * k + 1]);
    }
    return from;
}

/* The device where `task` finishes first as a whole; only `only`, unless that is CW_SCHED_NONE. */
static struct cw_choice choose_whole(struct cw_moldable *m, uint32_t task, uint32_t only)
{
    struct cw_choice best = {CW_SCHED_NONE, 0, INFINITY};

    for (uint32_t p = 0; p < m->graph->devices; p++) {
        double cost = cw_graph_cost(m->graph, task, p), start;
        if (isinf(cost) || (only != CW_SCHED_NONE && p != only) || m->ready[p] + cost >= best.finish)
            continue;
        start = first_fit(m, p, m->ready[p], cost);
        if (start + cost < best.finish)
            best = (struct cw_choice){p, start, start + cost};
    }
    return best;
}

/* ---- shared */

/* Finds the devices that may share `task`, in class `class_id` or, for CW_SCHED_NONE, any, by ascending
 * start. */
static uint32_t find_sharers(struct cw_moldable *m, uint32_t task, uint32_t class_id, struct cw_part *part)
{
    const double *cost = &m->graph->cost[(size_t)task * m->graph->devices];
    uint32_t n = 0;

    for (uint32_t p = 0; p < m->graph->devices; p++) {
        double start = larger(m->ready[p], m->avail[p]);
        uint32_t k = n;
        if (!(cost[p] > 0) || isinf(cost[p]) ||
            (class_id != CW_SCHED_NONE && m->platform->device[p].class_id != class_id))
            continue;
        for (; k > 0 && part[k - 1].start > start; k--)
            part[k] = part[k - 1];
        part[k] = (struct cw_part){.device = p, .start = start};
        n++;
    }
    m->work += m->graph->devices;
    return n;
}

/* Shares `task` between the first `count` of m->trial[0], result in m->trial[1]. Returns the parts. */
static uint32_t fill(struct cw_moldable *m, uint32_t task, uint32_t count, double *finish)
{
    const double *cost = &m->graph->cost[(size_t)task * m->graph->devices];

    memcpy(m->trial[1], m->trial[0], count * sizeof **m->trial);
    count = cw_water_fill(m->trial[1], count, cost, m->graph->groups[task]);
    *finish = 0;
    for (uint32_t k = 0; k < count; k++) {
        m->trial[1][k].finish += m->overhead * (count - 1);
        *finish = larger(*finish, m->trial[1][k].finish);
    }
    m->work += count;
    return count;
}

/* Copies m->trial[1] to m->part as the parts of the task at hand, in the order of devices. */
static void keep_parts(struct cw_moldable *m, uint32_t count)
{
    struct cw_part *part = m->part + m->parts;
    uint64_t first = 0;

    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = k;
        for (; at > 0 && part[at - 1].device > m->trial[1][k].device; at--)
            part[at] = part[at - 1];
        part[at] = m->trial[1][k];
    }
    for (uint32_t k = 0; k < count; k++) {
        part[k].first_group = first;
        first += part[k].groups;
    }
}

/* Tries shares among the devices of a class; those that end before `*finish` become the parts at
 * m->part[m->parts ..]. Returns their number, or `best`. */
static uint32_t try_class(struct cw_moldable *m, uint32_t task, uint32_t class_id, uint32_t most,
                          uint32_t best, double *finish)
{
    uint32_t n = find_sharers(m, task, class_id, m->trial[0]);

    n = n < most ? n : most;
    /* without a cost of joining more hands never hurt, so all at once; cw_water_fill leaves out devices that
     * are late
     */
    for (uint32_t count = m->overhead > 0 ? 2 : n; count >= 2 && count <= n; count++) {
        double end;
        uint32_t parts = fill(m, task, count, &end);
        if (parts < 2 || !(end < *finish))
            continue;
        keep_parts(m, parts);
        *finish = end;
        best = parts;
    }
    return best;
}

static uint32_t try_shares(struct cw_moldable *m, uint32_t task, uint32_t mode, double finish)
{
    const struct cw_device *device = m->platform->device;
    uint32_t q = m->platform->devices, best = 0;
    uint32_t most = mode >= CW_MOLDABLE_ON + q ? mode - (CW_MOLDABLE_ON + q) + 2 : q;

    if (m->sharing == CW_SHARE_ALL && mode != CW_MOLDABLE_CLASS)
        return try_class(m, task, CW_SCHED_NONE, most, 0, &finish);
    for (uint32_t p = 0; p < m->platform->devices; p++) {
        bool first = true;
        for (uint32_t k = 0; k < p && first; k++)
            first = device[k].class_id != device[p].class_id;
        if (first)
            best = try_class(m, task, device[p].class_id, most, best, &finish);
    }
    return best;
}

/* ---- decode */

static void occupy(struct cw_moldable *m, uint32_t p, double start, double end)
{
    double *period = m->period + 2 * (size_t)m->graph->tasks * p;
    uint32_t k = m->periods[p];

    if (!(start < end))
        return;
    for (; k > 0 && period[2 * k - 2] > start; k--) {
        period[2 * k] = period[2 * k - 2];
        period[2 * k + 1] = period[2 * k - 1];
    }
    period[2 * k] = start;
    period[2 * k + 1] = end;
    m->periods[p]++;
    m->avail[p] = larger(m->avail[p], end);
}

static void place_whole(struct cw_moldable *m, uint32_t task, const struct cw_choice *c)
{
    m->task[task] = (struct cw_placement){c->start, c->finish, c->device, 1, CW_SCHED_NONE};
    m->at_hand[task] = m->memory[c->device];
    occupy(m, c->device, c->start, c->finish);
}

static void place_shared(struct cw_moldable *m, uint32_t task, uint32_t parts)
{
    const struct cw_part *part = m->part + m->parts;
    struct cw_placement t = {INFINITY, 0, part->device, parts, m->parts};

    m->at_hand[task] = 0;
    for (uint32_t k = 0; k < parts; k++) {
        t.start = fmin(t.start, part[k].start);
        t.finish = larger(t.finish, part[k].finish);
        m->at_hand[task] |= m->memory[part[k].device];
        occupy(m, part[k].device, part[k].start, part[k].finish);
    }
    m->task[task] = t;
    m->parts += parts;
}

static void place(struct cw_moldable *m, uint32_t task, uint32_t mode)
{
    const struct cw_graph *g = m->graph;
    uint32_t only = mode - CW_MOLDABLE_ON, parts = 0;
    struct cw_choice c;

    if (mode < CW_MOLDABLE_ON || only >= g->devices || isinf(cw_graph_cost(g, task, only)))
        only = CW_SCHED_NONE;
    find_ready(m, task);
    c = choose_whole(m, task, only);
    if (only == CW_SCHED_NONE && mode != CW_MOLDABLE_WHOLE && g->splittable[task] && g->groups[task] != 1 &&
        m->sharing != CW_SHARE_NEVER)
        parts = try_shares(m, task, mode, c.finish);
    if (parts)
        place_shared(m, task, parts);
    else
        place_whole(m, task, &c);
}

bool cw_moldable_decode(struct cw_moldable *m, const uint32_t *order, uint32_t count, const uint32_t *mode,
                        double limit)
{
    m->parts = 0;
    m->length = m->release.latest;
    memset(m->periods, 0, m->graph->devices * sizeof *m->periods);
    memcpy(m->avail, m->release.avail, m->graph->devices * sizeof *m->avail);
    for (uint32_t k = 0; k < count; k++)
        m->task[order[k]].parts = 0;
    for (uint32_t k = 0; k < count; k++) {
        place(m, order[k], mode[order[k]]);
        m->length = larger(m->length, m->task[order[k]].finish);
        if (m->length >= limit)
            return false;
    }
    return true;
}

enum cw_status cw_moldable_place(const struct cw_moldable *m, const uint32_t *order, uint32_t count,
                                 struct cw_plan *plan, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < count && status == CW_OK; k++) {
        const struct cw_placement *t = &m->task[order[k]];
        if (t->parts > 1)
            status = cw_plan_place_parts(plan, order[k], m->part + t->first_part, t->parts, err);
        else
            status = cw_plan_place(plan, order[k], &(struct cw_choice){t->device, t->start, t->finish}, err);
    }
    return status;
}
