/* learn_process.c - runs the program once, and hashes its output; see learn.h. */
#include "learn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frame/cli.h"
#include "../io/quantity.h"

enum { BLOCK = 1 << 16, READS = 64, TICK_MS = 250, GRACE_MS = 1000 };

static struct {
    int fd; /* tells of the signals */
    sigset_t found;
    int ended_by;
} signals = {.fd = -1};

bool cw_learn_process_begin(void)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
    struct sigaction action;
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == SIGCHLD ||
            (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN))
            sigaddset(&set, numbers[i]);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, &signals.found);
    signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals.fd >= 0;
}

int cw_learn_process_signal(void)
{
    return signals.ended_by;
}

/* Takes the signals that have come. */
static void take_signals(void)
{
    struct signalfd_siginfo info;

    while (read(signals.fd, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD && !signals.ended_by)
            signals.ended_by = (int)info.ssi_signo;
}

/* ---- the output */

/* A chain of hashes over blocks of one size, so that it does not matter in which pieces the output comes. */
struct output {
    int fd;
    bool shown;
    struct {
        struct cw_key before;
        unsigned char block[BLOCK];
    } now;
    size_t used;
};

static void close_block(struct output *o)
{
    if (o->used)
        o->now.before = cw_identity_key_of_bytes(&o->now, sizeof o->now.before + o->used);
    o->used = 0;
}

/* Reads what there is, but not without end from a program that never stops writing. False: the output is
 * at its end. */
static bool take_output(struct output *o)
{
    for (int i = 0; i < READS; i++) {
        ssize_t n = o->used < BLOCK ? read(o->fd, o->now.block + o->used, BLOCK - o->used) : 0;

        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        if (n == 0)
            return false;
        if (o->shown && write(STDOUT_FILENO, o->now.block + o->used, (size_t)n) != n)
            o->shown = false;
        o->used += (size_t)n;
        if (o->used == BLOCK)
            close_block(o);
    }
    return true;
}

/* ---- the process */

/* In the child. Never returns. */
static void exec_program(const struct cw_learn_program *p, bool bare, int output, int errors, int report)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), error;

    setpgid(0, 0); /* ended as a whole; the terminal's Ctrl-C reaches only the tool */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors >= 0 ? errors : null, STDERR_FILENO);
    if (bare)
        setenv("CLWEAVE_MODE", "off", 1);
    else
        cw_launch_environment("run", &p->options, p->library, NULL, cw_monotonic_ns());
    setenv("CLWEAVE_BUILDER", "off", 0); /* `learn` runs the builder itself, between the runs */
    cw_cli_signals_restore();
    sigprocmask(SIG_SETMASK, &signals.found, NULL);
    execvp(p->argv[0], p->argv);
    error = errno;
    _exit(write(report, &error, sizeof error) == sizeof error ? 1 : 2);
}

/* Ends the program and its children, and waits for it. */
static int end_program(pid_t child)
{
    int status = 0;

    kill(-child, SIGTERM);
    for (int waited = 0; waited < GRACE_MS; waited += 10) {
        if (waitpid(child, &status, WNOHANG) == child) {
            kill(-child, SIGKILL);
            return status;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Reads the program's output until it ends. Its children may go on, and keep the output open. */
static enum cw_learn_end attend(const struct cw_learn_program *p, pid_t child, uint64_t begin,
                                struct output *o, struct cw_learn_run *run)
{
    struct pollfd from[] = {{signals.fd, POLLIN, 0}, {o->fd, POLLIN, 0}};
    struct rusage used;

    for (;;) {
        int ready = poll(from, 2, TICK_MS);

        if (ready > 0 && from[1].revents && !take_output(o))
            from[1].fd = -1;
        if (ready > 0 && from[0].revents)
            take_signals();
        if (wait4(child, &run->status, WNOHANG, &used) == child) {
            run->wall_ns = (double)(cw_monotonic_ns() - begin);
            run->cpu_ns = 1e9 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                          1e3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
            take_output(o);
            close_block(o);
            run->output = o->now.before;
            return signals.ended_by ? CW_LEARN_STOPPED : CW_LEARN_ENDED;
        }
        if (signals.ended_by || (p->most_ns > 0 && (double)(cw_monotonic_ns() - begin) > p->most_ns)) {
            run->status = end_program(child);
            return signals.ended_by ? CW_LEARN_STOPPED : CW_LEARN_TOO_LONG;
        }
        if (ready == 0 && p->tick)
            p->tick(p->context);
    }
}

enum cw_learn_end cw_learn_process_run(const struct cw_learn_program *p, bool bare, int errors, bool first,
                                       struct cw_learn_run *run)
{
    static struct output o; /* large */
    int output[2] = {-1, -1}, report[2] = {-1, -1}, error = 0;
    uint64_t begin;
    enum cw_learn_end end;
    pid_t child = -1;

    *run = (struct cw_learn_run){0};
    fflush(NULL);
    if (pipe2(output, O_CLOEXEC) == 0 && pipe2(report, O_CLOEXEC) == 0 &&
        fcntl(output[0], F_SETFL, O_NONBLOCK) == 0) {
        begin = cw_monotonic_ns();
        child = fork();
    }
    if (child == 0)
        exec_program(p, bare, output[1], errors, report[1]);
    close(output[1]);
    close(report[1]);
    if (child < 0)
        cw_cli_complain("cannot start a process: %s", strerror(errno));
    else
        setpgid(child, child); /* whichever is first */
    while (child > 0 && read(report[0], &error, sizeof error) < 0 && errno == EINTR)
        ;
    close(report[0]);
    o = (struct output){.fd = output[0], .shown = first && p->verbose};
    end = child > 0 ? attend(p, child, begin, &o, run) : CW_LEARN_NO_START;
    close(output[0]);
    if (error)
        cw_cli_complain("cannot run %s: %s; check its name, or give its path", p->argv[0], strerror(error));
    return error ? CW_LEARN_NO_START : end;
}
