/* decide.c - a window that closes: from commands and their edges to a plan, and back. */
#include "../core/clock.h"
#include "window.h"
#include "../groups/group.h"
#include "../core/fault.h"
#include "../models/program_models.h"
#include "../memory/spread.h"
#include "../planner/profit.h"
#include "../planner/costs.h"
#include "../tuning/tuning.h"
#include "../../trace/recorder.h"
#include "../tiles/tile.h"
#include "../tiles/share.h"
#include "../../../sched/whole.h"
#include "../core/global_lock.h"
#include "../core/state.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGES_EACH    8  /* edges kept per command, on average */
#define THROUGH_JOINS 64 /* internal commands looked through per command */

/* Arrays for one window; as many as threads have ever planned at once. */
struct workspace {
    struct workspace *next;
    uint32_t tasks, edges; /* room */
    struct cw_run_task **task;
    uint32_t *from, *to, *pred_start, *pred, *home, *trial;
    uint64_t *workers; /* where each may run */
    uint64_t *groups;  /* how it may be shared; of a planner that shares */
    double *cost, *error;
    double *alone;                  /* at home, with all bytes there; 0: not known */
    struct cw_run_window_flow flow; /* where there are several memories, ... */
    bool flows;                     /* ... and memory was not out */
    struct cw_run_plan plan;
};

static struct {
    struct workspace *idle;
    uint64_t verdicts[CW_RUN_VERDICTS];
    double home_ns, plan_ns; /* of planned windows */
    uint64_t shared;         /* launches, as planned */
    uint64_t tried;          /* launches moved to learn their time there */
} decide;

int cw_run_decide_describe(char *text, unsigned size)
{
    uint64_t planned = decide.verdicts[CW_RUN_GAIN] + decide.verdicts[CW_RUN_ASKED];
    int used = planned
                   ? snprintf(text, size, "run: %s planned %llu windows, expected %.3f ms instead of %.3f ms",
                              cw_run_perf_model_policy(), (unsigned long long)planned, decide.plan_ns / 1e6,
                              decide.home_ns / 1e6)
                   : snprintf(text, size, "run: %s planned no window", cw_run_perf_model_policy());

    for (int v = CW_RUN_HOME_ONLY; v < CW_RUN_VERDICTS && used > 0 && (unsigned)used < size; v++)
        if (decide.verdicts[v])
            used += snprintf(text + used, size - (unsigned)used, "; %llu %s",
                             (unsigned long long)decide.verdicts[v],
                             cw_run_plan_verdict_string((enum cw_run_verdict)v));
    if (decide.shared && used > 0 && (unsigned)used < size)
        used += snprintf(text + used, size - (unsigned)used, "; %llu launches shared by the plan",
                         (unsigned long long)decide.shared);
    if (decide.tried && used > 0 && (unsigned)used < size)
        used += snprintf(text + used, size - (unsigned)used, "; %llu launches tried elsewhere",
                         (unsigned long long)decide.tried);
    if (used > 0 && (unsigned)used + 1 < size)
        text[used++] = '\n';
    return used < (int)size ? used : (int)size - 1;
}

/* ---- the arrays of a window */

static bool grow(void *pointer, size_t count, size_t size)
{
    void **p = pointer, *q = realloc(*p, count * size);

    if (q)
        *p = q;
    return q;
}

static struct workspace *take_workspace(uint32_t count)
{
    struct workspace *w = decide.idle;
    uint32_t tasks = count < 256 ? 256 : count, edges = EDGES_EACH * tasks;

    if (w)
        decide.idle = w->next;
    else
        w = calloc(1, sizeof *w);
    if (!w || tasks <= w->tasks)
        return w;
    if (grow(&w->task, tasks, sizeof *w->task) && grow(&w->from, edges, sizeof *w->from) &&
        grow(&w->to, edges, sizeof *w->to) && grow(&w->pred, edges, sizeof *w->pred) &&
        grow(&w->pred_start, tasks + 1, sizeof *w->pred_start) && grow(&w->home, tasks, sizeof *w->home) &&
        grow(&w->workers, tasks, sizeof *w->workers) && grow(&w->groups, tasks, sizeof *w->groups) &&
        grow(&w->trial, tasks, sizeof *w->trial) && grow(&w->alone, tasks, sizeof *w->alone) &&
        grow(&w->cost, (size_t)tasks * CW_RUN_WORKERS, sizeof *w->cost) &&
        grow(&w->error, (size_t)tasks * CW_RUN_WORKERS, sizeof *w->error)) {
        w->tasks = tasks;
        w->edges = edges;
        return w;
    }
    w->next = decide.idle;
    decide.idle = w;
    return NULL;
}

