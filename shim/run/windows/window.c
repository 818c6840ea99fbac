/* window.c - the window of commands that wait to be planned, and the thread that closes it when no call does.
 *
 * The timer looks at the window every 100 us while there is work, less and less often when others have always
 * closed it by then (looking takes a processor from a kernel), and sleeps for good after some idle rounds, so
 * an idle program costs nothing. */
#include "../core/global_lock.h"
#include "../core/clock.h"
#include "../core/state.h"
#include "../core/ready.h"
#include "../core/record.h"
#include "../groups/group.h"
#include "../models/program_models.h"
#include "../tasks/foreign.h"
#include "../tasks/object.h"
#include "../tiles/share.h"
#include "window.h"
#include "../workers/worker.h"

#include <time.h>

#include "../../door/door.h"
#include "../../door/thread.h"
#include "../core/thread.h"
#include "../memory/spread_ahead.h"
#include "../tuning/tuning.h"

static bool quit;         /* the timer ends; lock held */
static uint64_t given_ns; /* when a window was closed last; lock held */

/* A list of commands that are linked by links.window. */
struct commands {
    struct cw_run_task *first, *last;
    uint32_t n;
};

/* Cuts *c behind CW_RUN_WINDOW_LIMIT commands; returns the rest, which may be empty. */
static struct commands cut(struct commands *c)
{
    struct commands rest = {.last = c->last, .n = c->n - CW_RUN_WINDOW_LIMIT};

    if (c->n <= CW_RUN_WINDOW_LIMIT)
        return (struct commands){0};
    c->n = CW_RUN_WINDOW_LIMIT;
    c->last = c->first;
    for (uint32_t i = 1; i < c->n; i++)
        c->last = c->last->links.window;
    rest.first = c->last->links.window;
    c->last->links.window = NULL;
    return rest;
}

/* These commands go back, before newer ones. None of them is released; the commands that they wait for are.
 */
static void put_back(const struct commands *c, bool mixed)
{
    cw_run.window_mixed = mixed || (cw_run.window_first &&
                                    (cw_run.window_mixed || cw_run.window_first->queue != c->first->queue));
    c->last->links.window = cw_run.window_first;
    if (!cw_run.window_first)
        cw_run.window_last = c->last;
    cw_run.window_first = c->first;
    cw_run.window_count += c->n;
    cw_run.window_since_ns = 1; /* old: it closes as soon as nothing runs */
    if (cw_run.timer_asleep)
        cw_run.timer_wanted = true;
}

/* Returns their number. */
static uint32_t release(struct cw_run_task *t, bool gained)
{
    struct cw_run_queue *last = NULL;
    struct cw_run_task *next;
    uint64_t now = 0;
    uint32_t n = 0;

    for (; t; t = next, n++) {
        next = t->links.window;
        if (t->work == CW_RUN_LAUNCH && t->queue != last)
            cw_run_bypass_window(last = t->queue, gained);
        t->state = CW_RUN_RELEASED;
        t->time.at[1] = t->time.at[0];
        if (t->time.wanted && !now)
            now = cw_run_clock_now_ns();
        if (t->time.ready_ns < now)
            t->time.ready_ns = now;
        if (!t->waits)
            cw_run_worker_ready(t);
        if (CW_UNLIKELY(cw_run.far_workers))
            cw_run_spread_ahead_of(t);
    }
    return n;
}

/* Plans and releases `c`; commands of it may stay in the window where `staying` is not NULL. May give up the
 * lock. */
static void plan(struct commands *c, struct commands *staying)
{
    struct cw_run_task *rest = NULL;
    struct cw_run_caller me;
    bool gained;
    uint32_t n;

    cw_run.counts.windows++;
    cw_run_thread_caller_enter(
        &me); /* plans divide, and the program may want to know of overflows of its own */
    gained = cw_run_decide(c->first, c->n, staying ? &rest : NULL);
    cw_run_thread_caller_leave(&me);
    n = release(c->first, gained);
    if (staying)
        *staying = (struct commands){rest, c->last, c->n - n};
}

