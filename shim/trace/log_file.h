/* log_file.h - the log's file: header, reserved extents, chunks. Used by log_write.c only.
 *
 * Thread-safety: every function takes the file's lock; none makes an OpenCL call. */
#ifndef CW_LOG_FILE_H
#define CW_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../analyzer/trace/log_format.h"
#include "log_name.h"

/* Creates this process's log and maps its header. After a fork the child calls it again; the parent's file is left
 * alone. */
enum cw_status cw_log_file_open(const char *out, bool capture_data, bool run_mode, struct cw_error *err);

/* The mapped header, NULL when there is no log. */
struct cw_log_header *cw_log_file_header(void);
const struct cw_log_names *cw_log_file_names(void);

/* An empty or partly filled chunk with room for `bytes` more; NULL with a message in err when the file cannot grow. */
struct cw_log_chunk *cw_log_chunk_get(size_t bytes, struct cw_error *err);

/* Takes back a thread's chunk: kept for another thread while much of it is free, else unmapped. */
void cw_log_chunk_put(struct cw_log_chunk *chunk);

/* Drops a mapping only (the parent's chunk, in a forked child). */
void cw_log_chunk_forget(struct cw_log_chunk *chunk);

/* Appends to the data file. */
enum cw_status cw_log_data_append(const void *bytes, size_t n, uint64_t *offset, struct cw_error *err);

static inline size_t cw_log_chunk_room(const struct cw_log_chunk *c)
{
    return (size_t)c->units * CW_LOG_CHUNK_BYTES - sizeof *c -
           atomic_load_explicit(&c->committed, memory_order_relaxed);
}

#endif