/* ---- dependences */

struct edges {
    struct workspace *w;
    uint32_t tasks, count, from, looked;
};

/* Commands of this window that wait for `t`, also through commands without work. */
static void follow(struct edges *e, const struct cw_run_task *t)
{
    for (uint32_t k = 0; k < t->edges.n; k++) {
        const struct cw_run_task *s =
            (const struct cw_run_task *)(t->edges.to[k] & ~(uintptr_t)CW_RUN_EDGE_BITS);
        if (!s || e->count == e->w->edges)
            continue;
        if (s->index < e->tasks && e->w->task[s->index] == s) {
            e->w->from[e->count] = e->from;
            e->w->to[e->count++] = s->index;
        } else if (s->work == CW_RUN_NOTHING && e->looked++ < THROUGH_JOINS) {
            follow(e, s);
        }
    }
}

/* Fills pred_start and pred. */
static void find_edges(struct workspace *w, uint32_t count)
{
    struct edges e = {.w = w, .tasks = count};

    for (uint32_t i = 0; i < count; i++) {
        e.from = i;
        e.looked = 0;
        follow(&e, w->task[i]);
    }
    memset(w->pred_start, 0, (count + 1) * sizeof *w->pred_start);
    for (uint32_t k = 0; k < e.count; k++)
        w->pred_start[w->to[k]]++;
    for (uint32_t i = 1; i <= count; i++)
        w->pred_start[i] += w->pred_start[i - 1];
    for (uint32_t k = e.count; k-- > 0;) /* from the end of each row back to its start */
        w->pred[--w->pred_start[w->to[k]]] = w->from[k];
}

/* ---- the decision */

static uint32_t place_on(const struct cw_run_context *c, uint32_t worker)
{
    uint32_t k = 0;

    while (c->places[k].worker->number != worker)
        k++;
    return k;
}

/* For the recorded log: the plan of command `i`, whose times count from `now` of the clock of times[].
 */
static void record(const struct workspace *w, uint32_t i, uint64_t now)
{
    const struct cw_run_plan *plan = &w->plan;
    const struct cw_run_plan_part all = {
        .device = plan->device[i], .start_ns = plan->start_ns[i], .finish_ns = plan->finish_ns[i]};
    const struct cw_run_plan_part *part = plan->parts[i] > 1 ? &plan->part[plan->first_part[i]] : &all;

    for (uint32_t k = 0; k < plan->parts[i]; k++)
        cw_device_times_plan(&(struct cw_times_part){
            .seq = w->task[i]->order.recorded - 1,
            .dim = cw_run_tiles_of(w->task[i]) ? w->task[i]->launch.tiles->cut.dim : 0,
            .device = cw_run.workers[part[k].device].recorded,
            .first = part[k].first_group,
            .groups = part[k].groups,
            .start_ns = now + cw_whole_from(part[k].start_ns, INT64_MAX),
            .end_ns = now + cw_whole_from(part[k].finish_ns, INT64_MAX)});
}

/* Shared as planned. A worker that has a part is busy until all parts have ended. */
static void apply_parts(struct workspace *w, uint32_t i, uint64_t end)
{
    decide.shared += cw_run_parts_cut(w->task[i], &w->plan, i);
    for (uint32_t k = 0; k < w->plan.parts[i]; k++) {
        struct cw_run_worker *l = &cw_run.workers[w->plan.part[w->plan.first_part[i] + k].device];
        l->busy_until_ns = end > l->busy_until_ns ? end : l->busy_until_ns;
    }
}

