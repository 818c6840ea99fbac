/* policy_heft_blocks.c - HEFT, then devices that idle beside a task take blocks of it: what run mode does by
 * default, as a plan.
 *
 * shim/run/tiles/share.c: after HEFT each task, in the order of their numbers, is shared with all devices of
 * its device's class that have nothing to do in HEFT's schedule while it runs, and no part of an earlier task
 * then, if that makes it shorter by 7 %. The tasks are not placed anew: each device keeps HEFT's order. The
 * blocks of a shared task come out as with adaptive ratios that know all speeds: each device joins when it is
 * free, and all end together (moldable.h). Blocks cost nothing but `overhead` for each device beyond the
 * first. */
#include "list_plan.h"
#include "policy.h"
#include "moldable.h"

#include <math.h>
#include <stdlib.h>

#define GAIN .93 /* CW_RUN_SHARE_GAIN */

struct planned {
    uint32_t task, device, at; /* at: in HEFT's order */
    double start, finish;
};

struct heft_blocks {
    struct cw_plan *plan;
    const struct cw_policy_options *o;
    uint32_t base, count;
    uint32_t *order;
    struct planned *planned;   /* by HEFT */
    bool *joins;               /* per task and device: it has a part, or is the task's own */
    struct cw_timeline *claim; /* per device: times of tasks that it joins */
    struct cw_part *part;
    double *divided; /* per device: the cost that the parts of the shared task divide */
    double *begin;   /* per device: when its part begins, set-up included */
};

/* What parts of `task` divide on device `d`; 0: it cannot have a part. */
static double divided(const struct heft_blocks *h, uint32_t task, uint32_t d)
{
    double cost = cw_graph_cost(h->plan->graph, task, d), rest = cost - h->plan->platform->device[d].set_up;

    return isinf(cost) || !(rest > 0) ? 0 : rest;
}

static bool may_join(const struct heft_blocks *h, const struct planned *t, uint32_t d)
{
    const struct cw_device *device = h->plan->platform->device;

    return d != t->device && divided(h, t->task, d) > 0 &&
           (h->o->cross_class || device[d].class_id == device[t->device].class_id) &&
           cw_timeline_is_idle(&h->plan->timeline[d], t->start, t->finish) &&
           cw_timeline_is_idle(&h->claim[d], t->start, t->finish);
}

/* Chooses the devices that join task `t`. False: out of memory. */
static bool choose(struct heft_blocks *h, const struct planned *t)
{
    uint32_t q = h->plan->graph->devices, n = 0;
    bool *joins = h->joins + (size_t)t->task * q, good, placed = true;
    double speed = divided(h, t->task, t->device);

    joins[t->device] = true;
    if (!h->plan->graph->splittable[t->task] || !(speed > 0))
        return true;
    speed = 1 / speed;
    for (uint32_t d = 0; d < q; d++)
        if (may_join(h, t, d)) {
            joins[d] = true;
            speed += 1 / divided(h, t->task, d);
            n++;
        }
    good = 1 / speed + h->o->overhead * n <= GAIN * (t->finish - t->start);
    for (uint32_t d = 0; d < q; d++) {
        joins[d] &= good || d == t->device;
        placed &= !joins[d] || d == t->device || cw_timeline_place(&h->claim[d], t->start, t->finish);
    }
    return placed;
}

