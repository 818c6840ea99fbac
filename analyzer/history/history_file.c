#include "history_store.h"
#include "../io/folders.h"

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

enum cw_status cw_history_path(char *path, size_t size, struct cw_error *err)
{
    static const char name[] = "/history.db";
    char folder[PATH_MAX];
    enum cw_status status = cw_cache_folder(folder, sizeof folder, err);

    if (status != CW_OK)
        return status;
    if ((size_t)snprintf(path, size, "%s%s", folder, name) >= size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the home folder is too long");
    return CW_OK;
}

/* A descriptor of the folder, after its checks; -1 on error. */
static int open_folder(const char *folder, struct cw_error *err)
{
    int fd = cw_cache_folder_open(AT_FDCWD, folder, OTHERS_WRITE);

    if (fd < 0 && errno == EPERM)
        cw_error_set(err, CW_ERR_INVALID, "%s must belong to you, and only you may be able to write to it",
                     folder);
    else if (fd < 0)
        cw_error_set(err, errno == ENOENT ? CW_ERR_NOTFOUND : CW_ERR_IO, "cannot open %s: %s", folder,
                     strerror(errno));
    return fd;
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
