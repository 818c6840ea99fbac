/* builder.c - see requests.h. Calls no OpenCL itself: the processes for the requests do. */

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "requests.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum {
    PAUSE_MS = 300,     /* a short program is over by then */
    PATIENCE_MS = 3000, /* without a request */
    LOOK_MS = 200,      /* at the folder, meanwhile */
    LIFE_MS = 600000,   /* of a builder */
    WALL_MS = 300000,   /* of one request: on a busy machine little of it is the builder's */
    CPU_S = 60,         /* of one request */
    NAP_MS = 5,         /* between looks at its process */
    LOCK_TRIES = 5,
    NICE = 10,           /* the most */
    FILES = 256,         /* descriptors that a compiler may need */
    OLD_FILES = 65536,   /* closed one by one where close_range does not exist */
    LOG_BYTES = 50 << 10 /* of each of the two files */
};

#define DATA_BYTES   (UINT64_C(2) << 30)  /* of one request's process, ... */
#define THREAD_BYTES (UINT64_C(16) << 20) /* ... and for each thread that the vendor has per processor */

static struct cw_requests requests;
static volatile sig_atomic_t worker; /* the process for the current request; 0: none */

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void nap(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

/* ---- the log */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    int at = cw_file_store_open(&requests.store, false), fd;
    time_t now = time(NULL);
    char line[PATH_MAX];
    struct stat st;
    struct tm utc;
    size_t used;
    va_list args;

    used = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%SZ ", gmtime_r(&now, &utc));
    va_start(args, format);
    vsnprintf(line + used, sizeof line - used - 1, format, args);
    va_end(args);
    strcat(line, "\n");
    if (at < 0)
        return;
    if (fstatat(at, "log", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > LOG_BYTES)
        renameat(at, "log", at, "log.old");
    fd = openat(at, "log", O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (write(fd, line, strlen(line)) < 0)
            errno = 0; /* the disk is full: nothing is said */
        close(fd);
    }
    close(at);
}

/* ---- one request */

static void limit(int what, rlim_t most)
{
    struct rlimit now;

    if (getrlimit(what, &now) == 0 && (now.rlim_max == RLIM_INFINITY || now.rlim_max > most))
        setrlimit(what, &(struct rlimit){most, most});
}

/* Messages of the vendor go nowhere. */
static bool be_silent(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    return null >= 0 && dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2 && close(null) == 0;
}

/* In the new process. */
static void become_worker(const char *name, pid_t builder)
{
    const char *argv[] = {"clweave-compile", CW_BUILDER_CHILD, requests.folder, name, NULL};
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != builder || !be_silent())
        _exit(CW_FULFIL_FAILED);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, CPU_S);
    limit(RLIMIT_DATA, DATA_BYTES + THREAD_BYTES * (rlim_t)sysconf(_SC_NPROCESSORS_CONF));
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
    _exit(CW_FULFIL_FAILED);
}

