/* history_stat.h - count, mean and deviation of samples. Used by history.c. Thread-safety: none. */
#ifndef CW_HISTORY_STAT_H
#define CW_HISTORY_STAT_H

#include "history.h"

#define CW_HISTORY_LONGEST_NS                                                                                \
    1e18 /* of a launch, 30 years: more is nonsense, and sums of squares of it would not be finite */

/* False for statistics that cannot come from samples: no count, a negative time, a time beyond
 * CW_HISTORY_LONGEST_NS, no number. */
bool cw_history_stat_sensible(const struct cw_history_stat *s);

/* Merges `more`, which came later, into `into`, which then weighs at most CW_HISTORY_MEMORY samples. A single
 * sample that is more than 4 times the later ones is forgotten. */
void cw_history_stat_merge(struct cw_history_stat *into, const struct cw_history_stat *more);

/* One standard error of the mean, ns. One imaginary deviation of 30 % is added to those measured. */
double cw_history_stat_error(const struct cw_history_stat *s);

#endif
