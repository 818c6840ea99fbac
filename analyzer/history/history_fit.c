#include "history.h"

#include <math.h>

#define RESIDUAL   0.2                /* of the imaginary point */
#define ONE_SIZE   0.3                /* relative error of scaling from one size to the same size ... */
#define PER_FACTOR 0.5                /* ... and the addition for each factor e of distance */
#define FAR        2.0794415416798357 /* log 8 */

void cw_history_fit_point(struct cw_history_fit *f, double size, double ns, double sign)
{
    double x = log(size), y = log(ns);

    if (sign > 0 && (f->points == 0 || x < f->least))
        f->least = x;
    if (sign > 0 && (f->points == 0 || x > f->most))
        f->most = x;
    f->points += sign;
    f->x += sign * x;
    f->y += sign * y;
    f->xx += sign * x * x;
    f->xy += sign * x * y;
    f->yy += sign * y * y;
    if (f->points < 0.5)
        *f = (struct cw_history_fit){0}; /* and with it the remains of rounding */
}

/* From one size: time grows as size does. */
static bool scale(const struct cw_history_fit *f, double x, double *ns, double *error)
{
    double away = x - f->x / f->points;

    if (fabs(away) > FAR)
        return false;
    *ns = exp(f->y / f->points + away);
    *error = *ns * (ONE_SIZE + PER_FACTOR * fabs(away));
    return *ns < CW_HISTORY_LONGEST_NS;
}

bool cw_history_fit_predict(const struct cw_history_fit *f, double size, double *ns, double *error)
{
    double n = f->points, x = log(size), spread, slope, residual, relative;

    if (n < 0.5)
        return false;
    spread = f->xx - f->x * f->x / n;
    if (n < 1.5 || f->most - f->least < 1e-9 || spread < 1e-12)
        return scale(f, x, ns, error);
    slope = fmin(3, fmax(0, (f->xy - f->x * f->y / n) / spread));
    residual = f->yy - f->y * f->y / n - 2 * slope * (f->xy - f->x * f->y / n) + slope * slope * spread;
    x -= f->x / n;
    relative = sqrt((fmax(0, residual) + RESIDUAL * RESIDUAL) / (n - 1) * (1 + 1 / n + x * x / spread));
    *ns = exp(f->y / n + slope * x);
    *error = *ns * relative;
    return relative < 3 && *ns < CW_HISTORY_LONGEST_NS;
}
