/* spread_ahead.c - see memory/spread_ahead.h. */
#include "spread_ahead.h"

#include <stdlib.h>

#include "../../door/door.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/thread.h"
#include "../core/ready.h"
#include "spread_state.h"

/* A range of a buffer that a command will need in `to`. */
struct cw_run_ahead {
    struct cw_run_ahead *next;
    struct cw_run_region *region; /* its buffer is pinned */
    uint64_t low, high;
    uint32_t to;
    uint64_t sequence, recorded; /* the command's; sequence 0: it is over */
};

static struct cw_run_worker *worker_of(uint32_t memory)
{
    uint32_t i = 0;

    while (cw_run.workers[i].memory != memory)
        i++;
    return &cw_run.workers[i];
}

static void discard(struct cw_run_ahead *a)
{
    cw_run_record_unpin_for_timer(&a->region->root->r);
    free(a);
}

/* ---- the thread of a device */

/* Takes the first copy that may be made now from the list. Those for which nothing is left to do go. */
static struct cw_run_ahead *take(struct cw_run_worker *l, struct cw_coherence_move *move)
{
    struct cw_run_ahead **at = &l->ahead, *a;
    bool lost;

    while ((a = *at)) {
        bool missing = a->region->spread && cw_coherence_moves(&a->region->spread->valid, a->low, a->high,
                                                               a->to, cw_run_spread_direct(), move, 1, &lost);

        if (missing && !cw_run_spread_may_copy_ahead(a->region, move)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        if (missing)
            return a;
        discard(a);
    }
    return NULL;
}

static void *copy_ahead(void *data)
{
    struct cw_run_worker *l = data;
    struct cw_coherence_move move;
    struct cw_run_ahead *a;

    cw_run_thread_becomes_worker(true);
    cw_door_depth = 1; /* calls that come in here are the vendor's */
    cw_run_spread_copies_are(CW_MOVE_NEEDED);
    cw_run_global_lock_take();
    while (!l->quit) {
        a = take(l, &move);
        if (!a) {
            cw_run_global_lock_kick(); /* which giving up the lock would do */
            pthread_cond_wait(&l->look_ahead, &cw_run.lock);
            continue;
        }
        l->ahead_now = a;
        cw_run_spread_copies_serve(a->recorded);
        if (cw_run_spread_copy_ahead(a->region, &move) && a->sequence) {
            a->next = l->ahead; /* there may be more of it */
            l->ahead = a;
        } else {
            discard(a);
        }
        l->ahead_now = NULL;
    }
    cw_run_global_lock_give();
    return NULL;
}

/* ---- what is asked for */

static bool is_asked(const struct cw_run_worker *l, const struct cw_run_ahead *like)
{
    const struct cw_run_ahead *a = l->ahead;

    while (a &&
           !(a->region == like->region && a->low == like->low && a->high == like->high && a->to == like->to))
        a = a->next;
    return a;
}

static void ask(struct cw_run_task *t, struct cw_run_region *r, uint64_t low, uint64_t high, uint32_t to)
{
    struct cw_run_ahead like = {.region = r,
                                .low = low,
                                .high = high,
                                .to = to,
                                .sequence = t->order.sequence,
                                .recorded = t->order.recorded},
                        *a, **at;
    struct cw_coherence_move move;
    struct cw_run_worker *l;
    bool lost;

    if (!cw_coherence_moves(&r->spread->valid, low, high, to, cw_run_spread_direct(), &move, 1, &lost))
        return;
    l = worker_of(move.from == CW_MEMORY_HOST ? move.to : move.from);
    if (is_asked(l, &like) || !(a = malloc(sizeof *a)))
        return;
    if (!l->has_ahead)
        l->has_ahead = cw_run_thread_create(&l->copies_ahead, copy_ahead, l);
    *a = like;
    for (at = &l->ahead; *at;)
        at = &(*at)->next;
    *at = a;
    cw_run_record_pin(&r->root->r);
    pthread_cond_signal(&l->look_ahead);
}

/* A command other than `t` and `but` may still write these bytes; `all`: also one behind `t`. */
static bool is_to_be_written(const struct cw_run_task *t, const struct cw_run_task *but,
                             const struct cw_run_access *need, bool all)
{
    for (const struct cw_run_access *a = need->region->writes; a; a = a->next)
        if (a->task != t && a->task != but && a->low < need->high && need->low < a->high &&
            (all || a->task->order.sequence < t->order.sequence))
            return true;
    return false;
}

/* Another command stands between `t` and its run, beside `but`: else its worker copies at once. */
static bool has_time(const struct cw_run_task *t, const struct cw_run_task *but)
{
    const struct cw_run_worker *l = &cw_run.workers[t->at.worker];

    return (t->state == CW_RUN_RELEASED || t->state == CW_RUN_READY) && !cw_run_tile_fetches_itself(t) &&
           !t->outcome.failed &&
           (t->waits > (but != NULL) || l->busy || l->num_ready > (t->state == CW_RUN_READY));
}

/* What access `k` of `t` needs of [low, high). */
static void ask_needed(struct cw_run_task *t, const struct cw_run_access *a, uint64_t low, uint64_t high)
{
    uint32_t to = cw_run_spread_memory_of(t);
    bool sure = a->sure < a->sure_end;
    uint64_t first_end = sure ? a->sure : a->high;

    low = low > a->low ? low : a->low;
    high = high < a->high ? high : a->high;
    if (low < high && low < first_end)
        ask(t, a->region, low, high < first_end ? high : first_end, to);
    if (sure && low < high && a->sure_end < high)
        ask(t, a->region, low > a->sure_end ? low : a->sure_end, high, to);
}

static bool may_ask(void)
{
    return !cw_run.ending && !cw_run.off && !cw_run.forked;
}

void cw_run_spread_ahead_of(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n && cw_run.spreads && may_ask() && has_time(t, NULL); i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        if (a->region->root && a->region->spread && !is_to_be_written(t, NULL, a, true))
            ask_needed(t, a, a->low, a->high);
    }
}

