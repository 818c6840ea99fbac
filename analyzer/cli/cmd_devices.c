/* cmd_devices.c - clweave devices: the OpenCL devices of this machine. */
#include "frame/cli.h"
#include "devices.h"
#include "../io/quantity.h"
#include "../settings/device_list.h"
#include "../io/folders.h"
#include "doctor.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Beyond those in which it measures a child has so many for the vendor's compiler. */
enum { CHILD_SECONDS = 60 };

static const char *text(const json_t *device, const char *name)
{
    const char *t = json_string_value(json_object_get(device, name));

    return t ? t : "";
}

static struct cw_roofs_device identify(const json_t *device)
{
    return (struct cw_roofs_device){
        .name = text(device, "name"),
        .version = text(device, "version"),
        .driver = text(device, "driver_version"),
        .compute_units = (uint64_t)json_integer_value(json_object_get(device, "compute_units"))};
}

/* ---- as JSON: {"when": seconds, "read": [median, low, high, measurements], ...} */

static json_t *to_json(const struct cw_device_roofs *r)
{
    json_t *j = json_pack("{s:I}", "when", (json_int_t)r->when_s);

    for (enum cw_roof k = 0; k < CW_ROOFS; k++)
        if (r->v[k].n)
            json_object_set_new(
                j, cw_device_roofs_key(k),
                json_pack("[f,f,f,i]", r->v[k].median, r->v[k].low, r->v[k].high, (int)r->v[k].n));
    return j;
}

static bool from_json(json_t *j, struct cw_device_roofs *r)
{
    json_int_t when;
    int n;

    *r = (struct cw_device_roofs){0};
    if (json_unpack(j, "{s:I}", "when", &when) != 0)
        return false;
    r->when_s = when;
    for (enum cw_roof k = 0; k < CW_ROOFS; k++) {
        struct cw_roof_value *v = &r->v[k];
        if (json_unpack(json_object_get(j, cw_device_roofs_key(k)), "[F,F,F,i]", &v->median, &v->low,
                        &v->high, &n) == 0)
            v->n = (uint32_t)n;
    }
    return true;
}

static bool find_cache(char cache[PATH_MAX])
{
    struct cw_error err = {0};

    return cw_cache_folder(cache, PATH_MAX, &err) == CW_OK;
}

/* Adds to each device of the list the roofs that are kept for it, as "roofs". */
static void devices_roofs_add(json_t *list)
{
    struct cw_device_roofs r;
    char cache[PATH_MAX];
    json_t *d;
    size_t i;

    if (!find_cache(cache))
        return;
    json_array_foreach(list, i, d)
    {
        struct cw_roofs_device id = identify(d);

        if (cw_device_roofs_read(cache, &id, &r))
            json_object_set_new(d, "roofs", to_json(&r));
    }
}

/* ---- measuring */

struct question {
    size_t place; /* of the device in the list */
    double seconds;
};

/* In the child. */
static void measure_one(int fd, const void *argument)
{
    const struct question *q = argument;
    struct cw_device_roofs r;
    cl_device_id device = cw_devices_list_find(q->place);
    json_t *answer;
    bool late;

    if (!device || !cw_roofs_measure(device, q->seconds, &r, &late))
        return;
    answer = to_json(&r);
    if (late)
        json_object_set_new(answer, "late", json_true());
    if (answer)
        json_dumpfd(answer, fd, JSON_COMPACT);
}

static void list_all(int fd, const void *argument)
{
    json_t *list = cw_devices_list(NULL);

    (void)argument;
    if (list)
        json_dumpfd(list, fd, JSON_COMPACT);
}

/* The JSON that ask(fd, argument) writes; NULL, and a complaint about `subject`: none. */
static json_t *ask(void (*ask)(int fd, const void *argument), const void *argument, double seconds,
                   const char *subject)
{
    struct cw_doctor_answer a;
    json_t *answer = NULL;
    char end[128];

    if (cw_doctor_ask(ask, argument, (unsigned)seconds + CHILD_SECONDS, &a) && !a.late)
        answer = json_loads(a.text, 0, NULL);
    if (!answer)
        cw_cli_complain("devices: %s: the process that asks %s", subject,
                        cw_doctor_ask_end(&a, end, sizeof end));
    free(a.text);
    return answer;
}

/* Keeps the measured quantities; those that the time did not suffice for keep their earlier values. False:
 * the device cannot be measured. */
static bool measure_and_keep(json_t *device, struct question q, const char *cache)
{
    struct cw_roofs_device id = identify(device);
    struct cw_device_roofs r, stored;
    json_t *answer;
    bool good;

    if (isatty(STDERR_FILENO))
        fprintf(stderr, "clweave: measuring %s\n", id.name);
    answer = ask(measure_one, &q, q.seconds, id.name);
    if (json_object_get(answer, "late"))
        cw_cli_complain("warning: %s: %g s are too short for all of it: --seconds", id.name, q.seconds);
    json_object_del(answer, "late");
    good = answer && from_json(answer, &r);
    if (good)
        json_object_set(device, "roofs", answer);
    if (good && cache && cw_device_roofs_read(cache, &id, &stored))
        for (enum cw_roof k = 0; k < CW_ROOFS; k++)
            r.v[k] = r.v[k].n ? r.v[k] : stored.v[k];
    if (good && cache)
        cw_device_roofs_write(cache, &id, &r);
    json_decref(answer);
    return good;
}

/* Lists the devices as cw_devices_list() does, and measures each for about `seconds` at most: in a child, for
 * a vendor that hangs or dies. Keeps the figures. Complains of each device without; *all: there is none. The
 * caller must not have used OpenCL. NULL: as cw_devices_list(), or vendors do not even list devices. */
static json_t *devices_roofs_measure(double seconds, bool *all)
{
    char cache[PATH_MAX];
    bool has_cache = find_cache(cache);
    json_t *list = ask(list_all, NULL, 0, "vendors do not list their devices"), *d;
    size_t i;

    *all = list;
    if (!has_cache)
        cw_cli_complain("warning: what is measured is not kept: there is no folder of caches");
    json_array_foreach(list, i, d) *all &=
        measure_and_keep(d, (struct question){i, seconds}, has_cache ? cache : NULL);
    return list;
}

/* ---- on the terminal */

static const char *number(double value, char to[16])
{
    snprintf(to, 16, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
    return to;
}

/* Prints the "roofs" of a device as lines of a table; nothing without. */
static void devices_roofs_print(const json_t *device)
{
    struct cw_device_roofs r;
    char a[16], b[16], c[16], when[32] = "";
    time_t at;

    if (!from_json(json_object_get(device, "roofs"), &r))
        return;
    at = (time_t)r.when_s;
    strftime(when, sizeof when, "%Y-%m-%d", localtime(&at));
    printf("   measured %-14s %10s  %-7s  half of them between\n", when, "median", "");
    for (enum cw_roof k = 0; k < CW_ROOFS; k++)
        if (r.v[k].n)
            printf("   %-23s %10s  %-7s  %s and %s (%u)\n", cw_device_roofs_words(k),
                   number(r.v[k].median, a), cw_device_roofs_unit(k), number(r.v[k].low, b),
                   number(r.v[k].high, c), r.v[k].n);
        else
            printf("   %-23s %10s\n", cw_device_roofs_words(k), "-");
}

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
    devices_roofs_print(d);
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
    list = o->measure ? devices_roofs_measure(seconds, &all) : cw_devices_list(NULL);
    result = all ? CW_EXIT_OK : CW_EXIT_FAILURE;
    if (!o->measure)
        devices_roofs_add(list);
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
