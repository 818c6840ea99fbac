/* bitcode.h - the LLVM bitcode in a binary of PoCL (source/pocl_binary.h), read like the output of clang. */
#ifndef CW_FOOTPRINT_BITCODE_H
#define CW_FOOTPRINT_BITCODE_H

#include "../../../sched/status.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Reads the binary, or its text form, in the file `path`; the caller disposes of *module and *context, which
 * are NULL where the file is something else. PoCL's library is in the bitcode: its functions that OpenCL C
 * defines become declarations, and assumptions about overflow are dropped. Where this LLVM cannot read the
 * bitcode, the clang that PoCL needs writes it as text. CW_ERR_UNSUPPORTED: another format; CW_ERR_VERSION:
 * bitcode that cannot be read here; CW_ERR_IO; CW_ERR_NOMEM. */
enum cw_status cw_bitcode_read(const char *path, LLVMContextRef *context, LLVMModuleRef *module,
                               struct cw_error *err);

/* Of a device whose memories have one address space: the spaces of pointers say nothing. */
bool cw_bitcode_is_flat(LLVMModuleRef module);

#endif
