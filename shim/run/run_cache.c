#include "run_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC     UINT64_C(0x31766b6c63776c63) /* "clwclkv1" */
#define LARGEST   (64u << 20)
#define OTHERS    077
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

struct header {
    uint64_t magic, key, bytes, sum;
};

extern char **environ;

static char folder[PATH_MAX - 64];
static uint64_t environment; /* a hash of what PoCL listens to */

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;

    for (size_t k = 0; k < bytes; k++)
        h = (h ^ p[k]) * FNV_PRIME;
    return h;
}

/* What tells PoCL how to compile; where it keeps things and which devices there are does not matter. */
static bool matters(const char *variable)
{
    return !strncmp(variable, "POCL_", 5) && strncmp(variable, "POCL_CACHE_DIR=", 15) &&
           strncmp(variable, "POCL_DEVICES=", 13);
}

void cw_run_cache_start(const char *name)
{
    snprintf(folder, sizeof folder, "%s", strlen(name) < sizeof folder ? name : "");
    environment = 0;
    for (char **e = environ; e && *e; e++)
        if (matters(*e))
            environment += hash(FNV_START, *e, strlen(*e)); /* in any order */
}

uint64_t cw_run_cache_key(const char *device, uint64_t program)
{
    uint64_t h = hash(hash(FNV_START, &program, sizeof program), device, strlen(device) + 1);

    return hash(h, &environment, sizeof environment);
}

/* ---- files */

static void block_signals(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

/* A write beyond a file-size limit has left its signal behind. */
static void unblock_signals(const sigset_t *before)
{
    sigset_t limit;

    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (!sigismember(before, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int open_folder(void)
{
    int fd = *folder ? open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & OTHERS))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool all_read(int fd, void *to, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = read(fd, (char *)to + at, bytes - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool all_written(int fd, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t n = write(fd, (const char *)from + at, bytes - at);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void *read_file(int fd, uint64_t key, size_t *bytes)
{
    struct header h;
    struct stat st;
    void *data;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & OTHERS) ||
        !all_read(fd, &h, sizeof h) || h.magic != MAGIC || h.key != key || h.bytes == 0 ||
        h.bytes > LARGEST || (uint64_t)st.st_size != sizeof h + h.bytes)
        return NULL;
    data = malloc(h.bytes);
    if (data && all_read(fd, data, h.bytes) && hash(FNV_START, data, h.bytes) == h.sum) {
        *bytes = h.bytes;
        return data;
    }
    free(data);
    return NULL;
}

void *cw_run_cache_read(uint64_t key, size_t *bytes)
{
    int saved = errno, at = open_folder(), fd;
    char name[32];
    void *data;

    snprintf(name, sizeof name, "%016llx", (unsigned long long)key);
    fd = at >= 0 ? openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    data = fd >= 0 ? read_file(fd, key, bytes) : NULL;
    if (fd >= 0)
        close(fd);
    if (at >= 0)
        close(at);
    errno = saved;
    return data;
}

void cw_run_cache_write(uint64_t key, const void *data, size_t bytes)
{
    struct header h = {MAGIC, key, bytes, hash(FNV_START, data, bytes)};
    char name[32], temporary[64];
    int saved = errno, at, fd;
    sigset_t before;

    if (!*folder || bytes == 0 || bytes > LARGEST)
        return;
    mkdir(folder, 0700);
    at = open_folder();
    snprintf(name, sizeof name, "%016llx", (unsigned long long)key);
    snprintf(temporary, sizeof temporary, "%s.%ld", name, (long)getpid());
    fd = at >= 0 ? openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        bool good;
        block_signals(&before);
        good = all_written(fd, &h, sizeof h) && all_written(fd, data, bytes);
        unblock_signals(&before);
        if (close(fd) != 0 || !good || renameat(at, temporary, at, name) != 0)
            unlinkat(at, temporary, 0);
    }
    if (at >= 0)
        close(at);
    errno = saved;
}
