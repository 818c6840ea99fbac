/* quiet_child.c - see quiet_child.h. The supervisor runs on a stack of its own in the host's memory, with the
 * calling thread's thread pointer: system calls only there, no lock, no allocation, nothing of libc that
 * keeps state. */
#include "quiet_child.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BARE __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum {
    STACK = 64 << 10,
    OLD_KERNEL_FILES = 65536, /* closed one by one where close_range does not exist */
    LINGER_MS = 1000 * CW_QUIET_LINGER_S,
    PAUSE_NS = 1000000,
    LOOK_MS = 200, /* at whether a signal has stopped the helper */
    YIELD = 10,    /* how much nicer the helper is than its host, whose cores it shares */
    KERNEL_SIGSET = 8,
    NULL_FD = 0,
    READ_FD = 1,
    WRITE_FD = 2,
    FILE_FD = 3 /* the supervisor's, in the order in which it opens them */
};

/* The thread sanitizer takes every clone for a fork of the host: not this one. */
#ifdef __SANITIZE_THREAD__
#include <dlfcn.h>
static int (*true_clone)(int (*)(void *), void *, int, void *, ...);
static void look_for_clone(void)
{
    void *found = dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "clone");

    memcpy(&true_clone, &found, sizeof found);
}

static void find_clone(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, look_for_clone);
}
#define clone true_clone
#else
static void find_clone(void)
{
}
#endif

enum outcome { DIED, FINISHED, TOO_LATE, TOO_MUCH, CANNOT, CLOSED };

struct supervisor {
    const struct cw_quiet_child *child;
    pid_t host;
    char *to;
    size_t got;
    char *stack;       /* of the helper, before it execs */
    int helper;        /* its process id */
    _Atomic int alive; /* the kernel clears it when the supervisor is gone */
    enum outcome outcome;
};

static struct {
    pthread_mutex_t turn[CW_QUIET_KINDS], lock; /* lock: the rest */
    struct {
        struct supervisor *now;
        pid_t pid;
        bool closed;
    } kind[CW_QUIET_KINDS];
} quiet = {.turn = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER},
           .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the helper, until it execs */

struct kernel_action { /* the argument of rt_sigaction */
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

BARE static void set_all_signals_default(void)
{
    const struct kernel_action plain = {.handler = SIG_DFL};
    uint64_t none = 0;

    for (int s = 1; s <= 64; s++) /* those that were ignored would stay so */
        syscall(SYS_rt_sigaction, s, &plain, NULL, KERNEL_SIGSET);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, KERNEL_SIGSET);
}

BARE static int become_helper(void *data)
{
    const struct supervisor *s = data;
    const struct rlimit none = {0, 0};
    const struct sched_param usual = {0};

    if (s->child->kind != CW_QUIET_DETACHED)
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
    if (s->child->kind == CW_QUIET_ONCE) /* a detached one chooses its own */
        syscall(SYS_setpriority, PRIO_PROCESS, 0,
                20 - (int)syscall(SYS_getpriority, PRIO_PROCESS, 0) + YIELD);
    syscall(SYS_dup3, WRITE_FD, STDOUT_FILENO, 0);
    syscall(SYS_dup3, NULL_FD, STDERR_FILENO, 0);
    syscall(SYS_sched_setscheduler, 0, SCHED_OTHER,
            &usual); /* the calling thread may be a real-time thread */
    set_all_signals_default();
    syscall(SYS_execve, s->child->argv[0], s->child->argv, s->child->env);
    syscall(SYS_exit_group, 127);
    return 127;
}

/* ---- the supervisor */

