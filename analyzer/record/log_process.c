/* log_process.c - see log_format.h. */
#include "log_format.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXITING = 0x4, SIGNALED = 0x400 }; /* the kernel's PF_EXITING and PF_SIGNALED, in field 9 of stat */

/* Reads /proc/PID/NAME; false when there is no such process. */
static bool read_proc(uint64_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%llu/%s", (unsigned long long)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, size - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Field `field` of /proc/PID/stat, from 3 on, in its text; NULL when there is none. The name, which is field
 * 2, may hold blanks and parentheses; field 3 follows the last one. */
static const char *stat_field(const char *text, int field)
{
    const char *p = strrchr(text, ')');

    for (int at = 2; p && at < field; at++)
        p = strchr(p + 1, ' ');
    return p ? p + 1 : NULL;
}

uint64_t cw_log_process_start(uint64_t pid)
{
    char text[1024];
    const char *state, *ticks;

    if (!read_proc(pid, "stat", text, sizeof text))
        return 0;
    state = stat_field(text, 3);
    ticks = stat_field(text, 22);
    if (!state || !ticks || *state == 'Z' || *state == 'X')
        return 0; /* it has ended and only waits for its parent */
    return strtoull(ticks, NULL, 10);
}

/* True when SIGKILL is among the signals of that line of /proc/PID/status. */
static bool is_killed(const char *status, const char *line)
{
    const char *p = strstr(status, line);

    return p && strtoull(p + strlen(line), NULL, 16) >> (SIGKILL - 1) & 1;
}

bool cw_log_process_is_ending(uint64_t pid)
{
    char text[4096];
    const char *flags;

    if (!read_proc(pid, "stat", text, sizeof text))
        return false;
    flags = stat_field(text, 9);
    if (flags && strtoull(flags, NULL, 10) & (EXITING | SIGNALED))
        return true;
    return read_proc(pid, "status", text, sizeof text) &&
           (is_killed(text, "\nSigPnd:") || is_killed(text, "\nShdPnd:"));
}
