/* cache_size.c - the caches of this machine, as Linux tells them (/sys/devices/system/cpu, which is where
 * hwloc reads them, too: a library more in every host would say no more). See groups/group.h. */
#include "group.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INDICES   10
#define OWN_LEVEL 2

/* The text of a file of cache `index` of `cpu`, without its end; false: there is none. */
static bool read_text(int cpu, int index, const char *name, char *text, size_t size)
{
    char path[128];
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, size - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* How many processors a list like "0-3,8" names. */
static uint64_t count_list(const char *list)
{
    uint64_t n = 0;

    while (*list >= '0' && *list <= '9') {
        char *end;
        long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        n += last >= first ? (uint64_t)(last - first + 1) : 0;
        list = *end == ',' ? end + 1 : end;
    }
    return n ? n : 1;
}

/* The first processor that this process may use. */
static int first_cpu(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &set))
                return i;
    return 0;
}

static void otherwise(struct cw_run_caches *c)
{
    long own = sysconf(_SC_LEVEL2_CACHE_SIZE), last = sysconf(_SC_LEVEL3_CACHE_SIZE);

    c->own_bytes = c->own_bytes ? c->own_bytes : own > 0 ? (uint64_t)own : 1u << 20;
    c->last_bytes = c->last_bytes ? c->last_bytes : last > 0 ? (uint64_t)last : 8u << 20;
}

void cw_run_cache_size_read(struct cw_run_caches *c)
{
    int cpu = first_cpu(), highest = 0;
    char text[256];

    *c = (struct cw_run_caches){0};
    for (int i = 0; i < INDICES && read_text(cpu, i, "type", text, sizeof text); i++) {
        int level;
        uint64_t bytes, sharers = 1;

        if (text[0] == 'I') /* Instruction; else Data or Unified */
            continue;
        level = read_text(cpu, i, "level", text, sizeof text) ? atoi(text) : 0;
        bytes = read_text(cpu, i, "size", text, sizeof text) ? strtoull(text, NULL, 10) << 10 : 0;
        if (read_text(cpu, i, "shared_cpu_list", text, sizeof text))
            sharers = count_list(text);
        if (level == OWN_LEVEL)
            c->own_bytes = bytes / sharers;
        if (level > highest) {
            highest = level;
            c->last_bytes = bytes;
        }
    }
    otherwise(c);
}
