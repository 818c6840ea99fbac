/* error.c - a struct cw_error is filled; see status.h. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

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
