/* access.h - from one LLVM kernel function to its model. */
#ifndef CW_FOOTPRINT_ACCESS_H
#define CW_FOOTPRINT_ACCESS_H

#include "../footprint/model.h"
#include "../../../sched/status.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>

/* True for functions with the calling convention of OpenCL kernels and a body. */
bool cw_bitcode_is_kernel(LLVMValueRef function);

/* Fills `m` (initialised by the caller) with all accesses of `kernel`. An access that is not understood is
 * marked unknown in the model; false only without memory. The module must have gone through
 * cw_ir_canonicalise. */
bool cw_access_read_kernel(struct cw_model *m, LLVMModuleRef module, LLVMValueRef kernel);

/* Whether a kernel's results are the same bits on every device: the exact class.
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

/* Looks at every kernel of the module as clang has written it, and marks it with the result; call it before
 * cw_ir_canonicalise, which may drop operations that a vendor keeps. binary: the module comes from a vendor's
 * binary, whose operations are not those of the source. */
void cw_exact_mark(LLVMModuleRef module, bool binary);

/* Reads the mark of `kernel` into m->inexact and m->floats. */
void cw_exact_read(struct cw_model *m, LLVMValueRef kernel);

/* The LLVM bitcode in a binary of PoCL (source/pocl_binary.h), and of a SPIR-V module (source/spirv.h), read
 * like the output of clang. */

/* Reads the binary or module, or its text form (source/code_text.h), in the file `path`; the caller disposes
 * of *module and *context, which are NULL where the file is something else. Assumptions about overflow are
 * dropped. PoCL's library is in its bitcode: its functions that OpenCL C defines become declarations. Where
 * this LLVM cannot read that, the clang that PoCL needs writes it as text. CW_ERR_NOTFOUND: there is no
 * llvm-spirv of this LLVM's version; CW_ERR_UNSUPPORTED: another format, or as cw_spirv_check;
 * CW_ERR_VERSION: bitcode that cannot be read here; CW_ERR_FORMAT, with llvm-spirv's words: it refuses the
 * module; CW_ERR_LIMIT; CW_ERR_IO; CW_ERR_NOMEM. */
enum cw_status cw_bitcode_read(const char *path, LLVMContextRef *context, LLVMModuleRef *module,
                               struct cw_error *err);

/* Of a device whose memories have one address space: the spaces of pointers say nothing. */
bool cw_bitcode_is_flat(LLVMModuleRef module);

#endif
