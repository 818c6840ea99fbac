/* arms.h - which of several ways to do the same work to take next, when each must be measured and
 * measurements scatter.
 *
 * A stochastic multi-armed bandit with costs: each arm is pulled where its lower confidence bound is the
 * least,
 *   bound(v) = mean(v) (1 - width(N, n(v)) sqrt(ln N / n(v))),  N = all pulls, n(v) = those of v,
 *   width(N, n) = WIDTH (1 + FEW max(0, 1 - EARLY / ln N) / n), whose constants are in arms.c,
 * which is UCB1 (Auer, Cesa-Bianchi, Fischer: Finite-time analysis of the multiarmed bandit problem, Machine
 * Learning 47, 2002, figure 1) with rewards turned round and the range of rewards replaced by a part of the
 * mean, as the scatter of times grows with the times; that part grows with N where an arm has few pulls,
 * which may all come from one busy hour. Arms of one *family* resemble each other: the first usable one of
 * each is pulled once before all else, and an arm that was never pulled is expected to be somewhat better
 * than the best of its family.
 *
 * As ln N grows without end nothing is settled for ever: arms that were measured on a busy machine are
 * measured again, ever less often. That is so only where N is known: pulls of an arm may be counted as fewer
 * than there were (a history that fades), all pulls may not.
 *
 * Pure, thread-safe; O(arms^2). */
#ifndef CW_ARMS_H
#define CW_ARMS_H

#include <stdbool.h>
#include <stdint.h>

struct cw_arm {
    double mean; /* cost of a pull, in any unit, or the least of late; only where pulls > 0, and then > 0 */
    uint32_t pulls;
    uint32_t family; /* arms of one family stand beside each other */
    bool usable;     /* those that are not are never the answer */
};

/* The usable one with the least mean that was pulled; `arms`: there is none. */
uint32_t cw_arms_best(const struct cw_arm *arm, uint32_t arms);

/* The arm to pull next; `arms`: none is usable. log_pulls: ln N, where N is more than the sum of the usable
 * arms' pulls; smaller values count as that sum; 0: not known. */
uint32_t cw_arms_next(const struct cw_arm *arm, uint32_t arms, double log_pulls);

#endif
