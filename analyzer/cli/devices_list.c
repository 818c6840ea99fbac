/* devices_list.c - see devices.h. */
#include "devices.h"
#include "../io/gpu_state.h"

#include <stdint.h>
#include <stdio.h>

#include "../kernels/source/vendor_compiler.h"

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 128, TEXT = 512 };

static void platform_text(cl_platform_id p, cl_platform_info what, char text[TEXT])
{
    if (clGetPlatformInfo(p, what, TEXT, text, NULL) != CL_SUCCESS)
        snprintf(text, TEXT, "?");
}
static void device_text(cl_device_id d, cl_device_info what, char text[TEXT])
{
    if (clGetDeviceInfo(d, what, TEXT, text, NULL) != CL_SUCCESS)
        snprintf(text, TEXT, "?");
}

/* A number of any width up to 64 bits (little-endian hosts), 0 when the device does not say. */
static uint64_t device_number(cl_device_id d, cl_device_info what)
{
    uint64_t v = 0;

    return clGetDeviceInfo(d, what, sizeof v, &v, NULL) == CL_SUCCESS ? v : 0;
}

static const char *type_name(uint64_t type)
{
    return type & CL_DEVICE_TYPE_CPU           ? "cpu"
           : type & CL_DEVICE_TYPE_GPU         ? "gpu"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                               : "custom";
}

static const struct cw_vendor_calls calls = CW_VENDOR_CALLS();

/* Run mode manages PoCL's CPUs (shim/device/vendor_traits.c). */
static bool is_managed(cl_device_id d)
{
    return device_number(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU && cw_vendor_is_pocl(&calls, d);
}

static json_t *describe(cl_device_id d, const char *platform)
{
    char name[TEXT], version[TEXT], driver[TEXT], state[TEXT] = "";
    bool streams = cw_vendor_streams(&calls, d);
    json_t *device;

    device_text(d, CL_DEVICE_NAME, name);
    device_text(d, CL_DEVICE_VERSION, version);
    device_text(d, CL_DRIVER_VERSION, driver);
    if (streams)
        cw_gpu_state_is_idle(clGetDeviceInfo, d, state, sizeof state);
    device = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:b}", "name", name,
                       "platform", platform, "type", type_name(device_number(d, CL_DEVICE_TYPE)), "version",
                       version, "driver_version", driver, "compute_units",
                       (json_int_t)device_number(d, CL_DEVICE_MAX_COMPUTE_UNITS), "max_clock_mhz",
                       (json_int_t)device_number(d, CL_DEVICE_MAX_CLOCK_FREQUENCY), "global_mem_bytes",
                       (json_int_t)device_number(d, CL_DEVICE_GLOBAL_MEM_SIZE), "local_mem_bytes",
                       (json_int_t)device_number(d, CL_DEVICE_LOCAL_MEM_SIZE), "max_work_group_size",
                       (json_int_t)device_number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE), "host_unified",
                       (int)device_number(d, CL_DEVICE_HOST_UNIFIED_MEMORY), "run_manages",
                       (int)is_managed(d), "run_streams", (int)streams);
    if (streams)
        json_object_set_new(device, "state", json_string(state));
    return device;
}

const char *cw_devices_list_under_run(const json_t *device)
{
    if (json_is_true(json_object_get(device, "run_manages")))
        return "run manages it";
    if (json_is_true(json_object_get(device, "run_streams")))
        return "run has streams and staged transfers for it; GPUs like it help with --devices gpu, idle ones "
               "without it, too";
    return "run leaves it to its vendor";
}

/* Calls each(context, device, its platform's name) for all devices; returns the number of platforms. */
static unsigned visit(void (*each)(void *context, cl_device_id d, const char *platform), void *context)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id devices[MAX_DEVICES];
    cl_uint platform_count = 0, count;

    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS; p++) {
        char name[TEXT];
        platform_text(platforms[p], CL_PLATFORM_NAME, name);
        count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < MAX_DEVICES; d++)
            each(context, devices[d], name);
    }
    return platform_count;
}

static void append(void *list, cl_device_id d, const char *platform)
{
    json_array_append_new(list, describe(d, platform));
}

json_t *cw_devices_list(unsigned *platforms_found)
{
    json_t *list = json_array();
    unsigned platforms = visit(append, list);

    if (platforms_found)
        *platforms_found = platforms;
    return list;
}

struct search {
    size_t left; /* devices before it */
    cl_device_id found;
};

static void count_down(void *context, cl_device_id d, const char *platform)
{
    struct search *s = context;

    (void)platform;
    if (!s->found && s->left-- == 0)
        s->found = d;
}

cl_device_id cw_devices_list_find(size_t place)
{
    struct search s = {.left = place};

    visit(count_down, &s);
    return s.found;
}
