/* metrics.h - the figures that papers report about a schedule. */
#ifndef CW_METRICS_H
#define CW_METRICS_H

#include "api.h"
#include "bounds.h"

CW_API_BEGIN

/* A value that is not defined is NAN: the speedup over one device when no device can run every task, a ratio
 * over 0. */
struct cw_metrics {
    double makespan;
    double slr; /* makespan / sum of the least costs along CP_MIN (schedule length ratio, Topcuoglu 2002) */
    double nsl; /* makespan / min_m sum of W[i][m] along CPOP's critical path (normalised schedule length) */
    double speedup;          /* min_p sum_i W[i][p] / makespan */
    double efficiency;       /* speedup / devices */
    struct cw_bounds bounds; /* under the sharing that the policy may use; bounds.best is the lower bound */
    double *busy;            /* per device: time that it works */
    double *utilisation;     /* per device: busy / makespan */
};

/* Measures schedule `s` of `g` on `p`. Errors: CW_ERR_NOMEM (m is then empty). */
enum cw_status cw_metrics_init(struct cw_metrics *m, const struct cw_graph *g, const struct cw_platform *p,
                               const struct cw_schedule *s, enum cw_sharing sharing, struct cw_error *err);
void cw_metrics_finish(struct cw_metrics *m); /* safe on a zeroed struct */

CW_API_END

#endif
