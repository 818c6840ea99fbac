/* The default policy is heft: planner/plan.h names it, test/bench/bench_window.c measures it against the
 * others.
 */
#include "plan.h"
#include "profit.h"
#include "transfers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../sched/whole.h"

/* ---- the window */

static enum cw_status check_window(const struct cw_run_window *w, uint32_t devices, struct cw_error *err)
{
    if (w->tasks == 0)
        return cw_error_set(err, CW_ERR_INVALID, "the window is empty");
    for (uint32_t p = 0; w->busy_ns && p < devices; p++)
        if (!cw_run_is_time(w->busy_ns[p]))
            return cw_error_set(err, CW_ERR_INVALID, "device %u is busy for %g ns", p, w->busy_ns[p]);
    for (uint32_t i = 0; i < w->tasks; i++) {
        uint32_t home = cw_run_home(w, i);
        if (home >= devices || isinf(w->cost_ns[(size_t)i * devices + home]))
            return cw_error_set(err, CW_ERR_INVALID, "command %u cannot run at home", i);
        for (uint32_t p = 0; p < devices; p++)
            if (!(w->cost_ns[(size_t)i * devices + p] >= 0) ||
                (w->error_ns && !(w->error_ns[(size_t)i * devices + p] >= 0)))
                return cw_error_set(err, CW_ERR_INVALID,
                                    "command %u: a cost on device %u is negative or no number", i, p);
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++)
            if (w->pred[e] >= i)
                return cw_error_set(err, CW_ERR_INVALID, "command %u waits for command %u, which comes later",
                                    i, w->pred[e]);
    }
    return CW_OK;
}

static bool only_home(const struct cw_run_window *w, uint32_t devices)
{
    for (uint32_t i = 0; i < w->tasks; i++)
        for (uint32_t p = 0; p < devices; p++)
            if (p != cw_run_home(w, i) && !isinf(w->cost_ns[(size_t)i * devices + p]))
                return false;
    return true;
}

/* Some bytes may have to be fetched. */
static bool fetches(const struct cw_run_costs *c)
{
    return c->space && c->window->piece_start;
}

/* The window as a graph. Whole nanoseconds keep the ranks exact and cheap. */
static enum cw_status make_graph(const struct cw_run_costs *c, struct cw_graph **graph, struct cw_error *err)
{
    const struct cw_run_window *w = c->window;
    struct cw_graph_builder *b = cw_graph_builder_create(c->devices);
    double *cost = malloc(c->devices * sizeof *cost);
    enum cw_status status = b && cost ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "out of memory for a graph");

    for (uint32_t i = 0; i < w->tasks && status == CW_OK; i++) {
        bool leave = cw_run_profit_must_leave(c, i);
        for (uint32_t p = 0; p < c->devices; p++)
            cost[p] = leave && p == cw_run_home(w, i) ? INFINITY
                                                      : nearbyint(cw_run_profit_cost(c, i, p, CW_RUN_MEANS));
        status = cw_graph_builder_add_task(
            b,
            &(struct cw_task_spec){.cost = cost,
                                   .groups = cw_run_divisible(c, i) ? w->groups[i] : 1,
                                   .splittable = cw_run_divisible(c, i)},
            err);
        for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1] && status == CW_OK; e++)
            status = cw_graph_builder_add_edge(b, w->pred[e], i,
                                               c->space && w->pred_bytes ? w->pred_bytes[e] : 0, err);
    }
    if (status == CW_OK && fetches(c))
        status = cw_run_transfers_add_sources(c, b, cost, err);
    if (status == CW_OK)
        status = cw_graph_builder_finish(b, graph, err);
    else
        cw_graph_builder_destroy(b);
    free(cost);
    return status;
}

/* How many schedules a genetic search may make: devices wait for it, so that all of them take a small share
 * of the least time that the window may take. By costs, not by a clock: the same window has the same plan. */
