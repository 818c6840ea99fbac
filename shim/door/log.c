#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../analyzer/io/text.h"
#include "../../analyzer/settings/options.h"

static const char *const level_names[] = {"error", "warning", "info", "debug"};

/* The level that CLWEAVE_LOG sets. Parsed at each message: they are rare, and the program may have changed
 * its environment. */
struct target {
    enum cw_log_level level;
    char path[512]; /* "" for stderr */
};

static void target_parse(struct target *t)
{
    const char *spec = secure_getenv("CLWEAVE_LOG");
    *t = (struct target){.level = CW_LOG_WARNING};
    if (!spec)
        return;
    size_t n = strcspn(spec, ":");
    int level = cw_options_log_level(spec);
    if (level >= 0)
        t->level = (enum cw_log_level)level;
    if (spec[n] && cw_options_expand(spec + n + 1, program_invocation_short_name, getpid(), t->path,
                                     sizeof t->path, NULL))
        t->path[0] = '\0';
}

/* True the first time that it sees `fmt`; always true once its memory is full of others. */
static bool first_time(const char *fmt)
{
    static const char *seen[128];
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        const char *empty = NULL;
        if (__atomic_compare_exchange_n(&seen[i], &empty, fmt, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
        if (empty == fmt)
            return false;
    }
    return true;
}

static void write_line(const struct target *t, const char *line, size_t n)
{
    int fd = STDERR_FILENO;
    if (t->path[0])
        fd = open(t->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                  0600);
    if (fd < 0)
        fd = STDERR_FILENO;
    while (n) {
        ssize_t w = write(fd, line, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            break;
        line += w, n -= (size_t)w;
    }
    if (fd != STDERR_FILENO)
        close(fd);
}

/* Writes with the signals blocked that a write can raise, and takes back the one that it raised. */
static void write_quietly(const struct target *t, const char *line, size_t n)
{
    sigset_t own, before, pending;
    sigemptyset(&own);
    sigaddset(&own, SIGPIPE);
    sigaddset(&own, SIGXFSZ);
    sigpending(&pending);
    if (pthread_sigmask(SIG_BLOCK, &own, &before))
        return;
    write_line(t, line, n);
    if (sigismember(&pending, SIGPIPE))
        sigdelset(&own, SIGPIPE); /* it was there before us */
    if (sigismember(&pending, SIGXFSZ))
        sigdelset(&own, SIGXFSZ);
    while (sigtimedwait(&own, NULL, &(struct timespec){0}) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cw_log_plain(char *text, size_t bytes)
{
    int saved = errno;

    cw_printable_clean(text, bytes);
    write_quietly(&(struct target){.path = ""}, text, bytes);
    errno = saved;
}

void cw_log(enum cw_log_level level, const char *fmt, ...)
{
    int saved = errno;
    struct target t;
    target_parse(&t);
    if (level > t.level || (level <= CW_LOG_WARNING && !first_time(fmt)))
        goto out;
    char line[1024];
    int n = snprintf(line, sizeof line, "clweave[%ld]: %s: ", (long)getpid(), level_names[level]);
    va_list args;
    va_start(args, fmt);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, args);
    va_end(args);
    if (m < 0)
        goto out;
    n += m;
    if (n > (int)sizeof line - 2)
        n = (int)sizeof line - 2;
    cw_printable_clean(line, (size_t)n);
    line[n++] = '\n';
    write_quietly(&t, line, (size_t)n);
out:
    errno = saved;
}
