/* run_macros.c - see run_macros.h. */
#include "run_macros.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernel/macro_question.h"
#include "../lanes/run_room.h"

static cl_device_id whole_device(cl_device_id device)
{
    cl_device_id parent = NULL;

    while (cw_next.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) == CL_SUCCESS && parent)
        device = parent;
    return device;
}

static size_t add_text(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    char answer[256] = "";

    cw_next.clGetDeviceInfo(device, what, sizeof answer, answer, NULL);
    answer[sizeof answer - 1] = '\0';
    return (size_t)snprintf(text, size, "%s;", answer);
}

static bool is_pocl(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char name[64] = "";

    return cw_next.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS &&
           cw_next.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS &&
           !strcmp(name, "Portable Computing Language");
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

static bool describe(cl_device_id device, char *text, size_t size)
{
    static const cl_device_info facts[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
                                           CL_DEVICE_OPENCL_C_VERSION};
    size_t used = 0;

    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        used += add_text(device, facts[i], text + used, size - used);
        if (used >= size)
            return false;
    }
    if (is_pocl(device))
        leave_out_drivers(text);
    return true;
}

bool cw_run_compilers_add(struct cw_run_compilers *c, cl_device_id device)
{
    char one[1400], other[1400];

    device = whole_device(device);
    if (!describe(device, one, sizeof one))
        return false;
    for (size_t i = 0; i < c->n; i++)
        if (c->device[i] == device || (describe(c->device[i], other, sizeof other) && !strcmp(one, other)))
            return true;
    if (c->n == CW_RUN_MACRO_DEVICES)
        return false;
    c->device[c->n++] = device;
    return true;
}

bool cw_run_compilers_identity(const struct cw_run_compilers *c, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (!describe(c->device[i], text + used, size - used))
            return false;
        used += strlen(text + used);
    }
    return c->n > 0;
}

/* ---- asking */

struct build {
    cl_context context;
    cl_device_id device;
    const char *options;
};

static char *info(cl_program program, cl_program_info what, size_t *bytes)
{
    char *text = NULL;

    if (cw_next.clGetProgramInfo(program, what, 0, NULL, bytes) == CL_SUCCESS && (text = calloc(1, *bytes + 1)) &&
        cw_next.clGetProgramInfo(program, what, *bytes, text, NULL) == CL_SUCCESS)
        return text;
    free(text);
    return NULL;
}

/* The object file, where it can be had; of the program's one device. */
static char *binary(cl_program program, size_t *bytes)
{
    unsigned char *text = NULL;

    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL) == CL_SUCCESS && *bytes > 0 &&
        (text = calloc(1, *bytes)) &&
        cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof text, &text, NULL) == CL_SUCCESS)
        return (char *)text;
    free(text);
    return NULL;
}

/* Compiling alone takes PoCL a fifth of the time of building, and the object file has the names in it. Elsewhere, or where it
 * has not, the built program is asked. */
static char *kernels_of(void *data, const char *source, size_t *bytes)
{
    const struct build *b = data;
    char options[512], *names = NULL;
    cl_int err, compiled = CL_COMPILE_PROGRAM_FAILURE;
    cl_program program = cw_next.clCreateProgramWithSource(b->context, 1, &source, NULL, &err);

    /* PoCL says on stderr how many warnings there were */
    if (program && snprintf(options, sizeof options, "%s -w", b->options) < (int)sizeof options)
        compiled = cw_next.clCompileProgram(program, 1, &b->device, options, 0, NULL, NULL, NULL, NULL);
    if (compiled == CL_SUCCESS)
        names = binary(program, bytes);
    if (names && !memmem(names, *bytes, CW_MACRO_LAST, strlen(CW_MACRO_LAST))) {
        free(names);
        names = NULL;
    }
    if (compiled != CL_COMPILE_PROGRAM_FAILURE && !names &&
        cw_next.clBuildProgram(program, 1, &b->device, options, NULL, NULL) == CL_SUCCESS)
        names = info(program, CL_PROGRAM_KERNEL_NAMES, bytes);
    if (program)
        cw_next.clReleaseProgram(program);
    return names;
}

bool cw_run_macros_ask(void *data, const char *options, char *const *names, size_t n, struct cw_macro_value *values)
{
    const struct cw_run_compilers *c = data;
    struct cw_macro_value others[CW_TESTED_NAMES_MAX];
    bool good = c->n > 0 && n <= CW_TESTED_NAMES_MAX && cw_run_room();
    cl_int err;

    cw_run_register_exit(); /* as in run_lane.c, prepare() */
    for (size_t d = 0; good && d < c->n; d++) {
        struct build b = {cw_next.clCreateContext(NULL, 1, &c->device[d], NULL, NULL, &err), c->device[d], options};
        good = b.context && cw_macro_question(kernels_of, &b, names, n, d ? others : values);
        if (good && d)
            cw_macro_agree(values, others, n);
        if (b.context)
            cw_next.clReleaseContext(b.context);
    }
    cw_run_register_exit();
    return good;
}
