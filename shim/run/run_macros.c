/* run_macros.c - see run_macros.h. */
#include "run_macros.h"

#include <stdio.h>
#include <string.h>

#include "../../analyzer/kernel/macro_question.h"
#include "run.h"

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

static bool kernels_of(void *data, const char *source, char *kernels)
{
    const struct build *b = data;
    char options[512];
    cl_int err;
    cl_program program = cw_next.clCreateProgramWithSource(b->context, 1, &source, NULL, &err);
    /* PoCL says on stderr how many warnings there were */
    bool good = program && snprintf(options, sizeof options, "%s -w", b->options) < (int)sizeof options &&
                cw_next.clBuildProgram(program, 1, &b->device, options, NULL, NULL) == CL_SUCCESS &&
                cw_next.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, CW_MACRO_KERNELS_BYTES, kernels, NULL) == CL_SUCCESS;

    if (program)
        cw_next.clReleaseProgram(program);
    return good;
}

bool cw_run_macros_ask(void *data, const char *options, char *const *names, size_t n, struct cw_macro_value *values)
{
    const struct cw_run_compilers *c = data;
    struct cw_macro_value others[CW_TESTED_NAMES_MAX];
    bool good = c->n > 0 && n <= CW_TESTED_NAMES_MAX;
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
