/* history_fit.h - time = c * size^b: least squares over logarithms, kept as sums that points enter and leave
 * in O(1). Thread-safety: none. */
#ifndef CW_HISTORY_FIT_H
#define CW_HISTORY_FIT_H

#include <stdbool.h>

struct cw_history_fit {
    double points, x, y, xx, xy, yy; /* sums over the points, x = log size, y = log time */
    double least, most;              /* x that occurred */
};

/* Adds (sign 1) or removes (sign -1) a point: a shape of `size` > 0 whose mean is `ns` > 0. */
void cw_history_fit_point(struct cw_history_fit *f, double size, double ns, double sign);

/* Predicts the time of `size`. *error: one standard error, by Student's formula for a prediction, with one
 * imaginary residual of 20 % so that two points are not a certainty; b is kept within 0 .. 3. False when the
 * points do not tell: fewer than two sizes and `size` more than eightfold away, or an error beyond threefold.
 */
bool cw_history_fit_predict(const struct cw_history_fit *f, double size, double *ns, double *error);

#endif