static uint64_t tries_of(const struct cw_run_planner *planner, uint32_t tasks, double home_ns)
{
    double least_ns = home_ns / planner->platform->devices, each_ns = planner->rules.planning_ns * tasks;

    return each_ns > 0 ? cw_whole_from(CW_RUN_PLAN_SEARCH_SHARE * least_ns / each_ns, UINT64_MAX)
                       : UINT64_MAX;
}

/* Runs the policy; *schedule is the caller's. */
static enum cw_status run_policy(const struct cw_run_planner *planner, const struct cw_run_costs *c,
                                 double home_ns, const struct cw_graph *g, struct cw_schedule **schedule,
                                 struct cw_error *err)
{
    const struct cw_run_window *w = c->window;
    struct cw_plan plan;
    enum cw_status status = cw_plan_init(&plan, g, planner->platform, err);

    if (status == CW_OK) {
        plan.seed = planner->config.seed + w->seed;
        plan.tries = tries_of(planner, w->tasks, home_ns);
    }
    for (uint32_t p = 0; p < g->devices && w->busy_ns && status == CW_OK; p++)
        status = cw_plan_occupy(&plan, p, nearbyint(w->busy_ns[p]), err);
    if (status == CW_OK && fetches(c))
        status = cw_run_transfers_place_sources(c, &plan, err);
    if (status == CW_OK)
        status = planner->config.policy->plan(&plan, &planner->config.options, err);
    if (status == CW_OK) {
        *schedule = plan.schedule;
        plan.schedule = NULL;
    }
    cw_plan_finish(&plan);
    return status;
}

/* ---- the plan */

static bool grow_plan(struct cw_run_plan *plan, uint32_t tasks)
{
    if (tasks <= plan->capacity)
        return true;
    cw_run_plan_finish(plan);
    tasks = tasks < 64 ? 64 : tasks;
    plan->order = malloc(tasks * sizeof *plan->order);
    plan->device = malloc(tasks * sizeof *plan->device);
    plan->parts = malloc(tasks * sizeof *plan->parts);
    plan->first_part = malloc(tasks * sizeof *plan->first_part);
    plan->start_ns = malloc(tasks * sizeof *plan->start_ns);
    plan->finish_ns = malloc(tasks * sizeof *plan->finish_ns);
    if (!plan->order || !plan->device || !plan->parts || !plan->first_part || !plan->start_ns ||
        !plan->finish_ns) {
        cw_run_plan_finish(plan);
        return false;
    }
    plan->capacity = tasks;
    return true;
}

static bool grow_parts(struct cw_run_plan *plan, uint32_t parts)
{
    struct cw_run_plan_part *grown;

    if (parts <= plan->part_capacity)
        return true;
    grown = realloc(plan->part, parts * sizeof *grown);
    if (!grown)
        return false;
    plan->part = grown;
    plan->part_capacity = parts;
    return true;
}

struct start {
    double at;
    uint32_t task;
};

static int by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Takes the parts of all shared tasks. Returns false when memory is out. */
static bool adopt_parts(struct cw_run_plan *plan, const struct cw_schedule *s, const struct cw_graph *g)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->tasks; i++)
        n += s->task[i].parts > 1 ? s->task[i].parts : 0;
    if (!grow_parts(plan, n))
        return false;
    n = 0;
    for (uint32_t i = 0; i < plan->tasks; i++) {
        plan->parts[i] = s->task[i].parts > 1 ? s->task[i].parts : 1;
        plan->first_part[i] = n;
        for (uint32_t k = 0; k < plan->parts[i] && plan->parts[i] > 1; k++) {
            struct cw_part part = cw_schedule_part(s, g, i, k);
            plan->part[n++] = (struct cw_run_plan_part){
                .device = part.device, .first_group = part.first_group, .groups = part.groups};
        }
    }
    return true;
}

/* Takes devices, parts and order from `s`. Of tasks that start together the one that was enqueued first goes
 * first: it may cost nothing, and the other may wait for it. Returns false when memory is out. */