static int by_start(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_task(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;

    return x->task < y->task ? -1 : x->task > y->task;
}

/* Reads HEFT's schedule, chooses who joins, and takes it back. */
static enum cw_status take_back(struct heft_blocks *h, struct cw_error *err)
{
    const struct cw_schedule *s = h->plan->schedule;
    enum cw_status status = CW_OK;
    bool good = true;

    for (uint32_t k = 0; k < h->count; k++) {
        const struct cw_placement *t = &s->task[h->order[k]];
        h->planned[k] = (struct planned){h->order[k], t->device, k, t->start, t->finish};
    }
    qsort(h->planned, h->count, sizeof *h->planned, by_task);
    for (uint32_t k = 0; k < h->count && good; k++)
        good = choose(h, &h->planned[k]);
    if (!good)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for shares");
    while (s->placed > h->base && status == CW_OK)
        status = cw_plan_undo(h->plan, err);
    return status;
}

static int by_begin(const void *a, const void *b)
{
    const struct cw_part *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->device < y->device ? -1 : x->device > y->device;
}

/* Fills h->part with the parts of `task`; returns how many. */
static uint32_t share(struct heft_blocks *h, uint32_t task)
{
    const struct cw_graph *g = h->plan->graph;
    uint32_t n = 0;
    uint64_t first = 0;

    for (uint32_t d = 0; d < g->devices; d++) {
        if (!h->joins[(size_t)task * g->devices + d] || !((h->divided[d] = divided(h, task, d)) > 0))
            continue;
        h->begin[d] = fmax(cw_plan_ready(h->plan, task, d), h->plan->timeline[d].avail);
        h->part[n++] =
            (struct cw_part){.device = d, .start = h->begin[d] + h->plan->platform->device[d].set_up};
    }
    if (n < 2)
        return n;
    qsort(h->part, n, sizeof *h->part, by_begin);
    n = cw_water_fill(h->part, n, h->divided, g->groups[task]);
    for (uint32_t k = 0; k < n; k++) {
        h->part[k].start = h->begin[h->part[k].device]; /* exactly */
        h->part[k].finish += h->o->overhead * (n - 1);
        h->part[k].first_group = first;
        first += h->part[k].groups;
    }
    return n;
}

static enum cw_status place(struct heft_blocks *h, const struct planned *t, struct cw_error *err)
{
    struct cw_plan *plan = h->plan;
    double cost = cw_graph_cost(plan->graph, t->task, t->device), start;
    uint32_t n = share(h, t->task), device = n == 1 ? h->part[0].device : t->device;

    if (n > 1)
        return cw_plan_place_parts(plan, t->task, h->part, n, err);
    cost = cw_graph_cost(plan->graph, t->task, device);
    start = cw_plan_start(plan, device, cw_plan_ready(plan, t->task, device), cost);
    return cw_plan_place(plan, t->task, &(struct cw_choice){device, start, start + cost}, err);
}

static enum cw_status plan_shared(struct heft_blocks *h, const struct cw_policy_options *o,
                                  struct cw_error *err)
{
    enum cw_status status;

    h->plan->insertion = o->insertion;
    status = cw_plan_place_in_order(h->plan, h->order, h->count, err);
    if (status == CW_OK)
        status = take_back(h, err);
    if (status != CW_OK)
        return status;
    qsort(h->planned, h->count, sizeof *h->planned, by_start);
    h->plan->insertion = false; /* each device keeps HEFT's order */
    for (uint32_t k = 0; k < h->count && status == CW_OK; k++)
        status = place(h, &h->planned[k], err);
    return status;
}

static enum cw_status plan_heft_blocks(struct cw_plan *plan, const struct cw_policy_options *o,
                                       struct cw_error *err)
{
    uint32_t q = plan->platform->devices;
    struct heft_blocks h = {.plan = plan, .o = o, .base = plan->schedule->placed};
    enum cw_status status = cw_list_order_by_rank(plan, &h.order, &h.count, err);

    if (status != CW_OK)
        return status;
    h.planned = malloc((h.count + 1) * sizeof *h.planned);
    h.joins = calloc((size_t)plan->graph->tasks * q + 1, sizeof *h.joins);
    h.claim = malloc(q * sizeof *h.claim);
    h.part = calloc(q, sizeof *h.part);
    h.divided = malloc(2 * (size_t)q * sizeof *h.divided);
    h.begin = h.divided ? h.divided + q : NULL;
    for (uint32_t d = 0; d < q && h.claim; d++)
        cw_timeline_init(&h.claim[d]);
    status = h.planned && h.joins && h.claim && h.part && h.divided
                 ? plan_shared(&h, o, err)
                 : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", q);
    for (uint32_t d = 0; d < q && h.claim; d++)
        cw_timeline_finish(&h.claim[d]);
    free(h.order);
    free(h.planned);
    free(h.joins);
    free(h.claim);
    free(h.part);
    free(h.divided);
    return status;
}

static enum cw_sharing sharing(const struct cw_policy_options *o)
{
    return o->cross_class ? CW_SHARE_ALL : CW_SHARE_CLASS;
}

const struct cw_policy cw_policy_heft_blocks = {
    .name = "heft-blocks",
    .title = "heft, then idle devices take blocks of tasks: run's default as a plan",
    .source = "clweave's run mode (heft, --blocks async)",
    .takes = CW_TAKES(insertion) | CW_TAKES(cross_class) | CW_TAKES(overhead),
    .plan = plan_heft_blocks,
    .sharing = sharing,
};
