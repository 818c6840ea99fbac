/* vendor_compiler.c - see vendor_compiler.h. */
#include "vendor_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vendor_macros.h"
#include "code_text.h"
#include "pocl_binary.h"

static size_t add_text(const struct cw_vendor_calls *calls, cl_device_id device, cl_device_info what,
                       char *text, size_t size)
{
    char answer[256] = "";

    calls->clGetDeviceInfo(device, what, sizeof answer, answer, NULL);
    answer[sizeof answer - 1] = '\0';
    return (size_t)snprintf(text, size, "%s;", answer);
}

static bool is_of(const struct cw_vendor_calls *calls, cl_platform_id platform, const char *wanted)
{
    char name[64] = "";

    return calls->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS &&
           !strcmp(name, wanted);
}

bool cw_vendor_is_pocls(const struct cw_vendor_calls *calls, cl_platform_id platform)
{
    return is_of(calls, platform, "Portable Computing Language");
}

static cl_platform_id platform_of(const struct cw_vendor_calls *calls, cl_device_id device)
{
    cl_platform_id platform = NULL;

    calls->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return platform;
}

bool cw_vendor_is_pocl(const struct cw_vendor_calls *calls, cl_device_id device)
{
    cl_platform_id platform = platform_of(calls, device);

    return platform && cw_vendor_is_pocls(calls, platform);
}

bool cw_vendor_streams(const struct cw_vendor_calls *calls, cl_device_id device)
{
    cl_platform_id platform = platform_of(calls, device);
    cl_device_type type = 0;

    return calls->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           type & CL_DEVICE_TYPE_GPU && platform && is_of(calls, platform, "NVIDIA CUDA");
}

/* PoCL's drivers for processors are one compiler (test/vendor/one_compiler.c): their names are left out. */
static void leave_out_drivers(char *text)
{
    static const char *const drivers[] = {"basic-", "pthread-"};
    char *at;

    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        while ((at = strstr(text, drivers[i])))
            memmove(at, at + strlen(drivers[i]), strlen(at + strlen(drivers[i])) + 1);
}

bool cw_vendor_describe_driver(const struct cw_vendor_calls *calls, cl_device_id device, char *text,
                               size_t size)
{
    static const cl_device_info facts[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                           CL_DRIVER_VERSION, CL_DEVICE_OPENCL_C_VERSION};
    size_t used = 0;

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        used += add_text(calls, device, facts[i], text + used, size - used);
        if (used >= size)
            return false;
    }
    return true;
}

bool cw_vendor_describe(const struct cw_vendor_calls *calls, cl_device_id device, char *text, size_t size)
{
    if (!cw_vendor_describe_driver(calls, device, text, size))
        return false;
    if (cw_vendor_is_pocl(calls, device))
        leave_out_drivers(text);
    return true;
}

/* ---- asking */

struct build {
    const struct cw_vendor_calls *calls;
    cl_context context;
    cl_device_id device;
    const char *options;
};

static char *info(const struct cw_vendor_calls *calls, cl_program program, cl_program_info what,
                  size_t *bytes)
{
    char *text = NULL;

    if (calls->clGetProgramInfo(program, what, 0, NULL, bytes) == CL_SUCCESS &&
        (text = calloc(1, *bytes + 1)) &&
        calls->clGetProgramInfo(program, what, *bytes, text, NULL) == CL_SUCCESS)
        return text;
    free(text);
    return NULL;
}

/* The object file, where it can be had; of the program's one device. */
static char *binary(const struct cw_vendor_calls *calls, cl_program program, size_t *bytes)
{
    unsigned char *text = NULL;

    if (calls->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL) == CL_SUCCESS &&
        *bytes > 0 && (text = calloc(1, *bytes)) &&
        calls->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof text, &text, NULL) == CL_SUCCESS)
        return (char *)text;
    free(text);
    return NULL;
}

/* Compiling alone takes PoCL a fifth of the time of building, and the object file has the names in it.
 * Elsewhere, or where it has not, the built program is asked. */
static char *kernels_of(void *data, const char *source, size_t *bytes)
{
    const struct build *b = data;
    char options[512], *names = NULL;
    cl_int err, compiled = CL_COMPILE_PROGRAM_FAILURE;
    cl_program program = b->calls->clCreateProgramWithSource(b->context, 1, &source, NULL, &err);

    /* PoCL says on stderr how many warnings there were */
    if (program && snprintf(options, sizeof options, "%s -w", b->options) < (int)sizeof options)
        compiled = b->calls->clCompileProgram(program, 1, &b->device, options, 0, NULL, NULL, NULL, NULL);
    if (compiled == CL_SUCCESS)
        names = binary(b->calls, program, bytes);
    if (names && !memmem(names, *bytes, CW_MACRO_LAST, strlen(CW_MACRO_LAST))) {
        free(names);
        names = NULL;
    }
    if (compiled != CL_COMPILE_PROGRAM_FAILURE && !names &&
        b->calls->clBuildProgram(program, 1, &b->device, options, NULL, NULL) == CL_SUCCESS)
        names = info(b->calls, program, CL_PROGRAM_KERNEL_NAMES, bytes);
    if (program)
        b->calls->clReleaseProgram(program);
    return names;
}

cl_program cw_vendor_program(const struct cw_vendor_calls *calls, cl_context context, cl_device_id device,
                             const char *source, cl_int *err)
{
    size_t bytes;
    unsigned char *binary = cw_code_text_bytes(source, &bytes);
    const unsigned char *const_binary = binary;
    char version[256] = "";
    cl_program program = NULL;
    cl_int status;

    if (!binary)
        return calls->clCreateProgramWithSource(context, 1, &source, NULL, err);
    *err = CL_INVALID_BINARY;
    if (calls->clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL) == CL_SUCCESS &&
        cw_pocl_binary_readdress(binary, bytes, version))
        program = calls->clCreateProgramWithBinary(context, 1, &device, &bytes, &const_binary, &status, err);
    free(binary);
    return program;
}

bool cw_vendor_macros(const struct cw_vendor_calls *calls, cl_device_id device, const char *options,
                      char *const *names, size_t n, struct cw_macro_value *values)
{
    cl_int err;
    struct build b = {calls, calls->clCreateContext(NULL, 1, &device, NULL, NULL, &err), device, options};
    bool good = b.context && cw_macro_question(kernels_of, &b, names, n, values);

    if (b.context)
        calls->clReleaseContext(b.context);
    return good;
}
