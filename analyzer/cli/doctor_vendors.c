/* doctor_vendors.c - OpenCL platforms and devices, asked in a child: a broken driver takes only that. */
#include "doctor.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../settings/device_list.h"
#include "devices.h"

enum { SECONDS = 10, HELPERS_DEFAULT = 8 };

#define SECTION "OpenCL"
#define FOLDER  "/etc/OpenCL/vendors"

/* In the child. argument: the vendors file to ask alone; NULL: as the environment says. */
static void ask_vendors(int fd, const void *argument)
{
    unsigned platforms = 0;
    json_t *answer;

    unsetenv("OPENCL_LAYERS");
    setenv("CLWEAVE_MODE", "off", 1);
    if (argument)
        setenv("OCL_ICD_VENDORS", argument, 1);
    answer = cw_devices_list(&platforms);
    answer = json_pack("{s:I, s:o}", "platforms", (json_int_t)platforms, "devices", answer);
    if (answer)
        json_dumpfd(answer, fd, JSON_COMPACT);
}

static json_t *ask(const char *file, struct cw_doctor_answer *a)
{
    json_t *answer = NULL;

    if (cw_doctor_ask(ask_vendors, file, SECONDS, a))
        answer = json_loads(a->text, 0, NULL);
    free(a->text);
    a->text = NULL;
    return answer;
}

static const char *text_of(const json_t *device, const char *name)
{
    const char *text = json_string_value(json_object_get(device, name));

    return text ? text : "?";
}

static void add_device(struct cw_doctor *d, const json_t *device)
{
    bool managed = json_is_true(json_object_get(device, "run_manages"));
    const char *state = json_string_value(json_object_get(device, "state"));

    cw_doctor_fact(d, SECTION, "device", "%s (%s, %s, %lld compute units, driver %s): %s%s%s",
                   text_of(device, "name"), text_of(device, "platform"), text_of(device, "type"),
                   (long long)json_integer_value(json_object_get(device, "compute_units")),
                   text_of(device, "driver_version"), cw_devices_list_under_run(device), state ? "; " : "",
                   state ? state : "");
    d->streamed += json_is_true(json_object_get(device, "run_streams"));
    if (managed && !d->managed++)
        snprintf(d->device, sizeof d->device, "%.255s", text_of(device, "name"));
}

/* The folder with the vendors' files, or the one file that the environment names. */
static const char *vendors_place(void)
{
    const char *names[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}, *given;

    for (size_t i = 0; i < 2; i++)
        if ((given = getenv(names[i])) && *given)
            return given;
    return FOLDER;
}

/* Run can gain on some device of the answer. */
static bool has_gain(const json_t *answer)
{
    json_t *device;
    size_t i;

    json_array_foreach(json_object_get(answer, "devices"), i, device)
    {
        if (json_is_true(json_object_get(device, "run_manages")) ||
            json_is_true(json_object_get(device, "run_streams")))
            return true;
    }
    return false;
}

/* Asks one vendor alone. `file`: its place, as OCL_ICD_VENDORS names it. Returns whether run can
 * gain on one of its devices. */
static bool ask_one(struct cw_doctor *d, const char *file)
{
    struct cw_doctor_answer a;
    json_t *answer = ask(file, &a);
    bool gains = has_gain(answer);
    char end[128], mend[2 * PATH_MAX + 32];

    snprintf(mend, sizeof mend, "sudo mv %s %s.off", file, file);
    if (!answer)
        cw_doctor_problem(d, mend, "the driver of %s breaks OpenCL: a process that asks it %s", file,
                          cw_doctor_ask_end(&a, end, sizeof end));
    else if (!json_integer_value(json_object_get(answer, "platforms")))
        cw_doctor_problem(d, mend, "the driver of %s cannot be loaded, or has no platform", file);
    json_decref(answer);
    return gains;
}

/* Asks every vendor alone, where asking all has failed or some are missing. Returns the file of one on which
 * run can gain; NULL: none. */
static const char *ask_each(struct cw_doctor *d, const glob_t *files)
{
    const char *good = NULL;

    for (size_t i = 0; i < files->gl_pathc; i++)
        if (ask_one(d, files->gl_pathv[i]))
            good = files->gl_pathv[i];
    return good;
}

