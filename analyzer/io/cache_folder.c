/* cache_folder.c - see folders.h. */
#include "folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NAME         "clweave"
#define MARK         "machine" /* the file that says to which machine and user a folder belongs */
#define OTHERS_WRITE 022

enum { OWNER_BYTES = 17 };

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

/* ---- the machine and the user that a folder belongs to */

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return h;
}

static size_t read_text(int at, const char *name, char *text, size_t size)
{
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : 0;

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* This machine and user, in 16 digits: the machine's id is not to be told. */
static void name_owner(char owner[OWNER_BYTES])
{
    uint64_t uid = geteuid(), h = UINT64_C(0xcbf29ce484222325);
    struct utsname machine;
    char id[64];

    if (!read_text(AT_FDCWD, "/etc/machine-id", id, sizeof id) && uname(&machine) == 0)
        snprintf(id, sizeof id, "%.63s", machine.nodename);
    h = hash(hash(h, id, strlen(id)), &uid, sizeof uid);
    snprintf(owner, OWNER_BYTES, "%016llx", (unsigned long long)h);
}

/* Nothing is in the folder but what bind_folder() makes. */
static bool is_empty(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    bool empty = d;
    struct dirent *e;

    if (fd >= 0 && !d)
        close(fd);
    while (empty && (e = readdir(d)))
        empty =
            !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strncmp(e->d_name, MARK, strlen(MARK));
    if (d)
        closedir(d);
    return empty;
}

/* Where the disk is full the folder stays without a mark, and is bound when it is asked for again. */
static void bind_folder(int folder, const char *owner)
{
    char name[64];
    int fd;
    bool good;

    snprintf(name, sizeof name, MARK ".%ld", (long)getpid());
    fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    good = write(fd, owner, strlen(owner)) == (ssize_t)strlen(owner);
    if (close(fd) != 0 || !good || renameat(folder, name, folder, MARK) != 0)
        unlinkat(folder, name, 0);
}

/* The folder was filled by this user on this machine, or is empty, and is so from now on. */
static bool is_ours(int folder, const char *owner)
{
    char text[OWNER_BYTES + 1];

    bool empty = is_empty(folder); /* first: another process binds the folder before it fills it */

    if (read_text(folder, MARK, text, sizeof text))
        return !strcmp(text, owner);
    if (empty)
        bind_folder(folder, owner);
    return empty;
}

/* Makes and opens the folder `path`; *ours: its contents may be used. */
static enum cw_status open_folder(const char *path, const char *owner, bool *ours, struct cw_error *err)
{
    int fd;

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
    *ours = is_ours(fd, owner);
    close(fd);
    return CW_OK;
}

enum cw_status cw_cache_folder(char *path, size_t size, struct cw_error *err)
{
    char caches[PATH_MAX], owner[OWNER_BYTES];
    enum cw_status status = find_caches(caches, err);
    bool ours = false;

    if (status != CW_OK)
        return status;
    name_owner(owner);
    if ((size_t)snprintf(path, size, "%s/" NAME "-%s", caches, owner) >= size)
        return cw_error_set(err, CW_ERR_LIMIT, "the path of the home folder is too long");
    snprintf(path, size, "%s/" NAME, caches);
    status = open_folder(path, owner, &ours, err);
    if (status != CW_OK || ours)
        return status;
    snprintf(path, size, "%s/" NAME "-%s", caches, owner);
    status = open_folder(path, owner, &ours, err);
    if (status == CW_OK && !ours)
        status = cw_error_set(err, CW_ERR_INVALID,
                              "%.400s was filled on another machine or by another user: remove it", path);
    return status;
}
