/* run_room.c - see run_room.h. */
#include "run_room.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define LOOKED_AT   128 /* of the highest descriptors that the process may have: the lowest are taken first */
#define DESCRIPTORS 40  /* a compiler's, its linker's and a few threads' of the program */
#define FILE_BYTES  (UINT64_C(64) << 20)
#define SPACE_BYTES (UINT64_C(1) << 30)

static bool room_for_descriptors(void)
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

/* Bytes of address space in use; 0: not known. Needs a descriptor, of which there are enough. */
static uint64_t space_used(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%llu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool room_in_memory(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    return space_used() + SPACE_BYTES <= limit.rlim_cur;
}

static bool room_for_files(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= FILE_BYTES;
}

/* PoCL's linker is sought there. */
static bool has_path(void)
{
    const char *path = getenv("PATH");

    return path && *path;
}

bool cw_run_room(void)
{
    int saved = errno;
    bool room = has_path() && room_for_descriptors() && room_for_files() && room_in_memory();

    errno = saved;
    return room;
}

/* ---- what has been loaded */

/* One bit of 64 for what a vendor may compile code of its own for: local size, magnitude of the range, an offset. */
static uint64_t kind_of(const struct cw_run_launch *l, const size_t *global, const size_t *local, bool tile)
{
    uint64_t h = tile ? 0x5851f42d4c957f2du : l->has_offset ? 0xd1342543de82ef95u : 0x14057b7ef767814fu; /* tiles have none */

    for (cl_uint d = 0; d < l->dims; d++) {
        h = (h ^ (local ? local[d] : 0)) * 0x9e3779b97f4a7c15u;
        h = (h ^ (64u - (unsigned)__builtin_clzll(global[d] | 1))) * 0x9e3779b97f4a7c15u;
    }
    return UINT64_C(1) << (h >> 58);
}

bool cw_run_room_has(const struct cw_run_launch *l, const size_t *global, const size_t *local, uint32_t lane, bool tile)
{
    return l->kernel->loaded[lane] & kind_of(l, global, local, tile);
}

void cw_run_room_loaded(const struct cw_run_launch *l, const size_t *global, const size_t *local, uint32_t lane, bool tile)
{
    l->kernel->loaded[lane] |= kind_of(l, global, local, tile);
}
