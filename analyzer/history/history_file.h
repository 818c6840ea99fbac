/* history_file.h - the checks before a database of the user's is opened by name. Used by history_store.c. */
#ifndef CW_HISTORY_FILE_H
#define CW_HISTORY_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../sched/status.h"

/* Writes the real path of `path` (no link in it) to real[0 .. size - 1], and sees to it that the folder
 * belongs to the user and only the user can write to it, and that the file is a regular file of the user's,
 * of mode 0600, with one name. create: make it when it is not there. Errors: CW_ERR_NOTFOUND (the file is not
 * there), CW_ERR_INVALID (one of these does not hold), CW_ERR_LIMIT (too long), CW_ERR_IO. Thread-safe. */
enum cw_status cw_history_file(const char *path, bool create, char *real, size_t size, struct cw_error *err);

#endif