static void apply(struct workspace *w, uint64_t base)
{
    uint64_t now = cw_run_clock_devices_ns(), recorded = cw_run.recording ? cw_run_clock_now_ns() : 0;

    for (uint32_t k = 0; k < w->plan.tasks; k++) {
        uint32_t i = w->plan.order[k];
        struct cw_run_task *t = w->task[i];
        struct cw_run_worker *l = &cw_run.workers[w->plan.device[i]];
        uint64_t end = now + cw_whole_from(w->plan.finish_ns[i], INT64_MAX);
        t->order.rank = base + k; /* below every rank of a later window, above those of earlier ones */
        t->at.worker = l->number;
        t->at.place = place_on(t->queue->context, l->number);
        l->busy_until_ns = end > l->busy_until_ns ? end : l->busy_until_ns;
        if (w->plan.parts[i] > 1)
            apply_parts(w, i, end);
        if (CW_UNLIKELY(t->order.recorded))
            record(w, i, recorded);
    }
    decide.verdicts[w->plan.verdict]++;
    if (w->plan.planned) {
        decide.home_ns += w->plan.home_ns;
        decide.plan_ns += w->plan.plan_ns;
    }
}

/* Numbers the commands, finds their shapes and where they may run. False: all of them only at home. */
static bool collect(struct workspace *w, struct cw_run_task *first, uint32_t count)
{
    bool elsewhere = false;
    uint32_t i = 0;

    for (struct cw_run_task *t = first; i < count; t = t->links.window, i++) {
        w->task[i] = t;
        w->home[i] = t->queue->home_worker;
        w->workers[i] = cw_run_devices_allowed(t);
        elsewhere |= w->workers[i] != UINT64_C(1) << t->queue->home_worker;
        t->index = i;
        if (t->work == CW_RUN_LAUNCH)
            cw_run_costs_name_launch(t);
    }
    return elsewhere;
}

/* Finds the bytes that travel, where there are several memories. A command may leave home for those alone
 * that can hold its buffers. */
static void find_flow(struct workspace *w, const struct cw_run_perf_model *b, uint32_t count)
{
    const struct cw_run_window_flow *f = &w->flow;

    w->flows =
        cw_run.far_workers && cw_run_window_flow_find(&w->flow, w->task, count, w->pred_start, w->pred);
    for (uint32_t i = 0; w->flows && i < count; i++)
        w->workers[i] &= cw_run_planner_holds(b->planner, f->piece + f->piece_start[i],
                                              f->piece_start[i + 1] - f->piece_start[i]) |
                         UINT64_C(1) << w->home[i];
}

/* Fills *t for command `i`; NULL: nothing travels. cut: what launches before it write that are going to be
 * cut, too, lies where its parts are. */
static const struct cw_run_travel *travels(const struct workspace *w, const struct cw_run_perf_model *b,
                                           uint32_t i, bool cut, struct cw_run_travel *t)
{
    const struct cw_run_window_flow *f = &w->flow;
    double carried = 0;

    for (uint32_t e = w->pred_start[i]; w->flows && e < w->pred_start[i + 1]; e++)
        if (!cut || !cw_run_share_wanted(w->task[w->pred[e]]))
            carried += f->pred_bytes[e];
    for (uint32_t p = 0; w->flows && p < b->workers; p++) {
        t->fetch_ns[p] = cw_run_planner_fetch_ns(b->planner, f->piece + f->piece_start[i],
                                                 f->piece_start[i + 1] - f->piece_start[i], p) +
                         cw_run_planner_return_ns(b->planner, f->back[i], p);
        t->carried_ns[p] = cw_run_planner_return_ns(b->planner, carried, p); /* as long there as back */
    }
    return w->flows ? t : NULL;
}

/* True when launch `i` follows another one of its queue, which is how batches are made (workers/batch.c). */
static bool follows(const struct workspace *w, uint32_t i)
{
    const struct cw_run_task *t = w->task[i];

    for (uint32_t e = w->pred_start[i]; e < w->pred_start[i + 1]; e++)
        if (w->task[w->pred[e]]->work == CW_RUN_LAUNCH && w->task[w->pred[e]]->queue == t->queue)
            return !t->queue->synchronous;
    return false;
}

static double known_at_home(const struct workspace *w, const struct cw_run_perf_model *b, uint32_t i)
{
    double cost = w->cost[(size_t)i * b->workers + w->home[i]];

    return w->error[(size_t)i * b->workers + w->home[i]] <= CW_RUN_GAIN_HALF_KNOWN * cost ? cost : 0;
}

