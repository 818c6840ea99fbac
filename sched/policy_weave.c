/* policy_weave.c - weave: the best of several list schedules, then local search; tasks are shared where
 * that pays.
 *
 *   1. List schedules: those of the other policies, each up to a size of graph at which it is quick
 *      (`portfolio`), so weave is never longer than one of them; `exact` for a dozen tasks.
 *   2. Whole tasks: tabu search that moves critical tasks (disjunctive.h), from the shortest list schedule
 *      and from all tasks on one device, each in turn, then from the best of these.
 *   3. Tasks that may be shared: late acceptance over order and modes (moldable.h), from HEFT's order
 *      with every task shared when it then ends earlier, the same with every task whole, and the schedule
 *      of 2.
 * The shortest schedule is the plan; a later one only when it is shorter.
 *
 * Time: `effort` looks at a task, an edge or a device, some nanoseconds each; no clock, so the plan is the
 * same everywhere. 2 and 3 come in rounds: the first two with a quarter of the default effort each, the
 * others each with twice that of the one before. The looks of a round do not depend on the effort, which only
 * says where to stop: more effort looks at the same and at more, so it is never worse. 1 is the same with any
 * effort. By default LOOKS per task and edge (whole tasks: more with the size of the graph, from LOOKS_SIZE
 * tasks and edges on, to LOOKS_GROWN), LOOKS_SHARED where tasks may be shared, at least LOOKS_FLOOR and at
 * most LOOKS_MAX in all. Where that does not allow a look at a few hundred moves the searches are left out
 * (LOOKS_LEAST), and of 100,000 tasks only list schedules are made. */
#include "bounds.h"
#include "list_plan.h"
#include "policy.h"
#include "disjunctive.h"
#include "moldable.h"
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A policy's placements in a plan, taken out to be compared with those of another policy.
 *
 * Thread-safety: none. */

struct cw_plan_copy {
    double length; /* makespan of the plan, INFINITY: nothing is kept */
    uint32_t count;
    uint32_t *order;           /* the tasks in the order in which they were placed */
    struct cw_placement *task; /* per entry of order */
    struct cw_part *part;      /* their parts, one after the other */
    uint32_t part_capacity;
};

static void plan_copy_finish(struct cw_plan_copy *c)
{
    free(c->order);
    free(c->task);
    free(c->part);
    *c = (struct cw_plan_copy){0};
}

/* Room for all tasks of the plan; nothing is kept. Errors: CW_ERR_NOMEM; it is then empty. */
static enum cw_status plan_copy_init(struct cw_plan_copy *c, const struct cw_plan *plan, struct cw_error *err)
{
    uint32_t n = plan->graph->tasks;

    *c = (struct cw_plan_copy){
        .length = INFINITY, .order = malloc(n * sizeof *c->order), .task = malloc(n * sizeof *c->task)};
    if (c->order && c->task)
        return CW_OK;
    plan_copy_finish(c);
    return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a plan of %u tasks", n);
}

static enum cw_status keep(struct cw_plan_copy *c, const struct cw_schedule *s, uint32_t base,
                           struct cw_error *err)
{
    uint32_t parts = 0;

    if (s->parts > c->part_capacity) {
        struct cw_part *part = realloc(c->part, s->parts * sizeof *part);
        if (!part)
            return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u parts", s->parts);
        c->part = part;
        c->part_capacity = s->parts;
    }
    c->count = s->placed - base;
    memcpy(c->order, s->order + base, c->count * sizeof *c->order);
    for (uint32_t k = 0; k < c->count; k++) {
        const struct cw_placement *t = &s->task[c->order[k]];
        c->task[k] = *t;
        if (t->parts < 2)
            continue;
        memcpy(c->part + parts, s->part + t->first_part, t->parts * sizeof *c->part);
        c->task[k].first_part = parts;
        parts += t->parts;
    }
    return CW_OK;
}

/* Takes back all placements after the first `base` tasks; keeps a copy when the plan is shorter than the kept
 * one. Errors: CW_ERR_NOMEM. */
static enum cw_status plan_copy_take(struct cw_plan_copy *c, struct cw_plan *plan, uint32_t base,
                                     struct cw_error *err)
{
    double length = cw_schedule_makespan(plan->schedule);
    enum cw_status status = CW_OK;

    if (length < c->length) {
        status = keep(c, plan->schedule, base, err);
        c->length = length;
    }
    while (status == CW_OK && plan->schedule->placed > base)
        status = cw_plan_undo(plan, err);
    return status;
}

