/* group.c - chains: gathers their launches and starts a group run, or returns them to plain order. See
 * groups/group.h. */
#include "../planner/legal.h"
#include "group.h"
#include "../models/program_models.h"
#include "../core/context_device.h"

#include <stdlib.h>
#include <time.h>

#include "../memory/spread.h"
#include "../../door/log.h"
#include "../tuning/tuning.h"
#include "../tiles/share.h"
#include "../../../sched/whole.h"
#include "../planner/costs.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../workers/worker.h"
#include "../tiles/tile.h"

/* As if it had never been planned. */
static void forget_plan(struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        free(g->step[i].from);
        g->step[i].from = NULL;
    }
    cw_groups_finish(&g->plan);
    free(g->waits);
    free(g->early);
    free(g->state);
    free(g->worker);
    g->waits = g->early = NULL;
    g->state = g->worker = NULL;
}

void cw_run_group_free(struct cw_run_group *g)
{
    if (!g)
        return;
    forget_plan(g);
    free(g);
}

/* ---- marked */

bool cw_run_group_may(const struct cw_run_queue *q, const struct cw_run_kernel *k, double items)
{
    return cw_run_group_settings.on && q->in_order &&
           (k->program->models ? items > k->ungrouped || k->grouped
                               : !cw_run_program_models_settled(k->program));
}

/* The launch touches so much that others behind it cannot find it in the last cache, half of which other
 * processes may use. */
static bool is_large(const struct cw_run_task *t)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < t->accesses.n; i++)
        bytes += t->accesses.of[i].high - t->accesses.of[i].low;
    return bytes > CW_RUN_GROUP_LEAST_BYTES && bytes > cw_run_group_variant_half_bytes();
}

/* By its time and its memory, as far as they are known. */
static bool is_worth_it(struct cw_run_task *t)
{
    struct cw_run_kernel *k = t->launch.kernel;
    double items = cw_run_costs_items(&t->launch), ns = k->known->mean_ns[t->queue->home_worker];

    if (!cw_run_group_may(t->queue, k, items))
        return false;
    if (!is_large(t)) {
        k->ungrouped = items; /* long ones like it are the vendor's again */
        return false;
    }
    if (ns == 0) /* a program may enqueue thousands before the first has shown it */
        ns = cw_run_perf_model_earlier_ns(t);
    return ns == 0 || ns >= CW_RUN_TILES_NS;
}

static bool is_candidate(struct cw_run_task *t)
{
    const struct cw_run_queue *q = t->queue;

    if (t->work != CW_RUN_LAUNCH || !q->in_order || t->outcome.failed || !t->launch.kernel->program->models ||
        cw_device_is_modelled(q->context->places[q->home].device) ||
        cw_run_context_device_is_gpu(&q->context->places[q->home]) || cw_device_clock_is_virtual())
        return false;
    if (cw_run.chaos)
        return cw_run_group_below(4) != 0;
    return cw_run_group_settings.always || is_worth_it(t);
}

/* No neighbour in its queue would be in a chain with it. One that has been marked and runs now counts: such a
 * program hands over its launches one by one, but does not wait for each. */
static bool is_alone(const struct cw_run_task *t)
{
    const struct cw_run_task *before = t->links.prev, *behind = t->links.next;

    while (before && before->work == CW_RUN_NOTHING)
        before = before->links.prev;
    while (behind && behind->work == CW_RUN_NOTHING)
        behind = behind->links.next;
    return !(before &&
             (cw_run_is_group_candidate(before) || (!cw_run.chaos && before->work == CW_RUN_LAUNCH))) &&
           !(behind && cw_run_is_group_candidate(behind));
}

/* Chains of several queues may rather run at once, on a device each. */
static bool are_of_one_queue(const struct cw_run_task *t)
{
    const struct cw_run_queue *queue = NULL;

    for (; t; t = t->links.window)
        if (cw_run_is_group_candidate(t)) {
            if (queue && t->queue != queue)
                return false;
            queue = t->queue;
        }
    return true;
}

