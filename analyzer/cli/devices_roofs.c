/* devices_roofs.c - see devices.h. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../io/folders.h"
#include "frame/cli.h"
#include "devices.h"
#include "doctor.h"

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

void cw_devices_roofs_add(json_t *list)
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
    struct cw_device_roofs r, kept;
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
    if (good && cache && cw_device_roofs_read(cache, &id, &kept))
        for (enum cw_roof k = 0; k < CW_ROOFS; k++)
            r.v[k] = r.v[k].n ? r.v[k] : kept.v[k];
    if (good && cache)
        cw_device_roofs_write(cache, &id, &r);
    json_decref(answer);
    return good;
}

json_t *cw_devices_roofs_measure(double seconds, bool *all)
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

void cw_devices_roofs_print(const json_t *device)
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
