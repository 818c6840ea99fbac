/* kernel_rewritten.h - the source that a file becomes when its kernels are to run as tiles of a launch. */
#ifndef CW_KERNEL_REWRITTEN_H
#define CW_KERNEL_REWRITTEN_H

#include <stdio.h>

#include "../../sched/status.h"

/* Prints the file as kernels/rewrite/rewrite.h rewrites it, built with `options` (not NULL), with the forms
 * for rows that clweave-footprint bears out, when it is there. Returns CW_OK; CW_ERR_UNSUPPORTED when it is
 * refused, with the reason; CW_ERR_IO; CW_ERR_NOMEM. */
enum cw_status cw_kernel_print_rewritten(const char *path, const char *options, FILE *out,
                                         struct cw_error *err);

#endif
