/* program_files.c - see program_exchange.h. */
#include "program_exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../door/log.h"

enum { INJECTED_BYTES_MAX = 64 << 20 };

static char dump_folder[PATH_MAX], inject_folder[PATH_MAX];
static atomic_bool dump_failed;

uint64_t cw_program_files_hash(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u;

    for (; n; n--)
        hash = (hash ^ *p++) * 0x100000001b3u;
    return hash;
}

/* The program may change its folder later. */
static void remember(const char *folder, char path[PATH_MAX])
{
    if (folder && *folder && !realpath(folder, path)) {
        cw_log_error("%s: %s", folder, strerror(errno));
        path[0] = '\0';
    }
}

bool cw_program_files_start(const char *dump, const char *inject)
{
    int saved = errno;

    if (dump && *dump)
        mkdir(dump, 0700); /* a failure shows in remember() */
    remember(dump, dump_folder);
    remember(inject, inject_folder);
    errno = saved;
    return *dump_folder || *inject_folder;
}

bool cw_program_files_dumps(void)
{
    return *dump_folder && !atomic_load(&dump_failed);
}

static bool name_file(char path[PATH_MAX], const char *folder, uint64_t hash, uint64_t build,
                      const char *ending)
{
    char of_build[20] = "";

    if (build)
        snprintf(of_build, sizeof of_build, "-%016" PRIx64, build);
    return (size_t)snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%s.%s", folder, hash, of_build, ending) <
           PATH_MAX;
}

/* ---- dumping */

/* A file-size limit is an error here, and no signal in the program. */
static bool write_all(int fd, const char *bytes, size_t n)
{
    sigset_t block, old;
    ssize_t done = 0;

    sigemptyset(&block);
    sigaddset(&block, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &block, &old);
    for (size_t at = 0; at < n; at += (size_t)done) {
        done = write(fd, bytes + at, n - at);
        if (done < 0 && errno == EINTR)
            done = 0;
        else if (done <= 0)
            break;
    }
    if (done < 0) {
        int saved = errno;
        while (sigtimedwait(&block, NULL, &(struct timespec){0}) > 0)
            ;
        errno = saved;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return done >= 0;
}

static bool write_file(const char *path, const void *bytes, size_t n)
{
    char temporary[PATH_MAX];
    bool good;
    int fd;

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return false;
    good = write_all(fd, bytes, n);
    good = close(fd) == 0 && good && rename(temporary, path) == 0;
    if (!good) {
        int saved = errno;
        unlink(temporary);
        errno = saved;
    }
    return good;
}

void cw_program_files_dump(uint64_t hash, uint64_t build, const char *ending, const void *bytes, size_t n,
                           bool again)
{
    char path[PATH_MAX];
    int saved = errno;

    if (cw_program_files_dumps() && name_file(path, dump_folder, hash, build, ending) &&
        (again || access(path, F_OK) != 0) && !write_file(path, bytes, n)) {
        atomic_store(&dump_failed, true);
        cw_log_warning("cannot write %s: %s; no more programs are dumped", path, strerror(errno));
    }
    errno = saved;
}

/* ---- injecting */

static char *read_all(int fd, size_t size, size_t *n)
{
    char *bytes = malloc(size + 1);
    ssize_t got = 1;

    *n = 0;
    while (bytes && *n < size && got) {
        got = pread(fd, bytes + *n, size - *n, (off_t)*n);
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return NULL;
        }
        *n += got > 0 ? (size_t)got : 0;
    }
    if (bytes)
        bytes[*n] = '\0';
    return bytes;
}

char *cw_program_files_injected(uint64_t hash, uint64_t build, const char *ending, size_t *n)
{
    char path[PATH_MAX], *bytes = NULL;
    int fd, saved = errno;
    struct stat st;

    if (!*inject_folder || !name_file(path, inject_folder, hash, build, ending))
        return NULL;
    fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= INJECTED_BYTES_MAX)
        bytes = read_all(fd, (size_t)st.st_size, n);
    else if (fd >= 0)
        errno = EFBIG;
    if (bytes) {
        cw_log_warning("the program runs with text of %s in place of its own (--log info names each file)",
                       inject_folder);
        cw_log_info("injected %s", path);
    } else if (errno != ENOENT)
        cw_log_warning("cannot inject %s: %s; the program's own is used", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    errno = saved;
    return bytes;
}
