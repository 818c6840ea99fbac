/* release.h - the constraints that the placed tasks of a plan set for the others.
 *
 * Searches plan the rest of a graph many times over; for them a placed task is a moment at which its data are
 * on each device, and a device is free from its last placed task on (gaps before that are left to the list
 * schedulers).
 *
 * Thread-safety: none. */
#ifndef CW_RELEASE_H
#define CW_RELEASE_H

#include "plan.h"

struct cw_release {
    uint32_t devices;
    double *ready; /* tasks x devices: when the data of placed predecessors are there; NULL: 0 everywhere */
    double *avail; /* per device: when it is free */
    double latest; /* the last finish of a placed task */
};

/* Reads `plan` as it is now. Errors: CW_ERR_NOMEM; it is then empty. */
enum cw_status cw_release_init(struct cw_release *r, const struct cw_plan *plan, struct cw_error *err);
void cw_release_finish(struct cw_release *r); /* safe on a zeroed struct */

static inline double cw_release_ready(const struct cw_release *r, uint32_t task, uint32_t device)
{
    return r->ready ? r->ready[(size_t)task * r->devices + device] : 0;
}

#endif
