#include "device_list.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The number after the colon, 1 .. CW_HELPERS_MAX; 0: it is none. */
static unsigned count_of(const char *text, size_t n)
{
    unsigned v = 0;

    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i]) || v > CW_HELPERS_MAX)
            return 0;
        v = v * 10 + (unsigned)(text[i] - '0');
    }
    return v <= CW_HELPERS_MAX ? v : 0;
}

static enum cw_status read_item(const char *item, size_t n, struct cw_device_list *list, struct cw_error *err)
{
    struct {
        const char *name;
        unsigned *count;
    } const kinds[] = {{"sub", &list->sub}, {"basic", &list->basic}, {"dsp", &list->dsp}};
    const char *colon = memchr(item, ':', n);
    size_t name = colon ? (size_t)(colon - item) : n;

    if (n == 3 && !strncmp(item, "cpu", n))
        return CW_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (name != strlen(kinds[k].name) || strncmp(item, kinds[k].name, name))
            continue;
        if (*kinds[k].count)
            return cw_error_set(err, CW_ERR_INVALID, "--devices: '%s' is there twice", kinds[k].name);
        *kinds[k].count = colon ? count_of(colon + 1, n - name - 1) : CW_HELPERS_ALL;
        if (!*kinds[k].count)
            return cw_error_set(err, CW_ERR_INVALID, "--devices: '%.*s' has no count from 1 to %d",
                                (int)(n < 80 ? n : 80), item, CW_HELPERS_MAX);
        return CW_OK;
    }
    return cw_error_set(
        err, CW_ERR_INVALID,
        "--devices: '%.*s' is no kind of helper; possible are none, or cpu, sub, basic and dsp "
        "with commas between, the last three also with :N",
        (int)(n < 80 ? n : 80), item);
}

enum cw_status cw_device_list_parse(const char *text, struct cw_device_list *list, struct cw_error *err)
{
    enum cw_status status = CW_OK;

    *list = (struct cw_device_list){.given = *text};
    if (!*text || !strcmp(text, "none"))
        return CW_OK;
    for (const char *item = text; status == CW_OK;) {
        size_t n = strcspn(item, ",");
        status = read_item(item, n, list, err);
        if (!item[n])
            break;
        item += n + 1;
    }
    return status;
}
