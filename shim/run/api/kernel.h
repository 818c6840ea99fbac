/* kernel.h - kernels. */
#ifndef CW_RUN_API_KERNEL_H
#define CW_RUN_API_KERNEL_H

#include "../core/types.h"

void cw_run_kernel_points(cl_kernel kernel,
                          cl_uint index); /* its argument is a bare pointer; lock not held */

#endif
