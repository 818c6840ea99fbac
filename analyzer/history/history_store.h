/* history_store.h - a history (history.h) on disk: SQLite, shared by processes and runs.
 *
 * Connections are short: the file is open only inside these two functions, so nothing is carried over a fork,
 * and other processes wait for a writer for some milliseconds at most. Loading reads all rows; saving merges
 * fresh samples into the stored ones, in one transaction, so that concurrent programs lose nothing of each
 * other. A rollback journal and no WAL: a WAL is a file mapped by all, which a full disk turns into a SIGBUS
 * in the host, and which needs one machine. No fsync: only a crash of the system can damage the file then,
 * and a damaged history is renamed and begun anew.
 *
 * SQLite is linked into libclweave.so statically, with all symbols hidden. Loaded as a library it would be
 * the host's own SQLite wherever the host has one: the library's first call would initialise it under the
 * host's feet (its sqlite3_config then fails), and its hooks would see the history file. The price is 0.1 ms
 * when a process starts.
 *
 * A file of an earlier version, which knew kernels by other keys, counts as empty and is replaced.
 *
 * The file is 0600, in a directory that belongs to the user and that no other user can write to; no link is
 * followed. All signals are blocked meanwhile (a file-size limit raises SIGXFSZ), errno is preserved. One
 * thread at a time gets in, a second one is told CW_ERR_IO. Do not call with a lock held: either may wait for
 * other processes, up to CW_HISTORY_WAIT_MS. */
#ifndef CW_HISTORY_STORE_H
#define CW_HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "../../sched/status.h"
#include "history.h"

#define CW_HISTORY_WAIT_MS 250
#define CW_HISTORY_ROWS    20000 /* kept; the longest unused go first */

/* Writes where the history of this user lies to path[0 .. size - 1]: $XDG_CACHE_HOME/clweave/history.db, else
 * $HOME/.cache/clweave/history.db; folders that are missing are made, 0700. Errors: those of
 * cw_cache_folder(). */
enum cw_status cw_history_path(char *path, size_t size, struct cw_error *err);

/* Adds the contents of `path` to `h`; a file that does not exist holds nothing. On an error `h` is as before.
 * Errors: CW_ERR_IO (busy, unreadable), CW_ERR_FORMAT (damaged), CW_ERR_VERSION (of a newer clweave),
 * CW_ERR_INVALID (the file or its folder is open to others, a link, not a regular file), CW_ERR_NOMEM. */
enum cw_status cw_history_load(struct cw_history *h, const char *path, struct cw_error *err);

/* Merges the fresh samples of `h` into `path`, which is made when it is not there. Nothing fresh: nothing is
 * touched. A damaged file is renamed to PATH.damaged and a new one begun: CW_OK, with the message in `err`
 * all the same. Errors: as above, and CW_ERR_IO for a full disk; the fresh samples are then not saved. In a
 * forked child this does nothing. */
enum cw_status cw_history_save(struct cw_history *h, const char *path, struct cw_error *err);

/* The checks before a database of the user's is opened by name. Used by history_store.c. */

#endif
