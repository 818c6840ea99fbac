/* cache_files.c - see cache_files.h. */
#include "cache_files.h"

#include "../compile/requests.h"
#include "../io/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS_WRITE 022
#define LOCK         "lock"
#define LOG          "log"
#define OLD_LOG      "log.old"

enum cw_status cw_cache_files_find(struct cw_cache_files *c, const char *history, struct cw_error *err)
{
    const char *given = history ? history : getenv("CLWEAVE_HISTORY"), *slash, *name;
    char above[PATH_MAX];

    *c = (struct cw_cache_files){.history = "history.db", .own = !given || !*given};
    if (c->own)
        return cw_cache_folder(c->folder, sizeof c->folder, err);
    if (strcmp(given, "off") == 0)
        return cw_error_set(err, CW_ERR_NOTFOUND, "CLWEAVE_HISTORY is off: run keeps nothing");
    slash = strrchr(given, '/');
    name = slash ? slash + 1 : given;
    if ((size_t)(name - given) >= sizeof above || strlen(name) >= sizeof c->history || !*name)
        return cw_error_set(err, CW_ERR_INVALID, "CLWEAVE_HISTORY: %.400s is no file", given);
    snprintf(above, sizeof above, "%.*s", slash ? (int)(name - given) : 1, slash ? given : ".");
    if (!realpath(above, c->folder))
        return cw_error_set(err, CW_ERR_IO, "CLWEAVE_HISTORY: cannot open %.400s: %s", above,
                            strerror(errno));
    strcpy(c->history, name);
    return CW_OK;
}

bool cw_cache_files_path(const struct cw_cache_files *c, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", c->folder, name) < PATH_MAX;
}

struct cw_file_store_size cw_cache_files_store(const struct cw_cache_files *c, const char *name, bool clear)
{
    struct cw_file_store store;
    char path[PATH_MAX];

    if (!cw_cache_files_path(c, name, path))
        return (struct cw_file_store_size){0};
    cw_file_store_init(&store, path);
    return cw_file_store_visit_size(&store, clear);
}

/* Adds the file `name` of folder `at` to *all, if it is a regular file of the user's, and with `clear` if it
 * has gone. */
static void add(int at, const char *name, bool clear, struct cw_file_store_size *all)
{
    struct stat st;

    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (clear && unlinkat(at, name, 0) != 0))
        return;
    all->files++;
    all->bytes += (uint64_t)st.st_size;
}

struct cw_file_store_size cw_cache_files_history(const struct cw_cache_files *c, bool clear)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"}; /* of SQLite */
    struct cw_file_store_size all = {0};
    char name[sizeof c->history + 16];
    int at = cw_cache_folder_open(AT_FDCWD, c->folder, OTHERS_WRITE);

    for (size_t i = 0; at >= 0 && i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", c->history, ends[i]);
        add(at, name, clear, &all);
    }
    if (at >= 0)
        close(at);
    return all;
}

/* ---- requests */

/* Holds the lock for an instant where no builder does: one that starts in it finds its requests again at the
 * next run. */
static bool is_locked(int at)
{
    int fd = openat(at, LOCK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return locked;
}

struct cw_cache_requests cw_cache_files_requests(const struct cw_cache_files *c)
{
    static struct cw_requests r; /* large */
    struct cw_cache_requests found = {0};
    int at;

    cw_requests_init(&r, c->folder);
    r.of_all = true;
    at = cw_file_store_open(&r.store, false);
    if (at < 0)
        return found;
    found.at_work = is_locked(at);
    found.waiting = (unsigned)cw_requests_count(&r);
    close(at);
    return found;
}

struct cw_file_store_size cw_cache_files_requests_of(const struct cw_cache_files *c, const char *program,
                                                     bool (*each)(const struct cw_request *q, void *context),
                                                     void *context)
{
    static struct cw_requests r; /* large */
    struct cw_file_store_size gone = {0};
    char(*names)[CW_FILE_STORE_NAME_BYTES];
    size_t n = 0;
    int at;

    cw_requests_init(&r, c->folder);
    names = cw_file_store_list(&r.store, &n);
    at = cw_file_store_open(&r.store, false);
    for (size_t i = 0; at >= 0 && i < n; i++) {
        struct cw_request q;

        if (!cw_requests_read(&r, names[i], &q))
            continue;
        if ((!program || (q.program && strcmp(q.program, program) == 0)) && each(&q, context))
            add(at, names[i], true, &gone);
        cw_requests_finish(&q);
    }
    if (at >= 0)
        close(at);
    free(names);
    return gone;
}

struct cw_file_store_size cw_cache_files_requests_clear(const struct cw_cache_files *c)
{
    static struct cw_requests r; /* large */
    struct cw_file_store_size all;
    int at;

    cw_requests_init(&r, c->folder);
    all = cw_file_store_visit_size(&r.store, true);
    at = cw_file_store_open(&r.store, false);
    if (at < 0)
        return all;
    add(at, LOG, true, &all);
    add(at, OLD_LOG, true, &all);
    close(at);
    return all;
}
