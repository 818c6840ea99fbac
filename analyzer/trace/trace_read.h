/* trace_read.h - reads traces: JSON (FORMAT.md) or the library's binary log. */
#ifndef CW_TRACE_READ_H
#define CW_TRACE_READ_H

#include "trace.h"

/* Fills `t` (initialised, empty) from `path`, which is a JSON trace or a binary log (told apart by their
 * first bytes). A log's graph is built; a JSON trace comes with its own. Everything is checked: types,
 * ranges, ids that refer to nothing, cycles. Messages say "<file>:<line>:<column>: what".
 *
 * Returns CW_OK, CW_ERR_IO (cannot be read), CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_CYCLE, CW_ERR_LIMIT,
 * CW_ERR_NOMEM. After a failure `t` is still to be finished. Time O(file size). Thread-safe. */
enum cw_status cw_trace_load(struct cw_trace *t, const char *path, struct cw_error *err);

/* The same from JSON text in memory; `name` stands for the file in messages. */
enum cw_status cw_trace_load_text(struct cw_trace *t, const char *name, const char *text, size_t length,
                                  struct cw_error *err);

#endif
