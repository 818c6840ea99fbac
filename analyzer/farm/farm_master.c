#include "farm_master.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../sched/dispatch_master.h"
#include "farm_link.h"
#include "farm_worker.h"

enum { TICK_MS = 100, STOP_MS = 3000, BLOCK_MAX = 64, PARTS = 32, LAST_PARTS = 4, BATCH_BYTES = 1 << 20 };
#define BATCH_S 0.1

struct worker {
    pid_t pid;        /* 0: none */
    int fd;           /* -1: it has nothing more to say */
    int stream[2];    /* the output of the job that it runs; -1: not made yet */
    double stopped_s; /* when it was stopped; 0: it is not */
    struct cw_farm_inbox in;
};

struct farm {
    const struct cw_farm_run *run;
    struct cw_dispatch_master state;
    struct worker *worker;
    struct pollfd *poll;
    struct cw_farm_now *now; /* per worker, shared with it */
    uint32_t workers, block, vain_deaths;
    struct cw_farm_bytes output;
    struct cw_farm_bytes batch; /* results that are taken and not in the checkpoint yet */
    double batch_s, begin_s, tick_s;
    int signals, stopped_by;
    sigset_t found;
    struct cw_farm_figures *f;
    enum cw_status status;
    struct cw_error *err;
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(struct farm *m, enum cw_status status, const char *text)
{
    if (m->status == CW_OK)
        m->status = cw_error_set(m->err, status, "%s: %s", text, strerror(errno));
}

/* ---- workers */

/* In the child. Never returns. */
static void be_worker(struct farm *m, uint32_t k, int fd, pid_t master)
{
    struct cw_farm_worker w = {.fd = fd,
                               .stream = {m->worker[k].stream[0], m->worker[k].stream[1]},
                               .epoch = m->state.child[k].epoch,
                               .block = m->block,
                               .plan = m->run->plan,
                               .jobs = m->run->jobs,
                               .now = &m->now[k]};
    int null = open("/dev/null", O_RDONLY);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != master)
        _exit(1);
    setpgid(0, 0); /* the terminal's Ctrl-C reaches only the master */
    dup2(null, STDIN_FILENO);
    close(null);
    close(m->signals);
    close(m->run->checkpoint->fd); /* the lock is the master's */
    for (uint32_t j = 0; j < m->workers; j++)
        if (m->worker[j].pid && m->worker[j].fd >= 0)
            close(m->worker[j].fd);
    sigprocmask(SIG_SETMASK, &m->found, NULL);
    _exit(cw_farm_worker_serve(&w));
}

static void on_term(int sig)
{
    (void)sig;
    cw_farm_task_stop = 1;
}

static void start_worker(struct farm *m, uint32_t k)
{
    struct worker *w = &m->worker[k];
    struct sigaction before, stop = {.sa_handler = on_term}; /* no SA_RESTART: it ends waits */
    pid_t master = getpid();
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        fail(m, CW_ERR_IO, "cannot make a pair of sockets");
        return;
    }
    for (int s = 0; s < 2; s++)
        if (w->stream[s] < 0)
            w->stream[s] = memfd_create("output", MFD_CLOEXEC);
    atomic_store(&m->now[k].task, CW_DISPATCH_NOBODY);
    atomic_store(&m->now[k].group, 0);
    sigaction(SIGTERM, &stop,
              &before); /* the child has it from its first moment on; the master's is blocked */
    w->pid = fork();
    if (w->pid == 0) {
        close(pair[0]);
        w->pid = 0;
        be_worker(m, k, pair[1], master);
    }
    sigaction(SIGTERM, &before, NULL);
    close(pair[1]);
    if (w->pid < 0) {
        fail(m, CW_ERR_IO, "cannot start a process");
        close(pair[0]);
        w->pid = 0;
        return;
    }
    setpgid(w->pid, w->pid); /* both do it: no order is certain */
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    w->fd = pair[0];
    w->stopped_s = 0;
    w->in.bytes.used = w->in.at = 0;
}

/* ---- results */