/* What successor `s` needs of what `t` has written. */
static void ask_for_written(const struct cw_run_task *t, struct cw_run_task *s)
{
    for (uint32_t i = 0; i < s->accesses.n; i++) {
        const struct cw_run_access *need = &s->accesses.of[i];

        if (!need->region->root || !need->region->spread || is_to_be_written(s, t, need, false))
            continue;
        for (uint32_t k = 0; k < t->accesses.n; k++)
            if (t->accesses.of[k].write && t->accesses.of[k].region == need->region)
                ask_needed(s, need, t->accesses.of[k].low, t->accesses.of[k].high);
    }
}

void cw_run_spread_ahead_behind(const struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->edges.n && may_ask(); i++) {
        struct cw_run_task *s = (struct cw_run_task *)(t->edges.to[i] & ~(uintptr_t)CW_RUN_EDGE_BITS);

        if (s && s->work != CW_RUN_NOTHING && has_time(s, t))
            ask_for_written(t, s);
    }
}

void cw_run_spread_ahead_look(void)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        if (cw_run.workers[i].ahead)
            pthread_cond_signal(&cw_run.workers[i].look_ahead);
}

void cw_run_spread_ahead_forget(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < cw_run.num_workers; i++) {
        struct cw_run_ahead **at = &cw_run.workers[i].ahead, *a = cw_run.workers[i].ahead_now;

        if (a && a->sequence == t->order.sequence)
            a->sequence = 0;
        while ((a = *at)) {
            if (a->sequence != t->order.sequence) {
                at = &a->next;
                continue;
            }
            *at = a->next;
            discard(a);
        }
    }
}

void cw_run_spread_ahead_stop(void)
{
    cw_run_global_lock_take();
    for (uint32_t i = 0; i < cw_run.num_workers && !cw_run.abandoned; i++) {
        struct cw_run_worker *l = &cw_run.workers[i];

        if (!l->has_ahead)
            continue;
        l->has_ahead = false;
        l->quit = true;
        pthread_cond_signal(&l->look_ahead);
        cw_run_global_lock_give();
        pthread_join(l->copies_ahead, NULL);
        cw_run_global_lock_take();
    }
    cw_run_global_lock_give();
}
