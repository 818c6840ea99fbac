/* gpu_lease.c - see device/gpu_lease.h. */
#include "gpu_lease.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GPUS = 32, FD_LEAST = 200, LOOK_NS = 100000000 };

static struct lease {
    char name[CW_GPU_LEASE_NAME];
    int used, helps;   /* descriptors of its files; -1: none */
    bool own, helping; /* this process has their locks */
    bool lost;
    uint64_t look_ns; /* then it is looked again */
} leases[GPUS];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Above those that a program expects to get. */
static int out_of_the_way(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FD_LEAST);

    if (high >= 0)
        close(fd);
    return high >= 0 ? high : fd;
}

/* -1: there can be no such file, or another user owns it. */
static int open_file(const char *name, const char *what)
{
    const char *folder = secure_getenv("XDG_RUNTIME_DIR");
    struct stat st;
    char path[512];
    int fd;

    if (!folder || *folder != '/')
        folder = "/tmp";
    if ((size_t)snprintf(path, sizeof path, "%s/clweave-%u-gpu-%s-%s", folder, (unsigned)geteuid(), name,
                         what) >= sizeof path)
        return -1;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return out_of_the_way(fd);
}

/* `lock` held. NULL: there are too many. */
static struct lease *lease_of(const char *name)
{
    struct lease *l;
    unsigned i = 0;

    while (i < count && strcmp(leases[i].name, name) != 0)
        i++;
    if (i < count || count == GPUS || strlen(name) >= sizeof l->name)
        return i < count ? &leases[i] : NULL;
    l = &leases[count++];
    *l = (struct lease){.used = open_file(name, "used"), .helps = open_file(name, "helps")};
    memcpy(l->name, name, strlen(name) + 1);
    return l;
}

/* The lock of a whole file, owned by the descriptor's file description: F_RDLCK (shared), F_WRLCK, F_UNLCK.
 * Never waits. False: another process has a lock that excludes it. On a file system without locks each
 * process gets all of them. */
static bool set_lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};

    return fcntl(fd, F_OFD_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES);
}

/* Only another process's program counts. Asks without a lock: a look, also one of a stopped process, is in
 * no program's way. */
static bool is_used_elsewhere(const struct lease *l)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return l->used >= 0 && !l->own && fcntl(l->used, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
}

void cw_gpu_lease_use(const char *name)
{
    int saved = errno;
    struct lease *l;

    pthread_mutex_lock(&lock);
    l = lease_of(name);
    if (l && !l->own && l->used >= 0)
        l->own = set_lock(l->used, F_RDLCK);
    pthread_mutex_unlock(&lock);
    errno = saved;
}

bool cw_gpu_lease_help(const char *name)
{
    int saved = errno;
    struct lease *l;
    bool may = true;

    pthread_mutex_lock(&lock);
    l = lease_of(name);
    if (l && l->helps >= 0 && !l->helping) {
        may = set_lock(l->helps, F_WRLCK);
        l->helping = may;
    }
    if (l && may && is_used_elsewhere(l)) {
        if (l->helping)
            set_lock(l->helps, F_UNLCK);
        may = l->helping = false;
    }
    if (l && may)
        l->lost = false;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return may;
}

bool cw_gpu_lease_is_lost(const char *name)
{
    int saved = errno;
    struct lease *l;
    bool lost;

    pthread_mutex_lock(&lock);
    l = lease_of(name);
    if (l && !l->lost && now_ns() >= l->look_ns) {
        l->lost = is_used_elsewhere(l);
        l->look_ns = now_ns() + LOOK_NS;
    }
    lost = l && l->lost;
    pthread_mutex_unlock(&lock);
    errno = saved;
    return lost;
}

void cw_gpu_lease_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    for (unsigned i = 0; i < count; i++) {
        close(leases[i].used);
        close(leases[i].helps);
    }
    count = 0;
}