static void price(struct workspace *w, struct cw_run_perf_model *b, uint32_t count)
{
    bool alone = count == 1 && cw_run.unfinished <= count + cw_run.window_count;
    struct cw_run_travel travel;

    cw_run_estimate_begin(&b->estimator);
    for (uint32_t i = 0; i < count; i++) {
        w->trial[i] = cw_run_costs_fill(&b->estimator, w->task[i], w->workers[i], follows(w, i), alone,
                                        travels(w, b, i, false, &travel), w->cost + (size_t)i * b->workers,
                                        w->error + (size_t)i * b->workers);
        w->alone[i] = known_at_home(w, b, i);
        for (uint32_t p = 0; w->flows && p < b->workers; p++) /* the host's next reads will have to wait */
            w->cost[(size_t)i * b->workers + p] += cw_run_planner_return_ns(b->planner, w->flow.back[i], p);
    }
}

/* Each command that could be the window's first waits for commands of earlier windows. */
static bool is_behind_others(const struct workspace *w, uint32_t count)
{
    bool behind = true;

    for (uint32_t i = 0; i < count && behind; i++)
        behind = w->pred_start[i] < w->pred_start[i + 1] || w->task[i]->waits;
    return behind;
}

/* For how long each worker is busy: commands that the window waits for are thought to run at home. */
static void find_busy(const struct workspace *w, const struct cw_run_perf_model *b, uint32_t count,
                      double busy[CW_RUN_WORKERS])
{
    uint64_t now = cw_run_clock_devices_ns();
    /* despite busy_until_ns, if its clock goes on */
    bool idle = !cw_device_clock_is_virtual() && cw_run.unfinished <= count + cw_run.window_count;
    bool behind = is_behind_others(w, count);

    for (uint32_t p = 0; p < b->workers; p++)
        busy[p] = !idle && cw_run.workers[p].busy_until_ns > now
                      ? (double)(cw_run.workers[p].busy_until_ns - now)
                      : 0;
    for (uint32_t p = 0; p < b->workers && behind; p++)
        busy[p] = fmax(busy[p], busy[w->home[0]]);
}

/* True when something is to run elsewhere, or in another order. */
static bool plan(struct workspace *w, struct cw_run_perf_model *b, struct cw_run_task *first, uint32_t count)
{
    double busy[CW_RUN_WORKERS];
    struct cw_run_window window = {.tasks = count,
                                   .pred_start = w->pred_start,
                                   .pred = w->pred,
                                   .cost_ns = w->cost,
                                   .error_ns = w->error,
                                   .groups = cw_run_planner_shares(b->planner) ? w->groups : NULL,
                                   .home = w->home,
                                   .busy_ns = busy,
                                   .pred_bytes = w->flows ? w->flow.pred_bytes : NULL,
                                   .piece_start = w->flows ? w->flow.piece_start : NULL,
                                   .piece = w->flow.piece,
                                   .seed = cw_run.counts.windows * 0x9e3779b97f4a7c15u};
    uint64_t base = first->order.sequence;
    enum cw_status status;
    uint32_t tried = 0;

    for (uint32_t i = 0; i < count && window.groups; i++)
        w->groups[i] = cw_run_parts_groups(w->task[i], w->workers[i]);
    find_busy(w, b, count, busy);
    cw_run_global_lock_give();
    status = cw_run_plan_make(b->planner, &window, &w->plan, NULL);
    if (status == CW_OK)
        tried = cw_run_estimate_adopt(&b->estimator, &window, w->trial, b->planner, &w->plan);
    cw_run_global_lock_take();
    decide.tried += tried;
    if (status == CW_OK)
        apply(w, base);
    return status == CW_OK && (w->plan.planned || tried);
}

/* A plan charges what travels as it finds it; a cut launch's cost is to include all of it. */
static void add_travel(struct workspace *w, const struct cw_run_perf_model *b, uint32_t i)
{
    struct cw_run_travel t;

    travels(w, b, i, true, &t);
    for (uint32_t p = 0; p < b->workers; p++)
        w->cost[(size_t)i * b->workers + p] += t.fetch_ns[p] + t.carried_ns[p];
}

