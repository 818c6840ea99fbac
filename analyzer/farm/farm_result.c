#include "farm_result.h"

#include <stdio.h>
#include <string.h>

#include "../io/array.h"

#define HEAD offsetof(struct cw_farm_result, out)

bool cw_farm_result_add_bytes(struct cw_farm_bytes *b, const void *data, size_t n)
{
    if (!cw_array_reserve(&b->v, &b->capacity, b->used, n, 1))
        return false;
    if (n)
        memcpy(b->v + b->used, data, n);
    b->used += n;
    return true;
}

bool cw_farm_result_add(struct cw_farm_bytes *b, const struct cw_farm_result *r)
{
    size_t used = b->used;
    bool ok = cw_farm_result_add_bytes(b, r, HEAD) && cw_farm_result_add_bytes(b, r->out, r->out_bytes) &&
              cw_farm_result_add_bytes(b, r->errors, r->errors_bytes);

    if (!ok)
        b->used = used;
    return ok;
}

bool cw_farm_result_next(const char **p, const char *end, struct cw_farm_result *r)
{
    if ((size_t)(end - *p) < HEAD)
        return false;
    memcpy(r, *p, HEAD);
    if ((uint64_t)r->out_bytes + r->errors_bytes > (uint64_t)(end - *p) - HEAD)
        return false;
    r->out = *p + HEAD;
    r->errors = r->out + r->out_bytes;
    *p = r->errors + r->errors_bytes;
    return true;
}

const char *cw_farm_result_word(const struct cw_farm_result *r, char text[80])
{
    switch (r->end) {
    case CW_FARM_EXIT:
        snprintf(text, 80, r->value ? "exit status %d" : "ok", r->value);
        break;
    case CW_FARM_SIGNAL:
        snprintf(text, 80, "signal %d (%.50s)", r->value, strsignal(r->value));
        break;
    case CW_FARM_TIMEOUT:
        snprintf(text, 80, "timeout");
        break;
    case CW_FARM_LARGE:
        snprintf(text, 80, "more than %d MiB of output", CW_FARM_OUTPUT_MAX >> 20);
        break;
    case CW_FARM_START:
        snprintf(text, 80, "cannot run it: %.50s", strerror(r->value));
        break;
    default:
        snprintf(text, 80, r->value == 0 ? "its worker ended" : "its worker died of signal %d (%.40s)",
                 r->value, strsignal(r->value));
    }
    return text;
}
