/* access.h - from one LLVM kernel function to its model. */
#ifndef CW_FOOTPRINT_ACCESS_H
#define CW_FOOTPRINT_ACCESS_H

#include "../footprint/model.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* True for functions with the calling convention of OpenCL kernels and a body. */
bool cw_access_is_kernel(LLVMValueRef function);

/* Fills `m` (initialised by the caller) with all accesses of `kernel`. An access that is not understood is
 * marked unknown in the model; false only without memory. The module must have gone through
 * cw_ir_canonicalise. */
bool cw_access_read_kernel(struct cw_model *m, LLVMModuleRef module, LLVMValueRef kernel);

#endif