/* Marks those that may be in a chain; false: there are none. */
static bool mark_candidates(struct cw_run_task *first)
{
    bool any = false, good;

    for (struct cw_run_task *t = first; t; t = t->links.window)
        if (t->work == CW_RUN_LAUNCH)
            any |= t->launch.group.may = is_candidate(t);
    if (!any || (cw_run_group_settings.always && !cw_run.chaos))
        return any;
    good = cw_run.chaos || are_of_one_queue(first);
    for (struct cw_run_task *t = first; t; t = t->links.window)
        if (cw_run_is_group_candidate(t)) /* alone it would stay where it is for nothing */
            t->launch.group.may = good && !is_alone(t);
    return true;
}

enum cw_run_marked cw_run_group_mark(struct cw_run_task *first)
{
    uint32_t marked = 0, others = 0;

    if (!cw_run_group_settings.on || !mark_candidates(first))
        return CW_RUN_MARKED_NONE;
    for (struct cw_run_task *t = first; t; t = t->links.window) {
        marked += cw_run_is_group_candidate(t);
        others += !cw_run_is_group_candidate(t);
    }
    return !marked ? CW_RUN_MARKED_NONE : others ? CW_RUN_MARKED_SOME : CW_RUN_MARKED_ALL;
}

/* ---- gathered */

static bool is_watched(const struct cw_run_task *t)
{
    return t->event && t->event->callbacks;
}

/* All that `t` still waits for are launches of this chain, which have counted themselves in t->batched. */
static bool waits_for_chain(const struct cw_run_task *t, uint64_t number)
{
    return t->waits == (t->launch.batch.number == number ? t->launch.batch.waits : 0);
}

static void count_successors(const struct cw_run_task *t, uint64_t number)
{
    for (uint32_t i = 0; i < t->edges.n; i++) {
        struct cw_run_task *s = (struct cw_run_task *)(t->edges.to[i] & ~(uintptr_t)CW_RUN_EDGE_BITS);

        if (!s || t->edges.to[i] & CW_RUN_AT_RETIRE || s->work != CW_RUN_LAUNCH)
            continue;
        s->launch.batch.waits = s->launch.batch.number == number ? s->launch.batch.waits + 1 : 1;
        s->launch.batch.number = number;
    }
}

static bool may_join(struct cw_run_task *t, uint64_t number, uint64_t last)
{
    return cw_run_is_group_candidate(t) && t->order.sequence <= last && !t->outcome.failed &&
           !t->launch.tiles && !cw_run_is_away(t) &&
           (t->state == CW_RUN_RELEASED || t->state == CW_RUN_READY) && waits_for_chain(t, number) &&
           !(cw_run.far_workers && !cw_run_spread_claims(t));
}

/* `t` and the launches that may run with it, in the order of the queue. */
static void gather(struct cw_run_group *g, struct cw_run_task *t, uint64_t last)
{
    uint64_t number = ++cw_run.batches;

    while (g->steps < CW_RUN_GROUP_STEPS) {
        struct cw_run_step *s = &g->step[g->steps];
        const char *why = cw_run_cut_of(t, &s->cut);

        if (!why && s->cut.ragged)
            why = "no local size divides its range";
        if (why) {
            cw_run_group_plain(why);
            return;
        }
        s->task = t;
        s->kernel = t->launch.kernel;
        g->steps++;
        count_successors(t, number);
        if (is_watched(t)) /* its callbacks run when it is over, before the next one is */
            return;
        do
            t = t->links.next;
        while (t && t->work == CW_RUN_NOTHING);
        if (!t || !may_join(t, number, last))
            return;
    }
}

/* ---- workers */

