/* farm_checkpoint.h - the file to which a farm's results go: it only grows, and a killed farm goes on from
 * it.
 *
 * Records, each {magic, kind, bytes, CRC-32 of kind, bytes and payload} and its payload: first the plan, then
 * batches of results with the time at which they were written. A record that is cut short or damaged ends the
 * file: it and all behind it count for nothing. Of several results of a task the first counts, after the last
 * record that asks for those that failed once more.
 *
 * A batch is written at once, and a thread of the checkpoint's own brings it to the disk (fdatasync), so that
 * the master serves on meanwhile. One farm at a time has a file (flock). Memory: 8 bytes per task.
 * Thread-safety: a checkpoint belongs to one thread. */
#ifndef CW_FARM_CHECKPOINT_H
#define CW_FARM_CHECKPOINT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "farm_plan.h"
#include "farm_result.h"

struct cw_farm_checkpoint {
    char *path; /* owned; NULL: a file without a name, for a farm that is not to be resumed */
    int fd;
    bool writable;
    uint64_t bytes;   /* of whole records */
    uint64_t dropped; /* bytes behind them, when it was opened */
    uint64_t *place;  /* per task: of its result, 0: none; owned */
    uint32_t tasks, done, failed;
    uint64_t first_ns, last_ns; /* CLOCK_REALTIME of the plan's and of the last record */
    uint64_t session_ns;        /* the same, of the beginning of the last farm on the file */
    uint32_t session_done;      /* results that the file had then */
    struct {
        pthread_t thread;
        pthread_mutex_t lock;
        pthread_cond_t changed;
        bool runs, dirty, busy, stop;
        int error; /* errno of an fdatasync */
    } sync;
};

/* Makes the file `path`, which must not be there (NULL: one without a name, in the folder for temporary
 * files), for the plan `p`. It is this user's alone, as are the outputs that are opened later.
 * CW_ERR_INVALID: it is there; CW_ERR_IO, CW_ERR_NOMEM. Then nothing is open. */
enum cw_status cw_farm_checkpoint_create(struct cw_farm_checkpoint *c, const char *path,
                                         const struct cw_farm_plan *p, struct cw_error *err);

/* Opens the file `path` and reads its plan into *p, which the caller finishes in any case. `write`: to go
 * on with it; what counts for nothing is cut off. CW_ERR_FORMAT: it is no checkpoint; CW_ERR_VERSION: one
 * of another version; CW_ERR_INVALID: another farm has it, and keeps it for two seconds, or, with `write`,
 * another user owns the file or may write it; CW_ERR_IO, CW_ERR_NOMEM. Then nothing is open. */
enum cw_status cw_farm_checkpoint_open(struct cw_farm_checkpoint *c, const char *path, bool write,
                                       struct cw_farm_plan *p, struct cw_error *err);

/* Whether a farm has the file now. */
bool cw_farm_checkpoint_busy(const struct cw_farm_checkpoint *c);

/* Appends results (farm_result.h). CW_ERR_IO: they are not in the file, or an earlier batch did not reach the
 * disk; the whole records before are as they were. */
enum cw_status cw_farm_checkpoint_append(struct cw_farm_checkpoint *c, const struct cw_farm_bytes *results,
                                         struct cw_error *err);

/* Forgets the results of the tasks that failed, in the file too. CW_ERR_IO. */
enum cw_status cw_farm_checkpoint_retry(struct cw_farm_checkpoint *c, struct cw_error *err);

/* Waits until all is on the disk. CW_ERR_IO. */
enum cw_status cw_farm_checkpoint_flush(struct cw_farm_checkpoint *c, struct cw_error *err);

/* Reads the result of `task`, into `b`, to which r->out and r->errors point. CW_ERR_NOTFOUND: there is none;
 * CW_ERR_IO, CW_ERR_NOMEM. */
enum cw_status cw_farm_checkpoint_read(const struct cw_farm_checkpoint *c, uint32_t task,
                                       struct cw_farm_bytes *b, struct cw_farm_result *r,
                                       struct cw_error *err);

void cw_farm_checkpoint_close(struct cw_farm_checkpoint *c);

#endif
