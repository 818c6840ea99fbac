/* pending_builds.h - compilations by the vendor beside the program, and the end of the process.
 *
 * exit() destroys the statics of the vendor's compiler: a compilation that still runs then crashes. A bare
 * program that has waited for its work, or whose device compiles and runs kernels inside the enqueue, cannot
 * meet that; under run mode workers compile behind its back. So the end waits for compilations, which are
 * finite, but not for kernels, which may run for ever (api/process_end.c). Where the two come in one call
 * they cannot be told apart, and the end waits until the call has had some seconds of processor time: on a
 * busy machine a compiler takes much longer than it works. */
#ifndef CW_PENDING_BUILDS_H
#define CW_PENDING_BUILDS_H

#include "../run/core/types.h"

/* Around calls that compile. False: the process ends, nothing may be compiled any more. Any thread. */
bool cw_pending_builds_begin(void);
void cw_pending_builds_end(void);

/* clEnqueueNDRangeKernel without a wait list, for a launch for which `place` may have to compile first. Lane
 * held. */
cl_int cw_pending_builds_enqueue(const struct cw_run_context_device *place, cl_command_queue queue,
                                 cl_kernel kernel, const struct cw_run_ndrange *r, cl_event *event);

/* The process ends: none begins from here on, and those of other threads are waited for. Lock not held. */
void cw_pending_builds_stop(void);

#endif
