/* policy_hdgeft.c - HDGEFT: HEFT, then tasks are shared with devices that idle beside them.
 *
 * Gu, Ning, Zheng: OpenCL run-time task scheduling on HXDSP, Computer Systems & Applications 31(11), 2022.
 * HEFT gives a full schedule S. Its tasks are fixed in rank order; where devices alike to the task's own have
 * no period of S that meets the task's, they join it, its work-groups are shared in proportion to speed, and
 * HEFT places the rest anew.
 *
 * Beyond the paper: whole work-groups, a cost `overhead` per joining device, transfers to joining devices on
 * separate memories (a part waits until its inputs can have arrived), devices whose set-up every part pays
 * (cw_device.set_up), and the options below.
 *
 * Fixing a task behind a split re-plans the tasks behind it, so time is quadratic in tasks. Above
 * PLACEMENT_BUDGET placements the tasks are planned in a window that moves along the rank order (option
 * `window`), and the schedule's note says so. */
#include "list_plan.h"
#include "policy.h"
#include "whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACEMENT_BUDGET 20000000u /* about ten seconds */

struct hdgeft {
    struct cw_plan *plan;
    const struct cw_policy_options *o;
    uint32_t *order, count; /* L */
    uint32_t at;            /* tasks of L that are fixed */
    uint32_t planned;       /* tasks of L that S holds */
    uint32_t base;          /* tasks that were placed before the policy began */
    uint32_t window;
    double fixed_finish; /* latest finish of the fixed tasks */
    uint32_t *idle;      /* I, best first */
    struct cw_part *part;
    double *remainder;
    double *divided; /* per device: the cost that the parts of the shared task divide */
};

static const struct cw_placement *placement(const struct hdgeft *h, uint32_t task)
{
    return &h->plan->schedule->task[task];
}

/* ---- S: the fixed tasks, and HEFT's allocation of the rest */

static enum cw_status extend(struct hdgeft *h, struct cw_error *err)
{
    uint32_t end = h->count - h->at < h->window ? h->count : h->at + h->window;
    enum cw_status status;

    if (end <= h->planned)
        return CW_OK;
    status = cw_plan_place_in_order(h->plan, h->order + h->planned, end - h->planned, err);
    h->planned = end;
    return status;
}

/* Makes S anew from task `at` on, with that task in `parts` parts; parts < 2 leaves it to HEFT. */
static enum cw_status replan(struct hdgeft *h, uint32_t parts, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    while (status == CW_OK && h->plan->schedule->placed > h->base + h->at)
        status = cw_plan_undo(h->plan, err);
    h->planned = h->at;
    if (status == CW_OK && parts >= 2) {
        status = cw_plan_place_parts(h->plan, h->order[h->at], h->part, parts, err);
        h->planned++;
    }
    return status == CW_OK ? extend(h, err) : status;
}

static double makespan(const struct hdgeft *h)
{
    double latest = h->fixed_finish;

    for (uint32_t k = h->at; k < h->planned; k++)
        latest = fmax(latest, placement(h, h->order[k])->finish);
    return latest;
}

/* ---- I: idle devices */

/* When device `d` could begin its part of `task`, whose period is [a, b); b when it cannot join. */
static double joining_time(const struct hdgeft *h, uint32_t task, uint32_t d, double a, double b)
{
    const struct cw_timeline *line = &h->plan->timeline[d];
    double since;

    if (h->o->water_filling)
        since = cw_timeline_idle_since(line, b);
    else if (cw_timeline_is_idle(line, a, b))
        since = a;
    else
        return b;
    return fmin(b, fmax(since, cw_plan_ready(h->plan, task, d)));
}

/* The set-up of every part of `task` on device `d`, however small. */
static double set_up(const struct hdgeft *h, uint32_t task, uint32_t d)
{
    return fmin(h->plan->platform->device[d].set_up, cw_graph_cost(h->plan->graph, task, d));
}

/* A device that takes no time at all has no finite speed to share by; were it of use, HEFT would have chosen
 * it. */
