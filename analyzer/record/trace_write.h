/* trace_write.h - writes a trace as JSON (FORMAT.md). */
#ifndef CW_TRACE_WRITE_H
#define CW_TRACE_WRITE_H

#include <stdio.h>

#include "../io/json_out.h"
#include "trace_fields.h"
#include "../io/json_in.h"
#include "../io/text.h"
#include "trace.h"

/* Writes all of `t`, one row of an array per line, so that a reader can index them. Errors of the stream stay
 * in its error flag (cw_output_commit looks at it); CW_ERR_NOMEM otherwise. */
enum cw_status cw_trace_write(const struct cw_trace *t, FILE *f, struct cw_error *err);

/* Writes `t` to a file that is complete or not there, readable by its owner only (traces hold sources). "-":
 * stdout. */
enum cw_status cw_trace_save(const struct cw_trace *t, const char *path, struct cw_error *err);

/* One command out of a large JSON trace, without loading the others.
 *
 * Opening walks over the file's structure once and keeps 8 bytes per command; the rest stays in the file. */

struct cw_trace_index {
    struct cw_file_text file;
    char *name;
    CW_ARRAY(uint64_t) commands; /* offset of each command's object */
    const char *edges;           /* the value of "edges", NULL when there is none */
};

/* Opens a JSON trace. Errors as cw_trace_load, but of the commands and edges only the structure is checked; a
 * binary log gives CW_ERR_UNSUPPORTED. Close it in any case. */
enum cw_status cw_trace_index_open(struct cw_trace_index *x, const char *path, struct cw_error *err);
void cw_trace_index_close(struct cw_trace_index *x);

/* Reads command `id` into `one` (initialised, empty): one->commands holds it alone, with its parts of the
 * shared arrays. Its text is [*text, *text + *length) in the file. CW_ERR_NOTFOUND when there is no such
 * command. */
enum cw_status cw_trace_index_command(struct cw_trace_index *x, uint32_t id, struct cw_trace *one,
                                      const char **text, size_t *length, struct cw_error *err);

/* Appends the edges into and out of command `id` to one->edges. Reads all edges, keeps those. */
enum cw_status cw_trace_index_edges(struct cw_trace_index *x, uint32_t id, struct cw_trace *one,
                                    struct cw_error *err);

#endif
