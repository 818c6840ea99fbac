/* folders.h - where files lie: caches, helper programs, files that end with the process. */
#ifndef CW_FOLDERS_H
#define CW_FOLDERS_H

#include <stddef.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../../sched/status.h"

/* The folder in which runs of one user leave results for later ones. */

/* Writes the real path of $XDG_CACHE_HOME/clweave, else $HOME/.cache/clweave, to path[0 .. size - 1], and
 * makes it, 0700, and the folder above it when they are missing. The user's own folders may be links;
 * `clweave` must be a folder of the user's that only the user can write to: a link there could lead
 * anywhere, and old files are removed in it. Its file `machine` names the machine and the user that have
 * filled it: where these are others (it was brought from elsewhere, or a network's home folder serves
 * several machines), or are not known, the folder is clweave-OWNER beside it. A set-uid process has none.
 * Errors: CW_ERR_NOTFOUND (neither variable names a folder), CW_ERR_INVALID (it is a link, or another
 * user's, or was filled elsewhere), CW_ERR_LIMIT (longer than size), CW_ERR_IO. Thread-safe. */
enum cw_status cw_cache_folder(char *path, size_t size, struct cw_error *err);

/* Opens the folder `name` in the folder `at` (AT_FDCWD: `name` is a path), following no link in its last
 * component. Returns a descriptor, or -1: it is not there, is a link or no folder, belongs to another user,
 * or has one of the permission bits `closed`; errno is then ENOENT and so on, EPERM in the last two cases.
 * Thread-safe. */
int cw_cache_folder_open(int at, const char *name, unsigned closed);

/* Folders in which known programs keep the binaries of their kernels: those that were built without clweave
 * show nothing of their source (shim/programs/known_binaries.h). */

struct cw_program_cache {
    const char *program;       /* its file's name begins so */
    const char *home, *folder; /* below HOME, unless an XDG variable says so; a pattern below that */
};
extern const struct cw_program_cache cw_program_caches[]; /* ended by a row whose program is NULL */

/* The folder, where it is there (of several the first); path[] holds anything else where not. Thread-safe. */
bool cw_program_cache_find(const struct cw_program_cache *c, char path[PATH_MAX]);
/* The same of a program by its file's name. */
bool cw_program_cache_of(const char *program, char path[PATH_MAX]);

/* A program of clweave that stands beside this library or tool, and the environment that it
 * is run with (quiet_child.h). */

struct cw_helper_tool {
    char path[PATH_MAX];
    const char *environment[]; /* NULL-ended */
};

/* Writes the path of program `name` of the installation that `file` (a library or program of clweave) belongs
 * to: beside it, or in libexec/clweave or bin above it. False: it is not there. */
bool cw_helper_tool_beside(const char *file, const char *name, char path[PATH_MAX]);

/* Finds `name` in the installation that this code was loaded from and copies the environment, which no
 * thread may change meanwhile, but for the variables that load this library into programs and that configure
 * it. NULL: it is not there, or memory is out. Never freed. */
struct cw_helper_tool *cw_helper_tool_find(const char *name);

/* The folder of files that end with the process: $TMPDIR, /tmp where that is not set. */

/* The text is the environment's: it holds until the next setenv. Never NULL, never empty. */
static inline const char *cw_temporary_folder(void)
{
    const char *set = getenv("TMPDIR");

    return set && *set ? set : "/tmp";
}

#endif