static bool may_join(const struct hdgeft *h, uint32_t task, uint32_t p, uint32_t d)
{
    const struct cw_device *device = h->plan->platform->device;
    double cost = cw_graph_cost(h->plan->graph, task, d);

    return d != p && cost > device[d].set_up && !isinf(cost) &&
           (h->o->cross_class || device[d].class_id == device[p].class_id);
}

/* Fills h->idle, fastest first, lowest id on ties. Returns how many. */
static uint32_t find_idle(struct hdgeft *h, uint32_t task)
{
    const struct cw_placement *t = placement(h, task);
    const struct cw_device *device = h->plan->platform->device;
    const struct cw_graph *g = h->plan->graph;
    uint32_t n = 0;

    if (device[t->device].set_up > 0 && cw_graph_cost(g, task, t->device) <= device[t->device].set_up)
        return 0; /* nothing of it can be divided */
    for (uint32_t d = 0; d < g->devices; d++) {
        uint32_t k = n;
        if (!may_join(h, task, t->device, d) || joining_time(h, task, d, t->start, t->finish) >= t->finish)
            continue;
        for (; k > 0 && cw_graph_cost(g, task, h->idle[k - 1]) > cw_graph_cost(g, task, d); k--)
            h->idle[k] = h->idle[k - 1];
        h->idle[k] = d;
        n++;
    }
    return n;
}

/* How many tasks that are not fixed yet, on devices of the same class, run beside `task` and could use them
 * as well. */
static uint32_t concurrent(const struct hdgeft *h, uint32_t task)
{
    const struct cw_device *device = h->plan->platform->device;
    const struct cw_placement *t = placement(h, task);
    uint32_t n = 0;

    for (uint32_t k = h->at + 1; k < h->planned; k++) {
        const struct cw_placement *u = placement(h, h->order[k]);
        n += u->start < t->finish && t->start < u->finish && h->plan->graph->splittable[h->order[k]] &&
             device[u->device].class_id == device[t->device].class_id;
    }
    return n;
}

/* ---- R: shares of the devices */

/* Shares by speed: devices that start together finish together. */
static void share_by_speed(const struct hdgeft *h, uint32_t n)
{
    double speed = 0;

    for (uint32_t k = 0; k < n; k++)
        speed += 1 / h->divided[h->part[k].device];
    for (uint32_t k = 0; k < n; k++)
        h->part[k].share = 1 / h->divided[h->part[k].device] / speed;
}

/* When part k can begin with its share, behind its set-up. */
static double begin(const struct hdgeft *h, uint32_t task, uint32_t k)
{
    return h->part[k].start + set_up(h, task, h->part[k].device);
}

/* Level F that solves sum of max(0, F - begin_d) / W_d = 1, W_d without set-up. A device that begins after F
 * takes no part, which lowers F for the others; those dropped stay dropped, so that rounding cannot make this
 * go round in circles. */
static double find_level(const struct hdgeft *h, uint32_t task, uint32_t n)
{
    double level;
    uint32_t dropped;

    for (uint32_t k = 0; k < n; k++)
        h->part[k].share = 1; /* takes part */
    do {
        double speed = 0, work = 1;
        for (uint32_t k = 0; k < n; k++)
            if (h->part[k].share > 0) {
                speed += 1 / h->divided[h->part[k].device];
                work += begin(h, task, k) / h->divided[h->part[k].device];
            }
        level = work / speed;
        dropped = 0;
        for (uint32_t k = 0; k < n; k++)
            if (h->part[k].share > 0 && begin(h, task, k) > level) {
                h->part[k].share = 0;
                dropped++;
            }
    } while (dropped);
    return level;
}

/* Shares by free time: the terms of find_level's sum. */
static void share_by_level(const struct hdgeft *h, uint32_t task, uint32_t n)
{
    double level = find_level(h, task, n), sum = 0;

    for (uint32_t k = 0; k < n; k++)
        sum += h->part[k].share = fmax(0, level - begin(h, task, k)) / h->divided[h->part[k].device];
    if (!(sum > 0)) /* the task is too short to be told from the earliest start */
        h->part[0].share = sum = 1;
    for (uint32_t k = 0; k < n; k++)
        h->part[k].share /= sum; /* 1 but for rounding */
}