/* Places the kept tasks. Errors: those of cw_plan_place. */
static enum cw_status plan_copy_put(const struct cw_plan_copy *c, struct cw_plan *plan, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (uint32_t k = 0; k < c->count && status == CW_OK; k++) {
        const struct cw_placement *t = &c->task[k];
        struct cw_choice choice = {t->device, t->start, t->finish};
        if (t->parts > 1)
            status = cw_plan_place_parts(plan, c->order[k], c->part + t->first_part, t->parts, err);
        else
            status = cw_plan_place(plan, c->order[k], &choice, err);
    }
    return status;
}

struct started {
    double start;
    uint32_t place, task;
};

static int by_start(const void *a, const void *b)
{
    const struct started *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Fills order[0 .. count - 1] and device[task] from the kept copy, whole tasks only, as cw_disjunctive_load
 * takes it: by start, in the order of placement on ties. A shared task counts as on its first device. Errors:
 * CW_ERR_NOMEM. */
static enum cw_status plan_copy_sequence(const struct cw_plan_copy *c, uint32_t *order, uint32_t *device,
                                         struct cw_error *err)
{
    struct started *list = malloc(((size_t)c->count + 1) * sizeof *list);

    if (!list)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for the order of %u tasks", c->count);
    for (uint32_t k = 0; k < c->count; k++) {
        list[k] = (struct started){c->task[k].start, k, c->order[k]};
        device[c->order[k]] = c->task[k].device;
    }
    qsort(list, c->count, sizeof *list, by_start);
    for (uint32_t k = 0; k < c->count; k++)
        order[k] = list[k].task;
    free(list);
    return CW_OK;
}

#define LOOKS           3000u
#define LOOKS_SHARED    10000u
#define LOOKS_SIZE      32u
#define LOOKS_FLOOR     10000000u
#define LOOKS_GROWN     20000000u
#define LOOKS_MAX       100000000u
#define LOOKS_LEAST     500u
#define SHORTEST        2u       /* the first two rounds have the default effort / 2^SHORTEST */
#define SHARE_SPACE_MAX 2000000u /* tasks x devices */

/* The size that the time of a policy grows with. */
enum growth {
    BY_TASKS,
    BY_PAIRS,     /* tasks^2 x devices */
    BY_TRANSFERS, /* (tasks + edges) x devices^2 */
    BY_PLANS      /* the same, for a dozen tasks at most */
};

/* The policies that weave tries, and up to which size; those that share tasks where tasks may be shared. */
static const struct {
    const char *policy;
    enum growth by;
    uint64_t most;
} portfolio[] = {
    {"heft", BY_TASKS, UINT64_MAX},
    {"heft-blocks", BY_TASKS, 100000},
    {"peft", BY_TASKS, UINT64_MAX},
    {"cpop", BY_TASKS, 100000},
    {"hlfet", BY_TASKS, 100000},
    {"scls", BY_TASKS, 100000},
    {"ldcp", BY_TASKS, 20000},
    {"dm", BY_TASKS, 20000},
    {"dmda", BY_TASKS, 20000},
    {"dscls", BY_TASKS, 20000},
    {"ws", BY_TASKS, 20000},
    {"eager", BY_TASKS, 20000},
    {"cpu-only", BY_TASKS, 20000},
    {"gpu-only", BY_TASKS, 20000},
    {"dsp-only", BY_TASKS, 20000},
    {"lookahead", BY_TRANSFERS, 2000000},
    {"dls", BY_PAIRS, 1600000000},
    {"min-min", BY_PAIRS, 1600000000},
    {"max-min", BY_PAIRS, 160000000},
    {"sufferage", BY_PAIRS, 160000000},
    {"hscgs", BY_TRANSFERS, 300000},
    {"h2gs", BY_TRANSFERS, 300000},
    {"exact:nodes=20000", BY_PLANS, 15000},
    {"hdgeft", BY_TASKS, 20000},
    {"hdgeft:best-k", BY_PAIRS, 100000},
};

extern const struct cw_policy cw_policy_exact;

struct weave {
    struct cw_plan *plan;
    const struct cw_policy_options *o;
    enum cw_sharing sharing; /* CW_SHARE_NEVER also when no task may be shared */
    uint32_t base, count;
    uint64_t looks, left; /* the default effort; the rest of the effort asked for */
    double least;         /* no schedule is shorter */
    struct cw_plan_copy copy;
    uint32_t *order, *device, *mode; /* of the best schedule of whole tasks; per task */
    struct cw_reinsertion whole;
    struct cw_share_search shares;
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

/* Spends `looks` of the effort, or the rest of it if that is less, and returns how many. */
static uint64_t spend(struct weave *w, uint64_t looks)
{
    uint64_t spent = looks < w->left ? looks : w->left;

    w->left -= spent;
    return spent;
}

/* ---- list schedules */

static uint64_t grown(const struct cw_graph *g, enum growth by)
{
    uint64_t n = g->tasks, q = g->devices;

    if (by == BY_PLANS && n > 12)
        return UINT64_MAX;
    return by == BY_TASKS ? n : by == BY_PAIRS ? n * n * q : (n + g->edges) * q * q;
}

/* Keeps the policy's plan when it is the shortest, and leaves everything else as it was. */
static enum cw_status try_policy(struct weave *w, const struct cw_policy_config *config, struct cw_error *err)
{
    enum cw_status status;
    bool proven;

    w->plan->insertion = true;
    status = config->policy->plan(w->plan, &config->options, err);
    proven = config->policy == &cw_policy_exact && !*w->plan->schedule->note;
    *w->plan->schedule->note = '\0';
    for (uint32_t p = 0; p < w->plan->graph->devices; p++)
        w->plan->tie_rank[p] = p;
    if (status == CW_OK)
        status = plan_copy_take(&w->copy, w->plan, w->base, err);
    if (proven && w->sharing == CW_SHARE_NEVER)
        w->least = w->copy.length;
    return status;
}

/* Tries the policies of the portfolio that share tasks, or those that do not. */
static enum cw_status try_lists(struct weave *w, bool sharing, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    for (size_t k = 0; k < sizeof portfolio / sizeof *portfolio && status == CW_OK; k++) {
        struct cw_policy_config config;
        if (grown(w->plan->graph, portfolio[k].by) > portfolio[k].most)
            continue;
        status = cw_policy_parse(&config, portfolio[k].policy, err);
        config.options.cross_class = w->o->cross_class;
        config.options.overhead = w->o->overhead;
        if (status == CW_OK && sharing == (config.policy->sharing != NULL))
            status = try_policy(w, &config, err);
    }
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

static void search_whole(struct weave *w, const uint32_t *order, uint64_t looks)
{
    if ((looks = spend(w, looks)) > 0)
        cw_reinsertion_search(&w->whole, order, w->count, w->device, looks);
}

/* The best schedule so far becomes w->order and w->device. */
static void take_best(struct weave *w)
{
    if (isinf(w->whole.length))
        return;
    memcpy(w->order, w->whole.order, w->count * sizeof *w->order);
    memcpy(w->device, w->whole.device, w->plan->graph->tasks * sizeof *w->device);
}

static enum cw_status try_whole(struct weave *w, uint64_t looks, struct cw_error *err)
{
    uint32_t q = w->plan->graph->devices;
    uint64_t each = looks / 2 / (q + 1);
    enum cw_status status = CW_OK;

    search_whole(w, w->order, each);
    topological(w, w->order);
    for (uint32_t p = 0; p < q; p++) {
        all_on(w, p, w->device);
        search_whole(w, w->order, each);
    }
    take_best(w);
    search_whole(w, w->order, looks / 2);
    take_best(w);
    if (w->whole.length < w->copy.length) {
        status = cw_reinsertion_place(&w->whole, w->plan, err);
        if (status == CW_OK)
            status = plan_copy_take(&w->copy, w->plan, w->base, err);
    }
    return status;
}

/* ---- shared tasks */

/* Starts from the shortest schedule so far. */
static void start_best(struct weave *w)
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
    cw_share_search_start(&w->shares, w->copy.order, w->count, w->mode);
}

static void start(struct weave *w, const uint32_t *order, uint32_t mode)
{
    for (uint32_t i = 0; i < w->plan->graph->tasks; i++)
        w->mode[i] = mode;
    cw_share_search_start(&w->shares, order, w->count, w->mode);
}

static enum cw_status start_shares(struct weave *w, struct cw_error *err)
{
    uint32_t *ranked, count;
    enum cw_status status = cw_list_order_by_rank(w->plan, &ranked, &count, err);

    if (status != CW_OK)
        return status;
    start_best(w);
    start(w, w->order, CW_MOLDABLE_FREE);
    start(w, ranked, CW_MOLDABLE_FREE);
    start(w, w->order, CW_MOLDABLE_CLASS);
    start(w, ranked, CW_MOLDABLE_CLASS);
    free(ranked);
    return CW_OK;
}

static enum cw_status try_shares(struct weave *w, uint64_t looks, struct cw_error *err)
{
    enum cw_status status = start_shares(w, err);

    if (status == CW_OK && (looks = spend(w, looks)) > 0)
        cw_share_search_run(&w->shares, looks);
    if (status == CW_OK && w->shares.length < w->copy.length) {
        status = cw_share_search_place(&w->shares, w->plan, err);
        if (status == CW_OK)
            status = plan_copy_take(&w->copy, w->plan, w->base, err);
    }
    return status;
}

/* ---- the policy */

/* Sets w->looks, the default effort, and w->left, the one that is asked for; 0: the searches are left out. */
static void set_effort(struct weave *w)
{
    uint64_t size = (uint64_t)w->count + w->plan->graph->edges;
    uint64_t each = w->sharing == CW_SHARE_NEVER ? LOOKS : LOOKS_SHARED;

    w->looks = each * size < LOOKS_MAX ? each * size : LOOKS_MAX;
    if (w->sharing == CW_SHARE_NEVER && w->looks < LOOKS_GROWN && size > LOOKS_SIZE)
        w->looks = w->looks * size / LOOKS_SIZE < LOOKS_GROWN ? w->looks * size / LOOKS_SIZE : LOOKS_GROWN;
    if (w->looks < LOOKS_FLOOR)
        w->looks = LOOKS_FLOOR;
    w->left = w->o->effort ? w->o->effort : w->looks;
    if (w->left < LOOKS_LEAST * size)
        w->left = 0;
}

static enum cw_status allocate(struct weave *w, struct cw_error *err)
{
    size_t bytes = w->plan->graph->tasks * sizeof(uint32_t);

    w->order = malloc(bytes);
    w->device = calloc(1, bytes);
    w->mode = malloc(bytes);
    if (!w->order || !w->device || !w->mode)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u tasks", w->plan->graph->tasks);
    return plan_copy_init(&w->copy, w->plan, err);
}

/* Searches until the effort is spent. */
static enum cw_status search(struct weave *w, bool shares, struct cw_error *err)
{
    enum cw_status status = w->left ? cw_reinsertion_init(&w->whole, w->plan, w->plan->seed, err) : CW_OK;
    uint64_t looks = w->looks / (1 << SHORTEST);

    if (status == CW_OK && shares)
        status = cw_share_search_init(&w->shares, w->plan, w->sharing, w->o->overhead, w->plan->seed, err);
    w->whole.least = w->shares.least = w->least;
    if (status == CW_OK && shares)
        status = try_shares(w, 0, err);
    for (uint32_t round = 0; status == CW_OK && w->left && w->copy.length > w->least; round++) {
        status = try_whole(w, shares ? looks / 4 : looks, err);
        if (status == CW_OK && shares)
            status = try_shares(w, looks / 4 * 3, err);
        looks *= round ? 2 : 1;
    }
    cw_reinsertion_finish(&w->whole);
    cw_share_search_finish(&w->shares);
    return status;
}

static enum cw_status weave(struct weave *w, struct cw_error *err)
{
    const struct cw_graph *g = w->plan->graph;
    bool shares = w->sharing != CW_SHARE_NEVER && g->devices <= CW_MOLDABLE_DEVICES_MAX &&
                  (uint64_t)g->tasks * g->devices <= SHARE_SPACE_MAX;
    struct cw_bounds bounds;
    enum cw_status status = cw_bounds_compute(g, w->plan->platform, w->sharing, &bounds, err);

    if (status == CW_OK)
        status = allocate(w, err);
    if (status != CW_OK)
        return status;
    w->least = bounds.best;
    set_effort(w);
    status = try_lists(w, false, err);
    if (status == CW_OK)
        status = plan_copy_sequence(&w->copy, w->order, w->device, err);
    if (status == CW_OK && shares)
        status = try_lists(w, true, err);
    if (status == CW_OK && w->copy.length > w->least)
        status = search(w, shares, err);
    return status == CW_OK ? plan_copy_put(&w->copy, w->plan, err) : status;
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
    plan_copy_finish(&w.copy);
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
