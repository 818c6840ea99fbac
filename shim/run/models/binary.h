/* binary.h - which source and build options a program's binary came from.
 *
 * Programs that keep the binaries of their builds, to be quicker the next time (pyopencl and others), hand
 * in bytes that show nothing of their kernels. When a program fetches a binary, run mode stores its source
 * and options, for the present devices and drivers; the same bytes are recognised later. */
#ifndef CW_BINARY_H
#define CW_BINARY_H

#include "../../../analyzer/kernels/source/pocl_binary.h"
#include "../core/types.h"

/* The program has fetched `n` binaries of `p`, which is busy; lock not held. */
void cw_binary_keep(const struct cw_run_program *p, const char *source, const char *options, cl_uint n,
                    const size_t *bytes, unsigned char *const *binaries);

/* The source and options that all of these came from, the caller's to free; false: not known. Lock not
 * held; the context's devices are `devices`. */
bool cw_binary_find(const struct cw_context_devices *devices, cl_uint n, const size_t *bytes,
                    const unsigned char *const *binaries, char **source, char **options);

/* The text form of the binaries, which are the same for all devices, the caller's to free; NULL: they differ,
 * or their format is not known. *demands: some kernel demands a local size; `build`: PoCL's name of the build
 * (pocl_binary.h). Any thread. */
char *cw_binary_text(cl_uint n, const size_t *bytes, const unsigned char *const *binaries, bool *demands,
                     unsigned char build[CW_POCL_BINARY_BUILD]);

/* PoCL's build of `source` with `options` (NULL: none) for `device` has the name `build`: a binary of that
 * name came from them. False: another name, or one that is not known yet; the builder is asked for it then.
 * Takes less than a millisecond; any thread, lock not held. */
bool cw_binary_is_of(cl_device_id device, const char *source, const char *options,
                     const unsigned char build[CW_POCL_BINARY_BUILD]);

#endif