/* Rounds shares to whole work-groups: largest remainder first, lowest device on ties. */
static void round_to_groups(const struct hdgeft *h, uint64_t groups, uint32_t n)
{
    uint64_t left = groups, first = 0;

    for (uint32_t k = 0; k < n; k++) {
        double exact = h->part[k].share * (double)groups;
        h->part[k].groups = cw_whole_from(exact, left);
        h->remainder[k] = exact - (double)h->part[k].groups;
        left -= h->part[k].groups;
    }
    for (; left > 0; left--) {
        uint32_t most = 0;
        for (uint32_t k = 1; k < n; k++)
            if (h->remainder[k] > h->remainder[most])
                most = k;
        h->part[most].groups++;
        h->remainder[most] -= 1;
    }
    for (uint32_t k = 0; k < n; k++) {
        h->part[k].first_group = first;
        first += h->part[k].groups;
        h->part[k].share = (double)h->part[k].groups / (double)groups;
    }
}

/* Shares of numbers that are too unlike for doubles, or of a task that takes no time, are none. */
static bool are_shares(const struct hdgeft *h, uint32_t n)
{
    double sum = 0;

    for (uint32_t k = 0; k < n; k++)
        sum += h->part[k].share;
    return sum > .5 && sum < 1.5; /* 1 but for rounding */
}

/* Drops devices without groups. Returns how many are left. */
static uint32_t drop_empty(const struct hdgeft *h, uint32_t n)
{
    uint32_t stay = 0;

    for (uint32_t k = 0; k < n; k++)
        if (h->part[k].share > 0)
            h->part[stay++] = h->part[k];
    return stay;
}

/* Shares `task` between its device and the first `joining` of I. Returns the number of parts; below 2 when
 * sharing would not finish the task earlier, or where it cannot be divided. */
static uint32_t share(struct hdgeft *h, uint32_t task, uint32_t joining)
{
    const struct cw_placement *t = placement(h, task);
    const struct cw_graph *g = h->plan->graph;
    uint32_t n = 0;
    double finish = 0;

    for (uint32_t d = 0; d < g->devices; d++) { /* parts in the order of device ids */
        bool joins = false;
        h->divided[d] = cw_graph_cost(g, task, d) - set_up(h, task, d);
        for (uint32_t k = 0; k < joining; k++)
            joins |= h->idle[k] == d;
        if (joins || d == t->device)
            h->part[n++] = (struct cw_part){
                .device = d, .start = joins ? joining_time(h, task, d, t->start, t->finish) : t->start};
    }
    if (h->o->water_filling)
        share_by_level(h, task, n);
    else
        share_by_speed(h, n);
    if (!are_shares(h, n))
        return 1;
    if (g->groups[task])
        round_to_groups(h, g->groups[task], n);
    n = drop_empty(h, n);
    for (uint32_t k = 0; k < n; k++)
        finish = fmax(finish, begin(h, task, k) + h->part[k].share * h->divided[h->part[k].device]);
    finish += h->o->overhead * (n - 1);
    for (uint32_t k = 0; k < n; k++)
        h->part[k].finish = finish;
    return finish < t->finish ? n : 1;
}

/* ---- the algorithm */

/* With best-k: the number of joining devices whose schedule is shortest, fewest on ties; else `most`. Leaves
 * S changed. */
static enum cw_status try_counts(struct hdgeft *h, uint32_t task, uint32_t most, uint32_t *best,
                                 struct cw_error *err)
{
    enum cw_status status = CW_OK;
    double least = INFINITY;

    *best = 0;
    for (uint32_t k = h->o->best_k ? 1 : most; k <= most && status == CW_OK; k++) {
        uint32_t parts = share(h, task, k);
        if (parts < 2)
            continue;
        status = replan(h, parts, err);
        if (status == CW_OK && makespan(h) < least) {
            least = makespan(h);
            *best = k;
        }
        if (status == CW_OK && k < most) /* share() reads the task's period in S: bring it back */
            status = replan(h, 0, err);
    }
    return status;
}