BARE static int64_t now_ms(void)
{
    struct timespec t;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Where the host has its room for it, the file is from here on. It is sealed: cut short, it would end the
 * host (SIGBUS). */
BARE static bool share(const struct cw_quiet_child *c)
{
    if (syscall(SYS_ftruncate, FILE_FD, c->shared_bytes) != 0 ||
        syscall(SYS_fcntl, FILE_FD, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        syscall(SYS_mmap, c->shared, c->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, FILE_FD,
                0) != (long)c->shared)
        return false;
    atomic_store(c->is_shared, 1);
    return true;
}

BARE static bool open_files(const struct cw_quiet_child *c)
{
    int pipe_[2];

    if (syscall(SYS_close_range, 0, ~0u, 0) != 0)
        for (int fd = 0; fd < OLD_KERNEL_FILES; fd++)
            syscall(SYS_close, fd);
    if (syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0) != NULL_FD ||
        syscall(SYS_pipe2, pipe_, 0) != 0 || pipe_[0] != READ_FD || pipe_[1] != WRITE_FD ||
        syscall(SYS_memfd_create, "source", MFD_ALLOW_SEALING) != FILE_FD)
        return false;
    for (size_t at = 0; at < c->input_bytes;) {
        long n = syscall(SYS_write, FILE_FD, (const char *)c->input + at, c->input_bytes - at);
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return !c->shared || share(c);
}

/* A signal has stopped the child `pid`, which may never go on. */
BARE static bool is_stopped(int pid, int more)
{
    siginfo_t info;

    info.si_pid = 0;
    return syscall(SYS_waitid, P_PID, pid, &info, WSTOPPED | WNOHANG | WNOWAIT | more, NULL) == 0 &&
           info.si_pid == pid;
}

/* A detached one is waited for by no thread of the host. */
BARE static enum outcome listen_to(struct supervisor *s, int64_t end_ms)
{
    bool watched = s->child->kind != CW_QUIET_DETACHED;

    for (;;) {
        struct pollfd p = {READ_FD, POLLIN, 0};
        struct timespec left = {0};
        int64_t ms = end_ms - now_ms();
        char more;
        long n;

        if (ms <= 0)
            return TOO_LATE;
        if (watched && is_stopped(s->helper, 0))
            return DIED;
        ms = watched && ms > LOOK_MS ? LOOK_MS : ms;
        left = (struct timespec){ms / 1000, ms % 1000 * 1000000};
        if (syscall(SYS_ppoll, &p, 1, &left, NULL, KERNEL_SIGSET) <= 0)
            continue;
        if (s->got == s->child->max_bytes)
            return syscall(SYS_read, READ_FD, &more, 1) == 0 ? FINISHED : TOO_MUCH;
        n = syscall(SYS_read, READ_FD, s->to + s->got, s->child->max_bytes - s->got);
        if (n <= 0)
            return n == 0 ? FINISHED : CANNOT;
        s->got += (size_t)n;
    }
}

/* SIGCHLD is ignored here, so children vanish by themselves, and wait fails once there are none. Those of a
 * helper that was killed have become the supervisor's, which is the reaper. */
BARE static bool all_gone(int64_t end_ms)
{
    const struct timespec pause = {0, PAUSE_NS};

    while (syscall(SYS_wait4, -1, NULL, WNOHANG, NULL) == 0) {
        if (now_ms() >= end_ms)
            return false;
        syscall(SYS_nanosleep, &pause, NULL);
    }
    return true;
}

BARE static int supervise(void *data)
{
    struct supervisor *s = data;
    const struct kernel_action ignore = {.handler = SIG_IGN};
    int64_t end_ms = now_ms() + s->child->milliseconds;
    int pid = -1;

    if (s->child->kind != CW_QUIET_DETACHED) {
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (syscall(SYS_getppid) != s->host)
            syscall(SYS_exit_group, 1);
        syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    }
    syscall(SYS_setsid);
    syscall(SYS_rt_sigaction, SIGCHLD, &ignore, NULL, KERNEL_SIGSET);
    if (open_files(s->child))
        pid = clone(become_helper, s->stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    if (pid <= 0) {
        s->outcome = CANNOT; /* not before: a child that is killed on the way here has only been ended */
    } else {
        syscall(SYS_close, WRITE_FD);
        syscall(SYS_close, FILE_FD);
        s->helper = pid;
        s->outcome = listen_to(s, end_ms);
        syscall(SYS_close, READ_FD);
        if (s->outcome != FINISHED || !all_gone(now_ms() + LINGER_MS)) {
            syscall(SYS_kill, pid, SIGKILL);
            all_gone(now_ms() + LINGER_MS);
        }
    }
    syscall(SYS_exit_group, 0);
    return 0;
}

/* ---- the host's side */

static int is_valgrinds(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(bool *)found |= info->dlpi_name && strstr(info->dlpi_name, "/vgpreload_");
    return 0;
}

/* Valgrind ends programs that make such a process, as it knows threads and vfork only. */
bool cw_quiet_child_is_valgrind(void)
{
    static _Atomic int known; /* 1: no, 2: yes */
    bool found = false;

    if (!atomic_load(&known)) {
        dl_iterate_phdr(is_valgrinds, &found);
        atomic_store(&known, 1 + found);
    }
    return atomic_load(&known) == 2;
}

static bool begin(struct supervisor *s, char *stack, bool *closed)
{
    bool started, able = !cw_quiet_child_is_valgrind();
    pid_t pid = -1;

    find_clone();
    pthread_mutex_lock(&quiet.lock);
    *closed = quiet.kind[s->child->kind].closed;
    if (!*closed && able)
        pid =
            clone(supervise, stack + STACK,
                  CLONE_VM | CLONE_UNTRACED | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID /* no exit signal */,
                  s, &s->alive, NULL, &s->alive);
    started = pid > 0;
    if (started && s->child->begun)
        atomic_store(s->child->begun, 1);
    quiet.kind[s->child->kind].pid = pid;
    quiet.kind[s->child->kind].now = started ? s : NULL;
    pthread_mutex_unlock(&quiet.lock);
    return started;
}

static void end(struct supervisor *s)
{
    int alive;

    while ((alive = s->alive))
        syscall(SYS_futex, &s->alive, FUTEX_WAIT, alive, NULL, NULL, 0);
    pthread_mutex_lock(&quiet.lock);
    quiet.kind[s->child->kind].now = NULL;
    syscall(SYS_wait4, quiet.kind[s->child->kind].pid, NULL, __WCLONE,
            NULL); /* unless the host has (__WALL) */
    pthread_mutex_unlock(&quiet.lock);
}

static enum cw_status status_of(const struct supervisor *s, const char *name, struct cw_error *err)
{
    switch (s->outcome) {
    case FINISHED:
        return CW_OK;
    case TOO_LATE:
        return cw_error_set(err, CW_ERR_LIMIT, "%s: no answer within %u ms", name, s->child->milliseconds);
    case TOO_MUCH:
        return cw_error_set(err, CW_ERR_LIMIT, "%s: an answer of more than %zu bytes", name,
                            s->child->max_bytes);
    case CANNOT:
        return cw_error_set(err, CW_ERR_IO, "%s: cannot be started", name);
    case CLOSED:
        return cw_error_set(err, CW_ERR_IO, "%s: not asked, as this process ends", name);
    case DIED:
        break;
    }
    return cw_error_set(err, CW_ERR_IO, "%s: was ended", name);
}

enum cw_status cw_quiet_child_run(const struct cw_quiet_child *child, struct cw_quiet_output *out,
                                  struct cw_error *err)
{
    struct supervisor s = {.child = child, .host = getpid(), .outcome = DIED};
    size_t bytes = 2 * STACK + child->max_bytes;
    enum cw_status status;
    int saved = errno;
    bool closed;
    char *stacks =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *out = (struct cw_quiet_output){0};
    if (stacks == MAP_FAILED) {
        errno = saved;
        return cw_error_set(err, CW_ERR_NOMEM, "%s: out of memory for its answer", child->argv[0]);
    }
    madvise(stacks, bytes, MADV_DONTDUMP);
    s.stack = stacks + STACK;
    s.to = stacks + 2 * STACK;
    *out = (struct cw_quiet_output){.data = s.to, .mapped = bytes};
    pthread_mutex_lock(&quiet.turn[child->kind]);
    if (begin(&s, stacks, &closed))
        end(&s);
    else
        s.outcome = closed ? CLOSED : CANNOT;
    pthread_mutex_unlock(&quiet.turn[child->kind]);
    status = status_of(&s, child->argv[0], err);
    out->bytes = status == CW_OK ? s.got : 0;
    errno = saved;
    return status;
}

void cw_quiet_output_finish(struct cw_quiet_output *out)
{
    if (out->data)
        munmap(out->data - 2 * STACK, out->mapped);
    *out = (struct cw_quiet_output){0};
}

void cw_quiet_child_kill(enum cw_quiet_kind kind, bool forever)
{
    pthread_mutex_lock(&quiet.lock);
    quiet.kind[kind].closed |= forever;
    if (quiet.kind[kind].now && quiet.kind[kind].now->alive)
        kill(quiet.kind[kind].pid, SIGKILL);
    pthread_mutex_unlock(&quiet.lock);
}

bool cw_quiet_child_is_stopped(enum cw_quiet_kind kind)
{
    bool stopped;

    pthread_mutex_lock(&quiet.lock);
    stopped =
        quiet.kind[kind].now && quiet.kind[kind].now->alive && is_stopped(quiet.kind[kind].pid, __WCLONE);
    pthread_mutex_unlock(&quiet.lock);
    return stopped;
}

void cw_quiet_child_after_fork(void)
{
    for (int k = 0; k < CW_QUIET_KINDS;
         k++) { /* the lock may be a thread's that is not here: nothing is locked any more */
        quiet.kind[k].now = NULL;
        quiet.kind[k].closed = true;
    }
}
