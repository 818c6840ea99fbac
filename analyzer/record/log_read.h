/* log_read.h - reads the binary log of a process (log_format.h) into a trace. */
#ifndef CW_LOG_READ_H
#define CW_LOG_READ_H

#include "log_format.h"
#include "trace.h"

/* True when a trace of that name, or name pattern, stays a log: it ends in ".log". */
bool cw_log_is_name(const char *path);

/* True when the regular file at `path` begins like a log. False for anything else, also when it cannot be
 * read. */
bool cw_log_probe(const char *path);

/* Reads the header of the log at `path`, a regular file and no link. False when there is none. */
bool cw_log_read_header(const char *path, struct cw_log_header *h);

/* Fills the empty trace `t` with everything that the log at `path` holds, without edges and accesses. The log
 * may be of a process that was killed or is still running: the part that is there is read. Ids are renumbered
 * to be dense, parents before their parts; commands are in order of sequence. A user event that something
 * waits for but that was never set gets a pseudo-command at the end, exec_status 1. Commands that wait, even
 * transitively, for a user event set to an error have exec_status
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. Argument slices of commands with equal arguments are shared.
 *
 * Linear in the log's size but for sorting (only if threads interleave). Errors, which leave `t` to be
 * finished by the caller: CW_ERR_IO, CW_ERR_FORMAT (naming the offset), CW_ERR_VERSION, CW_ERR_NOMEM,
 * CW_ERR_LIMIT (more than 2^32-2 commands). Thread-safe for different traces. */
enum cw_status cw_log_read(struct cw_trace *t, const char *path, struct cw_error *err);

#endif