static void commit(struct farm *m)
{
    struct cw_error err = {0};

    if (!m->batch.used)
        return;
    if (cw_farm_checkpoint_append(m->run->checkpoint, &m->batch, &err) != CW_OK && m->status == CW_OK) {
        m->status = err.status;
        cw_error_set(m->err, err.status, "%s", err.text);
    }
    m->batch.used = 0;
}

/* Adds a result to the batch when it is to be taken. */
static void take(struct farm *m, enum cw_dispatch_report report, const struct cw_farm_result *r)
{
    if (report == CW_DISPATCH_TAKE) {
        if (!m->batch.used)
            m->batch_s = now_s();
        m->vain_deaths = 0;
        m->f->done++;
        m->f->session_done++;
        m->f->failed += cw_farm_result_failed(r);
    }
    if (report == CW_DISPATCH_NOMEM || (report == CW_DISPATCH_TAKE && !cw_farm_result_add(&m->batch, r))) {
        errno = ENOMEM;
        fail(m, CW_ERR_NOMEM, "cannot keep a result");
    }
}

/* Blocks get smaller towards the end, so that the workers end together. */
static uint32_t fair(const struct farm *m, uint32_t wanted)
{
    uint32_t part = m->state.left / (m->workers * LAST_PARTS);

    return m->run->block || wanted <= part ? wanted : part ? part : 1;
}

static void grant(struct farm *m, uint32_t k, uint32_t epoch, uint32_t wanted)
{
    struct cw_dispatch_range r = cw_dispatch_master_request(&m->state, k, epoch, fair(m, wanted));

    if (r.count) /* a worker that is gone shows as such later */
        cw_farm_link_send(m->worker[k].fd, CW_FARM_WORK, epoch, &r, sizeof r, NULL, 0);
}

/* False: the message is none of a worker's. */
static bool take_message(struct farm *m, uint32_t k, const struct cw_farm_frame *f, const char *payload)
{
    const char *p = payload + sizeof(uint64_t), *end = payload + f->bytes;
    struct cw_farm_result r;
    uint64_t wanted;

    if (f->kind != CW_FARM_REPORT || f->bytes < sizeof wanted)
        return false;
    memcpy(&wanted, payload, sizeof wanted);
    while (p < end) {
        if (!cw_farm_result_next(&p, end, &r))
            return false;
        take(m, cw_dispatch_master_report(&m->state, k, f->epoch, r.task, cw_farm_result_failed(&r)), &r);
    }
    if (wanted && !m->stopped_by && m->status == CW_OK)
        grant(m, k, f->epoch, wanted < m->block ? (uint32_t)wanted : m->block);
    return true;
}

static void end_worker(const struct worker *w)
{
    if (w->pid)
        kill(w->pid, SIGKILL);
}

/* Takes what worker k has sent. False: it has closed its end, or sends what makes no sense. */
static bool listen_to(struct farm *m, uint32_t k)
{
    struct worker *w = &m->worker[k];
    enum cw_farm_received got = cw_farm_link_read(w->fd, &w->in), next;
    struct cw_farm_frame f;
    const char *payload;

    if (got == CW_FARM_NOMEM)
        end_worker(w);
    if (got != CW_FARM_FULL)
        return got == CW_FARM_EMPTY;
    while ((next = cw_farm_link_next(&w->in, &f, &payload)) == CW_FARM_FULL)
        if (!take_message(m, k, &f, payload))
            next = CW_FARM_CLOSED;
    if (next == CW_FARM_CLOSED)
        end_worker(w);
    return next != CW_FARM_CLOSED;
}

/* ---- deaths */

