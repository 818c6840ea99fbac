/* cmd_devices.c - clweave devices: the OpenCL devices of this machine. */
#include "frame/cli.h"
#include "devices.h"
#include "../io/quantity.h"
#include "../settings/device_list.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_S = 15 }; /* for a device */

struct devices_options {
    bool json, measure;
    double seconds; /* NAN: not given */
};

static const struct cw_cli_option options[] = {
    {"json", 0, CW_CLI_BOOL, offsetof(struct devices_options, json), NULL, NULL, "print JSON"},
    {"measure", 0, CW_CLI_BOOL, offsetof(struct devices_options, measure), NULL, NULL,
     "measure each device first: memory, multiply-adds, transfers, launches"},
    {"seconds", 0, CW_CLI_DOUBLE, offsetof(struct devices_options, seconds), "N", NULL,
     "measure a device for about N seconds at most (default 15)"},
    CW_CLI_END,
};

static void print_device(size_t i, const json_t *d)
{
    char a[16], b[16];

    printf("%zu  %s\n   %s, %s, %s, driver %s\n   %lld compute units at %lld MHz, %s memory, %s local, "
           "work-groups up to %lld%s\n   %s\n",
           i, json_string_value(json_object_get(d, "name")),
           json_string_value(json_object_get(d, "platform")), json_string_value(json_object_get(d, "type")),
           json_string_value(json_object_get(d, "version")),
           json_string_value(json_object_get(d, "driver_version")),
           (long long)json_integer_value(json_object_get(d, "compute_units")),
           (long long)json_integer_value(json_object_get(d, "max_clock_mhz")),
           cw_quantity_bytes((uint64_t)json_integer_value(json_object_get(d, "global_mem_bytes")), a),
           cw_quantity_bytes((uint64_t)json_integer_value(json_object_get(d, "local_mem_bytes")), b),
           (long long)json_integer_value(json_object_get(d, "max_work_group_size")),
           json_is_true(json_object_get(d, "host_unified")) ? ", shares the host's memory" : "",
           cw_devices_list_under_run(d));
    cw_devices_roofs_print(d);
}

static void print_table(const json_t *list)
{
    size_t i;
    json_t *d;

    json_array_foreach(list, i, d) print_device(i, d);
}

/* Helpers that CLWEAVE_DEVICES asks for, with memories of their own; NULL: none. */
static const char *far_helpers(char text[CW_DEVICE_LIST_TEXT])
{
    const char *asked = getenv("CLWEAVE_DEVICES");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct cw_device_list list;
    struct cw_error err = {0};

    if (!asked || cw_device_list_parse(asked, &list, &err) != CW_OK)
        return NULL;
    return *cw_device_list_far(&list, processors > 0 ? (unsigned)processors : 1, text) ? text : NULL;
}

static int run(const void *values, int argc, char **argv)
{
    const struct devices_options *o = values;
    double seconds = o->seconds;
    bool all = true;
    json_t *list, *root;
    char text[CW_DEVICE_LIST_TEXT];
    const char *far = far_helpers(text);
    int result;

    (void)argc, (void)argv;
    if (isnan(o->seconds)) {
        seconds = USUAL_S;
    } else if (!(o->seconds > 0 && o->seconds <= 600) || !o->measure) {
        cw_cli_complain("devices: --seconds: %s",
                        o->measure ? "a number above 0, 600 at most, is needed" : "say --measure as well");
        return CW_EXIT_USAGE;
    }
    list = o->measure ? cw_devices_roofs_measure(seconds, &all) : cw_devices_list(NULL);
    result = all ? CW_EXIT_OK : CW_EXIT_FAILURE;
    if (!o->measure)
        cw_devices_roofs_add(list);
    root = json_pack("{s:s, s:i, s:O*, s:s*}", "format", "clweave-devices", "version", 1, "devices", list,
                     "far_helpers", far);
    if (!list || !root) {
        if (!o->measure)
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
        if (far)
            printf("helpers of run, as CLWEAVE_DEVICES asks: %s\n", far);
    }
    json_decref(root);
    json_decref(list);
    return result;
}

static const struct devices_options defaults = {.seconds = NAN};

static const char *const output[] = {
    "first line",
    "number of the device, and its name",
    "second",
    "platform, type, version, driver",
    "third",
    "compute units and clock, memory, local memory, largest work-group, where its memory is",
    "fourth",
    "whether run manages its commands, or why not",
    "measured",
    "what --measure found on that day: the median, and between which figures half of its "
    "measurements lie; behind them their number. -: the device cannot, or the time was over",
    "memory",
    "bytes that kernels load and store: a sum of an array, a copy, a[i] + s * b[i]",
    "multiply-add",
    "operations per second of independent chains of a * b + c, which count as two each; the "
    "best of three widths of vectors",
    "host to device, back",
    "blocking transfers of 64 MiB (8 MiB where they are slow) from and to pageable memory",
    "launch and wait",
    "an empty kernel of one work-item, and clFinish",
    NULL,
};

const struct cw_command_def cw_cmd_devices = {
    .name = "devices",
    .summary = "list the OpenCL devices of this machine",
    .usage = "[--json] [--measure [--seconds N]]",
    .details = "--measure takes some 5 to 20 seconds for each device, and most of it; keep the machine quiet "
               "meanwhile. The figures are kept in ~/.cache/clweave/roofs, for later lists and for `clweave "
               "report`, which sets kernels beside them. Under `clweave run --dsp N -- clweave devices "
               "--measure` it measures the emulated DSPs, too.",
    .options = options,
    .defaults = &defaults,
    .output = output,
    .values_size = sizeof(struct devices_options),
    .run = run,
};
