/* dry_run.h - kernels that the vendor compiles for a launch are not run.
 *
 * PoCL's drivers for processors load compiled modules with dlopen() and find the kernel in it with dlsym().
 * This program has functions of these names, which the dynamic linker finds before libc's: while a dry run of
 * a kernel lasts, its module is really loaded, but the function found in it is one that does nothing. All
 * other calls go on to libc's unchanged. */
#ifndef CW_DRY_RUN_H
#define CW_DRY_RUN_H

#include <stdbool.h>

/* Launches of `kernel` do nothing until the end, in all threads. `kernel` stays. */
void cw_dry_run_begin(const char *kernel);

/* True when the kernel was loaded meanwhile. Its module's path is in `module` then, if it fits. */
bool cw_dry_run_end(char *module, unsigned size);

#endif