/* Cuts launches that gain by it. The plan says when each launch is expected to run. */
static bool cut(struct workspace *w, const struct cw_run_perf_model *b, uint32_t count)
{
    double copying[CW_RUN_WORKERS];
    struct cw_run_shared s = {.task = w->task,
                              .plan = &w->plan,
                              .cost = w->cost,
                              .alone_ns = w->alone,
                              .copying_ns = copying,
                              .pred_start = w->pred_start,
                              .pred = w->pred,
                              .pred_bytes = w->flows ? w->flow.pred_bytes : NULL,
                              .planner = b->planner,
                              .tasks = count,
                              .workers = b->workers,
                              .always = cw_run.all};

    for (uint32_t p = 0; p < b->workers; p++)
        copying[p] = (cw_run.direct ? CW_RUN_SHARE_AT_ONCE : CW_RUN_SHARE_COPIES) *
                     cw_run_planner_return_ns(b->planner, 1, p);
    for (uint32_t i = 0; w->flows && i < count; i++)
        add_travel(w, b, i);
    return w->plan.tasks == count && cw_run_share_window(&s);
}

/* Launches that take long, or of which bytes would have to come home. */
static bool any_long(const struct cw_run_task *t)
{
    while (t && !cw_run_share_wanted(t) &&
           !(cw_run.direct && t->work == CW_RUN_LAUNCH && cw_run_spread_lacks(t)))
        t = t->links.window;
    return t;
}

/* A window that went as remembered. */
static bool count_repeat(const struct cw_run_repeat_place *m)
{
    decide.verdicts[m->verdict]++;
    if (m->verdict != CW_RUN_GAIN)
        return false;
    decide.home_ns += m->home_ns;
    decide.plan_ns += m->plan_ns;
    return true;
}

/* Launches of a window that stays at home may be tried elsewhere. Behind them, and as many more commands
 * that keep home busy, the rest is better decided when the trials have been measured. Returns the first of
 * it, taken off the list; NULL: nothing was tried, or little is left. */
static struct cw_run_task *keep_rest(const struct workspace *w, uint32_t count)
{
    uint32_t last = 0, tried = 0;
    struct cw_run_task *rest;

    for (uint32_t i = 0; i < count && !w->plan.planned && w->plan.tasks == count; i++)
        if (w->trial[i] != CW_SCHED_NONE && w->plan.device[i] != w->home[i]) {
            last = i;
            tried++;
        }
    if (!tried || last + 1 + tried + CW_RUN_TRIAL_TIMES > count)
        return NULL;
    rest = w->task[last + 1 + tried];
    w->task[last + tried]->links.window = NULL;
    return rest;
}

static void expect(struct cw_run_gain_window *g, const struct workspace *w, const struct cw_run_perf_model *b,
                   uint32_t count)
{
    cw_run_gain_expect(g, w->task, count,
                       &(struct cw_run_gain_prices){w->home, w->trial, w->cost, w->error, b->workers});
    g->acted = w->plan.planned && (w->plan.moved || w->plan.reordered);
    g->plan_ns = w->plan.planned ? w->plan.plan_ns : 0;
}

/* Fills *g with the window's expected gain, as far as it is known. */
static bool decide_workers(struct cw_run_task *first, uint32_t count, struct cw_run_gain_window *g,
                           struct cw_run_task **rest)
{
    struct workspace *w;
    struct cw_run_perf_model *b;
    bool gained = false, may_share;