/* Worker k has ended with `status`; the results that it sent before count. */
static void bury(struct farm *m, uint32_t k, int status)
{
    struct worker *w = &m->worker[k];
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    uint32_t running = atomic_load(&m->now[k].task);
    struct cw_farm_result r = {.task = running, .end = CW_FARM_WORKER, .value = sig};

    w->pid = 0;
    while (w->fd >= 0 && poll(&(struct pollfd){w->fd, POLLIN, 0}, 1, 0) > 0 && listen_to(m, k))
        ;
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    w->stopped_s = 0;
    if (atomic_load(&m->now[k].group) > 0) /* the program ends with its worker; its children do here */
        kill(-atomic_load(&m->now[k].group), SIGKILL);
    if (sig == SIGALRM)
        r.end = CW_FARM_TIMEOUT;
    m->f->deaths += sig != 0;
    m->vain_deaths++;
    if (m->stopped_by)
        running = CW_DISPATCH_NOBODY; /* it was told to */
    else if (running != CW_DISPATCH_NOBODY)
        cw_farm_task_output(w->stream, &m->output, &r);
    take(m, cw_dispatch_master_death(&m->state, k, running), &r);
}

/* Takes the changes of all workers' states. */
static void reap(struct farm *m)
{
    for (uint32_t k = 0; k < m->workers; k++) {
        struct worker *w = &m->worker[k];
        int status;

        while (w->pid && waitpid(w->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == w->pid) {
            if (WIFSTOPPED(status))
                w->stopped_s = now_s();
            else if (WIFCONTINUED(status))
                w->stopped_s = 0;
            else
                bury(m, k, status);
        }
        if (w->stopped_s > 0 && now_s() - w->stopped_s > m->run->patience_s)
            end_worker(w);
    }
}

static uint32_t alive(const struct farm *m)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < m->workers; k++)
        n += m->worker[k].pid != 0;
    return n;
}

/* Successors for the dead, as long as there are tasks for them. */
static void replace(struct farm *m)
{
    uint32_t n = alive(m);

    if (m->vain_deaths > 10 * m->workers + 10 && m->status == CW_OK)
        m->status = cw_error_set(m->err, CW_ERR_LIMIT,
                                 "%u workers have died one after the other, and no task "
                                 "was done: is memory or the number of processes limited?",
                                 m->vain_deaths);
    for (uint32_t k = 0; k < m->workers && n < m->state.left && m->status == CW_OK; k++)
        if (!m->worker[k].pid) {
            start_worker(m, k);
            n++;
        }
}

/* ---- the loop */

