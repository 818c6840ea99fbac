#include "text.h"

#include <stdio.h>
#include <string.h>

/* Line and column, both from 1 (columns in bytes), of `at`, which points into `text` or at its end. */
static void text_place(const char *text, const char *at, size_t *line, size_t *column)
{
    const char *start = text;

    *line = 1;
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL;) {
        ++*line;
        start = ++p;
    }
    *column = (size_t)(at - start) + 1;
}

enum cw_status cw_text_wrong(const char *name, const char *text, const char *at, struct cw_error *err,
                             const char *fmt, ...)
{
    char what[320];
    size_t line, column;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    text_place(text, at, &line, &column);
    return cw_error_set(err, CW_ERR_FORMAT, "%s:%zu:%zu: %s", name, line, column, what);
}
