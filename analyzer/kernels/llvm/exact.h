/* exact.h - whether a kernel's results are the same bits on every device: the exact class.
 *
 * Devices of one code generator compute the same bits. Others do so only where OpenCL C leaves a compiler no
 * choice: integers, moves, and floating-point operations that every device rounds correctly. The rules:
 *
 *   - A sum and a product of one precision do not meet in one kernel: compilers may fuse them.
 *   - Divisions and square roots are of doubles. No function but a few exact ones is called.
 *   - A floating-point number is not converted to an integer type, which might not hold it.
 *   - An integer is divided by a constant that is neither 0 nor -1, or by a size of the launch.
 *   - Atomic operations are of integers, commute, and their results are not used.
 *   - Nothing is volatile that is loaded: kernels that lean on the lockstep of a device's work-items do so.
 *   - Addresses are not used as numbers. There are no images, pipes, sub-groups, printf or half precision.
 *
 * A kernel with floating-point operations needs devices that keep denormal numbers and round to nearest
 * (cw_model.floats). Two NaNs of different bits count as the same (shim/RUN.md, "Bits that may differ"), so
 * the bits of computed numbers must not become integers. */
#ifndef CW_FOOTPRINT_EXACT_H
#define CW_FOOTPRINT_EXACT_H

#include "../footprint/model.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Looks at every kernel of the module as clang has written it, and marks it with the result; call it before
 * cw_ir_canonicalise, which may drop operations that a vendor keeps. binary: the module comes from a vendor's
 * binary, whose operations are not those of the source. */
void cw_exact_mark(LLVMModuleRef module, bool binary);

/* Reads the mark of `kernel` into m->inexact and m->floats. */
void cw_exact_read(struct cw_model *m, LLVMValueRef kernel);

#endif
