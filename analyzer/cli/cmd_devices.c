/* cmd_devices.c - clweave devices: the OpenCL devices of this machine. */
#include "cli.h"
#include "../io/quantity.h"
#include "../graph/graph_summary.h"

#include <CL/cl.h>
#include <jansson.h>

struct devices_options {
    bool json;
};

static const struct cw_cli_option options[] = {
    {"json", 0, CW_CLI_BOOL, offsetof(struct devices_options, json), NULL, NULL, "print JSON"},
    CW_CLI_END,
};

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

static json_t *describe(cl_device_id d, const char *platform)
{
    char name[TEXT], version[TEXT], driver[TEXT];

    device_text(d, CL_DEVICE_NAME, name);
    device_text(d, CL_DEVICE_VERSION, version);
    device_text(d, CL_DRIVER_VERSION, driver);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b}", "name", name, "platform",
                     platform, "type", type_name(device_number(d, CL_DEVICE_TYPE)), "version", version,
                     "driver_version", driver, "compute_units",
                     (json_int_t)device_number(d, CL_DEVICE_MAX_COMPUTE_UNITS), "max_clock_mhz",
                     (json_int_t)device_number(d, CL_DEVICE_MAX_CLOCK_FREQUENCY), "global_mem_bytes",
                     (json_int_t)device_number(d, CL_DEVICE_GLOBAL_MEM_SIZE), "local_mem_bytes",
                     (json_int_t)device_number(d, CL_DEVICE_LOCAL_MEM_SIZE), "max_work_group_size",
                     (json_int_t)device_number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE), "host_unified",
                     (int)device_number(d, CL_DEVICE_HOST_UNIFIED_MEMORY));
}

/* All devices, in the order of the platforms. NULL when memory is out. */
static json_t *list_devices(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id devices[MAX_DEVICES];
    cl_uint platform_count = 0, count;
    json_t *list = json_array();

    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS; p++) {
        char name[TEXT];
        platform_text(platforms[p], CL_PLATFORM_NAME, name);
        count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < MAX_DEVICES; d++)
            json_array_append_new(list, describe(devices[d], name));
    }
    return list;
}

static void print_table(const json_t *list)
{
    size_t i;
    json_t *d;
    char a[16], b[16];

    json_array_foreach(list, i, d) printf(
        "%zu  %s\n   %s, %s, %s, driver %s\n   %lld compute units at %lld MHz, %s memory, %s local, "
        "work-groups up to %lld%s\n",
        i, json_string_value(json_object_get(d, "name")), json_string_value(json_object_get(d, "platform")),
        json_string_value(json_object_get(d, "type")), json_string_value(json_object_get(d, "version")),
        json_string_value(json_object_get(d, "driver_version")),
        (long long)json_integer_value(json_object_get(d, "compute_units")),
        (long long)json_integer_value(json_object_get(d, "max_clock_mhz")),
        cw_quantity_bytes((uint64_t)json_integer_value(json_object_get(d, "global_mem_bytes")), a),
        cw_quantity_bytes((uint64_t)json_integer_value(json_object_get(d, "local_mem_bytes")), b),
        (long long)json_integer_value(json_object_get(d, "max_work_group_size")),
        json_is_true(json_object_get(d, "host_unified")) ? ", shares the host's memory" : "");
}

static int run(const void *values, int argc, char **argv)
{
    const struct devices_options *o = values;
    json_t *list = list_devices(), *root;
    int result = CW_EXIT_OK;

    (void)argc, (void)argv;
    root = json_pack("{s:s, s:i, s:O*}", "format", "clweave-devices", "version", 1, "devices", list);
    if (!list || !root) {
        cw_cli_complain("devices: out of memory");
        result = CW_EXIT_FAILURE;
    } else if (o->json) {
        json_dumpf(root, stdout, JSON_INDENT(1));
        putchar('\n');
    } else if (json_array_size(list) == 0) {
        cw_cli_complain("devices: OpenCL finds no device; install a driver, for example pocl-opencl-icd");
        result = CW_EXIT_FAILURE;
    } else {
        print_table(list);
    }
    json_decref(root);
    json_decref(list);
    return result;
}

const struct cw_command_def cw_cmd_devices = {
    .name = "devices",
    .summary = "list the OpenCL devices of this machine",
    .usage = "[--json]",
    .options = options,
    .values_size = sizeof(struct devices_options),
    .run = run,
};
