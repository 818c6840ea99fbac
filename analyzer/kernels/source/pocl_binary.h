/* pocl_binary.h - binaries of programs as PoCL 3.1 hands them out.
 *
 * A binary has LLVM bitcode (program.bc), code that PoCL has compiled, and facts about each kernel. Pure
 * functions; any thread. */
#ifndef CW_POCL_BINARY_H
#define CW_POCL_BINARY_H

#include <stdbool.h>
#include <stddef.h>

#define CW_POCL_BINARY_BUILD 41

struct cw_pocl_binary {
    /* In the binary, CW_POCL_BINARY_BUILD bytes: PoCL's name of the build. It is the hash of the source after
     * the preprocessor, the options, the device and PoCL's version. */
    const unsigned char *build;
    const unsigned char *bitcode; /* in the binary */
    size_t bitcode_bytes;
    bool demands; /* some kernel demands a local size */
};

/* False: another format or version, no executable, or damaged. */
bool cw_pocl_binary_read(struct cw_pocl_binary *b, const unsigned char *bytes, size_t n);

/* Makes it one for the device of the version `to` (CL_DEVICE_VERSION), by the name of the driver that is
 * in it. True, too, where it is one already. False, and it stays as it was: another processor, for which it
 * has other code. PoCL's drivers for the host's processor share their code (`basic`, `pthread`). */
bool cw_pocl_binary_readdress(unsigned char *bytes, size_t n, const char *to);

#endif
