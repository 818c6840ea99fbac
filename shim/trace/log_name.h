/* log_name.h - where this process's trace goes.
 *
 * The trace of a process is OUT (option `out`), its log while it runs OUT.log, captured contents OUT.data. An
 * OUT that ends in ".log" is the log itself, which stays.
 * Several processes of one run may have the same OUT: the first keeps the name, the others get "-PID" before
 * the extension (and "-PID-2" ... when one process id runs several programs by exec). Files of an earlier run
 * are replaced. A run is the descendants of one process: its id (a start time) is inherited in CLWEAVE_RUN.
 */
#ifndef CW_LOG_NAME_H
#define CW_LOG_NAME_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "../../analyzer/record/log_format.h"
#include "../../sched/status.h"

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