static bool adopt(struct cw_run_plan *plan, const struct cw_schedule *s, const struct cw_graph *g)
{
    struct start *by = malloc(plan->tasks * sizeof *by);

    if (!by || !adopt_parts(plan, s, g)) {
        free(by);
        return false;
    }
    for (uint32_t i = 0; i < plan->tasks; i++) {
        by[i] = (struct start){s->task[i].start, i};
        plan->device[i] = s->task[i].device;
    }
    qsort(by, plan->tasks, sizeof *by, by_start);
    for (uint32_t k = 0; k < plan->tasks; k++)
        plan->order[k] = by[k].task;
    free(by);
    return true;
}

static void count_changes(struct cw_run_plan *plan, const struct cw_run_window *w)
{
    uint32_t last = 0;

    plan->moved = plan->reordered = plan->shared = 0;
    for (uint32_t k = 0; k < plan->tasks; k++) {
        plan->shared += plan->parts[k] > 1;
        plan->moved += plan->parts[k] > 1 || plan->device[k] != cw_run_home(w, k);
        plan->reordered += plan->order[k] < last;
        last = plan->order[k] > last ? plan->order[k] : last;
    }
}

/* ---- the decision */

/* The state of one call. */
struct decision {
    const struct cw_run_planner *planner;
    struct cw_run_costs costs;
    struct cw_run_plan *plan;
    double *start, *finish, *avail; /* scratch: per task, per task, per device */
};

static void stay_home(struct decision *d, enum cw_run_verdict verdict)
{
    struct cw_run_plan *plan = d->plan;

    for (uint32_t i = 0; i < plan->tasks; i++) {
        plan->order[i] = i;
        plan->device[i] = cw_run_home(d->costs.window, i);
        plan->parts[i] = 1;
    }
    plan->planned = false;
    plan->verdict = verdict;
    plan->moved = plan->reordered = plan->shared = 0;
    plan->plan_ns = plan->home_ns =
        cw_run_profit_simulate(&d->costs, NULL, CW_RUN_MEANS, plan->start_ns, plan->finish_ns, d->avail);
}

/* One command on its own, under a policy that would give it to the device where it finishes first, of equals
 * the first: the same without a graph. Chatty programs have no other windows. */
static void plan_one(struct decision *d)
{
    const struct cw_run_costs *c = &d->costs;
    const double *busy = c->window->busy_ns;
    bool leave = cw_run_profit_must_leave(c, 0);
    double first = INFINITY;

    d->plan->order[0] = 0;
    d->plan->parts[0] = 1;
    d->plan->device[0] = cw_run_home(c->window, 0);
    for (uint32_t p = 0; p < c->devices; p++) {
        double finish =
            nearbyint(cw_run_profit_cost(c, 0, p, CW_RUN_MEANS)) + (busy ? nearbyint(busy[p]) : 0);
        if (finish < first && !(leave && p == cw_run_home(c->window, 0))) {
            first = finish;
            d->plan->device[0] = p;
        }
    }
    count_changes(d->plan, c->window);
    d->plan->plan_ns =
        cw_run_profit_simulate(c, d->plan, CW_RUN_MEANS, d->plan->start_ns, d->plan->finish_ns, d->avail);
}

/* Plans by the policy into d->plan. */
static enum cw_status plan_by_policy(struct decision *d, struct cw_error *err)
{
    const struct cw_run_window *w = d->costs.window;
    struct cw_graph *g = NULL;
    struct cw_schedule *s = NULL;
    enum cw_status status;

