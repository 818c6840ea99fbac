/* policy_weave.c - weave: the best of several list schedules, then local search; tasks are shared where that
 * pays.
 *
 *   1. List schedules: HEFT, PEFT and, where it is quick enough, lookahead. The shortest is kept, so weave is
 *      never longer than HEFT.
 *   2. Whole tasks: tabu search that moves critical tasks (reinsertion.h), first from the shortest list
 *      schedule and from all tasks on one device, each in turn, then from the best of these.
 *   3. Tasks that may be shared: late acceptance over order and modes (share_search.h), from HEFT's order
 * with every task shared when it then ends earlier, the same with every task whole, and the schedule of 2.
 * What is shortest is the plan; a later one only when it is shorter.
 *
 * Time: `effort` looks at a task, an edge or a device, some nanoseconds each; no clock, so the plan is the
 * same everywhere. By default LOOKS per task and edge (whole tasks: more with the size of the graph, from LOOKS_SIZE
 * tasks and edges on, to LOOKS_GROWN), LOOKS_SHARED where tasks may be shared, at most
 * LOOKS_MAX in all. Where that does not allow a look at a few hundred moves the searches are left out
 * (LOOKS_LEAST), and of 100,000 tasks only list schedules are made. */
#include "bounds.h"
#include "list_order.h"
#include "plan_copy.h"
#include "policy.h"
#include "reinsertion.h"
#include "share_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS          3000u
#define LOOKS_SHARED   10000u
#define LOOKS_SIZE     32u
#define LOOKS_GROWN    20000000u
#define LOOKS_MAX      100000000u
#define LOOKS_LEAST    500u
#define SHARE_ROOM_MAX 2000000u /* tasks x devices */
#define LOOKAHEAD_MOST 2000000u /* placements of lookahead: edges x devices^2 */
#define HDGEFT_MOST    100000u  /* placements of hdgeft: tasks^2 x devices */

extern const struct cw_policy cw_policy_heft, cw_policy_peft, cw_policy_lookahead, cw_policy_hdgeft;

struct weave {
    struct cw_plan *plan;
    const struct cw_policy_options *o;
    enum cw_sharing sharing; /* CW_SHARE_NEVER also when no task may be shared */
    uint32_t base, count;
    uint64_t looks; /* in all */
    bool search;
    double least; /* no schedule is shorter */
    struct cw_plan_copy copy;
    uint32_t *order, *device, *mode; /* of the best schedule of whole tasks; per task */
};

static enum cw_sharing sharing(const struct cw_policy_options *o)
{
    return o->cross_class ? CW_SHARE_ALL : CW_SHARE_CLASS;
}

static bool may_share(const struct cw_plan *plan)
{
    for (uint32_t i = 0; i < plan->graph->tasks; i++)
        if (plan->graph->splittable[i] && plan->graph->groups[i] != 1 && plan->schedule->task[i].parts == 0)
            return true;
    return false;
}

/* ---- list schedules */

static enum cw_status try_list(struct weave *w, const struct cw_policy *policy, struct cw_error *err)
{
    struct cw_policy_config config;
    enum cw_status status;

    cw_policy_config_init(&config, policy);
    config.options.cross_class = w->o->cross_class;
    config.options.overhead = w->o->overhead;
    config.options.best_k = true;
    status = policy->plan(w->plan, &config.options, err);
    return status == CW_OK ? cw_plan_copy_take(&w->copy, w->plan, w->base, err) : status;
}

static enum cw_status try_lists(struct weave *w, struct cw_error *err)
{
    uint64_t q = w->plan->graph->devices;
    enum cw_status status = try_list(w, &cw_policy_heft, err);

    if (status == CW_OK)
        status = try_list(w, &cw_policy_peft, err);
    if (status == CW_OK && w->plan->graph->edges * q * q <= LOOKAHEAD_MOST)
        status = try_list(w, &cw_policy_lookahead, err);
    if (status == CW_OK)
        status = cw_plan_copy_sequence(&w->copy, w->order, w->device, err);
    return status;
}

/* ---- whole tasks */

