#include "history_file.h"
#include "history_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS_WRITE 022
#define OTHERS       077

/* Makes `path`, 0700, unless it is there. */
static enum cw_status make_folder(const char *path, struct cw_error *err)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return CW_OK;
    return cw_error_set(err, CW_ERR_IO, "cannot make %s: %s", path, strerror(errno));
}

enum cw_status cw_history_path(char *path, size_t size, struct cw_error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool xdg = cache && *cache == '/';
    enum cw_status status;
    int length;

    if (!xdg && !(home && *home == '/'))
        return cw_error_set(err, CW_ERR_NOTFOUND, "neither XDG_CACHE_HOME nor HOME names a folder");
    length = snprintf(path, size, "%s%s", xdg ? cache : home, xdg ? "" : "/.cache");
    if (length < 0 || (size_t)length + sizeof "/clweave/history.db" > size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the home folder is too long");
    status = make_folder(path, err);
    if (status != CW_OK)
        return status;
    strcat(path, "/clweave");
    status = make_folder(path, err);
    strcat(path, "/history.db");
    return status;
}

/* A descriptor of the folder, after its checks; -1 on error. */
static int open_folder(const char *folder, struct cw_error *err)
{
    struct stat st;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 && fstat(fd, &st) == 0) {
        if (st.st_uid == geteuid() && !(st.st_mode & OTHERS_WRITE))
            return fd;
        cw_error_set(err, CW_ERR_INVALID, "%s must belong to you, and only you may be able to write to it",
                     folder);
    } else {
        cw_error_set(err, errno == ENOENT ? CW_ERR_NOTFOUND : CW_ERR_IO, "cannot open %s: %s", folder,
                     strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static enum cw_status check_file(int fd, const char *path, struct cw_error *err)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cw_error_set(err, CW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1 || (st.st_mode & OTHERS_WRITE))
        return cw_error_set(err, CW_ERR_INVALID,
                            "%s must be a regular file of yours with one name that only you can write to",
                            path);
    if ((st.st_mode & OTHERS) && fchmod(fd, 0600) != 0)
        return cw_error_set(err, CW_ERR_IO, "cannot make %s private: %s", path, strerror(errno));
    return CW_OK;
}

enum cw_status cw_history_file(const char *path, bool create, char *real, size_t size, struct cw_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX], resolved[PATH_MAX];
    enum cw_status status = CW_OK;
    int at, fd;

    if ((size_t)(name - path) >= sizeof folder)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the history is too long");
    snprintf(folder, sizeof folder, "%.*s", name == path ? 1 : (int)(name - path), name == path ? "." : path);
    if (!realpath(folder, resolved))
        return cw_error_set(err, errno == ENOENT && !create ? CW_ERR_NOTFOUND : CW_ERR_IO,
                            "cannot open %s: %s", folder, strerror(errno));
    if ((size_t)snprintf(real, size, "%s/%s", resolved, name) >= size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the history is too long");
    at = open_folder(resolved, err);
    if (at < 0)
        return err ? err->status : CW_ERR_IO;
    fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (create ? O_CREAT : 0),
                0600);
    if (fd >= 0)
        status = check_file(fd, real, err);
    else if (errno == ELOOP || errno == EISDIR)
        status = cw_error_set(err, CW_ERR_INVALID, "%s must be a regular file, not a link or a folder", real);
    else if (errno == ENOENT)
        status = CW_ERR_NOTFOUND;
    else
        status = cw_error_set(err, CW_ERR_IO, "cannot open %s: %s", real, strerror(errno));
    if (fd >= 0)
        close(fd);
    close(at);
    return status;
}
