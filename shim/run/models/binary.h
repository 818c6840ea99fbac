/* binary.h - programs that are made of binaries whose build is not known (programs/known_binaries.h). */
#ifndef CW_BINARY_H
#define CW_BINARY_H

#include "../../../analyzer/kernels/source/pocl_binary.h"
#include "../core/types.h"

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
