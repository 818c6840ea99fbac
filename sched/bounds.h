/* bounds.h - how short a schedule can be at best. */
#ifndef CW_BOUNDS_H
#define CW_BOUNDS_H

#include "api.h"
#include "schedule.h"

CW_API_BEGIN

struct cw_bounds {
    double critical_path; /* CP_MIN: the longest path, each task at its least cost, nothing travels */
    double oct;    /* max_i min_p (W[i][p] + OCT(i,p)), OCT with exact transfer times; >= critical_path. When
                      a task may be shared it does not hold and equals critical_path */
    double area;   /* all work at its least cost, spread evenly over all devices */
    double energy; /* of whole tasks on alike devices, or of whole numbers (bounds.c); else the largest
                      above */
    double best;   /* the largest of them: no schedule is shorter */
};

/* Computes the bounds of schedules whose tasks may be shared as `sharing` says. OCT is that of Arabnejad and
 * Barbosa (TPDS 2014, equation 4) with the exact transfer time between each two devices instead of the mean:
 *     OCT(i,p) = max over successors j of min_r (OCT(j,r) + W[j][r] + c(i,j,p,r)).
 * A task that devices may share costs at least 1 / sum_p (1 / W[i][p]) over them; `groups` == 1 forbids
 * sharing. The area bound holds for shared tasks as it is: a part of share x takes x * W[i][p] of device p's
 * time. O(tasks x devices + edges x devices^2) time, tasks x devices doubles of memory. Errors: CW_ERR_NOMEM.
 */
enum cw_status cw_bounds_compute(const struct cw_graph *g, const struct cw_platform *p,
                                 enum cw_sharing sharing, struct cw_bounds *bounds, struct cw_error *err);

/* The least time that task `i` takes when devices share it as `sharing` allows. */
double cw_bounds_task(const struct cw_graph *g, const struct cw_platform *p, enum cw_sharing sharing,
                      uint32_t i);

CW_API_END

#endif