    if (w->tasks == 1 && d->planner->earliest && !fetches(&d->costs)) {
        plan_one(d);
        return CW_OK;
    }
    status = make_graph(&d->costs, &g, err);
    if (status == CW_OK)
        status = run_policy(d->planner, &d->costs, d->plan->home_ns, g, &s, err);
    if (status == CW_OK && !adopt(d->plan, s, g))
        status = cw_error_set(err, CW_ERR_NOMEM, "out of memory for an order of %u commands", w->tasks);
    if (status == CW_OK) {
        count_changes(d->plan, w);
        d->plan->plan_ns = cw_run_profit_simulate(&d->costs, d->plan, CW_RUN_MEANS, d->plan->start_ns,
                                                  d->plan->finish_ns, d->avail);
    }
    cw_schedule_destroy(s);
    cw_graph_destroy(g);
    return status;
}

/* The profit test. */
static void decide(struct decision *d)
{
    const struct cw_run_rules *r = &d->planner->rules;
    struct cw_run_plan *plan = d->plan;
    double home = cw_run_profit_simulate(&d->costs, NULL, CW_RUN_DOUBTED, d->start, d->finish, d->avail);

    plan->needed_ns = fmax(r->least_gain_ns + r->planning_ns * plan->tasks, r->least_gain_share * home);
    plan->home_ns = cw_run_profit_simulate(&d->costs, NULL, CW_RUN_MEANS, d->start, d->finish, d->avail);
    if (!d->planner->asked && !cw_run_profit_could_finish(&d->costs, home - plan->needed_ns, d->finish)) {
        stay_home(d, CW_RUN_NO_SPACE);
        return;
    }
    if (plan_by_policy(d, NULL) != CW_OK) {
        stay_home(d, CW_RUN_FAILED);
        return;
    }
    plan->planned = true;
    plan->verdict = CW_RUN_ASKED;
    plan->gain_ns =
        home - cw_run_profit_simulate(&d->costs, plan, CW_RUN_DOUBTED, d->start, d->finish, d->avail);
    if (d->planner->asked)
        return;
    plan->verdict = CW_RUN_GAIN;
    if (!(plan->gain_ns > plan->needed_ns))
        stay_home(d, CW_RUN_SMALL_GAIN);
}

enum cw_status cw_run_plan_make(const struct cw_run_planner *planner, const struct cw_run_window *window,
                                struct cw_run_plan *plan, struct cw_error *err)
{
    uint32_t devices = planner->platform->devices;
    struct decision d = {.planner = planner,
                         .costs = {window, planner->handoff_ns, planner->set_up_ns, planner->shares, devices,
                                   planner->rules.wake_ns, planner->rules.home_separate, planner->space,
                                   planner->space_of},
                         .plan = plan};
    enum cw_status status = check_window(window, devices, err);
    double *scratch = NULL;

    if (status == CW_OK && planner->space)
        status = cw_run_transfers_check(planner, window, err);
    if (status != CW_OK)
        return status;
    scratch = malloc((2 * (size_t)window->tasks + devices) * sizeof *scratch);
    if (!scratch || !grow_plan(plan, window->tasks)) {
        free(scratch);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for a plan of %u commands", window->tasks);
    }
    d.start = scratch;
    d.finish = scratch + window->tasks;
    d.avail = d.finish + window->tasks;
    plan->tasks = window->tasks;
    plan->gain_ns = plan->needed_ns = 0;
    if (only_home(window, devices) && !planner->asked)
        stay_home(&d, CW_RUN_HOME_ONLY);
    else
        decide(&d);
    free(scratch);
    return CW_OK;
}

const char *cw_run_plan_verdict_string(enum cw_run_verdict v)
{
    static const char *const words[] = {
#define X(id, text) text,
        CW_RUN_VERDICT_LIST(X)
#undef X
    };

    return v < CW_RUN_VERDICTS ? words[v] : "unknown";
}

void cw_run_plan_finish(struct cw_run_plan *plan)
{
    free(plan->order);
    free(plan->device);
    free(plan->parts);
    free(plan->first_part);
    free(plan->part);
    free(plan->start_ns);
    free(plan->finish_ns);
    *plan = (struct cw_run_plan){0};
}
