/* doctor_ask.c - see doctor.h. */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Collects findings; see doctor.h. */

enum { TEXT = 1024 };

void cw_doctor_fact(struct cw_doctor *d, const char *section, const char *name, const char *fmt, ...)
{
    char text[TEXT];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    json_array_append_new(d->facts,
                          json_pack("{s:s, s:s, s:s}", "section", section, "name", name, "text", text));
}

/* `obstacle`: the first of them is why nothing can be gained. */
static void add_problem(struct cw_doctor *d, const char *mend, bool obstacle, const char *fmt, va_list ap)
{
    char text[TEXT];

    vsnprintf(text, sizeof text, fmt, ap);
    json_array_append_new(d->problems, json_pack("{s:s, s:s}", "problem", text, "mend", mend));
    if (obstacle && !*d->cannot)
        snprintf(d->cannot, sizeof d->cannot, "%.255s", text);
}

void cw_doctor_problem(struct cw_doctor *d, const char *mend, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_problem(d, mend, false, fmt, ap);
    va_end(ap);
}

void cw_doctor_obstacle(struct cw_doctor *d, const char *mend, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_problem(d, mend, true, fmt, ap);
    va_end(ap);
}

enum { MOST_BYTES = 4 << 20, CHUNK = 4096 };

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* In the child: a group of its own, which ends with the doctor; nothing on the terminal; no core file. */
static void be_quiet(void)
{
    int null = open("/dev/null", O_RDWR);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    signal(SIGBUS, SIG_DFL);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
}

/* Reads until the end of the pipe or the deadline. False: memory is out, or it is too much. */
static bool collect(int fd, int64_t deadline, struct cw_doctor_answer *a)
{
    size_t bytes = 0;

    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        int64_t left = deadline - now_ms();
        char *more = realloc(a->text, bytes + CHUNK + 1);
        ssize_t n;

        if (!more || bytes > MOST_BYTES)
            return false;
        a->text = more;
        a->text[bytes] = '\0';
        if (left <= 0 || poll(&p, 1, (int)left) == 0) {
            a->late = true;
            return true;
        }
        n = read(fd, a->text + bytes, CHUNK);
        if (n == 0 || (n < 0 && errno != EINTR))
            return true;
        bytes += n > 0 ? (size_t)n : 0;
    }
}

/* Waits for the child until the deadline, then ends it with its group. */
static void reap(pid_t child, int64_t deadline, struct cw_doctor_answer *a)
{
    while (!a->late && waitpid(child, &a->status, WNOHANG) == 0) {
        if (now_ms() >= deadline)
            a->late = true;
        else
            nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    if (!a->late)
        return;
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    while (waitpid(child, &a->status, 0) < 0 && errno == EINTR)
        ;
}

bool cw_doctor_ask(void (*ask)(int fd, const void *argument), const void *argument, unsigned seconds,
                   struct cw_doctor_answer *a)
{
    int64_t deadline = now_ms() + (int64_t)seconds * 1000;
    int ends[2];
    pid_t child;
    bool good;

    *a = (struct cw_doctor_answer){0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        int to =
            fcntl(ends[1], F_DUPFD_CLOEXEC, 3); /* above the standard streams, which may be closed here */

        be_quiet();
        ask(to, argument);
        _exit(0);
    }
    close(ends[1]);
    good = child > 0 && collect(ends[0], deadline, a);
    close(ends[0]);
    if (child > 0)
        a->late |= !good;
    if (child > 0)
        reap(child, deadline, a);
    if (!good) {
        free(a->text);
        *a = (struct cw_doctor_answer){0};
    }
    return good;
}

static void run_program(int fd, const void *argument)
{
    const char *const *argv = argument;

    dup2(fd, STDOUT_FILENO);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

bool cw_doctor_ask_program(const char *const *argv, unsigned seconds, struct cw_doctor_answer *a)
{
    return cw_doctor_ask(run_program, argv, seconds, a);
}

const char *cw_doctor_ask_end(const struct cw_doctor_answer *a, char *text, size_t size)
{
    if (a->late)
        snprintf(text, size, "does not answer");
    else if (WIFSIGNALED(a->status))
        snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(a->status),
                 strsignal(WTERMSIG(a->status)));
    else
        snprintf(text, size, "ended with status %d", WEXITSTATUS(a->status));
    return text;
}