/* Every task on device p, or where it costs least. */
static void all_on(const struct weave *w, uint32_t p, uint32_t *device)
{
    const struct cw_graph *g = w->plan->graph;

    for (uint32_t i = 0; i < g->tasks; i++) {
        device[i] = p;
        for (uint32_t d = 0; isinf(cw_graph_cost(g, i, p)) && d < g->devices; d++)
            if (cw_graph_cost(g, i, d) < cw_graph_cost(g, i, device[i]))
                device[i] = d;
    }
}

/* The unplaced tasks in a topological order. */
static void topological(const struct weave *w, uint32_t *order)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < w->plan->graph->tasks; k++)
        if (w->plan->schedule->task[w->plan->graph->topo[k]].parts == 0)
            order[n++] = w->plan->graph->topo[k];
}

static void search_from_all(struct weave *w, struct cw_reinsertion *r, uint64_t looks)
{
    uint32_t q = w->plan->graph->devices;
    uint64_t each = looks / 2 / (q + 1);

    cw_reinsertion_search(r, w->order, w->count, w->device, each);
    topological(w, w->order);
    for (uint32_t p = 0; p < q; p++) {
        all_on(w, p, w->device);
        cw_reinsertion_search(r, w->order, w->count, w->device, each);
    }
    memcpy(w->order, r->order, w->count * sizeof *w->order);
    memcpy(w->device, r->device, w->plan->graph->tasks * sizeof *w->device);
    cw_reinsertion_search(r, w->order, w->count, w->device, looks / 2);
    memcpy(w->order, r->order, w->count * sizeof *w->order);
    memcpy(w->device, r->device, w->plan->graph->tasks * sizeof *w->device);
}

static enum cw_status try_whole(struct weave *w, uint64_t looks, struct cw_error *err)
{
    struct cw_reinsertion r;
    enum cw_status status = cw_reinsertion_init(&r, w->plan, w->plan->seed, err);

    if (status != CW_OK)
        return status;
    r.least = w->least;
    search_from_all(w, &r, looks);
    if (r.length < w->copy.length) {
        status = cw_reinsertion_place(&r, w->plan, err);
        if (status == CW_OK)
            status = cw_plan_copy_take(&w->copy, w->plan, w->base, err);
    }
    cw_reinsertion_finish(&r);
    return status;
}

/* ---- shared tasks */

/* HDGEFT, where its quadratic time is short. It prefers other devices on ties. */
static enum cw_status try_hdgeft(struct weave *w, struct cw_error *err)
{
    uint64_t q = w->plan->graph->devices;
    enum cw_status status = CW_OK;

    if ((uint64_t)w->count * w->count * q <= HDGEFT_MOST)
        status = try_list(w, &cw_policy_hdgeft, err);
    for (uint32_t p = 0; p < q; p++)
        w->plan->tie_rank[p] = p;
    return status;
}

/* From the shortest schedule so far, whatever it is. */
static void start_best(struct weave *w, struct cw_share_search *s)
{
    uint32_t q = w->plan->graph->devices;

    memset(w->mode, 0, w->plan->graph->tasks * sizeof *w->mode);
    for (uint32_t k = 0; k < w->copy.count; k++) {
        const struct cw_placement *t = &w->copy.task[k];
        uint32_t task = w->copy.order[k];
        if (t->parts == 1)
            w->mode[task] = CW_MOLDABLE_ON + t->device;
        else if (t->parts < q)
            w->mode[task] = CW_MOLDABLE_ON + q - 2 + t->parts;
    }
    cw_share_search_start(s, w->copy.order, w->count, w->mode);
}

static void start(struct weave *w, struct cw_share_search *s, const uint32_t *order, uint32_t mode)
{
    for (uint32_t i = 0; i < w->plan->graph->tasks; i++)
        w->mode[i] = mode;
    cw_share_search_start(s, order, w->count, w->mode);
}

static enum cw_status start_shares(struct weave *w, struct cw_share_search *s, struct cw_error *err)
{
    uint32_t *ranked, count;
    enum cw_status status = cw_list_order_by_rank(w->plan, &ranked, &count, err);

    if (status != CW_OK)
        return status;
    start_best(w, s);
    start(w, s, w->order, CW_MOLDABLE_FREE);
    start(w, s, ranked, CW_MOLDABLE_FREE);
    start(w, s, w->order, CW_MOLDABLE_CLASS);
    start(w, s, ranked, CW_MOLDABLE_CLASS);
    free(ranked);
    return CW_OK;
}

