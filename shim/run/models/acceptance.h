/* acceptance.h - which launches the vendor is certain to accept.
 *
 * A managed launch has been answered with CL_SUCCESS before the vendor sees it. So it must be one that the
 * vendor cannot refuse: by the limits that the vendor states for the kernel on the queue's device, or
 * because the vendor has accepted one of the same form. Arguments are judged elsewhere (api/launch.c). */
#ifndef CW_RUN_ACCEPTANCE_H
#define CW_RUN_ACCEPTANCE_H

#include "../core/types.h"

/* Asks the vendor for the limits of `k`, once per program and name of a kernel. Not where the program was
 * built for some devices of its context only: PoCL does not tell for which. `kernel`: the program's
 * handle, which no other thread has yet. Lock not held. */
void cw_run_acceptance_ask(struct cw_run_kernel *k, cl_kernel kernel);

/* The vendor accepts the launch `r` of `k` on the device of `q`: sizes are not 0. Lock held. */
bool cw_run_acceptance_is_certain(const struct cw_run_queue *q, const struct cw_run_kernel *k,
                                  const struct cw_run_ndrange *r);

/* The vendor has accepted it. Lock held. */
void cw_run_acceptance_seen(const struct cw_run_queue *q, struct cw_run_kernel *k,
                            const struct cw_run_ndrange *r);

/* Lock held. */
void cw_run_acceptance_free(struct cw_run_known *known);

#endif
