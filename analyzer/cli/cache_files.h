/* cache_files.h - the folder in which `run` keeps results for later runs, for commands that show or clear it.
 *
 * It may be a folder in which the user keeps other files (CLWEAVE_HISTORY=FOLDER/history.db): only files that
 * `run` has made are counted and removed, by folder and name. No link is followed. */
#ifndef CW_CACHE_FILES_H
#define CW_CACHE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <jansson.h>

#include "../../sched/status.h"
#include "../io/file_store.h"

struct cw_cache_files {
    char folder[PATH_MAX];
    char history[NAME_MAX + 1]; /* name of the file with the times of launches */
    bool own;                   /* the folder is by cw_cache_folder() */
};

/* Finds the folder as `run` does, and makes the user's own when it is missing. `history`: the setting;
 * NULL: that of the environment. Errors: CW_ERR_NOTFOUND: the setting is `off`, so nothing is kept; those of
 * cw_cache_folder(). */
enum cw_status cw_cache_files_find(struct cw_cache_files *c, const char *history, struct cw_error *err);

/* The path of the store or file `name`. False: it is too long. */
bool cw_cache_files_path(const struct cw_cache_files *c, const char *name, char path[PATH_MAX]);

/* Files and bytes of a store; of the history. clear: what has gone. */
struct cw_file_store_size cw_cache_files_store(const struct cw_cache_files *c, const char *name, bool clear);
struct cw_file_store_size cw_cache_files_history(const struct cw_cache_files *c, bool clear);

/* ---- requests to the builder (compile/requests.h) */

struct cw_cache_requests {
    unsigned waiting; /* those that have failed too often are not counted */
    bool at_work;     /* a builder holds the lock */
};

struct cw_cache_requests cw_cache_files_requests(const struct cw_cache_files *c);

struct cw_request;

/* Calls `each` for every request of `program` (NULL: of all). True: it is to go. Returns what has gone. */
struct cw_file_store_size cw_cache_files_requests_of(const struct cw_cache_files *c, const char *program,
                                                     bool (*each)(const struct cw_request *q, void *context),
                                                     void *context);

/* Removes requests and the builder's log, not its lock. */
struct cw_file_store_size cw_cache_files_requests_clear(const struct cw_cache_files *c);

/* The programs that `run` knows, for `clweave cache`. */

/* Prints a table with a line per program: the figures of the arguments that were used last. */
void cw_cache_programs_print(const struct cw_cache_files *c);

/* All kinds of arguments of `program` (NULL: of all programs). The caller's. */
json_t *cw_cache_programs_json(const struct cw_cache_files *c, const char *program);

/* Prints all kinds of arguments of `program`. False: it is not known, which this says. */
bool cw_cache_programs_show(const struct cw_cache_files *c, const char *program, bool json);

/* False: no record is of `program`, which this says, with the nearest name. */
bool cw_cache_programs_known(const struct cw_cache_files *c, const char *program);

#endif
