/* trace_write.h - writes a trace as JSON (FORMAT.md). */
#ifndef CW_TRACE_WRITE_H
#define CW_TRACE_WRITE_H

#include <stdio.h>

#include "../io/json_out.h"
#include "trace_fields.h"

/* Writes all of `t`, one row of an array per line, so that a reader can index them. Errors of the stream stay
 * in its error flag (cw_output_commit looks at it); CW_ERR_NOMEM otherwise. */
enum cw_status cw_trace_write(const struct cw_trace *t, FILE *f, struct cw_error *err);

/* Writes one command as a JSON object on one line. */
enum cw_status cw_trace_write_command(const struct cw_trace *t, uint32_t id, FILE *f, struct cw_error *err);

/* Writes `t` to a file that is complete or not there, readable by its owner only (traces hold sources). "-":
 * stdout. */
enum cw_status cw_trace_save(const struct cw_trace *t, const char *path, struct cw_error *err);

#endif