/* The rewritten kernels could not be built there. */
static bool has_failed(const struct cw_run_task *t, const struct cw_run_context_device *p)
{
    const uint8_t *state = cw_run_tile_program_state(t->launch.kernel->program, p->worker);

    return state && *state == CW_RUN_COPY_FAILED;
}

/* Places that could share the work of variant `v`; returns their number, 0: it cannot be done so. */
static uint32_t places_for(const struct cw_run_group *g, const struct cw_run_variant *v,
                           uint32_t place[CW_RUN_WORKERS])
{
    const struct cw_run_task *t = g->step[0].task;
    const struct cw_run_context *c = t->queue->context;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->devices->n && n < CW_RUN_WORKERS; i++) {
        const struct cw_run_context_device *p = &c->places[i];
        bool fits = (i == t->queue->home) != v->helpers && !p->device->dsp &&
                    (cw_device_has(p->device, CW_VENDOR_IN_CALL) || !v->helpers);

        if (cw_run.chaos) /* any */
            fits = !p->device->dsp;
        for (uint32_t s = 0; s < g->steps && fits; s++)
            fits = cw_run_legal(g->step[s].task, p, CW_RUN_LEGAL_TILE) == CW_RUN_LEGAL &&
                   !has_failed(g->step[s].task, p);
        if (fits)
            place[n++] = i;
    }
    if (!cw_run.chaos)
        return v->helpers && n < 2 ? 0 : n;
    for (uint32_t left = n ? 1 + cw_run_group_below(n) : 0; n > left; n--) /* some of them */
        place[cw_run_group_below(n)] = place[n - 1];
    return n;
}

/* Those places have all rewritten kernels; those that have not been asked for are. */
static bool are_built(const struct cw_run_group *g, const uint32_t *place, uint32_t n)
{
    bool all = true;

    for (uint32_t s = 0; s < g->steps && !cw_run.all && !cw_run.chaos; s++) {
        struct cw_run_program *p = g->step[s].kernel->program;
        bool may = (s && p == g->step[s - 1].kernel->program) || cw_run_tile_build_may(p, place, n);
        for (uint32_t i = 0; i < n; i++)
            all &= cw_run_tile_build_is_done(p, place[i], true, may);
    }
    if (!all)
        cw_run_account.learns++;
    return all;
}

static void make_parts(struct cw_run_group *g, const uint32_t *place, uint32_t n)
{
    const struct cw_run_task *t = g->step[0].task;

    for (uint32_t i = 0; i < n; i++) {
        g->part[i] = (struct cw_run_task){.queue = t->queue,
                                          .work = CW_RUN_LAUNCH,
                                          .state = CW_RUN_RELEASED,
                                          .at.place = place[i],
                                          .at.worker = t->queue->context->places[place[i]].worker->number,
                                          .order.sequence = t->order.sequence,
                                          .order.rank = t->order.rank,
                                          .launch = cw_run_launch_part(&t->launch)};
        g->part[i].launch.group.run = g;
    }
    g->parts = g->left = n;
    g->in_turn = n == 1 && !cw_device_has(t->queue->context->places[place[0]].device, CW_VENDOR_IN_CALL);
}

/* ---- begun */

/* No other thread takes these launches while their plan is made. The first has left its heap. */
static void hold(struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        if (i && t->state == CW_RUN_READY)
            cw_run_ready_remove(t);
        t->state = CW_RUN_READY; /* but in no heap */
        t->launch.group.may = false;
    }
}

/* The first `plain` run now; those behind them stay marked, and are gathered anew when it is their turn. The
 * thread that takes one checks again whether it may run: other commands may have used the first one's worker
 * or kernel meanwhile. */
static void let_go(struct cw_run_group *g, uint32_t plain)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        t->state = CW_RUN_RELEASED;
        cw_run_spread_release(t);
        t->launch.group.may = i >= plain;
        if (!t->waits)
            cw_run_worker_ready(t);
    }
}

