/* spirv.h - SPIR-V modules, as clCreateProgramWithIL takes them.
 *
 * They are read as far as specialisation constants, names and demands of kernels need it; llvm-spirv reads
 * the rest. Source: SPIR-V specification, section 2.3 "Physical Layout of a SPIR-V Module and Instruction".
 * Words are 32 bits in this machine's byte order. Pure functions; any thread. */
#ifndef CW_SPIRV_H
#define CW_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../sched/status.h"

enum { CW_SPIRV_BYTES_MAX = 16 << 20 };

/* The bytes begin as a module does, in this byte order or the other. */
bool cw_spirv_is(const void *bytes, size_t n);

/* A module of OpenCL kernels with 64-bit addresses whose instructions end where it ends. The other functions
 * take no other. CW_ERR_FORMAT: it is cut off or damaged; CW_ERR_UNSUPPORTED: the other byte order, more
 * than CW_SPIRV_BYTES_MAX, a version behind 1.6, no kernels, 32-bit addresses. */
enum cw_status cw_spirv_check(const void *bytes, size_t n, struct cw_error *err);

/* Gives the specialisation constant `id` the value, of `size` bytes (of a Boolean: one), as
 * clSetProgramSpecializationConstant does: the module has it as the default from then on. False: it has no
 * such constant, or one of another size. */
bool cw_spirv_specialise(void *module, size_t n, uint32_t id, const void *value, size_t size);

/* Some kernel demands a local size, or may: by an execution mode or the constant WorkgroupSize. */
bool cw_spirv_demands(const void *module, size_t n);

/* The function of this name is another module's. */
bool cw_spirv_imports(const void *module, size_t n, const char *function);

/* Renames functions of the module, but kernels and imported ones, whose names may be those of OpenCL C's
 * functions: llvm-spirv calls an instruction by such a name. False: memory is out. */
bool cw_spirv_rename(void *module, size_t n);

#endif
