/* kernel.h - kernels. */
#ifndef CW_RUN_API_KERNEL_H
#define CW_RUN_API_KERNEL_H

#include "../core/types.h"

/* The argument is the pointer `value`. Lock not held. */
void cw_run_kernel_points(cl_kernel kernel, cl_uint index, const void *value);

#endif
