/* trace_read.h - reads traces, JSON (FORMAT.md) or the library's binary log, together with their graph;
 * converts logs to JSON. */
#ifndef CW_TRACE_READ_H
#define CW_TRACE_READ_H

#include "../record/trace.h"

/* Fills `t` (initialised, empty) from `path`, which is a JSON trace or a binary log (told apart by their
 * first bytes). A log's graph is built; a JSON trace comes with its own. Everything is checked: types,
 * ranges, ids that refer to nothing, cycles. Messages say "<file>:<line>:<column>: <fault>".
 *
 * Returns CW_OK, CW_ERR_IO (cannot be read), CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_CYCLE, CW_ERR_LIMIT,
 * CW_ERR_NOMEM. After a failure `t` is still to be finished. Time O(file size). Thread-safe. */
enum cw_status cw_trace_load(struct cw_trace *t, const char *path, struct cw_error *err);

/* The same, but a log gets no graph yet. *log: whether it is one. */
enum cw_status cw_trace_load_bare(struct cw_trace *t, const char *path, bool *log, struct cw_error *err);

/* The same from JSON text in memory; `name` stands for the file in messages. */
enum cw_status cw_trace_load_text(struct cw_trace *t, const char *name, const char *text, size_t length,
                                  struct cw_error *err);

/* Reads the binary log `log_path`, builds its graph and saves it as `json_path`. Prints nothing, ends
 * nothing; for the library at a program's exit as well. Returns CW_OK, CW_ERR_NOMEM, CW_ERR_IO,
 * CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_LIMIT. Thread-safe. */
enum cw_status cw_trace_convert(const char *log_path, const char *json_path, struct cw_error *err);

#endif
