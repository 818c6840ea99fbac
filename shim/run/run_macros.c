/* run_macros.c - see run_macros.h.
 *
 * A program cannot be asked for its macros, but for the names of its kernels: for each name that is defined there is one
 * whose name ends in what the name stands for, if that is one word. */
#include "run_macros.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define NAMES_BYTES 8192

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

static char *question(char *const *names, size_t first, size_t n)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    if (!f)
        return NULL;
    fputs("#define CW_JOIN_(a, b) a##b\n#define CW_JOIN(a, b) CW_JOIN_(a, b)\n", f);
    for (size_t i = first; i < first + n; i++)
        fprintf(f, "#ifdef %s\nkernel void CW_JOIN(cw_n%zu_, %s)(global int *a) {}\n#endif\n", names[i], i, names[i]);
    fputs("kernel void cw_last(global int *a) {}\n", f);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

/* The names of the kernels of the program with this source; false: it does not build. */
static bool kernels_of(cl_context context, cl_device_id device, const char *source, const char *options, char *kernels)
{
    cl_int err;
    cl_program program = cw_next.clCreateProgramWithSource(context, 1, &source, NULL, &err);
    bool good = program && cw_next.clBuildProgram(program, 1, &device, options, NULL, NULL) == CL_SUCCESS &&
                cw_next.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, NAMES_BYTES, kernels, NULL) == CL_SUCCESS;

    if (program)
        cw_next.clReleaseProgram(program);
    return good && strstr(kernels, "cw_last");
}

/* What the name of kernel number `i` says. */
static struct cw_macro_value read_value(const char *kernels, size_t i)
{
    struct cw_macro_value v = {CW_MACRO_UNDEFINED, 0};
    char name[32];
    const char *at;
    char *end;

    snprintf(name, sizeof name, "cw_n%zu_", i);
    at = strstr(kernels, name);
    if (!at)
        return v;
    at += strlen(name);
    v.number = strtoll(at, &end, 10);
    /* one plain decimal number: 0x10, 10L, 010 and words are others */
    v.kind = isdigit((unsigned char)*at) && (*at != '0' || end == at + 1) && (!*end || *end == ';') && end - at < 18
                 ? CW_MACRO_NUMBER : CW_MACRO_OTHER;
    return v;
}

static bool ask_in(cl_context context, cl_device_id device, const char *options, char *const *names, size_t n,
                   struct cw_macro_value *values)
{
    char *kernels = malloc(NAMES_BYTES), *source = question(names, 0, n);
    bool good = kernels && source;

    if (good && kernels_of(context, device, source, options, kernels)) {
        for (size_t i = 0; i < n; i++)
            values[i] = read_value(kernels, i);
    } else {
        for (size_t i = 0; good && i < n; i++) { /* one of them is no word: each on its own */
            char *one = question(names, i, 1);
            good = one;
            values[i] = (struct cw_macro_value){CW_MACRO_OTHER, 0};
            if (one && kernels_of(context, device, one, options, kernels))
                values[i] = read_value(kernels, i);
            free(one);
        }
    }
    free(source);
    free(kernels);
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
        cl_context context = cw_next.clCreateContext(NULL, 1, &c->device[d], NULL, NULL, &err);
        good = context && ask_in(context, c->device[d], options, names, n, d ? others : values);
        for (size_t i = 0; good && d && i < n; i++)
            if (others[i].kind != values[i].kind || others[i].number != values[i].number)
                values[i].kind = CW_MACRO_OTHER;
        if (context)
            cw_next.clReleaseContext(context);
    }
    cw_run_register_exit();
    return good;
}