    if (!cw_run.begun || (cw_run.num_workers < 2 && !cw_run.chaos))
        return false;
    b = cw_run_perf_model_now();
    if (b && count == 1 && !cw_run.far_workers && !cw_run_share_wanted(first) &&
        cw_run_repeat_place_of(first, b, g))
        return count_repeat(&first->launch.kernel->repeat_place);
    if (b && count == 1 && cw_run_repeat_place_looks_home(first))
        return true;
    w = b ? take_workspace(count) : NULL;
    if (!w)
        return false;
    if (CW_UNLIKELY(cw_run.recording))
        cw_run_share_explain(first);
    may_share = !cw_run.chaos && (cw_run.all || !b->planner->asked) && !cw_run_planner_shares(b->planner) &&
                any_long(first);
    if (collect(w, first, count) || cw_run.chaos || may_share) {
        find_edges(w, count);
        find_flow(w, b, count);
        price(w, b, count);
        gained = plan(w, b, first, count);
        expect(g, w, b, count);
        if (rest)
            *rest = keep_rest(w, count);
        if (may_share && !(rest && *rest) && cut(w, b, count))
            gained = g->acted = true;
        if (count == 1 && w->trial[0] == CW_SCHED_NONE)
            cw_run_repeat_place_keep(first, &w->plan, g);
    } else {
        decide.verdicts[CW_RUN_HOME_ONLY]++;
    }
    w->next = decide.idle;
    decide.idle = w;
    return gained;
}

/* The same; GPUs that have just been found to pay are waited for, and then the window is decided anew. */
static bool decide_for_gpus(struct cw_run_task *first, uint32_t count, struct cw_run_gain_window *g,
                            struct cw_run_task **rest, bool may_wait)
{
    uint32_t workers = cw_run.num_workers;
    uint64_t busy[CW_RUN_WORKERS];
    bool gained;

    for (uint32_t p = 0; p < workers; p++)
        busy[p] = cw_run.workers[p].busy_until_ns;
    gained = decide_workers(first, count, g, rest);
    if (gained || !may_wait || (rest && *rest) || !cw_run_hold_for_gpus(first))
        return gained;
    for (uint32_t p = 0; p < workers; p++)
        cw_run.workers[p].busy_until_ns = busy[p]; /* the window itself keeps none busy yet */
    *g = (struct cw_run_gain_window){0};
    return decide_workers(first, count, g, NULL);
}

/* Commands that are to run in groups stay at home, despite the plan. */
static void stay(struct cw_run_task *t)
{
    for (; t; t = t->links.window)
        if (cw_run_is_group_candidate(t)) {
            cw_run_task_goes_home(t);
        }
}

static void count_home(const struct cw_run_task *t)
{
    for (; t; t = t->links.window)
        if (t->work == CW_RUN_LAUNCH)
            cw_run_perf_model_count_home(&t->launch);
}

/* `front`, and behind it `rest`; either may be NULL. */
static struct cw_run_task *join_lists(struct cw_run_task *front, struct cw_run_task *rest)
{
    struct cw_run_task *last = front;

    while (last && last->links.window)
        last = last->links.window;
    if (!last)
        return rest;
    last->links.window = rest;
    return front;
}

static struct cw_run_task *held_of(struct cw_run_task *first, uint32_t *count)
{
    return cw_run_hold_is_on() ? cw_run_hold_rest(first, count) : NULL;
}

bool cw_run_decide(struct cw_run_task *first, uint32_t count, struct cw_run_task **rest)
{
    struct cw_run_task *held = NULL, *staying = NULL;
    enum cw_run_marked marked = CW_RUN_MARKED_NONE;
    struct cw_run_gain_window g = {0};
    bool gained, waited = cw_run_hold_for_gpus(first);

    if (cw_run.begun && !cw_run_program_models_are_made())
        marked = cw_run_group_mark(first);
    if (rest && !marked)
        held = held_of(first, &count);
    gained = marked == CW_RUN_MARKED_ALL ||
             decide_for_gpus(first, count, &g, marked || !rest ? NULL : &staying, !waited && !marked);
    if (rest && !marked && !gained && !staying) /* the look at helpers may have begun a build */
        staying = held_of(first, &count);
    if (staying && !gained)
        cw_run_gain_spoilt(); /* the window that was priced is another one */
    held = join_lists(staying, held);
    if (held)
        *rest = held;
    if (cw_run.begun)
        count_home(first);
    cw_run_left_planned(first);
    if (marked)
        stay(first);
    if (cw_run.chaos && cw_run_fault_cuts())
        for (struct cw_run_task *t = first; t; t = t->links.window)
            if (t->work == CW_RUN_LAUNCH && !t->launch.group.may)
                cw_run_tile_chaos_cut(t);
    if (g.first)
        cw_run_gain_window(&g);
    else
        cw_run_gain_spoilt();
    return gained || marked;
}
