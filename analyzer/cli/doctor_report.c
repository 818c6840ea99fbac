/* doctor_report.c - collects findings; see doctor.h. */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

enum { TEXT = 1024 };

void cw_doctor_fact(struct cw_doctor *d, const char *section, const char *name, const char *fmt, ...)
{
    char text[TEXT];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    json_array_append_new(d->facts,
                          json_pack("{s:s, s:s, s:s}", "section", section, "name", name, "text", text));
}

/* `obstacle`: the first of them is why nothing can be gained. */
static void add_problem(struct cw_doctor *d, const char *mend, bool obstacle, const char *fmt, va_list ap)
{
    char text[TEXT];

    vsnprintf(text, sizeof text, fmt, ap);
    json_array_append_new(d->problems, json_pack("{s:s, s:s}", "problem", text, "mend", mend));
    if (obstacle && !*d->cannot)
        snprintf(d->cannot, sizeof d->cannot, "%.255s", text);
}

void cw_doctor_problem(struct cw_doctor *d, const char *mend, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_problem(d, mend, false, fmt, ap);
    va_end(ap);
}

void cw_doctor_obstacle(struct cw_doctor *d, const char *mend, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_problem(d, mend, true, fmt, ap);
    va_end(ap);
}
