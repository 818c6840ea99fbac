/* backoff.h - the one back-off of run mode: a trial that failed is repeated, ever less often.
 *
 * Waits are in any unit: ns, launches, synchronisations, looks. Pure, thread-safe; the caller guards a
 * record. */
#ifndef CW_RUN_BACKOFF_H
#define CW_RUN_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../sched/whole.h"
#include "thresholds.h"

/* Of one thing that is tried. All zero: no trial has failed. */
struct cw_run_backoff {
    double wait;    /* the latest; 0: none since the last trial that was good */
    uint64_t until; /* its end */
    uint32_t poor;  /* trials that have failed in a row */
};

/* The wait after one of `last`, which was in vain; 0: after none. `first` > 0 begins, each next one is twice
 * as long, and none is longer than `most`. */
static inline double cw_run_backoff_more(double last, double first, double most)
{
    double next = last > 0 ? 2 * last : first;

    return next < most ? next : most;
}

/* The next wait begins at `now`. */
static inline void cw_run_backoff_begin(struct cw_run_backoff *b, uint64_t now, double first, double most)
{
    b->wait = cw_run_backoff_more(b->wait, first, most);
    b->until = cw_whole_later(now, b->wait);
}

/* A trial has failed. True: enough have, in a row. */
static inline bool cw_run_backoff_fails(struct cw_run_backoff *b)
{
    return ++b->poor >= CW_RUN_BACKOFF_POOR;
}

/* The same of synchronisations, which cw_run_backoff_passes counts: `until` is how many are left. */
static inline void cw_run_backoff_count(struct cw_run_backoff *b)
{
    cw_run_backoff_begin(b, 0, CW_RUN_BACKOFF_SPANS, CW_RUN_BACKOFF_MOST);
}

/* The same of launches, from one look at something that seldom changes to the next. */
static inline void cw_run_backoff_look(struct cw_run_backoff *b)
{
    cw_run_backoff_begin(b, 0, 1, CW_RUN_LOOK_EACH);
}

/* One of those that are counted has passed. True: it was part of the wait. */
static inline bool cw_run_backoff_passes(struct cw_run_backoff *b)
{
    bool waits = b->until > 0;

    b->until -= waits;
    return waits;
}

/* The same of a launch that takes `ns`. */
static inline void cw_run_backoff_launch(struct cw_run_backoff *b, uint64_t now, double ns)
{
    double most = CW_RUN_BACKOFF_MOST * ns;

    cw_run_backoff_begin(b, now, CW_RUN_BACKOFF_TIMES * ns,
                         most < CW_RUN_BACKOFF_MOST_NS ? most : CW_RUN_BACKOFF_MOST_NS);
}

/* The same, in ns, for something that another process makes. */
static inline void cw_run_backoff_seek(struct cw_run_backoff *b, uint64_t now)
{
    cw_run_backoff_begin(b, now, CW_RUN_BACKOFF_NS, INFINITY);
}

/* True where it is due to look for that; then the next wait begins. */
static inline bool cw_run_backoff_seeks(struct cw_run_backoff *b, uint64_t now)
{
    bool due = now >= b->until;

    if (due)
        cw_run_backoff_seek(b, now);
    return due;
}

/* The wait after one of `last` >= 1 that turned out to be too long: half of it, at least 1, whole. */
static inline uint32_t cw_run_backoff_less(uint32_t last)
{
    return last > 1 ? last / 2 : 1;
}

/* Of things that happen again and again, the `n`-th (from 1 on) is one to try at: number `first`, a power of
 * two, and after that each of twice the number. */
static inline bool cw_run_backoff_is_turn(uint32_t n, uint32_t first)
{
    return n >= first && !(n & (n - 1));
}

#endif
