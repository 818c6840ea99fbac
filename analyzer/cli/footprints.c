/* footprints.c - see traces.h. */
#include "traces.h"
#include "frame/cli.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../graph/graph_build.h"
#include "../graph/trace_read.h"
#include "../io/folders.h"
#include "../kernels/source/vendor_macros.h"
#include "../kernels/source/vendor_compiler.h"
#include "frame/cli.h"

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

static bool ask(const struct cw_trace *t, uint32_t context, const char *options, char *const *names, size_t n,
                struct cw_macro_value *values)
{
    static const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    struct cw_slice devices = t->contexts.v[context].devices;
    struct cw_macro_value others[CW_TESTED_NAMES_MAX];
    bool good = n <= CW_TESTED_NAMES_MAX;

    for (uint32_t i = 0; good && i < devices.count; i++) {
        cl_device_id device = find_device(&t->devices.v[t->device_ids.v[devices.first + i]]);
        good = device && cw_vendor_macros(&calls, device, options, names, n, i ? others : values);
        if (good && i)
            cw_macro_agree(values, others, n);
    }
    return good;
}

/* ---- building */

/* The folder of the user's cache where models are kept; "" where there is none. */
static void store_folder(char *folder, size_t size)
{
    static const char name[] = "/footprints";
    struct cw_error err = {0};

    if (cw_cache_folder(folder, size - sizeof name, &err) == CW_OK) {
        strcat(folder, name);
        return;
    }
    if (err.status == CW_ERR_INVALID)
        cw_cli_complain("warning: models of kernels are not kept: %s", err.text);
    *folder = '\0';
}

static enum cw_status get_reach(struct cw_trace_reach *reach, const struct cw_trace *t, bool stored,
                                struct cw_error *err)
{
    struct cw_models_source *source = malloc(sizeof *source);
    char folder[PATH_MAX];
    enum cw_status status;

    *reach = (struct cw_trace_reach){0};
    if (!source)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    store_folder(folder, sizeof folder);
    cw_program_models_init(source, folder);
    if (stored)
        *source->helper = '\0';
    status = cw_trace_reach_init(reach, t, source, stored ? NULL : ask, err);
    free(source);
    return status;
}

enum cw_status cw_footprints_reach(struct cw_trace_reach *reach, const struct cw_trace *t,
                                   struct cw_error *err)
{
    return get_reach(reach, t, false, err);
}

enum cw_status cw_footprints_stored(struct cw_trace_reach *reach, const struct cw_trace *t,
                                    struct cw_error *err)
{
    return get_reach(reach, t, true, err);
}

static void say_what_is_missing(const struct cw_error *missing, bool asked)
{
    if (missing->status && (asked || missing->status == CW_ERR_IO || missing->status == CW_ERR_VERSION))
        cw_cli_complain("kernels count as touching all of their buffers: %s", missing->text);
}

enum cw_status cw_footprints_build(struct cw_trace *t, bool asked, bool bare, struct cw_error *err)
{
    struct cw_trace_reach reach;
    enum cw_status status = cw_footprints_reach(&reach, t, err);

    if (status == CW_OK)
        say_what_is_missing(&reach.missing, asked);
    if (status == CW_OK && reach.analysed)
        status = cw_graph_build(t, &(struct cw_graph_options){.reach = &reach}, err);
    else if (status == CW_OK && bare)
        status = cw_graph_build(t, NULL, err);
    cw_trace_reach_finish(&reach);
    return status;
}

enum cw_status cw_footprints_load(struct cw_trace *t, const char *path, struct cw_error *err)
{
    bool log;
    enum cw_status status = cw_trace_load_bare(t, path, &log, err);

    return status || !log ? status : cw_footprints_build(t, false, true, err);
}
