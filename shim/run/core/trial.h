/* trial.h - the one interface of "is it worth it?": something is tried, its cost is measured, and where it is
 * in vain it rests, ever longer.
 *
 * The cost is one of two: times of spans that are alike, of which each way has the least of late; or an
 * account, which may lose so much. sched/arms.h chooses among many ways. The instances, each with a record
 * per key:
 *
 *   file                    tried                     key                   cost                     rests
 *   tuning/bypass.c         planning                  queue                 windows without gain     SPANS
 *   windows/hold.c          holding commands          queue                 work that was held       SPANS
 *   streams/stream_worth.c  several streams, versions queue, first command  times of spans           SPANS
 *   tiles/share_blocks.c    cutting a launch          kernel, shape         times, whole and cut     LAUNCHES
 *   tuning/left.c           planning a launch         kernel, work-items    plans that leave it      LAUNCHES
 *   tuning/gpu_gain.c       other GPUs                process               account                  CODE
 *   tiles/share_hold.c      other shares              kernel, shape         times, by speeds         LOOKS
 *   tiles/tile_margin.c     wider margins             kernel, shape         launches they served     LOOKS
 *   workers/watch.c         a worker that is awake    worker                tiles that came          LOOKS
 *   code/, tiles/, groups/  what the builder makes    program, kernel       it is there              CODE
 *   groups/group_choice.c   variants of a chain       kinds of launches     times of runs            arms
 *   staging/                the staged way            direction, size       times per byte           arms
 *
 * Pure, thread-safe; the caller guards a record. Waits are in any unit. */
#ifndef CW_RUN_TRIAL_H
#define CW_RUN_TRIAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../../sched/whole.h"
#include "thresholds.h"

/* ---- rests */

/* Of one thing that is tried. All zero: no trial has failed. */
struct cw_run_trial {
    double wait;    /* the latest rest; 0: none since the last trial that was good */
    uint64_t until; /* its end, UINT64_MAX: none; counted (cw_run_trial_passes): how many are left */
    uint32_t poor;  /* trials that have failed in a row */
};

/* SPANS: synchronisations. LAUNCHES: ns, by the duration of a launch. LOOKS: at something that seldom
 * changes. CODE: ns, until another process has made something. */
enum cw_run_trial_kind { CW_RUN_REST_SPANS, CW_RUN_REST_LAUNCHES, CW_RUN_REST_LOOKS, CW_RUN_REST_CODE };

static const struct cw_run_trial_lengths {
    double first, most; /* times the unit that the caller gives */
    double most_ns;
} cw_run_trial_lengths[] = {
    [CW_RUN_REST_SPANS] = {CW_RUN_TRIAL_SPANS, CW_RUN_TRIAL_MOST, INFINITY},
    [CW_RUN_REST_LAUNCHES] = {CW_RUN_TRIAL_TIMES, CW_RUN_TRIAL_MOST, CW_RUN_MOST_NS},
    [CW_RUN_REST_LOOKS] = {1, CW_RUN_LOOK_EACH, INFINITY},
    [CW_RUN_REST_CODE] = {CW_RUN_BUILD_NS, INFINITY, INFINITY},
};

/* The wait after one of `last`, which was in vain; 0: after none. `first` > 0 begins, each next one is twice
 * as long, and none is longer than `most`. */
static inline double cw_run_trial_longer(double last, double first, double most)
{
    double next = last > 0 ? 2 * last : first;

    return next < most ? next : most;
}

/* The wait after one of `last` >= 1 that turned out to be too long: half of it, at least 1, whole. */
static inline uint32_t cw_run_trial_shorter(uint32_t last)
{
    return last > 1 ? last / 2 : 1;
}

/* The next rest begins at `now`, which is 0 where it is counted. */
static inline void cw_run_trial_rest(struct cw_run_trial *t, enum cw_run_trial_kind kind, uint64_t now,
                                     double unit)
{
    const struct cw_run_trial_lengths *l = &cw_run_trial_lengths[kind];

    t->wait = cw_run_trial_longer(t->wait, l->first * unit, fmin(l->most * unit, l->most_ns));
    t->until = cw_whole_later(now, t->wait);
}

/* One of those that are counted has passed. True: it was part of the rest. */
static inline bool cw_run_trial_passes(struct cw_run_trial *t)
{
    bool rests = t->until > 0;

    t->until -= rests;
    return rests;
}

/* True where it is due to look for what another process makes; then the next rest begins. */
static inline bool cw_run_trial_seeks(struct cw_run_trial *t, uint64_t now)
{
    bool due = now >= t->until;

    if (due)
        cw_run_trial_rest(t, CW_RUN_REST_CODE, now, 1);
    return due;
}

/* A trial has failed. True: enough have, in a row. */
static inline bool cw_run_trial_fails(struct cw_run_trial *t)
{
    return ++t->poor >= CW_RUN_TRIAL_POOR;
}

/* Of things that happen again and again, the `n`-th (from 1 on) is one to try at: number `first`, a power of
 * two, and after that each of twice the number. */
static inline bool cw_run_trial_is_turn(uint32_t n, uint32_t first)
{
    return n >= first && !(n & (n - 1));
}

/* ---- costs */

/* The least of late after a time `now` > 0, as other processes only ever make it longer; `least`: before it,
 * 0: none was measured. Any unit. */
static inline double cw_run_trial_least(double least, double now)
{
    double grown = least * CW_RUN_LEAST_FORGETS;

    return least > 0 && grown < now ? grown : now;
}

/* What something has gained beside the way without it, in all of its trials. All zero: nothing yet. */
struct cw_run_trial_account {
    double home_ns;   /* of all that is compared, without it */
    double gained_ns; /* below 0: lost; gains far above the limit are forgotten */
    double begin_ns;  /* the same where the trial under way began, at most 0 */
    double worst_ns;  /* the most that was lost at once */
};

/* So much may be lost in all. */
static inline double cw_run_trial_limit(const struct cw_run_trial_account *a)
{
    return CW_RUN_GPU_GAIN_LOSS_NS + CW_RUN_LITTLE * a->home_ns;
}

/* Of that, so much is left. */
static inline double cw_run_trial_left(const struct cw_run_trial_account *a, double gained_ns)
{
    return fmax(cw_run_trial_limit(a) + gained_ns, 0);
}

/* Adds the time that a trial has gained, or lost (below 0). True: since it began, it has lost half of the
 * account, so that all trials together never lose the limit. */
static inline bool cw_run_trial_book(struct cw_run_trial_account *a, double ns)
{
    a->gained_ns = fmin(a->gained_ns + ns, CW_RUN_TRIAL_POOR * cw_run_trial_limit(a));
    a->begin_ns = fmax(a->begin_ns, fmin(a->gained_ns, 0));
    a->worst_ns = fmax(a->worst_ns, -ns);
    return a->gained_ns < a->begin_ns - cw_run_trial_left(a, a->begin_ns) / 2;
}

/* The next trial begins from here. False: one more loss like the worst might be more than is left. */
static inline bool cw_run_trial_begins(struct cw_run_trial_account *a)
{
    a->begin_ns = fmin(a->gained_ns, 0);
    return cw_run_trial_left(a, a->begin_ns) >= a->worst_ns;
}

#endif
