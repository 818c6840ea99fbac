/* compiler_resources.c - see builds/isolated_compiler.h. */
#include "isolated_compiler.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../../analyzer/io/identity.h"
#include "../door/thread.h"

#define LOOKED_AT   128 /* of the highest descriptors that the process may have: the lowest are taken first */
#define DESCRIPTORS 40  /* a compiler's, its linker's and a few threads' of the program */
#define FILE_BYTES  (UINT64_C(64) << 20)
#define DISK_BYTES  (UINT64_C(16) << 20)
#define DISK_FILES  256

static bool space_for_descriptors(void)
{
    struct pollfd fd[LOOKED_AT];
    struct rlimit limit;
    nfds_t n = 0;
    int free_ones = 0;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    for (rlim_t k = limit.rlim_cur; n < LOOKED_AT && k > 0; n++)
        fd[n] = (struct pollfd){.fd = (int)(--k < INT32_MAX ? k : INT32_MAX)};
    if (poll(fd, n, 0) < 0)
        return errno == EINVAL ? false : true; /* EINVAL: fewer than `n` may be open at all */
    for (nfds_t i = 0; i < n; i++)
        free_ones += !!(fd[i].revents & POLLNVAL);
    return free_ones >= DESCRIPTORS;
}

static bool space_for_files(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= FILE_BYTES;
}

/* The folder of PoCL's cache, which may not exist yet: pocl_cache_init_topdir() of 3.1. */
static bool cache_folder(char path[PATH_MAX])
{
    static const struct {
        const char *variable, *below;
    } places[] = {
        {"POCL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/pocl/kcache"}, {"HOME", "/.cache/pocl/kcache"}};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i].variable);

        if (value && *value)
            return snprintf(path, PATH_MAX, "%s%s", value, places[i].below) < PATH_MAX;
    }
    return false;
}

/* Where a compiler writes: LLVM ends the process when it cannot write to the end. Not known is room. */
static bool space_on_disk(void)
{
    struct statvfs disk;
    char path[PATH_MAX], *end;

    if (!cache_folder(path))
        return true;
    while (statvfs(path, &disk) != 0) {
        if (errno != ENOENT || !(end = strrchr(path, '/')) || (end == path && !path[1]))
            return true;
        end[end == path] = '\0';
    }
    return disk.f_bavail * (uint64_t)disk.f_frsize >= DISK_BYTES &&
           (!disk.f_files || disk.f_favail >= DISK_FILES);
}

/* ---- PoCL's linker: a child that it starts and waits for */

static struct {
    int seccomp; /* in the beginning; a container's filter lets linkers run, one that the program has set
                    since may not */
    struct rlimit processes;
} began;

/* When the library is loaded, in every mode: a program may set limits before it uses OpenCL. */
__attribute__((constructor)) static void look(void)
{
    began.seccomp = prctl(PR_GET_SECCOMP);
    if (getrlimit(RLIMIT_NPROC, &began.processes) != 0)
        began.processes.rlim_cur = RLIM_INFINITY;
}

static bool may_start_children(void)
{
    struct rlimit limit;

    if (prctl(PR_GET_SECCOMP) != began.seccomp)
        return false;
    return getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur >= began.processes.rlim_cur;
}

/* The program's handler may wait for any child that has ended, and then PoCL finds no status. */
static bool may_await_children(void)
{
    struct sigaction now;

    return sigaction(SIGCHLD, NULL, &now) == 0 && now.sa_handler == SIG_DFL && !(now.sa_flags & SA_NOCLDWAIT);
}

/* The linker that clang starts, along PATH. Where it was found last it is looked for first, as long as PATH
 * is the same. */
static bool has_linker(void)
{
    static _Thread_local struct {
        struct cw_key path; /* no more than that: small stacks hold it */
        char at[256];
    } last;
    const char *path = getenv("PATH");
    struct cw_key now = cw_identity_key_of_bytes(path, path ? strlen(path) : 0);
    char at[PATH_MAX] = "";

    if (*last.at && cw_key_same(last.path, now) && access(last.at, X_OK) == 0)
        return true;
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        if (!n || n + sizeof "/ld" > sizeof at)
            continue;
        snprintf(at, sizeof at, "%.*s/ld", (int)n, path);
        if (access(at, X_OK) != 0)
            continue;
        last.path = now;
        *last.at = '\0';
        if (strlen(at) < sizeof last.at)
            strcpy(last.at, at);
        return true;
    }
    return false;
}

bool cw_compiler_resources_isolated(void)
{
    int saved = errno;
    bool enough =
        prctl(PR_GET_SECCOMP) == began.seccomp && space_for_files() && space_on_disk() && !cw_limited();

    errno = saved;
    return enough;
}

bool cw_compiler_resources_suffice(void)
{
    int saved = errno;
    bool enough = has_linker() && may_await_children() && may_start_children() && space_for_descriptors() &&
                  space_for_files() && space_on_disk() && !cw_limited();

    errno = saved;
    return enough;
}