static size_t find_files(glob_t *files)
{
    char pattern[PATH_MAX + 16];
    struct stat st;
    const char *place = vendors_place();

    memset(files, 0, sizeof *files);
    if (stat(place, &st) != 0 || !S_ISDIR(st.st_mode))
        return 0;
    snprintf(pattern, sizeof pattern, "%s/*.icd", place);
    return glob(pattern, 0, NULL, files) == 0 ? files->gl_pathc : 0;
}

/* As shim/device/device_env.c and context_devices.c choose them. */
static void count_helpers(struct cw_doctor *d)
{
    const char *devices = getenv("CLWEAVE_DEVICES");
    struct cw_device_list list;
    struct cw_error err = {0};
    char subs[48] = "", far[CW_DEVICE_LIST_TEXT];
    unsigned basic, sub;

    if (!d->managed || (getenv("POCL_DEVICES") && *getenv("POCL_DEVICES")) ||
        cw_device_list_parse(devices ? devices : "", &list, &err) != CW_OK)
        return;
    basic = list.given ? list.basic : CW_HELPERS_ALL;
    sub = list.given ? list.sub : 0;
    if (basic == CW_HELPERS_ALL)
        basic = d->processors < HELPERS_DEFAULT ? d->processors : HELPERS_DEFAULT;
    if (sub == CW_HELPERS_ALL)
        sub = d->processors;
    d->helpers = basic + sub + (list.far == CW_HELPERS_ALL ? d->processors : list.far);
    if (sub)
        snprintf(subs, sizeof subs, " and %u sub-devices", sub);
    if (*cw_device_list_far(&list, d->processors, far))
        cw_doctor_fact(d, SECTION, "far helpers", "%s", far);
    cw_doctor_fact(d, SECTION, "helpers", "%u devices `basic` of PoCL%s: run would use them beside %s", basic,
                   subs, d->device);
}

static void add_loader(struct cw_doctor *d)
{
    Dl_info info;
    char real[PATH_MAX];

    if (dladdr((void *)(uintptr_t)clGetPlatformIDs, &info) && info.dli_fname)
        cw_doctor_fact(d, SECTION, "loader", "%s", realpath(info.dli_fname, real) ? real : info.dli_fname);
    cw_doctor_fact(d, SECTION, "vendors", "%s", vendors_place());
}

/* No process that uses OpenCL here works. */
static void add_breakage(struct cw_doctor *d, const struct cw_doctor_answer *a, const char *good)
{
    char mend[PATH_MAX + 64] = "clweave devices", end[128];

    if (good)
        snprintf(mend, sizeof mend, "export OCL_ICD_VENDORS=%s", good);
    cw_doctor_obstacle(d, mend, "OpenCL does not work: a process that lists devices %s",
                       cw_doctor_ask_end(a, end, sizeof end));
}

void cw_doctor_vendors(struct cw_doctor *d)
{
    struct cw_doctor_answer a;
    json_t *answer = ask(NULL, &a), *device;
    json_int_t platforms = json_integer_value(json_object_get(answer, "platforms"));
    const char *good = NULL;
    glob_t files;
    size_t i, n = find_files(&files);

    add_loader(d);
    json_array_foreach(json_object_get(answer, "devices"), i, device) add_device(d, device);
    if (!answer || (size_t)platforms < n)
        good = ask_each(d, &files);
    if (!answer)
        add_breakage(d, &a, good);
    else if (!json_array_size(json_object_get(answer, "devices")) && platforms)
        cw_doctor_obstacle(d, "export POCL_CACHE_DIR=$(mktemp -d)",
                           "no platform has a device, as with PoCL where it cannot write its cache");
    else if (!json_array_size(json_object_get(answer, "devices")))
        cw_doctor_obstacle(d, "sudo apt-get install pocl-opencl-icd", "OpenCL finds no device");
    else if (!d->managed && !d->streamed)
        cw_doctor_obstacle(d, "sudo apt-get install pocl-opencl-icd",
                           "no device is one that run manages: a CPU of PoCL");
    count_helpers(d);
    globfree(&files);
    json_decref(answer);
}
