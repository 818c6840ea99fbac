/* exact.h - which kernels give the same bits on devices with another code generator (kernels/llvm/exact.h).
 * Lock held. */
#ifndef CW_RUN_EXACT_H
#define CW_RUN_EXACT_H

#include "../core/types.h"

/* NULL: the results of `k` on devices `a` and `b` are the same bits, whatever their code generators. Else why
 * they may not be: static words. */
const char *cw_run_exact_why_not(const struct cw_run_kernel *k, const struct cw_cl_device *a,
                                 const struct cw_cl_device *b);

/* The kernel computes no floating-point number, and its results are the same bits on every device. */
bool cw_run_exact_is_whole(const struct cw_run_kernel *k);

#endif