/* Launches behind the first `steps` make another chain. */
static void shorten(struct cw_run_group *g, uint32_t steps)
{
    for (uint32_t i = steps; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        t->state = CW_RUN_RELEASED;
        cw_run_spread_release(t);
        t->launch.group.may = true;
        if (!t->waits)
            cw_run_worker_ready(t);
    }
    g->steps = g->steps < steps ? g->steps : steps;
}

static void start(struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->steps; i++)
        g->step[i].left = g->step[i].tiles;
    cw_run_group_counts.made++;
    cw_run_group_counts.launches += g->steps;
    cw_run_group_counts.tiles += g->plan.tiles;
    cw_run_group_counts.groups += g->plan.groups;
    if (CW_UNLIKELY(cw_run.recording))
        cw_run_group_times_record_begins(g);
    for (uint32_t i = 0; i < g->parts; i++)
        cw_run_worker_ready(&g->part[i]);
}

static bool is_building(const struct cw_run_group *g)
{
    const struct cw_run_context *c = g->step[0].task->queue->context;

    for (uint32_t s = 0; s < g->steps; s++)
        for (uint32_t i = 0; i < c->devices->n; i++) {
            const uint8_t *state =
                cw_run_tile_program_state(g->step[s].task->launch.kernel->program, c->places[i].worker);
            if (state && (*state == CW_RUN_COPY_WANTED || *state == CW_RUN_COPY_ASKED))
                return true;
        }
    return false;
}

/* Another process makes some, which are to be looked for. */
static bool are_missed(const struct cw_run_group *g)
{
    const struct cw_run_context *c = g->step[0].task->queue->context;
    bool any = false;

    for (uint32_t i = 0; i < c->devices->n; i++) {
        const uint8_t *state = cw_run_tile_program_state(g->step[0].kernel->program, c->places[i].worker);
        any |= state && *state == CW_RUN_COPY_MISSED;
    }
    return any;
}

/* The user asks for groups, so that the chain waits for the rewritten kernels that it has asked for. False:
 * they are not there yet. Lock given up meanwhile. */
static bool wait_for_builds(struct cw_run_group *g)
{
    uint64_t begin = cw_run_global_lock_now_ns();
    uint64_t now = begin, until = begin + CW_RUN_GROUP_ASKED_NS;

    if (!cw_run_group_settings.always || cw_run.all || cw_run.chaos)
        return false;
    cw_run.waiters++;
    for (; is_building(g) && !cw_run.off && now < until; now = cw_run_global_lock_now_ns())
        cw_run_global_lock_wait(until - now);
    cw_run.waiters--;
    cw_log_debug("groups: a chain of %u has waited %.1f ms for rewritten kernels", g->steps,
                 (double)(cw_run_global_lock_now_ns() - begin) / 1e6);
    g->began_ns = cw_run_global_lock_now_ns(); /* the wait is not part of its time */
    return !is_building(g);
}

/* Plans it as its variant says, on these places. False, with the reason in *why: it cannot be run so, now or
 * ever. */
static bool plan(struct cw_run_group *g, const uint32_t *place, uint32_t n, const char **why)
{
    struct cw_run_chain *c = g->chain;

    c->workers = n;
    make_parts(g, place, n);
    if (cw_run_group_plan(g, cw_run_group_variant(g->variant), n, why)) {
        cw_run_group_history_foresee(g, true);
        return true;
    }
    c->why = *why;
    for (uint32_t v = 0; v < cw_run_group_variant_all(); v++)
        if (v == g->variant || (g->judged && g->futile)) {
            c->hopeless[v] = true;
            if (g->judged) /* later runs need not make the plan to know */
                cw_run_group_history_keep_hopeless(c, v);
        }
    g->judged = g->futile = false;
    forget_plan(g);
    return false;
}

