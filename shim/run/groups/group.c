/* group.c - chains: gathers their launches and starts a group run, or returns them to plain order. See
 * groups/group.h. */
#include "../workers/legal.h"
#include "group.h"
#include "../models/program_models.h"
#include "../core/thresholds.h"

#include <stdlib.h>
#include <time.h>

#include "../core/work_ops.h"
#include "../../door/log.h"
#include "../tuning/perf_model.h"
#include "../tiles/share.h"
#include "../../../sched/whole.h"
#include "../planner/costs.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../workers/worker.h"
#include "../tiles/tile.h"
#include "../workers/exclusion.h"
#include "../workers/execute.h"

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
    free(g->lane);
    g->waits = g->early = NULL;
    g->state = g->lane = NULL;
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

static bool is_candidate(struct cw_run_task *t)
{
    const struct cw_run_queue *q = t->queue;
    const struct cw_run_kernel *k = t->launch.kernel;
    double ns;

    if (t->work != CW_RUN_LAUNCH || !q->in_order || t->outcome.failed || !k->program->models ||
        q->context->places[q->home].slot->dsp || cw_device_clock_is_virtual())
        return false;
    if (cw_run.chaos)
        return cw_run_group_below(4) != 0;
    if (cw_run_group_settings.always)
        return true;
    ns = k->mean_ns[t->at.home];
    if (ns == 0) { /* a program may enqueue thousands before the first has shown it */
        cw_run_costs_name_launch(t);
        ns = cw_run_group_history_earlier_ns(t);
    }
    return (ns == 0 || ns >= CW_RUN_GROUP_LEAST_NS) && cw_run_group_may(q, k, cw_run_costs_items(&t->launch));
}

/* No neighbour in its queue would be in a chain with it. */
static bool is_alone(const struct cw_run_task *t)
{
    const struct cw_run_task *before = t->links.prev, *behind = t->links.next;

    while (before && before->work == CW_RUN_NOTHING)
        before = before->links.prev;
    while (behind && behind->work == CW_RUN_NOTHING)
        behind = behind->links.next;
    return !(before && before->group.may) && !(behind && behind->group.may);
}

static void run_marked(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last)
{
    if (t->group.may && cw_run_group_begin(t, last))
        return; /* its parts are ready now, or it is again: other threads may use the lane */
    cw_run_worker_run_command(l, t, last);
}

/* Of a launch that may become a step of a group run when its turn comes. */
static const struct cw_run_work_ops marked_ops = {.can_run = cw_run_exclusion_may,
                                                  .run = run_marked,
                                                  .execute = cw_run_execute_whole,
                                                  .submit = cw_run_execute_submit};

enum cw_run_marked cw_run_group_mark(struct cw_run_task *first)
{
    uint32_t marked = 0, others = 0;

