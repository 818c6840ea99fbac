/* file_store_visit.h - all files of a store, for tools that show and clear it. They are not used by that:
 * their times stay. Not thread-safe: errno and signals are as the system calls leave them. */
#ifndef CW_FILE_STORE_VISIT_H
#define CW_FILE_STORE_VISIT_H

#include "file_store.h"

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
