/* trace_index.h - one command out of a large JSON trace, without loading the others.
 *
 * Opening walks over the file's structure once and keeps 8 bytes per command; the rest stays in the file. */
#ifndef CW_TRACE_INDEX_H
#define CW_TRACE_INDEX_H

#include "../io/json_in.h"
#include "../io/file_text.h"
#include "trace.h"

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