static enum cw_status try_shares(struct weave *w, uint64_t looks, struct cw_error *err)
{
    struct cw_share_search s;
    enum cw_status status = cw_share_search_init(&s, w->plan, w->sharing, w->o->overhead, w->plan->seed, err);

    if (status != CW_OK)
        return status;
    s.least = w->least;
    status = try_hdgeft(w, err);
    if (status == CW_OK)
        status = start_shares(w, &s, err);
    if (status == CW_OK)
        cw_share_search_run(&s, looks);
    if (status == CW_OK && s.length < w->copy.length) {
        status = cw_share_search_place(&s, w->plan, err);
        if (status == CW_OK)
            status = cw_plan_copy_take(&w->copy, w->plan, w->base, err);
    }
    cw_share_search_finish(&s);
    return status;
}

/* ---- the policy */

static void set_effort(struct weave *w)
{
    uint64_t size = (uint64_t)w->count + w->plan->graph->edges;

    uint64_t each = w->sharing == CW_SHARE_NEVER ? LOOKS : LOOKS_SHARED;

    w->looks = w->o->effort;
    if (w->looks == 0)
        w->looks = each * size < LOOKS_MAX ? each * size : LOOKS_MAX;
    if (w->o->effort == 0 && w->sharing == CW_SHARE_NEVER && w->looks < LOOKS_GROWN && size > LOOKS_SIZE)
        w->looks = w->looks * size / LOOKS_SIZE < LOOKS_GROWN ? w->looks * size / LOOKS_SIZE : LOOKS_GROWN;
    w->search = w->looks >= LOOKS_LEAST * size;
}

static enum cw_status allocate(struct weave *w, struct cw_error *err)
{
    size_t bytes = w->plan->graph->tasks * sizeof(uint32_t);

    w->order = malloc(bytes);
    w->device = calloc(1, bytes);
    w->mode = malloc(bytes);
    if (!w->order || !w->device || !w->mode)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", w->plan->graph->tasks);
    return cw_plan_copy_init(&w->copy, w->plan, err);
}

static enum cw_status weave(struct weave *w, struct cw_error *err)
{
    const struct cw_graph *g = w->plan->graph;
    bool shares = w->sharing != CW_SHARE_NEVER && g->devices <= CW_MOLDABLE_DEVICES_MAX &&
                  (uint64_t)g->tasks * g->devices <= SHARE_ROOM_MAX;
    struct cw_bounds bounds;
    enum cw_status status = cw_bounds_compute(g, w->plan->platform, w->sharing, &bounds, err);

    if (status == CW_OK)
        status = allocate(w, err);
    if (status != CW_OK)
        return status;
    w->least = bounds.best;
    set_effort(w);
    status = try_lists(w, err);
    if (status == CW_OK && w->search && w->copy.length > w->least)
        status = try_whole(w, shares ? w->looks / 4 : w->looks, err);
    if (status == CW_OK && shares && w->copy.length > w->least)
        status = try_shares(w, w->search ? w->looks / 4 * 3 : 0, err);
    return status == CW_OK ? cw_plan_copy_put(&w->copy, w->plan, err) : status;
}

static enum cw_status plan_weave(struct cw_plan *plan, const struct cw_policy_options *o,
                                 struct cw_error *err)
{
    struct weave w = {.plan = plan, .o = o, .base = plan->schedule->placed};
    enum cw_status status;

    w.count = plan->graph->tasks - w.base;
    if (w.count == 0)
        return CW_OK;
    w.sharing = may_share(plan) ? sharing(o) : CW_SHARE_NEVER;
    status = weave(&w, err);
    cw_plan_copy_finish(&w.copy);
    free(w.order);
    free(w.device);
    free(w.mode);
    return status;
}

const struct cw_policy cw_policy_weave = {
    .name = "weave",
    .title = "the best of several list schedules, improved by search, tasks shared where it pays",
    .source = "own",
    .takes = CW_TAKES(cross_class) | CW_TAKES(overhead) | CW_TAKES(effort),
    .offline = true,
    .plan = plan_weave,
    .sharing = sharing,
};