/* Waits for it until then. Its exit status, or 128 + the signal that has ended it. */
static int await(pid_t pid, int64_t until)
{
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (now_ms() >= until)
            kill(-pid, SIGKILL);
        nap(NAP_MS);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int work_on(const char *name, int64_t until)
{
    pid_t self = getpid(), pid = fork();
    int result;

    if (pid == 0)
        become_worker(name, self);
    if (pid < 0) {
        say("no process for a request: %s", strerror(errno));
        _exit(1); /* the request has not failed by that */
    }
    setpgid(pid, pid);
    worker = pid;
    result = await(pid, until);
    worker = 0;
    kill(-pid, SIGKILL); /* a linker that it has left */
    return result;
}

/* `end`: of the builder's life. */
static void take(const char *name, int64_t end)
{
    static const char *const kinds[CW_REQUEST_KINDS] = {"a binary", "a stand-in", "models",
                                                        "a launch's code"};
    static const char *const words[CW_FULFIL_KINDS] = {"made", "failed", "gives other answers: none is kept"};
    int64_t begin = now_ms(), until = begin + WALL_MS;
    struct cw_request q;
    int result;

    if (!cw_requests_read(&requests, name, &q))
        return; /* it has gone meanwhile */
    result = work_on(name, until < end ? until : end);
    if (result < CW_FULFIL_KINDS)
        say("%s for %.100s: %s, %lld ms", kinds[q.kind], q.program, words[result],
            (long long)(now_ms() - begin));
    else
        say("%s for %.100s: ended by signal %d after %lld ms", kinds[q.kind], q.program, result - 128,
            (long long)(now_ms() - begin));
    if (result == CW_FULFIL_MADE || result == CW_FULFIL_DIFFERS)
        cw_requests_done(&requests, name);
    else if (now_ms() < end) /* else it was not given its time */
        cw_requests_failed(&requests, name);
    cw_requests_finish(&q);
}

int cw_builder_one(const char *folder, const char *name)
{
    const char *fault = getenv("CLWEAVE_FAULT"); /* the program's, by whose keys it looks for the result */
    struct cw_request q;
    int result = CW_FULFIL_FAILED;

    cw_identity_one_key = fault && !strcmp(fault, "alike:1");
    cw_requests_init(&requests, folder);
    if (cw_requests_read(&requests, name, &q)) {
        result = (int)cw_fulfil(&requests, &q);
        cw_requests_finish(&q);
    }
    return result;
}

/* ---- the builder */

/* SIGTERM. The results are renamed when they are whole. */
static void on_end(int signal)
{
    if (worker > 0)
        kill(-(pid_t)worker, SIGKILL);
    _exit(128 + signal);
}

static void close_files(void)
{
    if (syscall(SYS_close_range, 3, ~0u, 0) != 0)
        for (int fd = 3; fd < OLD_FILES; fd++)
            close(fd);
}

/* The lock, held until this process and its children have closed it; -1: another builder has it. */
static int lock(bool wait)
{
    int at = cw_file_store_open(&requests.store, false),
        fd = at >= 0 ? openat(at, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

    if (at >= 0)
        close(at);
    /* a process that only looks whether there is a builder has it for an instant */
    for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0; i++) {
        if (!wait && i < LOCK_TRIES) {
            nap(NAP_MS);
            continue;
        }
        close(fd);
        fd = -1;
    }
    return fd;
}

/* What a program has limited for itself would make every request fail: that is no builder's process. */
static bool is_limited(void)
{
    static const struct {
        int what;
        rlim_t least;
    } needs[] = {{RLIMIT_AS, RLIM_INFINITY},
                 {RLIMIT_DATA, RLIM_INFINITY},
                 {RLIMIT_CPU, RLIM_INFINITY},
                 {RLIMIT_FSIZE, RLIM_INFINITY},
                 {RLIMIT_NOFILE, FILES}};
    struct rlimit now;

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        if (getrlimit(needs[i].what, &now) != 0 || now.rlim_max < needs[i].least)
            return true;
        setrlimit(needs[i].what, &(struct rlimit){now.rlim_max, now.rlim_max});
    }
    return false;
}

static void write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (write(fd, text, strlen(text)) < 0)
            errno = 0; /* older kernels have no such file */
        close(fd);
    }
}

/* SCHED_BATCH at nice 10 has a tenth of a processor that another thread wants: beside a load of six the
 * builder still gets on; at nice 19 a build takes a minute there. Its session may have a share of its own,
 * which nice does not lower (autogroup). */
static void step_back(void)
{
    const struct sched_param none = {0};

    setpriority(PRIO_PROCESS, 0, NICE);
    sched_setscheduler(0, SCHED_BATCH, &none);
    write_to("/proc/self/autogroup", "10");
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

/* Returns in the new process only; the calling one ends. False: there can be none. */
static bool detach(void)
{
    pid_t pid = fork();

    if (pid > 0)
        _exit(0);
    return pid == 0 && setsid() > 0 && chdir("/") == 0 && be_silent();
}

static void work(bool wait, int64_t end)
{
    int64_t idle = now_ms();
    char name[CW_FILE_STORE_NAME_BYTES];

    if (!wait)
        nap(PAUSE_MS);
    while (now_ms() < end) {
        if (cw_requests_next(&requests, name)) {
            take(name, end);
            idle = now_ms();
        } else if (wait || now_ms() - idle > PATIENCE_MS) {
            return;
        } else {
            nap(LOOK_MS);
        }
    }
}

int cw_builder_run(const char *folder, bool wait)
{
    const struct sigaction ends = {.sa_handler = on_end}, usual = {.sa_handler = SIG_DFL};
    const int64_t end = now_ms() + LIFE_MS;
    int held;

    close_files();
    cw_requests_init(&requests, folder);
    if (!*requests.folder || is_limited())
        return 1;
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGHUP, &ends, NULL);
    sigaction(SIGCHLD, &usual, NULL);
    held = lock(wait);
    if (held >= 0 && !wait) {
        if (!detach())
            return 1;
        step_back();
    }
    while (held >=
           0) { /* twice where a request has come since the last look, whose program has met the lock */
        work(wait, end);
        close(held);
        held = !wait && now_ms() < end && cw_requests_count(&requests) > 0 ? lock(wait) : -1;
    }
    return 0;
}
