/* file_store.h - small files by identity in a folder of the user's own: results of one run that the next can
 * use.
 *
 * A file is named by the key of its identity (identity.h), holds all of that, and is read only where that is
 * the same. Two whose keys are the same take each other's place.
 *
 * The folder is 0700, files are 0600, no link is followed; a file is written under another name and renamed,
 * so that a reader sees all or nothing; a checksum, so that a damaged file counts as none. Folders of others,
 * open to others, or in a folder that others may write to, are not used. When a folder holds more than
 * CW_FILE_STORE_FILES files or CW_FILE_STORE_BYTES, those that were not used for longest go. All functions
 * are quiet: any failure is a miss. Thread-safe; errno is preserved, and no signal of a write (SIGXFSZ)
 * reaches the host. */
#ifndef CW_FILE_STORE_H
#define CW_FILE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "identity.h"

#define CW_FILE_STORE_FILES   4096
#define CW_FILE_STORE_BYTES   (256ll << 20)
#define CW_FILE_STORE_LARGEST (64u << 20) /* of one file */

struct cw_file_store {
    char above[PATH_MAX];      /* real path of the folder that holds the store's own */
    char folder[NAME_MAX + 1]; /* name of that; "": nothing is stored */
    _Atomic bool trimmed;      /* once per process */
};

/* `folder` is made when something is written, in a folder of the user's own that must be there already. A
 * name that is too long, or in no folder, is as "". */
void cw_file_store_init(struct cw_file_store *s, const char *folder);

/* The bytes stored for `id`, malloc'ed for the caller, a NUL behind them; NULL: none. */
void *cw_file_store_read(const struct cw_file_store *s, const struct cw_identity *id, size_t *bytes);

/* Replaces the bytes stored for `id`. Nothing is written when bytes is 0, or with the identity more than
 * CW_FILE_STORE_LARGEST. */
void cw_file_store_write(struct cw_file_store *s, const struct cw_identity *id, const void *data,
                         size_t bytes);

#endif
