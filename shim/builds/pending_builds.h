/* pending_builds.h - compilations by the vendor beside the program, and the end of the process.
 *
 * exit() destroys the statics of the vendor's compiler: a compilation that still runs then crashes. A bare
 * program that has waited for its work, or whose device compiles and runs kernels inside the enqueue, cannot
 * meet that; under run mode workers compile behind its back. So the end waits for compilations, which are
 * finite, but not for kernels, which may run for ever (api/process_end.c). */
#ifndef CW_PENDING_BUILDS_H
#define CW_PENDING_BUILDS_H

#include <stdbool.h>

/* Around calls that compile. False: the process ends, nothing may be compiled any more. Any thread. */
bool cw_pending_builds_begin(void);
void cw_pending_builds_end(void);

/* The process ends: none begins from here on. Those of other threads: code/code.h waits for them.
 * Any thread. */
void cw_pending_builds_forbid(void);
bool cw_pending_builds_are_forbidden(void);

/* Another thread is in such a call. Any thread. */
bool cw_pending_builds_any(void);

#endif
