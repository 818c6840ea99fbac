/* binary.h - which source and build options a program's binary came from.
 *
 * Programs that fetch the binaries of what they have built, to be quicker the next time (pyopencl and
 * others), hand in bytes that say nothing of their kernels. Whoever fetches a binary under run mode leaves
 * behind what it was built from, for the devices and drivers of then; the same bytes are recognised later. */
#ifndef CW_BINARY_H
#define CW_BINARY_H

#include "../core/types.h"

/* The program has fetched `n` binaries of `p`, which is busy; lock not held. */
void cw_binary_keep(const struct cw_run_program *p, const char *source, const char *options, cl_uint n,
                    const size_t *bytes, unsigned char *const *binaries);

/* What all of these came from, *source and *options are the caller's to free; false: not known. Lock not
 * held; the context's devices are `slots`. */
bool cw_binary_find(const struct cw_context_devices *slots, cl_uint n, const size_t *bytes,
                    const unsigned char *const *binaries, char **source, char **options);

#endif
