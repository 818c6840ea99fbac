#include "log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../analyzer/record/log_read.h"
#include "../../analyzer/settings/options.h"

static uint64_t run_id;
static char start_cwd[PATH_MAX];

/* Relative names count from where the program was started, and descendants must agree on the run: both are
 * taken before main can change directory or start threads (setenv is not thread-safe). */
__attribute__((constructor)) static void remember_start(void)
{
    const char *mode = secure_getenv("CLWEAVE_MODE"), *run = secure_getenv("CLWEAVE_RUN"),
               *preload = getenv("LD_PRELOAD");
    struct timespec now;
    char text[32];

    if (!mode || !strcmp(mode, "off"))
        return;
    if (!getcwd(start_cwd, sizeof start_cwd))
        start_cwd[0] = '\0';
    run_id = run ? strtoull(run, NULL, 10) : 0;
    if (run_id)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    run_id = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    snprintf(text, sizeof text, "%llu", (unsigned long long)run_id);
    if (preload && strstr(preload, "clweave")) /* a layer is loaded late, and setenv is not thread-safe */
        setenv("CLWEAVE_RUN", text, 1);
}

uint64_t cw_log_run_id(void)
{
    return run_id;
}

/* Replaces %e, %p, %% in `out` and makes the path absolute. */
static enum cw_status expand(const char *out, char path[PATH_MAX], struct cw_error *err)
{
    char exe[PATH_MAX];
    char *base = strcpy(exe, "unknown");
    size_t n = 0, name;
    enum cw_status st;
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (len > 0) {
        exe[len] = '\0';
        base = strrchr(exe, '/') ? strrchr(exe, '/') + 1 : exe;
    }
    if (out[0] != '/' && start_cwd[0])
        n = (size_t)snprintf(path, PATH_MAX, "%s/", start_cwd);
    if (n + 40 >= PATH_MAX) /* room for "-PID-N" and ".data" */
        return cw_error_set(err, CW_ERR_LIMIT, "the working directory's path is too long; set CLWEAVE_OUT");
    st = cw_options_expand(out, base, (long)getpid(), path + n, PATH_MAX - 40 - n, err);
    name = st == CW_OK ? strlen(strrchr(path, '/') ? strrchr(path, '/') + 1 : path) + 25
                       : 0; /* "-PID-N", ".data" */
    if (name > NAME_MAX &&
        strlen(base) > name - NAME_MAX) { /* of a very long program's name the beginning will do */
        base[strlen(base) - (name - NAME_MAX)] = '\0';
        st = cw_options_expand(out, base, (long)getpid(), path + n, PATH_MAX - 40 - n, err);
    }
    return st;
}

/* names->json = `path`, the attempt-th variant of it; the others follow. stays: it is the log itself. */
static void name_variant(const char *path, bool stays, unsigned attempt, struct cw_log_names *names)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int stem = dot && dot > (slash ? slash + 1 : path) ? (int)(dot - path) : (int)strlen(path);
    char suffix[40] = "";

    if (attempt == 1)
        snprintf(suffix, sizeof suffix, "-%ld", (long)getpid());
    else if (attempt > 1)
        snprintf(suffix, sizeof suffix, "-%ld-%u", (long)getpid(), attempt);
    snprintf(names->json, PATH_MAX, "%.*s%s%s", stem, path, suffix, path + stem);
    /* expand() left room */
    snprintf(names->log, PATH_MAX, "%.*s%s", PATH_MAX - 8, names->json, stays ? "" : ".log");
    snprintf(names->data, PATH_MAX, "%.*s.data", PATH_MAX - 8, names->json);
}

/* True when the log at `path` belongs to another process: a live one, or of another process of this run. */
static bool log_in_use(const char *path)
{
    struct cw_log_header h;
    bool used = false;
    ssize_t n;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return errno != ENOENT &&
               errno != ELOOP; /* a link is no log of this library: it is replaced, not followed */
    n = pread(fd, &h, offsetof(struct cw_log_header, start_realtime_ns), 0);
    close(fd);
    if (n < (ssize_t)offsetof(struct cw_log_header, start_realtime_ns) || memcmp(h.magic, CW_LOG_MAGIC, 8))
        return false; /* something else, or a log that never got its header */
    used = h.run_id == run_id;
    if (!used && h.process_start_ticks)
        used = cw_log_process_start(h.pid) == h.process_start_ticks;
    return used;
}

/* True when a finished trace of this run lies at `path`. */
static bool json_in_use(const char *path)
{
    struct stat st;

    if (lstat(path, &st))
        return false;
    return (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec >= run_id;
}

/* Locks the folder of `path` against other processes that choose names in it. One that was stopped in there
 * must not stop everybody: after a second we go on without. Returns a descriptor, -1 where that cannot be
 * done. */
static int lock_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd, tries;

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && tries < 1000; tries++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return fd;
}

void cw_log_unlock(int lock)
{
    if (lock < 0)
        return;
    flock(lock, LOCK_UN); /* not by close alone: a child forked meanwhile has the descriptor too */
    close(lock);
}

enum cw_status cw_log_create(const char *out, struct cw_log_names *names, int *fd, int *lock,
                             struct cw_error *err)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    char path[PATH_MAX];
    enum cw_status st = expand(out, path, err);
    unsigned attempt;

    *fd = *lock = -1;
    if (st == CW_OK)
        *lock = lock_folder(path);
    for (attempt = 0; st == CW_OK && *fd < 0 && attempt < 1000; attempt++) {
        name_variant(path, cw_log_is_name(out), attempt, names);
        if (json_in_use(names->json))
            continue;
        *fd = open(names->log, flags, 0600);
        if (*fd < 0 && errno == EEXIST && (log_in_use(names->log) || unlink(names->log)))
            continue; /* another process's, or another user's in a folder of all */
        if (*fd < 0)
            *fd = open(names->log, flags, 0600);
        if (*fd < 0 && errno != EEXIST)
            return cw_error_set(err, CW_ERR_IO,
                                "cannot create %.380s: %s; set CLWEAVE_OUT to a writable place", names->log,
                                strerror(errno));
    }
    if (st == CW_OK && *fd < 0)
        return cw_error_set(err, CW_ERR_IO, "%.380s and its variants are in use; set CLWEAVE_OUT", path);
    return st;
}