static void take_signals(struct farm *m)
{
    struct signalfd_siginfo info;

    while (read(m->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD && !m->stopped_by)
            m->stopped_by = (int)info.ssi_signo;
}

static void tick(struct farm *m)
{
    double now = now_s();

    m->f->seconds = now - m->begin_s;
    if (m->run->tick && now - m->tick_s > TICK_MS / 1e3) {
        m->tick_s = now;
        m->run->tick(m->run->context, m->f);
    }
}

/* Waits for messages, signals, or a tick, and takes them. */
static void attend(struct farm *m)
{
    m->poll[m->workers] = (struct pollfd){m->signals, POLLIN, 0};
    for (uint32_t k = 0; k < m->workers; k++)
        m->poll[k] = (struct pollfd){m->worker[k].pid ? m->worker[k].fd : -1, POLLIN, 0};
    if (poll(m->poll, m->workers + 1, TICK_MS) > 0) {
        for (uint32_t k = 0; k < m->workers; k++)
            if (m->poll[k].revents && !listen_to(m, k)) {
                close(m->worker[k].fd);
                m->worker[k].fd = -1;
            }
        if (m->poll[m->workers].revents)
            take_signals(m);
    }
    reap(m);
    if (m->batch.used > BATCH_BYTES || (m->batch.used && now_s() - m->batch_s > BATCH_S))
        commit(m);
    tick(m);
}

static void serve(struct farm *m)
{
    uint32_t k;

    while (m->state.left && m->status == CW_OK && !m->stopped_by) {
        replace(m);
        attend(m);
        while (!m->stopped_by && (k = cw_dispatch_master_parked(&m->state)) != CW_DISPATCH_NOBODY)
            grant(m, k, m->state.child[k].epoch, m->state.child[k].owed);
    }
}

static void attend_the_end(struct farm *m)
{
    for (double limit = now_s() + STOP_MS / 1e3; alive(m) && now_s() < limit;)
        attend(m);
}

/* Ends the workers: with END when all is done, else their tasks too. Reports that come meanwhile count. */
static void dismiss(struct farm *m)
{
    for (uint32_t k = 0; k < m->workers; k++) {
        struct worker *w = &m->worker[k];
        bool done = m->state.left == 0 && w->stopped_s == 0;

        if (w->pid && done && w->fd >= 0)
            cw_farm_link_send(w->fd, CW_FARM_NO_MORE, m->state.child[k].epoch, NULL, 0, NULL, 0);
        else if (w->pid)
            kill(w->pid, w->stopped_s > 0 ? SIGKILL : SIGTERM);
        if (w->pid && w->fd >= 0)
            shutdown(w->fd, SHUT_WR);
    }
    attend_the_end(m);
    for (uint32_t k = 0; k < m->workers; k++)
        end_worker(&m->worker[k]);
    attend_the_end(m);
    commit(m);
}

/* ---- begin and end */

static bool begin(struct farm *m)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    const struct cw_farm_checkpoint *c = m->run->checkpoint;
    struct sigaction action;
    sigset_t set;

    m->worker = calloc(m->workers, sizeof *m->worker);
    for (uint32_t k = 0; m->worker && k < m->workers; k++)
        m->worker[k] = (struct worker){.fd = -1, .stream = {-1, -1}};
    m->poll = calloc(m->workers + 1, sizeof *m->poll);
    m->now =
        mmap(NULL, m->workers * sizeof *m->now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == SIGCHLD ||
            (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN))
            sigaddset(&set, numbers[i]);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, &m->found);
    m->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    m->status = cw_dispatch_master_init(&m->state, c->tasks, m->workers, m->run->plan->tries, m->err);
    if (m->status == CW_OK && (!m->worker || !m->poll || m->now == MAP_FAILED || m->signals < 0))
        fail(m, CW_ERR_NOMEM, "cannot begin");
    for (uint32_t t = 0; m->status == CW_OK && t < c->tasks; t++)
        if (c->place[t])
            cw_dispatch_master_restore(&m->state, t);
    if (m->status == CW_OK)
        m->status = cw_dispatch_master_begin(&m->state, m->err);
    return m->status == CW_OK;
}

static void end(struct farm *m)
{
    struct timespec none = {0, 0};
    sigset_t ended;

    cw_dispatch_master_finish(&m->state);
    for (uint32_t k = 0; m->worker && k < m->workers; k++) {
        free(m->worker[k].in.bytes.v);
        for (int s = 0; s < 2; s++)
            if (m->worker[k].stream[s] >= 0)
                close(m->worker[k].stream[s]);
    }
    free(m->worker);
    free(m->poll);
    free(m->batch.v);
    free(m->output.v);
    if (m->now && m->now != MAP_FAILED)
        munmap(m->now, m->workers * sizeof *m->now);
    if (m->signals >= 0)
        close(m->signals);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    while (sigtimedwait(&ended, NULL, &none) > 0)
        ;
    sigprocmask(SIG_SETMASK, &m->found, NULL);
}

enum cw_status cw_farm_master_run(const struct cw_farm_run *run, struct cw_farm_figures *f, int *stopped_by,
                                  struct cw_error *err)
{
    const struct cw_farm_checkpoint *c = run->checkpoint;
    uint32_t left = c->tasks - c->done, part = left / (run->workers * PARTS);
    struct farm m = {.run = run, .workers = run->workers, .err = err, .f = f, .begin_s = now_s()};

    *f = (struct cw_farm_figures){.tasks = c->tasks, .done = c->done, .failed = c->failed};
    m.block = run->block ? run->block : part < 1 ? 1 : part > BLOCK_MAX ? BLOCK_MAX : part;
    if (begin(&m)) {
        serve(&m);
        dismiss(&m);
    }
    end(&m);
    *stopped_by = f->done < f->tasks ? m.stopped_by : 0;
    if (cw_farm_checkpoint_flush(run->checkpoint, err) != CW_OK && m.status == CW_OK)
        m.status = CW_ERR_IO;
    return m.status;
}
