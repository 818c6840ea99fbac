/* program_binary.h - programs that are made of binaries. Where the source of one is known but not the
 * options of its build, the vendor's name of the build says whether the program gives the same options. */
#ifndef CW_RUN_API_PROGRAM_BINARY_H
#define CW_RUN_API_PROGRAM_BINARY_H

#include "../core/types.h"

/* The program is about to be built with `options` (NULL: none): with these it is that of the source, or that
 * of the binary. Programs that are made otherwise stay as they are. Lock not held. */
void cw_run_program_binary_match(cl_program program, const char *options);

#endif
