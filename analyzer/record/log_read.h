/* log_read.h - reads the binary log of a process (log_format.h) into a trace. */
#ifndef CW_LOG_READ_H
#define CW_LOG_READ_H

#include "log_format.h"
#include "trace.h"

/* True when a trace of that name, or name pattern, stays a log: it ends in ".log". */
bool cw_log_is_name(const char *path);

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

/* ---- sums over a log that its process is still writing, kept up to date by reading what is
 * new. The process takes no part in it.
 *
 * Thread-safety: none. */

enum { CW_FOLLOW_ROWS = 1024 };

/* A kernel, or a kind of command; kernels of one name are one. Behind CW_FOLLOW_ROWS of them the last row
 * is of all others. */
struct cw_follow_row {
    const char *name;
    uint64_t commands, timed;  /* that were enqueued; of which device times are known */
    uint64_t device_ns, bytes; /* of transfers */
};

struct cw_follow_device {
    const char *name; /* NULL: not known */
    uint64_t commands, timed, bytes;
    uint64_t busy_ns; /* in which at least one command ran, as far as times are known in their order */
    uint64_t last_ns; /* the end of what was counted */
};

struct cw_log_follow {
    CW_ARRAY(struct cw_follow_row) rows;
    CW_ARRAY(struct cw_follow_device) devices; /* by the log's id */
    uint64_t commands, failed, waits, wait_ns; /* waits: calls that returned when commands were over */
    uint64_t dropped;                          /* that a limited log has lost */
    uint64_t start_ns, last_ns; /* of the host's clock: begin of recording, newest call's end */
    bool complete, stopped;     /* the process has ended by itself; recording has */
    struct follow_state *state;
};

/* Opens the log and reads what it holds. CW_ERR_IO, CW_ERR_FORMAT, CW_ERR_VERSION, CW_ERR_NOMEM. Close it
 * either way. `path` and `err` stay the caller's until then. */
enum cw_status cw_log_follow_open(struct cw_log_follow *f, const char *path, struct cw_error *err);

/* Reads what is new. Chunks that make no sense, as they are used again at this moment, are left out. The same
 * errors. */
enum cw_status cw_log_follow_poll(struct cw_log_follow *f, struct cw_error *err);
void cw_log_follow_close(struct cw_log_follow *f);

/* Commands of the device's queues that are not known to be over; those of an in-order queue are over when a
 * later one is known to be. */
uint64_t cw_log_follow_depth(const struct cw_log_follow *f, uint32_t device);

#endif
