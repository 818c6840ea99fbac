#include "farm_task.h"
#include "../io/quantity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, GRACE_MS = 1000 };

volatile sig_atomic_t cw_farm_task_stop;
void (*cw_farm_task_watch)(void);

/* ---- the output: a file in memory for each stream, so that children that stay do not hold up the worker */

static bool add_stream(int fd, struct cw_farm_bytes *bytes, uint32_t *n)
{
    struct stat st;
    char chunk[1 << 14];
    off_t at = 0;

    if (fstat(fd, &st) < 0)
        return false;
    while (at < st.st_size && at < CW_FARM_OUTPUT_MAX) {
        ssize_t got = pread(fd, chunk, sizeof chunk, at);
        if (got <= 0)
            break;
        if (!cw_farm_result_add_bytes(bytes, chunk, (size_t)got))
            return false;
        at += got;
    }
    *n = (uint32_t)at;
    return true;
}

static bool too_large(const int stream[2])
{
    struct stat st;

    for (int k = 0; k < 2; k++)
        if (fstat(stream[k], &st) == 0 && st.st_size > CW_FARM_OUTPUT_MAX)
            return true;
    return false;
}

/* ---- a program */

/* In the child. Never returns. */
static void exec_program(char **argv, const struct cw_farm_jobs *jobs, const int stream[2],
                         struct cw_farm_now *now, int report)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC), error;
    sigset_t none;

    setpgid(0, 0);
    atomic_store(&now->group, getpid()); /* the worker may die before it does */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, STDIN_FILENO);
    dup2(stream[0], STDOUT_FILENO);
    dup2(stream[1], STDERR_FILENO);
    sigemptyset(&none);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (jobs && jobs->before_exec)
        jobs->before_exec();
    if (jobs && jobs->name && !strcmp(argv[0], jobs->name))
        execv(jobs->program, argv);
    else
        execvp(argv[0], argv);
    error = errno;
    _exit(write(report, &error, sizeof error) == sizeof error ? 127 : 126);
}

