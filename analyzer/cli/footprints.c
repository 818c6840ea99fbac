/* footprints.c - see footprints.h. */
#include "footprints.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../graph/graph_build.h"
#include "../graph/trace_reach.h"
#include "../kernel/macro_question.h"

/* ---- asking the traced devices */

static bool is_that(cl_device_id device, const struct cw_t_device *d)
{
    char name[256] = "", version[256] = "", driver[256] = "";

    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    return !strcmp(name, d->name) && !strcmp(version, d->version) && !strcmp(driver, d->driver_version);
}

static cl_device_id find_device(const struct cw_t_device *d)
{
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint n = 0, m;

    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        return NULL;
    for (cl_uint p = 0; p < n && p < 16; p++) {
        m = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &m) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < m && i < 64; i++)
            if (is_that(devices[i], d))
                return devices[i];
    }
    return NULL;
}

struct build {
    cl_context context;
    cl_device_id device;
    const char *options;
};

static char *kernels_of(void *data, const char *source, size_t *bytes)
{
    const struct build *b = data;
    char options[512], *kernels = NULL;
    cl_int err;
    cl_program program = clCreateProgramWithSource(b->context, 1, &source, NULL, &err);
    /* PoCL says on stderr how many warnings there were */
    bool good = program && snprintf(options, sizeof options, "%s -w", b->options) < (int)sizeof options &&
                clBuildProgram(program, 1, &b->device, options, NULL, NULL) == CL_SUCCESS &&
                clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, bytes) == CL_SUCCESS &&
                (kernels = calloc(1, *bytes + 1)) != NULL &&
                clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, *bytes, kernels, NULL) == CL_SUCCESS;

    if (program)
        clReleaseProgram(program);
    if (good)
        return kernels;
    free(kernels);
    return NULL;
}

static bool ask(const struct cw_trace *t, uint32_t context, const char *options, char *const *names, size_t n,
                struct cw_macro_value *values)
{
    struct cw_slice devices = t->contexts.v[context].devices;
    struct cw_macro_value others[CW_TESTED_NAMES_MAX];
    bool good = n <= CW_TESTED_NAMES_MAX;
    cl_int err;

    for (uint32_t i = 0; good && i < devices.count; i++) {
        struct build b = {.device = find_device(&t->devices.v[t->device_ids.v[devices.first + i]]), .options = options};
        b.context = b.device ? clCreateContext(NULL, 1, &b.device, NULL, NULL, &err) : NULL;
        good = b.context && cw_macro_question(kernels_of, &b, names, n, i ? others : values);
        if (good && i)
            cw_macro_agree(values, others, n);
        if (b.context)
            clReleaseContext(b.context);
    }
    return good;
}

/* ---- building */

/* The folder of the user's cache where models are kept, made when it is missing; "" where there is no home. */
static void store_folder(char *folder, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = cache && *cache == '/' ? snprintf(folder, size, "%s", cache)
            : home && *home        ? snprintf(folder, size, "%s/.cache", home)
                                   : -1;

    if (n < 0 || (size_t)n + sizeof "/clweave/footprints" > size) {
        *folder = '\0';
        return;
    }
    mkdir(folder, 0700);
    strcat(folder, "/clweave");
    mkdir(folder, 0700);
    strcat(folder, "/footprints");
}

enum cw_status cw_footprints_reach(struct cw_trace_reach *reach, const struct cw_trace *t, struct cw_error *err)
{
    struct cw_models_source *source = malloc(sizeof *source);
    char folder[PATH_MAX];
    enum cw_status status;

    *reach = (struct cw_trace_reach){0};
    if (!source)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    store_folder(folder, sizeof folder);
    cw_models_init(source, folder);
    status = cw_trace_reach_init(reach, t, source, ask, err);
    free(source);
    return status;
}

enum cw_status cw_footprints_build(struct cw_trace *t, struct cw_error *err)
{
    struct cw_trace_reach reach;
    enum cw_status status = cw_footprints_reach(&reach, t, err);

    if (status == CW_OK && reach.analysed)
        status = cw_graph_build(t, &(struct cw_graph_options){.reach = &reach}, err);
    cw_trace_reach_finish(&reach);
    return status;
}
