/* cache_folder.c - see cache_folder.h. */
#include "cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME         "clweave"
#define OTHERS_WRITE 022

int cw_cache_folder_open(int at, const char *name, unsigned closed)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & closed))) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    return fd;
}

/* Where the user's caches are, as a real path. */
static enum cw_status find_caches(char real[PATH_MAX], struct cw_error *err)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    bool xdg = cache && *cache == '/';
    char path[PATH_MAX];

    if (!xdg && !(home && *home == '/'))
        return cw_error_set(err, CW_ERR_NOTFOUND, "neither XDG_CACHE_HOME nor HOME names a folder");
    if (snprintf(path, sizeof path, "%s%s", xdg ? cache : home, xdg ? "" : "/.cache") >= (int)sizeof path)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the home folder is too long");
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return cw_error_set(err, CW_ERR_IO, "cannot make %.400s: %s", path, strerror(errno));
    if (!realpath(path, real))
        return cw_error_set(err, CW_ERR_IO, "cannot open %.400s: %s", path, strerror(errno));
    return CW_OK;
}

enum cw_status cw_cache_folder(char *path, size_t size, struct cw_error *err)
{
    char caches[PATH_MAX];
    enum cw_status status = find_caches(caches, err);
    int fd;

    if (status != CW_OK)
        return status;
    if ((size_t)snprintf(path, size, "%s/" NAME, caches) >= size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the home folder is too long");
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return cw_error_set(err, CW_ERR_IO, "cannot make %.400s: %s", path, strerror(errno));
    fd = cw_cache_folder_open(AT_FDCWD, path, OTHERS_WRITE);
    if (fd < 0 && (errno == EPERM || errno == ENOTDIR || errno == ELOOP))
        return cw_error_set(err, CW_ERR_INVALID,
                            "%.400s must be a folder of yours, not a link, that only you can write to; "
                            "XDG_CACHE_HOME may name another place",
                            path);
    if (fd < 0)
        return cw_error_set(err, CW_ERR_IO, "cannot open %.400s: %s", path, strerror(errno));
    close(fd);
    return CW_OK;
}
