/* output.c - see output.h. */
#include "output.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20 };

static _Atomic mode_t closed; /* bits that no output has */

void cw_output_private_as(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    atomic_fetch_or(&closed, (st.st_mode & S_IRGRP ? 0 : S_IRWXG) | (st.st_mode & S_IROTH ? 0 : S_IRWXO));
}

/* Opens a file that did not exist, "clweave-<pid>-<n>.tmp" in the folder of `path`, whose name may have no
 * room for more; never follows a link. */
static int open_temporary(struct cw_output *o, const char *path, mode_t mode)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    size_t size = (size_t)folder + 64;
    int fd = -1;

    o->temporary = malloc(size);
    if (!o->temporary)
        return -1;
    for (int n = 0; n < 100; n++) {
        snprintf(o->temporary, size, "%.*sclweave-%ld-%d.tmp", folder, path, (long)getpid(), n);
        fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  mode & ~atomic_load(&closed));
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd < 0) {
        int saved = errno;
        free(o->temporary);
        o->temporary = NULL;
        errno = saved;
    }
    return fd;
}

/* A pipe that no process reads is an error (ENXIO), not a wait: the program whose trace this is may be about
 * to end. */
static int open_device(const char *path)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static int open_target(struct cw_output *o, const char *path, mode_t mode)
{
    struct stat st;

    if (strcmp(path, "-") == 0)
        return isatty(STDOUT_FILENO) ? STDOUT_FILENO : dup(STDOUT_FILENO);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return open_device(path);
    return open_temporary(o, path, mode);
}

/* Text for a terminal holds no control characters; a file or a pipe gets every byte. */
static FILE *open_stream(int fd)
{
    FILE *f = fd == STDOUT_FILENO ? cw_printable_stream(fd) : fdopen(fd, "w");

    if (f && fd != STDOUT_FILENO)
        setvbuf(f, NULL, _IOFBF, BUFFER_BYTES);
    return f;
}

enum cw_status cw_output_open(struct cw_output *o, const char *path, mode_t mode, struct cw_error *err)
{
    int fd;

    memset(o, 0, sizeof *o);
    errno = 0;
    fd = open_target(o, path, mode);
    if (fd < 0)
        return cw_error_set(err, CW_ERR_IO, "cannot write %s: %s; choose another place with -o", path,
                            errno == ENXIO ? "no process reads this pipe" : strerror(errno));
    o->path = strdup(path);
    o->f = o->path ? open_stream(fd) : NULL;
    if (!o->f) {
        if (fd != STDOUT_FILENO)
            close(fd);
        cw_output_discard(o);
        return cw_error_set(err, CW_ERR_NOMEM, "cannot write %s: out of memory", path);
    }
    return CW_OK;
}

static void release(struct cw_output *o)
{
    free(o->path);
    free(o->temporary);
    memset(o, 0, sizeof *o);
}

enum cw_status cw_output_commit(struct cw_output *o, struct cw_error *err)
{
    enum cw_status status = CW_OK;
    bool failed;

    errno = 0;
    failed = fflush(o->f) != 0 || ferror(o->f);
    int saved = errno;
    if (fclose(o->f) != 0 && !failed) {
        failed = true;
        saved = errno;
    }
    o->f = NULL;
    if (!failed && o->temporary && rename(o->temporary, o->path) != 0) {
        failed = true;
        saved = errno;
    }
    if (failed) {
        if (o->temporary)
            unlink(o->temporary);
        status = cw_error_set(
            err, CW_ERR_IO, "cannot write %s: %s; nothing was kept, make room or choose another place",
            o->path, saved ? strerror(saved) : "an earlier write failed (is the disk full?)");
    }
    release(o);
    return status;
}

void cw_output_discard(struct cw_output *o)
{
    if (o->f)
        fclose(o->f);
    if (o->temporary)
        unlink(o->temporary);
    release(o);
}

enum cw_status cw_output_close(struct cw_output *o, enum cw_status status, struct cw_error *err)
{
    if (status == CW_OK)
        return cw_output_commit(o, err);
    cw_output_discard(o);
    return status;
}