/* May give up the lock. *may_keep: commands behind trials, and more than are planned together, may stay in
 * the window. */
static void close_it(void *may_keep)
{
    struct commands all = {cw_run.window_first, cw_run.window_last, cw_run.window_count}, rest, staying = {0};
    bool keeps = *(bool *)may_keep, mixed = cw_run.window_mixed;

    cw_run.window_first = cw_run.window_last = NULL;
    cw_run.window_count = 0;
    given_ns = cw_run_global_lock_now_ns();
    if (keeps)
        cw_run_hold_tell(all.first, all.n);
    do {
        rest = cut(&all);
        plan(&all, keeps ? &staying : NULL);
        all = rest;
    } while (all.n && !keeps);
    if (CW_UNLIKELY(all.n))
        put_back(&all, mixed);
    if (CW_UNLIKELY(staying.n))
        put_back(&staying, mixed);
}

static void close_window(bool may_keep)
{
    if (cw_run.window_first)
        cw_roomy(close_it, &may_keep);
}

/* Workers have commands that earlier windows gave them. One that waits for the program itself, or for its
 * native commands, does not hold up others for longer than CW_RUN_HELD_AGE_NS. */
static bool are_busy(uint64_t now)
{
    return cw_run.running || cw_run.ready_count ||
           (cw_run.unfinished > cw_run.window_count && now - given_ns < CW_RUN_HELD_AGE_NS);
}

/* All of it is behind released commands of its own queue, so that no call waits for anything but these. */
static bool is_behind_its_own(void)
{
    const struct cw_run_task *t = cw_run.window_first;

    return t && t->queue->in_order && t->queue->first != t && !cw_run.window_mixed;
}

/* The timer, which does that else, may be in a call of the vendor's. */
static void hand_out(void)
{
    if (!cw_run.ready_count && !cw_run.wanted)
        return;
    cw_run_worker_take_ready();
    cw_run_loop_staff();
}

void cw_run_window_close(void)
{
    close_window(false);
    hand_out();
}

void cw_run_window_step(void)
{
    if (CW_UNLIKELY(cw_run_hold_is_on()) && is_behind_its_own() && are_busy(cw_run_global_lock_now_ns()))
        cw_run.window_since_ns = 1; /* it closes as soon as workers have nothing to do */
    else
        close_window(true);
    hand_out();
}

bool cw_run_window_is_due(void)
{
    uint64_t age = cw_run.chaos                   ? CW_RUN_CHAOS_AGE_NS
                   : cw_device_clock_is_virtual() ? CW_RUN_VIRTUAL_AGE_NS
                                                  : CW_RUN_WINDOW_AGE_NS;
    uint64_t now = cw_run.window_count ? cw_run_global_lock_now_ns() : 0;

    if (now && !cw_run.window_since_ns)
        cw_run.window_since_ns = now;
    if (cw_run.window_since_ns == 1) /* commands put back wait for trials that have not begun, too */
        return now && !are_busy(now);
    return now && !cw_run.running && now - cw_run.window_since_ns >= age;
}

/* Lock held. Returns with it held, at most so many ages later. */
static void wait_ages(unsigned ages)
{
    struct timespec until;

    if (cw_run_foreign_give_and_take())
        return;
    cw_run_global_lock_kick();
    if (cw_run.timer_wanted)
        return;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ages * CW_RUN_WINDOW_AGE_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_clockwait(&cw_run.timer, &cw_run.lock, CLOCK_MONOTONIC, &until);
}

/* A launch at a device with a memory of its own may never end. */
static bool is_watching(void)
{
    return CW_UNLIKELY(cw_run.far_workers) && cw_run_late_watches();
}