/* Rewritten kernels are there, or may be ordered. A chain without such kernels is not worth a plan. */
static bool may_be_built(const struct cw_run_group *g)
{
    const struct cw_run_context *c = g->step[0].task->queue->context;
    struct cw_run_program *last = NULL;
    bool any = true;

    for (uint32_t s = 0; s < g->steps && any && !cw_run.all && !cw_run.chaos; s++) {
        struct cw_run_program *p = g->step[s].kernel->program;
        any = p == last;
        for (uint32_t i = 0; i < c->devices->n && !any; i++)
            any = !c->devices->device[i].dsp && cw_run_tile_build_may(p, &i, 1);
        last = p;
    }
    return any;
}

#define LOOKED_AT 8192 /* commands behind a chain */

/* What is enqueued, this chain and all behind it, is known to be left: builds may pay in this very run. */
static void tell_work(const struct cw_run_group *g)
{
    const struct cw_run_task *t = g->step[0].task;
    double ns = 0;

    for (uint32_t n = 0; t && n < LOOKED_AT; t = t->links.next, n++)
        if (cw_run_is_group_candidate(t))
            ns += cw_run_costs_home_ns(&t->launch);
    cw_run_activation_hopes(CW_RUN_GROUP_HOPE);
    cw_run_activation_waiting(ns);
}

/* Uses the best available variant. The plan comes first, so that useless kernels are not built; but once
 * a plan was good the kernels come first. */
static bool prepare(struct cw_run_group *g, const char **why)
{
    uint32_t place[CW_RUN_WORKERS], tried = 0, n;
    bool waited = false;

    tell_work(g);
    if (!may_be_built(g)) {
        *why = "the program has not run for long enough to build rewritten kernels";
        return false;
    }
    g->chain->unbuilt = 0;
    while (cw_run_group_choice_choose(g->chain, g, tried, &g->variant, why)) {
        const struct cw_run_variant *v = cw_run_group_variant(g->variant);
        bool *promising = &g->chain->promising[v->helpers], planned = false;

        shorten(g, cw_run_group_choice_longest(g->chain));
        n = places_for(g, v, place);
        if (n && !*promising)
            *promising = planned = plan(g, place, n, why);
        if (n && *promising) {
            bool built = are_built(g, place, n);

            if (!built && !waited) {
                waited = true;
                built = wait_for_builds(g) && are_built(g, place, n);
            }
            built = built && cw_run_group_code_is_there(g, place, n);
            if (built && (planned || plan(g, place, n, why)))
                return true;
            if (!built && cw_run_group_choice_hopes(g->chain, g->variant)) {
                *why = "the rewritten kernels are not there yet";
                g->again = is_building(g) || are_missed(g) || cw_run_group_code_is_ordered(g->chain);
                break;
            }
            tried |= built ? 0 : cw_run_group_variant_alike(g->variant);
            g->chain->unbuilt |= built ? 0 : cw_run_group_variant_alike(g->variant);
        }
        if (planned)
            forget_plan(g);
        tried |= 1u << g->variant;
    }
    g->again |= !(g->chain->plain_ns > 0);
    forget_plan(g);
    return false;
}

bool cw_run_group_begin(struct cw_run_task *t, uint64_t last)
{
    struct cw_run_group *g = calloc(1, sizeof *g);
    const char *why = "memory is out";

    cw_run_worker_take_ready(); /* so that each step that is ready is in a heap, which hold() takes it from */
    if (g)
        gather(g, t, last);
    t->launch.group.may = false;
    if (!g || g->steps < 2) {
        cw_run_group_free(g);
        return false;
    }
    hold(g);
    g->began_ns = cw_run_global_lock_now_ns(); /* the plan is part of its time */
    g->chain = cw_run_group_choice_of(g);
    if (g->chain && prepare(g, &why)) {
        start(g);
        return true;
    }
    cw_run_group_plain(why);
    let_go(g, g->again ? cw_run_group_choice_plain(g->chain, g->steps) : g->steps);
    cw_run_group_free(g);
    return true;
}
