/* log_file.h - the log's file: header, reserved extents, chunks. Used by log_write.c only.
 *
 * Thread-safety: every function takes the file's lock; none makes an OpenCL call. */
#ifndef CW_LOG_FILE_H
#define CW_LOG_FILE_H

#include "../../analyzer/record/log_format.h"
#include "../../sched/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a log, as its header says it. */
struct cw_log_traits {
    bool capture_data, run_mode, all_calls;
    uint64_t limit;       /* of the log, bytes; 0: none */
    uint32_t times_every; /* one command in so many has device times (every:N); 0: none */
};

/* Creates this process's log and maps its header. After a fork the child calls it again; the parent's file is
 * left alone. */
enum cw_status cw_log_file_open(const char *out, struct cw_log_traits traits, struct cw_error *err);

/* True when this process has made a log. */
bool cw_log_file_exists(void);
const struct cw_log_names *cw_log_file_names(void);

/* True while the log's name leads to the file that this process has made. */
bool cw_log_file_is_there(void);

/* Write to the header: that recording has stopped, and why (at most 511 characters); that the process ended.
 * False when the file was cut short. */
bool cw_log_file_stopped(const char *why);
bool cw_log_file_complete(uint64_t end_ns);

/* A mapped chunk that one thread has. Nothing is read from the mapping: a copy of its header is kept here. */
struct cw_log_place {
    struct cw_log_chunk *chunk; /* NULL: none */
    uint32_t units;
    bool definitions;      /* of a limited log: it is never used again */
    uint64_t offset;       /* in the file */
    struct cw_log_counts { /* as they lie in struct cw_log_chunk */
        uint64_t committed, calls, recorder_ns;
    } counts;
};
_Static_assert(sizeof(struct cw_log_counts) ==
                       sizeof(struct cw_log_chunk) - offsetof(struct cw_log_chunk, committed) &&
                   offsetof(struct cw_log_counts, calls) ==
                       offsetof(struct cw_log_chunk, calls) - offsetof(struct cw_log_chunk, committed),
               "one layout");

/* An empty or partly filled chunk with room for `bytes` more; of a log that has reached its limit the
 * oldest chunk of commands. definitions: for records that must stay. False with a message in err when the
 * file cannot grow, or a limited log is half full of definitions. */
bool cw_log_chunk_get(struct cw_log_place *place, size_t bytes, bool definitions, struct cw_error *err);

/* Takes back a thread's chunk: kept for another thread while much of it is free, else unmapped. place->chunk
 * is NULL then. */
void cw_log_chunk_put(struct cw_log_place *place);

/* Drops a mapping only (the parent's chunk, in a forked child). */
void cw_log_chunk_forget(struct cw_log_place *place);

/* Appends to the data file. */
enum cw_status cw_log_data_append(const void *bytes, size_t n, uint64_t *offset, struct cw_error *err);

static inline size_t cw_log_chunk_bytes(const struct cw_log_place *place)
{
    return (size_t)place->units * CW_LOG_CHUNK_BYTES;
}

static inline size_t cw_log_chunk_space(const struct cw_log_place *place)
{
    return cw_log_chunk_bytes(place) - sizeof *place->chunk - place->counts.committed;
}

/* ---- where this process's trace goes.
 *
 * The trace of a process is OUT (option `out`), its log while it runs OUT.log, captured contents OUT.data. An
 * OUT that ends in ".log" is the log itself, which stays.
 * Several processes of one run may have the same OUT: the first keeps the name, the others get "-PID" before
 * the extension (and "-PID-2" ... when one process id runs several programs by exec). Files of an earlier run
 * are replaced. A run is the descendants of one process: its id (a start time) is inherited in CLWEAVE_RUN.
 */

struct cw_log_names {
    char json[PATH_MAX], log[PATH_MAX],
        data[PATH_MAX]; /* absolute; json and log are one where the log stays */
};

/* The id of this run, ns of CLOCK_REALTIME. Constant in a process; thread-safe after the library's
 * constructors. */
uint64_t cw_log_run_id(void);

/* Chooses the names for option value `out` (%e, %p and %% are replaced) and creates the log file: 0600,
 * exclusively, no link followed. Stores its open descriptor in *fd, and in *lock the lock that keeps other
 * processes of this kind from looking at the folder until the log has its header: cw_log_unlock(*lock) then,
 * also after an error. Errors: CW_ERR_LIMIT (path too long), CW_ERR_INVALID (an unknown % sequence),
 * CW_ERR_IO. */
enum cw_status cw_log_create(const char *out, struct cw_log_names *names, int *fd, int *lock,
                             struct cw_error *err);
void cw_log_unlock(int lock);

#endif
