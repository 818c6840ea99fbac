/* trace_write.h - a trace as JSON (format: FORMAT.md), and a log converted to it. */
#ifndef CW_TRACE_WRITE_H
#define CW_TRACE_WRITE_H

#include <stdio.h>

#include "trace.h"

/* Writes all of `t`, one row of an array per line, so that a reader can index them. Errors of the stream stay
 * in its error flag (cw_output_commit looks at it); CW_ERR_NOMEM otherwise. */
enum cw_status cw_trace_write(const struct cw_trace *t, FILE *f, struct cw_error *err);

/* Writes one command as a JSON object on one line. */
enum cw_status cw_trace_write_command(const struct cw_trace *t, uint32_t id, FILE *f, struct cw_error *err);

/* Writes `t` to a file that is complete or not there, readable by its owner only (traces hold sources). "-":
 * stdout. */
enum cw_status cw_trace_save(const struct cw_trace *t, const char *path, struct cw_error *err);

/* Reads the binary log `log_path`, builds its graph and saves it as `json_path`. Prints nothing, ends
 * nothing; for the library at a program's exit as well. Returns CW_OK, CW_ERR_NOMEM, CW_ERR_IO,
 * CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_LIMIT. Thread-safe. */
enum cw_status cw_trace_convert(const char *log_path, const char *json_path, struct cw_error *err);

#endif
