/* text_place.h - the place of an error in a text, for messages: "<file>:<line>:<column>: <fault>". */
#ifndef CW_TEXT_PLACE_H
#define CW_TEXT_PLACE_H

#include <stdarg.h>
#include <stddef.h>

#include "../../sched/status.h"

/* Line and column, both from 1 (columns in bytes), of `at`, which points into `text` or at its end. */
void cw_text_place(const char *text, const char *at, size_t *line, size_t *column);

/* Sets `err` to CW_ERR_FORMAT, "<name>:<line>:<column>: " and the message; returns CW_ERR_FORMAT. */
enum cw_status cw_text_wrong(const char *name, const char *text, const char *at, struct cw_error *err,
                             const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
