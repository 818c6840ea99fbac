#include "device_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../io/quantity.h"

/* The number after the colon, 1 .. most; 0: it is none. */
static unsigned count_of(const char *text, size_t n, unsigned most)
{
    unsigned v = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i]) || v > most)
            return 0;
        v = v * 10 + (unsigned)(text[i] - '0');
    }
    return v <= most ? v : 0;
}

/* A number above 0 behind `name`, in *value. False: `text` is something else. */
static bool read_value(const char *text, size_t n, const char *name, double *value)
{
    char copy[32], *end;
    size_t skip = strlen(name);

    if (n <= skip || n - skip >= sizeof copy || strncmp(text, name, skip) != 0)
        return false;
    memcpy(copy, text + skip, n - skip);
    copy[n - skip] = '\0';
    *value = *copy == '.' || isdigit((unsigned char)*copy) ? strtod(copy, &end) : 0;
    if (!(*value > 0) || *value > 1e15)
        return false;
    if (*end && !strcmp(name, "cap=")) {
        const char *unit = strchr("KMG", *end++);

        *value *= !unit ? 0 : *unit == 'K' ? 0x1p10 : *unit == 'M' ? 0x1p20 : 0x1p30;
    }
    return !*end && *value >= 1e-3;
}

/* "/cap=64M/gbps=5/us=20/speed=0.5": the settings behind the count. */
static bool read_far(const char *item, size_t n, struct cw_far_devices *to)
{
    struct cw_far_memory *far = &to->memory;
    double value;

    for (size_t part; n; item += part, n -= part) {
        const char *next = n > 1 ? memchr(item + 1, '/', n - 1) : NULL;

        part = next ? (size_t)(next - item) : n;
        if (read_value(item + 1, part - 1, "cap=", &value))
            far->capacity = (uint64_t)value;
        else if (read_value(item + 1, part - 1, "gbps=", &value))
            far->bytes_per_ns = value;
        else if (read_value(item + 1, part - 1, "us=", &value))
            far->latency_ns = value * 1e3;
        else if (read_value(item + 1, part - 1, "speed=", &value))
            to->speed = value;
        else
            return false;
    }
    return true;
}

static enum cw_status bad_setting(const char *item, size_t n, const char *settings, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_INVALID, "--devices: '%.*s' has a setting other than %s",
                        (int)(n < 80 ? n : 80), item, settings);
}

#define FAR_SETTINGS "/cap=BYTES (also with K, M, G), /gbps=RATE, /us=TIME and /speed=FACTOR, each above 0"

static enum cw_status no_kind(const char *item, size_t n, struct cw_error *err)
{
    return cw_error_set(
        err, CW_ERR_INVALID,
        "--devices: '%.*s' is no kind of helper; possible are none, all, or cpu, sub, basic, dsp, gpu "
        "and far with commas between, the last five also with :N",
        (int)(n < 80 ? n : 80), item);
}

/* The count of `item`, which is NAME or NAME:N. 0: it has none from 1 to `most`. */
static unsigned count_in(const char *item, size_t n, unsigned most)
{
    const char *colon = memchr(item, ':', n);

    return colon ? count_of(colon + 1, n - (size_t)(colon - item) - 1, most) : CW_HELPERS_ALL;
}

static enum cw_status no_count(const char *item, size_t n, unsigned most, struct cw_error *err)
{
    return cw_error_set(err, CW_ERR_INVALID, "--devices: '%.*s' has no count from 1 to %u",
                        (int)(n < 80 ? n : 80), item, most);
}

/* `n`: of the word and its count, `whole`: with the settings. */
static enum cw_status read_far_item(const char *item, size_t n, size_t whole, struct cw_device_list *list,
                                    struct cw_error *err)
{
    struct cw_far_devices far = {.n = count_in(item, n, CW_FAR_MAX)};

    if (whole > n && !read_far(item + n, whole - n, &far))
        return bad_setting(item, whole, FAR_SETTINGS, err);
    if (!far.n || (far.n != CW_HELPERS_ALL && list->far != CW_HELPERS_ALL && list->far + far.n > CW_FAR_MAX))
        return no_count(item, n, CW_FAR_MAX, err);
    if (list->far_items && (list->far == CW_HELPERS_ALL || far.n == CW_HELPERS_ALL))
        return cw_error_set(err, CW_ERR_INVALID, "--devices: of several 'far' each needs a count");
    if (list->far_items == CW_FAR_ITEMS)
        return cw_error_set(err, CW_ERR_INVALID, "--devices: 'far' is there more than %d times",
                            CW_FAR_ITEMS);
    list->far_item[list->far_items++] = far;
    list->far = far.n == CW_HELPERS_ALL ? far.n : list->far + far.n;
    return CW_OK;
}

