/* policy_dynamic.c - dynamic policies of StarPU, and of Zhao, Li, Wang 2014. */
#include "dynamic.h"
#include "policy.h"
#include "random.h"
#include "list_plan.h"

#include <math.h>
#include <stdlib.h>

/* Chaos: ready tasks in random order on random devices. For tests: no order that a program's
 * dependences allow may change its results. Every ready task and every device that can run it are equally
 * likely; the plan's seed decides. */

static struct cw_choice anywhere(const struct cw_plan *plan, uint32_t task, uint64_t *random)
{
    const struct cw_graph *g = plan->graph;
    uint32_t able = 0, pick, p = 0;
    double cost, start;

    for (uint32_t d = 0; d < g->devices; d++)
        able += !isinf(cw_graph_cost(g, task, d));
    pick = (uint32_t)cw_random_below(random, able);
    while (isinf(cw_graph_cost(g, task, p)) || pick-- > 0)
        p++;
    cost = cw_graph_cost(g, task, p);
    start = cw_plan_start(plan, p, cw_plan_ready(plan, task, p), cost);
    return (struct cw_choice){p, start, start + cost};
}

static enum cw_status plan_chaos(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    int64_t *key = calloc(plan->graph->tasks, sizeof *key);
    struct cw_ready_list list = {0};
    uint64_t random = plan->seed;
    enum cw_status status =
        key ? cw_ready_list_init(&list, plan->graph, key, err)
            : cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", plan->graph->tasks);

    (void)o;
    plan->insertion = false;
    while (status == CW_OK && list.ready.count) {
        uint32_t task = cw_ready_list_take(&list, (uint32_t)cw_random_below(&random, list.ready.count));
        if (plan->schedule->task[task].parts == 0) {
            struct cw_choice choice = anywhere(plan, task, &random);
            status = cw_plan_place(plan, task, &choice, err);
        }
        cw_ready_list_done(&list, task);
    }
    cw_ready_list_finish(&list);
    free(key);
    return status;
}

const struct cw_policy cw_policy_chaos = {
    .name = "chaos",
    .title = "random order and devices, for tests",
    .source = "own",
    .commanding = true,
    .plan = plan_chaos,
};

/* Dm and dmda (deque model, data aware): each task, as it becomes ready, to the device that is
 * expected to finish it first, transfers not counted or counted; DSCLS: counted, the ready task of highest
 * rank_u first.
 *
 * StarPU's policies of these names; dm is a baseline of Zhao, Li, Wang 2014. The device's earlier tasks count
 * with the times that they really take, transfers included.
 *
 * DSCLS (Zhao, Li, Wang 2014): its model learns as tasks end: measured costs replace means, and the
 * priorities of tasks that are not scheduled yet are computed anew. In a plan the costs are known, so that
 * nothing is learnt and priorities stay; a caller that measures plans again on a graph with the new costs. */

static uint32_t without_transfers(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, false);
}

static uint32_t with_transfers(struct cw_dynamic *d, uint32_t task, const void *context)
{
    (void)context;
    return cw_dynamic_earliest(d, task, true);
}

static enum cw_status plan_dm(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = without_transfers};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_dm = {
    .name = "dm",
    .title = "dynamic: to the device expected to finish first, transfers not counted",
    .source = "StarPU; Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .earliest = true,
    .plan = plan_dm,
};

static enum cw_status plan_dmda(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = with_transfers};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_dmda = {
    .name = "dmda",
    .title = "dynamic: to the device expected to finish first, transfers counted",
    .source = "StarPU",
    .dynamic = true,
    .earliest = true,
    .plan = plan_dmda,
};

static enum cw_status plan_dscls(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = with_transfers, .by_priority = true};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_dscls = {
    .name = "dscls",
    .title = "dynamic: by priority to the device expected to finish first",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .plan = plan_dscls,
};

/* Ws (work stealing): a task goes to the device that released it, an idle device steals from
 * the most loaded.
 *
 * StarPU's policy of that name; Zhao, Li, Wang 2014: "to the device that runs the scheduler", which is the
 * one whose task ended last of the predecessors. Entry tasks, which no device released, are dealt out in
 * turn. A device that cannot run a task that it released hands it to the next device that can. Queues are
 * first come, first served; the most loaded is the one with the most tasks of those that hold something for
 * the thief, lowest id on ties. */

static uint32_t enqueue(struct cw_dynamic *d, uint32_t task, const void *context)
{
    uint32_t q = d->plan->graph->devices, to = d->freed[task];

    (void)context;
    if (to == CW_SCHED_NONE)
        to = d->turn++ % q;
    while (!cw_dynamic_may(d, task, to))
        to = (to + 1) % q;
    return to;
}

static uint32_t source(struct cw_dynamic *d, uint32_t device, const void *context)
{
    uint32_t from = device;

    (void)context;
    if (d->queue[device].count)
        return device; /* enqueue() put nothing there that the device cannot run */
    for (uint32_t k = 0; k < d->plan->graph->devices; k++)
        if (d->queue[k].count > d->queue[from].count && cw_dynamic_find(d, k, device) != CW_SCHED_NONE)
            from = k;
    return from;
}

static enum cw_status plan_ws(struct cw_plan *plan, const struct cw_policy_options *o, struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.enqueue = enqueue, .source = source};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_ws = {
    .name = "ws",
    .title = "dynamic: queues per device, idle devices steal",
    .source = "StarPU; Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .plan = plan_ws,
};

/* Eager: one queue by rank_u; an idle device takes the first task that it can run.
 *
 * Zhao, Li, Wang 2014: "one priority queue, device at random": of several idle devices a random one takes
 * first; the plan's seed decides. */

static enum cw_status plan_eager(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.by_priority = true, .shuffled = true};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_eager = {
    .name = "eager",
    .title = "dynamic: one queue by priority, idle devices take from it",
    .source = "StarPU; Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .plan = plan_eager,
};

/* Random: each task, as it becomes ready, to a random device that can run it.
 *
 * Zhao, Li, Wang 2014: "one FIFO, device at random". Every device equally likely; the plan's seed decides. */
static uint32_t assign(struct cw_dynamic *d, uint32_t task, const void *context)
{
    uint32_t able = 0, pick;

    (void)context;
    for (uint32_t p = 0; p < d->plan->graph->devices; p++)
        able += cw_dynamic_may(d, task, p);
    pick = (uint32_t)cw_random_below(&d->random, able);
    for (uint32_t p = 0;; p++)
        if (cw_dynamic_may(d, task, p) && pick-- == 0)
            return p;
}

static enum cw_status plan_random(struct cw_plan *plan, const struct cw_policy_options *o,
                                  struct cw_error *err)
{
    static const struct cw_dynamic_rules rules = {.assign = assign};

    (void)o;
    return cw_dynamic_plan(plan, &rules, NULL, err);
}

const struct cw_policy cw_policy_random = {
    .name = "random",
    .title = "dynamic: to a random device",
    .source = "Zhao, Li, Wang, Computer Engineering and Design 2014(9)",
    .dynamic = true,
    .commanding = true,
    .plan = plan_random,
};
