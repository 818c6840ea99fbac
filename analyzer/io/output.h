/* output.h - files that are either complete or not there.
 *
 * An output is written to a temporary name in the folder of its final name and renamed on commit, so that
 * neither a full disk nor an error half-way leaves anything behind. "-" is standard output (without control
 * characters when that is a terminal), and an existing target that is not a regular file (/dev/null, a pipe
 * that some process reads) is written directly. Every error of write, flush, close and rename is noticed.
 *
 *     struct cw_output out;
 *     status = cw_output_open(&out, path, 0666, err);
 *     if (!status) { fprintf(out.f, ...); status = cw_output_commit(&out, err); }
 *
 * Thread-safety: an output belongs to one thread. */
#ifndef CW_OUTPUT_H
#define CW_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "../../sched/status.h"

struct cw_output {
    FILE *f;         /* write here; buffered */
    char *path;      /* final name */
    char *temporary; /* NULL when written directly */
};

/* An output may be made from the regular file `fd`: outputs that are opened from now on are closed to the
 * group, and to others, where that file is. Every reader of a user's file calls this. Thread-safe. */
void cw_output_private_as(int fd);

/* Opens `path` for writing with permission bits `mode` (less the umask, and less those that
 * cw_output_private_as() removes). On failure (CW_ERR_IO, CW_ERR_NOMEM) nothing is open and nothing was
 * made. */
enum cw_status cw_output_open(struct cw_output *o, const char *path, mode_t mode, struct cw_error *err);

/* Flushes, closes and renames. On failure (CW_ERR_IO: a full disk, for example) the temporary file is removed
 * and an earlier file of that name is as it was. `o` is closed either way. */
enum cw_status cw_output_commit(struct cw_output *o, struct cw_error *err);

/* Closes and removes the file written so far. Does nothing on an output that is closed or was never opened
 * (all zero). */
void cw_output_discard(struct cw_output *o);

/* Commit when status is CW_OK, else discard. Returns the first error. */
enum cw_status cw_output_close(struct cw_output *o, enum cw_status status, struct cw_error *err);

#endif