static enum cw_status fix_next(struct hdgeft *h, struct cw_error *err)
{
    uint32_t task = h->order[h->at], idle, best = 0;
    double before = h->o->guard ? makespan(h) : INFINITY;
    enum cw_status status = CW_OK;

    idle = h->plan->graph->splittable[task] ? find_idle(h, task) : 0;
    if (idle && h->o->share_idle) {
        uint32_t fair = idle / (1 + concurrent(h, task));
        idle = fair ? fair : 1;
    }
    if (idle)
        status = try_counts(h, task, idle, &best, err);
    if (status == CW_OK && best && best < idle) { /* the last one tried is not the best one */
        status = replan(h, 0, err);
        if (status == CW_OK)
            status = replan(h, share(h, task, best), err);
    }
    if (status == CW_OK && best && makespan(h) > before)
        status = replan(h, 0, err);
    h->fixed_finish = fmax(h->fixed_finish, placement(h, task)->finish);
    h->at++;
    return status == CW_OK ? extend(h, err) : status;
}

/* Equal finish times on a CPU and on an accelerator go to the accelerator, which can share. */
static void prefer_accelerators(struct cw_plan *plan)
{
    for (uint32_t d = 0; d < plan->platform->devices; d++)
        plan->tie_rank[d] =
            d + (strcmp(plan->platform->device[d].class_name, "cpu") ? 0 : plan->platform->devices);
}

static void choose_window(struct hdgeft *h)
{
    uint64_t tries = h->o->best_k ? h->plan->platform->devices : 1, window = h->o->window;

    if (window == 0) {
        window = PLACEMENT_BUDGET / ((uint64_t)h->count * tries + 1);
        window = window < 16 ? 16 : window;
    }
    h->window = window < h->count ? (uint32_t)window : h->count;
    if (h->window < h->count)
        snprintf(h->plan->schedule->note, sizeof h->plan->schedule->note,
                 "hdgeft looked %u tasks ahead, not at all %u at once (option window=N)", h->window,
                 h->count);
}

static enum cw_status plan_hdgeft(struct cw_plan *plan, const struct cw_policy_options *o,
                                  struct cw_error *err)
{
    uint32_t q = plan->platform->devices;
    struct hdgeft h = {.plan = plan, .o = o, .base = plan->schedule->placed};
    enum cw_status status = cw_list_order_by_rank(plan, &h.order, &h.count, err);

    if (status != CW_OK)
        return status;
    h.idle = malloc(q * sizeof *h.idle);
    h.part = calloc(q, sizeof *h.part);
    h.remainder = malloc(2 * (size_t)q * sizeof *h.remainder);
    if (!h.idle || !h.part || !h.remainder) {
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", q);
        goto out;
    }
    h.divided = h.remainder + q;
    h.fixed_finish = cw_schedule_makespan(plan->schedule);
    plan->insertion = h.o->insertion;
    prefer_accelerators(plan);
    choose_window(&h);
    status = extend(&h, err);
    while (status == CW_OK && h.at < h.count)
        status = fix_next(&h, err);
out:
    free(h.order);
    free(h.idle);
    free(h.part);
    free(h.remainder);
    return status;
}

static enum cw_sharing sharing(const struct cw_policy_options *o)
{
    return o->cross_class ? CW_SHARE_ALL : CW_SHARE_CLASS;
}

const struct cw_policy cw_policy_hdgeft = {
    .name = "hdgeft",
    .title = "HEFT, with tasks shared between devices that idle beside them",
    .source = "Gu, Ning, Zheng, Computer Systems & Applications 31(11), 2022",
    .takes = CW_TAKES(insertion) | CW_TAKES(guard) | CW_TAKES(best_k) | CW_TAKES(cross_class) |
             CW_TAKES(share_idle) | CW_TAKES(water_filling) | CW_TAKES(overhead) | CW_TAKES(window),
    .plan = plan_hdgeft,
    .sharing = sharing,
};
