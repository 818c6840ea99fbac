/* native.h - native commands: they go to the vendor at once, behind a user event that completes when the
 * managed commands before them have. */
#ifndef CW_RUN_API_NATIVE_H
#define CW_RUN_API_NATIVE_H

#include "../core/types.h"

/* `blocking`: the bare call would block. `whole`: the command waits for everything before it. Lock not held.
 */
void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list,
                         cl_event *event, bool blocking, bool whole, enum cw_run_reason why);
/* The same for a command that was refused (below): the lock is held, and given up. */
struct cw_run_enqueue;
void cw_run_native_follow(struct cw_run_native *x, const struct cw_run_enqueue *e);
cl_int cw_run_native_end(struct cw_run_native *x, cl_int status);
/* Between the two: the command names these memory objects, which stay until the end. */
static inline void cw_run_native_uses(struct cw_run_native *x, cl_uint n, const cl_mem *memory)
{
    x->used = memory;
    x->num_used = n;
}

#endif
