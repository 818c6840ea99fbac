#include "status.h"

#include <stdio.h>

const char *cw_status_string(enum cw_status s)
{
    static const char *const texts[] = {
#define X(id, text) [id] = text,
        CW_STATUS_LIST(X)
#undef X
    };
    if ((unsigned)s >= sizeof texts / sizeof texts[0])
        return "unknown status";
    return texts[s];
}

enum cw_status cw_error_set(struct cw_error *err, enum cw_status status, const char *fmt, ...)
{
    va_list ap;

    if (!err || err->status != CW_OK)
        return status;
    err->status = status;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return status;
}