    if (!cw_run_group_settings.on)
        return CW_RUN_MARKED_NONE;
    for (struct cw_run_task *t = first; t; t = t->links.window)
        t->group.may = is_candidate(t);
    for (struct cw_run_task *t = first; t; t = t->links.window) {
        if (cw_run.chaos && t->group.may && is_alone(t)) /* it would stay where it is for nothing */
            t->group.may = false;
        if (t->group.may)
            t->ops = &marked_ops;
        marked += t->group.may;
        others += !t->group.may;
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
    return t->waits == (t->batch.number == number ? t->batch.waits : 0);
}

static void count_successors(const struct cw_run_task *t, uint64_t number)
{
    for (uint32_t i = 0; i < t->edges.n; i++) {
        struct cw_run_task *s = (struct cw_run_task *)(t->edges.to[i] & ~(uintptr_t)CW_RUN_EDGE_BITS);

        if (!s || t->edges.to[i] & CW_RUN_AT_RETIRE)
            continue;
        s->batch.waits = s->batch.number == number ? s->batch.waits + 1 : 1;
        s->batch.number = number;
    }
}

static bool may_join(const struct cw_run_task *t, uint64_t number, uint64_t last)
{
    return t->group.may && t->released && t->order.sequence <= last && !t->outcome.failed &&
           !t->tile.launch && t->at.lane == t->at.home &&
           (t->state == CW_RUN_LINKED || t->state == CW_RUN_READY) && waits_for_chain(t, number);
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

/* ---- lanes */

/* The rewritten kernels could not be built there. */
static bool has_failed(const struct cw_run_task *t, const struct cw_run_context_device *p)
{
    const uint8_t *state = cw_run_tile_program_state(t->launch.kernel->program, p->lane);

    return state && *state == CW_RUN_COPY_FAILED;
}

/* Places that could share the work of variant `v`; returns their number, 0: it cannot be done so. */
static uint32_t places_for(const struct cw_run_group *g, const struct cw_run_variant *v,
                           uint32_t place[CW_RUN_LANES])
{
    const struct cw_run_task *t = g->step[0].task;
    const struct cw_run_context *c = t->queue->context;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->slots->n && n < CW_RUN_LANES; i++) {
        const struct cw_run_context_device *p = &c->places[i];
        bool fits = (i == t->queue->home) != v->helpers && !p->slot->dsp &&
                    (cw_device_has(p->slot, CW_VENDOR_IN_CALL) || !v->helpers);

        if (cw_run.chaos) /* any */
            fits = !p->slot->dsp;
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
    return all;
}

static void make_parts(struct cw_run_group *g, const uint32_t *place, uint32_t n)
{
    const struct cw_run_task *t = g->step[0].task;

    for (uint32_t i = 0; i < n; i++)
        g->part[i] = (struct cw_run_task){.queue = t->queue,
                                          .type = t->type,
                                          .work = CW_RUN_LAUNCH,
                                          .ops = &cw_run_group_run_part_ops,
                                          .released = true,
                                          .at.place = place[i],
                                          .at.lane = t->queue->context->places[place[i]].lane->number,
                                          .at.home = t->at.home,
                                          .order.sequence = t->order.sequence,
                                          .order.rank = t->order.rank,
                                          .launch = t->launch,
                                          .group.run = g};
    g->parts = g->left = n;
    g->in_turn = n == 1 && !cw_device_has(t->queue->context->places[place[0]].slot, CW_VENDOR_IN_CALL);
}

/* ---- begun */

/* No other thread takes these launches while their plan is made. The first has left its heap. */
static void hold(struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        if (i && t->state == CW_RUN_READY)
            cw_run_worker_unready(t);
        t->state = CW_RUN_READY; /* but in no heap */
        t->group.may = false;
    }
}

/* The thread that takes one checks again whether it may run: other commands may have used the first one's
 * worker or kernel meanwhile. */
static void let_go(struct cw_run_group *g)
{
    for (uint32_t i = 0; i < g->steps; i++) {
        struct cw_run_task *t = g->step[i].task;

        t->state = CW_RUN_LINKED;
        if (!t->waits)
            cw_run_worker_ready(t);
    }
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
        for (uint32_t i = 0; i < c->slots->n; i++) {
            const uint8_t *state =
                cw_run_tile_program_state(g->step[s].task->launch.kernel->program, c->places[i].lane);
            if (state && (*state == CW_RUN_COPY_WANTED || *state == CW_RUN_COPY_ASKED))
                return true;
        }
    return false;
}

/* A program that enqueues all its steps at once has no second chain: it is worth to wait for the rewritten
 * kernels that this one has asked for, as long as that costs little of their gain. False: they are not
 * there yet. Lock given up meanwhile. */
static bool wait_for_builds(struct cw_run_group *g)
{
    double most = cw_run_group_choice_patience_ns(g->chain, g->steps, g->variant);
    uint64_t begin = cw_run_global_lock_now_ns();
    uint64_t now = begin, until = begin + cw_whole_from(most, INT64_MAX);

    if (most < CW_RUN_GROUP_LEAST_NS)
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

    c->lanes = n;
    make_parts(g, place, n);
    if (cw_run_group_plan(g, cw_run_group_variant(g->variant), n, why)) {
        cw_run_group_history_foresee(g, true);
        return true;
    }
    c->hopeless[g->variant] = true;
    c->why = *why;
    if (g->judged) /* later runs need not make the plan to know */
        cw_run_group_history_keep_hopeless(c, g->variant);
    g->judged = false;
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
        for (uint32_t i = 0; i < c->slots->n && !any; i++)
            any = !c->slots->slot[i].dsp && cw_run_tile_build_may(p, &i, 1);
        last = p;
    }
    return any;
}

/* Uses the best available variant. The plan comes first, so that useless kernels are not built; but once
 * a plan was good the kernels come first. */
static bool prepare(struct cw_run_group *g, const char **why)
{
    uint32_t place[CW_RUN_LANES], tried = 0, n;
    bool waited = false;

    if (!may_be_built(g)) {
        *why = "the program has not run for long enough to build rewritten kernels";
        return false;
    }
    g->chain->unbuilt = 0;
    while (cw_run_group_choice_choose(g->chain, g, tried, &g->variant, why)) {
        const struct cw_run_variant *v = cw_run_group_variant(g->variant);
        bool *promising = &g->chain->promising[v->helpers], planned = false;

        n = places_for(g, v, place);
        if (n && !*promising)
            *promising = planned = plan(g, place, n, why);
        if (n && *promising) {
            bool built = are_built(g, place, n);

            if (!built && !waited) {
                waited = true;
                built = wait_for_builds(g) && are_built(g, place, n);
            }
            if (built && (planned || plan(g, place, n, why)))
                return true;
            tried |= built ? 0 : cw_run_group_variant_alike(g->variant);
            g->chain->unbuilt |= built ? 0 : cw_run_group_variant_alike(g->variant);
        }
        if (planned)
            forget_plan(g);
        tried |= 1u << g->variant;
    }
    return false;
}

bool cw_run_group_begin(struct cw_run_task *t, uint64_t last)
{
    struct cw_run_group *g = calloc(1, sizeof *g);
    const char *why = "memory is out";

    if (g)
        gather(g, t, last);
    t->group.may = false;
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
    let_go(g);
    cw_run_group_free(g);
    return true;
}
