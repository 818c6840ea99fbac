/* file_store.h - small files by identity in a folder of the user's own: results of one run that the next can
 * use.
 *
 * A file is named by the key of its identity (identity.h), holds all of that, and is read only where that is
 * the same. Two whose keys are the same take each other's place.
 *
 * The folder is 0700, files are 0600, no link is followed; a file is written under another name and renamed,
 * so that a reader sees all or nothing; a checksum, so that a damaged file counts as none. Folders of others,
 * open to others, or in a folder that others may write to, are not used. When a folder holds more than
 * its bounds (CW_FILE_STORE_FILES files or CW_FILE_STORE_BYTES, unless the store sets others), those that
 * were not used for longest go. All functions are quiet: any failure is a miss. Thread-safe; errno is
 * preserved, and no signal of a write (SIGXFSZ) reaches the host. */
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
    size_t most_files;
    int64_t most_bytes;
};

#define CW_FILE_STORE_NAME_BYTES 33 /* of a file's name, with its NUL */

/* `folder` is made when something is written, in a folder of the user's own that must be there already. A
 * name that is too long, or in no folder, is as "". */
void cw_file_store_init(struct cw_file_store *s, const char *folder);

/* The bytes stored for `id`, malloc'ed for the caller, a NUL behind them; NULL: none. */
void *cw_file_store_read(const struct cw_file_store *s, const struct cw_identity *id, size_t *bytes);

/* Replaces the bytes stored for `id`. Nothing is written when bytes is 0, or with the identity more than
 * CW_FILE_STORE_LARGEST. */
void cw_file_store_write(struct cw_file_store *s, const struct cw_identity *id, const void *data,
                         size_t bytes);

/* The name of the file of `id`. */
void cw_file_store_name(const struct cw_identity *id, char name[CW_FILE_STORE_NAME_BYTES]);

/* The names of the store's files, the oldest first, one behind the other, each with its NUL; *n of them. The
 * caller's to free; NULL: none. */
char (*cw_file_store_list(const struct cw_file_store *s, size_t *n))[CW_FILE_STORE_NAME_BYTES];

/* The bytes stored in the file `name`, as cw_file_store_read() returns them, and their identity, the caller's
 * to finish where the bytes are not NULL. */
void *cw_file_store_read_name(const struct cw_file_store *s, const char *name, struct cw_identity *id,
                              size_t *bytes);

/* Opens the store's folder, and makes it where `make`; -1: there is none. For files beside those of the
 * store, with names that are no keys. */
int cw_file_store_open(const struct cw_file_store *s, bool make);

/* All files of a store, for tools that show and clear it. They are not used by that:
 * their times stay. Not thread-safe: errno and signals are as the system calls leave them. */

struct cw_file_store_file {
    const char *name; /* in the folder */
    const struct cw_identity *identity;
    const void *data;
    size_t data_bytes;
    uint64_t bytes; /* of the file */
    int64_t used_s; /* when it was written, or used, to within a day; seconds since 1970 */
};

struct cw_file_store_size {
    uint64_t files, bytes;
};

/* Shows one sound file, whose pointers hold until it returns. True: the file is to go. */
typedef bool cw_file_store_visitor(const struct cw_file_store_file *file, void *context);

/* Calls `each` for every sound file, the last used first. Returns what has gone. */
struct cw_file_store_size cw_file_store_visit(const struct cw_file_store *s, cw_file_store_visitor *each,
                                              void *context);

/* Counts the files that are the store's by name, with those that are being written. clear: removes them;
 * links are removed, never followed. */
struct cw_file_store_size cw_file_store_visit_size(const struct cw_file_store *s, bool clear);

/* The file stores in the folder of caches (io/folders.h). */
struct cw_cache_store {
    const char *folder, *holds;
};
extern const struct cw_cache_store cw_cache_stores[]; /* ended by a row whose folder is NULL */
#define CW_CACHE_PROGRAMS "programs"

#endif