static enum cw_status read_item(const char *item, size_t n, struct cw_device_list *list, struct cw_error *err)
{
    struct {
        const char *name;
        unsigned *count;
    } const kinds[] = {
        {"sub", &list->sub}, {"basic", &list->basic}, {"dsp", &list->dsp}, {"gpu", &list->gpu}};
    const char *slash = !strncmp(item, "far", 3) ? memchr(item, '/', n) : NULL;
    size_t whole = n, name;
    const char *colon;

    n = slash ? (size_t)(slash - item) : n;
    if (whole >= 4 && !strncmp(item, "cpu/", 4))
        return read_value(item + 4, whole - 4, "pace=", &list->pace)
                   ? CW_OK
                   : bad_setting(item, whole, "/pace=FACTOR, above 0", err);
    colon = memchr(item, ':', n);
    name = colon ? (size_t)(colon - item) : n;
    if (name == 3 && !strncmp(item, "far", name))
        return read_far_item(item, n, whole, list, err);
    if (whole == 3 && !strncmp(item, "cpu", n)) {
        list->cpu = true;
        return CW_OK;
    }
    if (whole == strlen("far-home") && !strncmp(item, "far-home", n)) {
        list->far_home = true;
        return CW_OK;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (name != strlen(kinds[k].name) || strncmp(item, kinds[k].name, name))
            continue;
        if (*kinds[k].count)
            return cw_error_set(err, CW_ERR_INVALID, "--devices: '%s' is there twice", kinds[k].name);
        *kinds[k].count = count_in(item, n, CW_HELPERS_MAX);
        return *kinds[k].count ? CW_OK : no_count(item, n, CW_HELPERS_MAX, err);
    }
    return no_kind(item, n, err);
}

enum cw_status cw_device_list_parse(const char *text, struct cw_device_list *list, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    *list = (struct cw_device_list){.given = *text};
    if (!*text || !strcmp(text, "none"))
        return CW_OK;
    if (!strcmp(text, "all")) {
        list->cpu = true;
        list->basic = list->dsp = list->gpu = CW_HELPERS_ALL;
        return CW_OK;
    }
    for (const char *item = text; status == CW_OK;) {
        size_t n = strcspn(item, ",");
        status = read_item(item, n, list, err);
        if (!item[n])
            break;
        item += n + 1;
    }
    return status;
}

const struct cw_far_devices *cw_device_list_far_of(const struct cw_device_list *list, unsigned i)
{
    unsigned k = 0;

    for (; k + 1 < list->far_items && i >= list->far_item[k].n; k++)
        i -= list->far_item[k].n;
    return &list->far_item[k];
}

double cw_device_list_far_pace(const struct cw_device_list *list, const struct cw_far_devices *far)
{
    double pace = list->pace > 0 ? list->pace : far->speed > 0 ? 1 : 0;

    return far->speed > 0 ? pace / far->speed : pace;
}

/* Adds an item to `text`, which is returned. */
static char *say_item(char *text, size_t size, const struct cw_far_devices *item, unsigned n)
{
    const struct cw_far_memory *far = &item->memory;
    size_t used = strlen(text);
    char each[16];

    used += (size_t)snprintf(text + used, size - used, "%s%u with %s of %s own", used ? "; " : "", n,
                             n == 1 ? "a memory" : "memories", n == 1 ? "its" : "their");
    if (far->capacity)
        used +=
            (size_t)snprintf(text + used, size - used, ", %s each", cw_quantity_bytes(far->capacity, each));
    if (far->bytes_per_ns > 0)
        used += (size_t)snprintf(text + used, size - used, ", copies at %g GB/s", far->bytes_per_ns);
    if (far->latency_ns > 0)
        used += (size_t)snprintf(text + used, size - used, ", %g us a copy", far->latency_ns / 1e3);
    if (item->speed > 0)
        snprintf(text + used, size - used, ", %g times as fast", item->speed);
    return text;
}

const char *cw_device_list_far(const struct cw_device_list *list, unsigned processors,
                               char text[CW_DEVICE_LIST_TEXT])
{
    *text = '\0';
    for (unsigned k = 0; k < list->far_items && strlen(text) < CW_DEVICE_LIST_TEXT - 160; k++)
        say_item(text, CW_DEVICE_LIST_TEXT, &list->far_item[k],
                 list->far == CW_HELPERS_ALL ? processors : list->far_item[k].n);
    return text;
}