/* Ends the program with its group, and waits for it. */
static void end_program(pid_t child, int *status)
{
    kill(-child, SIGTERM);
    for (int waited = 0; waited < GRACE_MS; waited += 10) {
        if (waitpid(child, status, WNOHANG) == child) {
            kill(-child, SIGKILL);
            return;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
}

/* Waits for the program. False: the worker is to end, and the program has ended. */
static bool attend(pid_t child, const struct cw_farm_plan *p, uint64_t begin, const int stream[2],
                   struct cw_farm_result *r)
{
    int status = 0, fd = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd ended = {fd, POLLIN, 0};

    for (;;) {
        double left_ms =
            p->timeout_s > 0 ? 1e3 * p->timeout_s - (double)(cw_monotonic_ns() - begin) / 1e6 : TICK_MS;
        bool late = left_ms <= 0, large = too_large(stream);

        if (waitpid(child, &status, WNOHANG) == child)
            break;
        if (cw_farm_task_stop || late || large) {
            end_program(child, &status);
            r->end = late ? CW_FARM_TIMEOUT : CW_FARM_LARGE;
            close(fd);
            return !cw_farm_task_stop;
        }
        poll(&ended, fd >= 0, left_ms < TICK_MS ? (int)left_ms + 1 : TICK_MS);
        if (cw_farm_task_watch)
            cw_farm_task_watch();
    }
    close(fd);
    r->end = WIFSIGNALED(status) ? CW_FARM_SIGNAL : CW_FARM_EXIT;
    r->value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (too_large(stream))
        *r = (struct cw_farm_result){.task = r->task, .end = CW_FARM_LARGE};
    return true;
}

/* A worker that dies with its master (PR_SET_PDEATHSIG) gets that signal for it, so that it can end a program
 * with its children before. */
static void at_master_death(int sig)
{
    int set = 0;

    if (prctl(PR_GET_PDEATHSIG, &set) == 0 && set)
        prctl(PR_SET_PDEATHSIG, sig);
}

static bool run_program(const struct cw_farm_plan *p, char **argv, const struct cw_farm_jobs *jobs,
                        const int stream[2], struct cw_farm_now *now, struct cw_farm_result *r)
{
    int report[2] = {-1, -1}, error = 0;
    uint64_t begin = cw_monotonic_ns();
    bool attended = true;
    pid_t child = pipe2(report, O_CLOEXEC) == 0 ? fork() : -1;

    if (child == 0)
        exec_program(argv, jobs, stream, now, report[1]);
    if (child < 0)
        error = errno;
    else
        setpgid(child, child); /* both do it: no order is certain */
    atomic_store(&now->group, child > 0 ? child : 0);
    if (report[1] >= 0)
        close(report[1]);
    while (child > 0 && read(report[0], &error, sizeof error) < 0 && errno == EINTR)
        ;
    if (report[0] >= 0)
        close(report[0]);
    if (child > 0)
        attended = attend(child, p, begin, stream, r);
    atomic_store(&now->group, 0);
    if (error) {
        r->end = CW_FARM_START;
        r->value = error;
    }
    return attended;
}

/* ---- a job */

/* SIGALRM ends the worker when the job is late; the master knows the signal. */
static bool run_job(const struct cw_farm_plan *p, int argc, char **argv, const struct cw_farm_jobs *jobs,
                    const int stream[2], struct cw_farm_result *r)
{
    time_t whole = (time_t)p->timeout_s;
    struct itimerval late = {{0, 0}, {whole, (suseconds_t)(1e6 * (p->timeout_s - (double)whole))}};

    dup2(stream[0], STDOUT_FILENO);
    dup2(stream[1], STDERR_FILENO);
    if (p->timeout_s > 0)
        setitimer(ITIMER_REAL, &late, NULL);
    r->value = jobs->call(argc, argv);
    if (p->timeout_s > 0)
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    fflush(stdout);
    fflush(stderr);
    clearerr(stdout);
    r->end = too_large(stream) ? CW_FARM_LARGE : CW_FARM_EXIT;
    return true;
}

bool cw_farm_task_output(const int stream[2], struct cw_farm_bytes *bytes, struct cw_farm_result *r)
{
    bool ok;

    bytes->used = 0;
    ok = add_stream(stream[0], bytes, &r->out_bytes) && add_stream(stream[1], bytes, &r->errors_bytes);
    r->out = bytes->v;
    r->errors = bytes->v ? bytes->v + r->out_bytes : NULL;
    return ok;
}

static bool run_command(const struct cw_farm_plan *p, int argc, char **argv, const struct cw_farm_jobs *jobs,
                        const int stream[2], struct cw_farm_now *now, struct cw_farm_bytes *bytes,
                        struct cw_farm_result *r)
{
    int own[2]; /* a program may leave children that write on */
    bool ok;

    for (int k = 0; k < 2; k++)
        if (ftruncate(stream[k], 0) < 0 || lseek(stream[k], 0, SEEK_SET) < 0)
            return false;
    if (jobs && jobs->name && !strcmp(argv[0], jobs->name) && jobs->fits(argc, argv))
        return run_job(p, argc, argv, jobs, stream, r) && cw_farm_task_output(stream, bytes, r);
    own[0] = memfd_create("output", MFD_CLOEXEC);
    own[1] = memfd_create("errors", MFD_CLOEXEC);
    at_master_death(SIGTERM);
    ok = own[0] >= 0 && own[1] >= 0 && run_program(p, argv, jobs, own, now, r) &&
         cw_farm_task_output(own, bytes, r);
    at_master_death(SIGKILL);
    for (int k = 0; k < 2; k++)
        if (own[k] >= 0)
            close(own[k]);
    return ok;
}

bool cw_farm_task_run(const struct cw_farm_plan *p, uint32_t task, const struct cw_farm_jobs *jobs,
                      const int stream[2], struct cw_farm_now *now, struct cw_farm_bytes *bytes,
                      struct cw_farm_result *r)
{
    int argc;
    char **argv = cw_farm_plan_command(p, task, &argc);
    uint64_t begin = cw_monotonic_ns();
    bool ok;

    *r = (struct cw_farm_result){.task = task};
    ok = argv && run_command(p, argc, argv, jobs, stream, now, bytes, r);
    r->ns = cw_monotonic_ns() - begin;
    free(argv);
    return ok;
}

enum cw_status cw_farm_task_check_program(const char *name, const char *folder, struct cw_error *err)
{
    const char *path = getenv("PATH");
    char file[4096];

    if (strchr(name, '/')) {
        snprintf(file, sizeof file, "%s/%s", *name == '/' ? "" : folder, name);
        return access(file, X_OK) == 0
                   ? CW_OK
                   : cw_error_set(err, CW_ERR_NOTFOUND, "cannot run %s: %s", name, strerror(errno));
    }
    for (const char *p = path ? path : "/bin:/usr/bin"; *p;) {
        int n = (int)strcspn(p, ":");
        snprintf(file, sizeof file, "%.*s/%s", n, p, name);
        if (access(file, X_OK) == 0)
            return CW_OK;
        p += n + (p[n] == ':');
    }
    return cw_error_set(err, CW_ERR_NOTFOUND,
                        "cannot run %s: there is no such program; check its name, or give its path", name);
}
