/* vendor_compiler.h - the compiler of OpenCL C of a device, and its answers about names that sources test.
 *
 * The functions are handed in, as the preloaded library has others than the tool. All make vendor calls and
 * block as long as the vendor does. Thread-safe where the vendor is. */
#ifndef CW_VENDOR_COMPILER_H
#define CW_VENDOR_COMPILER_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

#include "vendor_macros.h"

struct cw_vendor_calls {
    cl_int (*clGetDeviceInfo)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    cl_int (*clGetPlatformInfo)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    cl_context (*clCreateContext)(const cl_context_properties *, cl_uint, const cl_device_id *,
                                  void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                                  cl_int *);
    cl_int (*clReleaseContext)(cl_context);
    cl_program (*clCreateProgramWithSource)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    cl_program (*clCreateProgramWithBinary)(cl_context, cl_uint, const cl_device_id *, const size_t *,
                                            const unsigned char **, cl_int *, cl_int *);
    cl_int (*clCompileProgram)(cl_program, cl_uint, const cl_device_id *, const char *, cl_uint,
                               const cl_program *, const char **, void(CL_CALLBACK *)(cl_program, void *),
                               void *);
    cl_int (*clBuildProgram)(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
    cl_int (*clGetProgramInfo)(cl_program, cl_program_info, size_t, void *, size_t *);
    cl_int (*clReleaseProgram)(cl_program);
    cl_program (*clCreateProgramWithIL)(cl_context, const void *, size_t, cl_int *);
};

/* The initializer of one, of functions that are found under `from` (cw_next. or nothing). */
#define CW_VENDOR_CALLS(from)                                                                                \
    {                                                                                                        \
        from clGetDeviceInfo, from clGetPlatformInfo, from clCreateContext, from clReleaseContext,           \
            from clCreateProgramWithSource, from clCreateProgramWithBinary, from clCompileProgram,           \
            from clBuildProgram, from clGetProgramInfo, from clReleaseProgram, from clCreateProgramWithIL    \
    }

/* Name, vendor, versions and driver; two devices with the same words have the same compiler. False when
 * `size` bytes do not hold them. */
bool cw_vendor_describe(const struct cw_vendor_calls *calls, cl_device_id device, char *text, size_t size);

/* The same, and with the driver's name where one compiler has several. */
bool cw_vendor_describe_driver(const struct cw_vendor_calls *calls, cl_device_id device, char *text,
                               size_t size);

/* Whether it is PoCL's device, or platform. */
bool cw_vendor_is_pocls(const struct cw_vendor_calls *calls, cl_platform_id platform);
bool cw_vendor_is_pocl(const struct cw_vendor_calls *calls, cl_device_id device);

/* Run mode has streams and staged transfers for it (shim/device/vendor_traits.c). */
bool cw_vendor_streams(const struct cw_vendor_calls *calls, cl_device_id device);

/* A program of `source`, which may be the text form (code_text.h) of a binary for `device`, or of a SPIR-V
 * module. NULL, and *err: as the vendor says. */
cl_program cw_vendor_program(const struct cw_vendor_calls *calls, cl_context context, cl_device_id device,
                             const char *source, cl_int *err);

/* Fills values[0..n-1] for names[0..n-1] as a build for `device` with `options` sees them before its source
 * begins, by building a program without work in a context of its own. False: it cannot be asked. */
bool cw_vendor_macros(const struct cw_vendor_calls *calls, cl_device_id device, const char *options,
                      char *const *names, size_t n, struct cw_macro_value *values);

#endif