static void sleep_for_good(void)
{
    cw_run.timer_asleep = true;
    while (!cw_run.timer_wanted && !quit && !is_watching())
        pthread_cond_wait(&cw_run.timer, &cw_run.lock);
    if (!cw_run.timer_wanted && !quit)
        wait_ages(CW_RUN_WATCH_AGES);
    cw_run.timer_asleep = false;
}

/* The timer's record of windows when it has looked. */
struct looks {
    uint64_t seen;        /* that were closed until it looked last */
    unsigned ages, ticks; /* until it looks again; since it last saw anything */
    bool open;            /* one was, when it looked last */
    bool fresh;           /* it has slept: the program may not close the next one */
};

/* The program has closed windows itself since: it is looked at less often. */
static bool closes_itself(struct looks *l)
{
    bool closed = l->seen != cw_run.counts.windows;

    if (closed)
        l->ages = (uint32_t)cw_run_trial_longer(l->ages, 1, CW_RUN_TIMER_AGES);
    l->seen = cw_run.counts.windows;
    return closed;
}

static void look_at_window(struct looks *l)
{
    l->ticks = 0;
    if (cw_run_window_is_due()) {
        cw_run_window_step();
        *l = (struct looks){.seen = cw_run.counts.windows, .ages = cw_run_trial_shorter(l->ages)};
        return;
    }
    if (!closes_itself(l) && l->open) /* by half: a thread that was about to close it may have been held up */
        l->ages = cw_run_trial_shorter(l->ages);
    l->open = true;
    wait_ages(l->fresh ? 1 : l->ages);
    l->fresh = false;
}

void cw_run_window_tell_of_models(void)
{
    if (CW_LIKELY(!cw_run_program_models_came))
        return;
    cw_run_program_models_came = false;
    for (struct cw_run_program *p = NULL; (p = cw_run_record_next(CW_RUN_PROGRAM, p));)
        if (p->models_came) {
            p->models_came = false;
            cw_run_group_history_foresee_group(p);
            cw_run_share_prepare(p);
        }
}

static void *timer(void *unused)
{
    struct looks l = {.ages = 1};
    bool any;

    (void)unused;
    cw_door_depth = 1; /* calls that come in here are the vendor's, or a callback's */
    cw_run_global_lock_take();
    while (!quit) {
        cw_run.timer_wanted = false;
        cw_run_worker_take_ready();
        cw_run_object_sweep();
        cw_run_loop_staff();
        cw_run_window_tell_of_models();
        if (is_watching())
            cw_run_relieve_look(&any);
        if (cw_run.retire_first && !cw_run.retirer) {
            cw_run_worker_retire();
        } else if (cw_run_loop_run_orphan()) {
            l.ticks = 0;
        } else if (cw_run.window_count) {
            look_at_window(&l);
        } else {
            l.open = false;
            l.ticks = closes_itself(&l) ? 0 : l.ticks + l.ages;
            if (cw_run_foreign_is_due() || cw_run_global_lock_has_releases() || cw_run_record_ended ||
                l.ticks <= CW_RUN_TIMER_TICKS) {
                wait_ages(l.ages);
                continue;
            }
            sleep_for_good();
            l = (struct looks){.seen = cw_run.counts.windows, .ages = l.ages, .fresh = true};
        }
    }
    cw_run_global_lock_give();
    return NULL;
}

static pthread_t timer_thread;

void cw_run_window_start_if_begun(void)
{
    if (CW_UNLIKELY(cw_run.begun && !cw_run.threads && !cw_run.off && !cw_run.forked))
        cw_run_window_start();
}

void cw_run_window_start(void)
{
    if (cw_run.threads)
        return;
    cw_run.threads = cw_run_thread_create(&timer_thread, timer, NULL);
}

void cw_run_window_stop(void)
{
    bool started;

    cw_run_global_lock_take();
    started = cw_run.threads;
    cw_run.threads = false;
    quit = true;
    pthread_cond_signal(&cw_run.timer);
    cw_run_global_lock_give();
    if (started)
        pthread_join(timer_thread, NULL);
}
