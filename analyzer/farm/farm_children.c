#include "farm_serve.h"
#include "../io/quantity.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORT_NS = 100000000, REPORT_BYTES = 1 << 20 };

/* The work of this process. */
static struct {
    struct cw_farm_worker *w;
    struct cw_dispatch_range range; /* tasks without a result: the first is run now */
    struct cw_farm_bytes results;   /* not reported yet */
    struct cw_farm_bytes output;
} work;

/* Joins the successor of the master. False: the worker is to end. */
static bool rejoin(void)
{
    struct cw_farm_up *up = &work.w->up;
    struct cw_dispatch_queue held = {0};
    bool ok = cw_farm_takeover_hold(&held, &work.results) && cw_dispatch_queue_put(&held, work.range);

    if (up->fd >= 0)
        close(up->fd);
    up->fd = -1;
    ok = ok && cw_farm_takeover_join(up, &held);
    cw_dispatch_queue_finish(&held);
    return ok;
}

/* While a program runs: the master's death is not to wait for its end, nor the end of the farm. */
static void watch(void)
{
    const struct cw_farm_up *up = &work.w->up;
    struct pollfd link = {up->fd, POLLRDHUP, 0};

    if (up->fd >= 0 && !cw_farm_task_stop && poll(&link, 1, 0) > 0 &&
        (cw_farm_tree_ended(up->tree) || !rejoin()))
        cw_farm_task_stop = 1;
}

static bool send_report(uint64_t wanted)
{
    const struct cw_farm_up *up = &work.w->up;

    return up->fd >= 0 && cw_farm_link_send(up->fd, CW_FARM_REPORT, up->epoch, &wanted, sizeof wanted,
                                            work.results.v, work.results.used);
}

/* Reports to the master, or to its successor. */
static bool report(uint64_t wanted)
{
    while (!send_report(wanted))
        if (!rejoin())
            return false;
    work.results.used = 0;
    return true;
}

/* Runs the tasks of the range. False: the worker is to end. */
static bool run_range(void)
{
    const struct cw_farm_worker *w = work.w;
    uint64_t first_ns = 0;

    while (work.range.count) {
        struct cw_farm_result r;
        bool ok;

        atomic_store(&w->now->task, work.range.first);
        ok = !cw_farm_task_stop &&
             cw_farm_task_run(w->plan, work.range.first, w->jobs, w->stream, w->now, &work.output, &r) &&
             cw_farm_result_add(&work.results, &r);
        atomic_store(&w->now->task, CW_DISPATCH_NOBODY);
        if (!ok)
            return false;
        work.range.first++;
        work.range.count--;
        if (first_ns == 0)
            first_ns = cw_monotonic_ns();
        if (work.range.count &&
            (work.results.used > REPORT_BYTES || cw_monotonic_ns() - first_ns > REPORT_NS)) {
            if (!report(0))
                return false;
            first_ns = 0;
        }
    }
    return true;
}

/* Waits for work. FULL: there is; CLOSED: the master is gone; EMPTY: END, or the worker is to end. */
static enum cw_farm_received receive(void)
{
    struct cw_farm_up *up = &work.w->up;
    struct cw_farm_frame f;
    const char *payload;

    while (!cw_farm_task_stop) {
        enum cw_farm_received got = cw_farm_link_next(&up->in, &f, &payload);

        if (got == CW_FARM_EMPTY)
            got = cw_farm_link_read(up->fd, &up->in);
        else if (got == CW_FARM_FULL && f.kind == CW_FARM_WORK && f.bytes == sizeof work.range)
            return memcpy(&work.range, payload, sizeof work.range), CW_FARM_FULL;
        else if (got == CW_FARM_FULL)
            return CW_FARM_EMPTY;
        if (got == CW_FARM_CLOSED || got == CW_FARM_NOMEM)
            return CW_FARM_CLOSED;
    }
    return CW_FARM_EMPTY;
}

/* Serves until END comes, the farm ends, or cw_farm_task_stop is set. Where the link breaks, the worker
 * joins its master's successor. One worker per process. Results go out when a block is done, and at the
 * latest .1 s behind the first of them. Returns an exit status. */
static int farm_worker_serve(struct cw_farm_worker *w)
{
    enum cw_farm_received got = CW_FARM_FULL;
    bool ok = true;

    memset(&work, 0, sizeof work); /* a fork of another worker has the work of that */
    work.w = w;
    cw_farm_task_watch = watch;
    while (ok && got != CW_FARM_EMPTY && report(w->block)) {
        got = receive();
        if (got == CW_FARM_FULL)
            ok = run_range();
        else if (got == CW_FARM_CLOSED && !rejoin())
            break;
    }
    if (!ok)
        send_report(0); /* those that it has */
    free(work.results.v);
    free(work.output.v);
    free(w->up.in.bytes.v);
    return ok ? 0 : 1;
}

#define SUCCESSOR_S 1.0 /* so long the children of a dead regional master have to take over */

static struct cw_farm_now *now_of(const struct cw_farm_master *m, uint32_t k)
{
    return &m->tree->node[m->first + k].now;
}

/* ---- children that begin */

void cw_farm_children_forget(void *master)
{
    struct cw_farm_master *m = master;

    cw_farm_descriptor_close(&m->signals);
    cw_farm_descriptor_close(&m->listening);
    cw_farm_descriptor_close(&m->run->checkpoint->fd); /* the lock is the global master's */
    for (uint32_t j = 0; j < m->children; j++)
        cw_farm_descriptor_close(&m->child[j].fd);
    sigprocmask(SIG_SETMASK, &m->found, NULL);
}

/* In the child. Never returns. */
static void be_worker(struct cw_farm_master *m, uint32_t k, int fd)
{
    struct cw_farm_worker w = {.up = {.run = m->run,
                                      .tree = m->tree,
                                      .node = m->first + k,
                                      .fd = fd,
                                      .epoch = m->state.child[k].epoch},
                               .stream = {m->child[k].stream[0], m->child[k].stream[1]},
                               .block = m->tree->block,
                               .plan = m->run->plan,
                               .jobs = m->run->jobs,
                               .now = now_of(m, k)};

    cw_farm_tree_enter(m->tree, m->first + k, "farm-worker");
    cw_farm_children_forget(m);
    if (cw_farm_master_is_outside(m, k))
        cw_farm_outside_exec(m->run->outside, fd, w.up.epoch);
    _exit(farm_worker_serve(&w));
}

/* The same, for a regional master. */
static void be_region(struct cw_farm_master *m, uint32_t k, int fd, int listening)
{
    cw_farm_children_forget(m);
    _exit(m->tree->region(m->run, m->tree, m->first + k, listening, fd));
}

static void be_child(struct cw_farm_master *m, uint32_t k, int fd, int listening, pid_t master)
{
    int null = open("/dev/null", O_RDONLY);

    if (m->tree->levels == 1) /* no process would take over */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != master)
        _exit(1);
    setpgid(0, 0); /* the terminal's Ctrl-C reaches only the global master */
    dup2(null, STDIN_FILENO);
    close(null);
    if (cw_farm_master_has_workers(m))
        be_worker(m, k, fd);
    else
        be_region(m, k, fd, listening);
}

/* Regional master k has a successor. */
static void tell(const struct cw_farm_master *m, uint32_t k)
{
    char text[160];

    if (!m->run->note || m->node)
        return;
    snprintf(text, sizeof text, "regional master %u has died; process %d has taken its place", m->first + k,
             (int)m->child[k].pid);
    m->run->note(text);
}

static void on_term(int sig)
{
    (void)sig;
    cw_farm_task_stop = 1;
}

static void start_process(struct cw_farm_master *m, uint32_t k, const int pair[2], int listening)
{
    struct cw_farm_child *w = &m->child[k];
    struct sigaction before, stop = {.sa_handler = on_term}; /* no SA_RESTART: it ends waits */
    pid_t master = getpid();

    sigaction(SIGTERM, &stop,
              &before); /* the child has it from its first moment on; the master's is blocked */
    w->pid = fork();
    if (w->pid == 0) {
        close(pair[0]);
        be_child(m, k, pair[1], listening, master);
    }
    sigaction(SIGTERM, &before, NULL);
    close(pair[1]);
    if (w->pid < 0) {
        cw_farm_serve_fail(m, CW_ERR_IO, "cannot start a process");
        close(pair[0]);
        w->pid = 0;
        return;
    }
    setpgid(w->pid, w->pid); /* both do it: no order is certain */
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    w->fd = pair[0];
    if (w->gone_s > 0 && !cw_farm_master_has_workers(m))
        tell(m, k);
    w->stopped_s = w->gone_s = 0;
    w->in.bytes.used = w->in.at = 0;
}

static void start_child(struct cw_farm_master *m, uint32_t k)
{
    struct cw_farm_child *w = &m->child[k];
    int pair[2], listening = -1;

    if (!cw_farm_master_has_workers(m) && (listening = cw_farm_tree_listen(m->tree, m->first + k)) < 0) {
        if (errno != EADDRINUSE)
            cw_farm_serve_fail(m, CW_ERR_IO, "cannot take the address of a regional master");
        w->gone_s = cw_monotonic_s(); /* its successor will join */
        return;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
        cw_farm_serve_fail(m, CW_ERR_IO, "cannot make a pair of sockets");
    } else {
        for (int s = 0; cw_farm_master_has_workers(m) && s < 2; s++)
            if (w->stream[s] < 0)
                w->stream[s] = memfd_create("output", MFD_CLOEXEC);
        atomic_store(&now_of(m, k)->task, CW_DISPATCH_NOBODY);
        atomic_store(&now_of(m, k)->group, 0);
        start_process(m, k, pair, listening);
    }
    if (listening >= 0)
        close(listening);
}

/* ---- deaths */

/* A program ends with its worker; its children do here. */
static void end_program(const struct cw_farm_master *m, uint32_t k)
{
    int32_t group = atomic_exchange(&now_of(m, k)->group, 0);

    if (group > 0)
        kill(-group, SIGKILL);
}

/* The task that the worker was at counts as failed. */
static void bury_worker(struct cw_farm_master *m, uint32_t k, int status)
{
    struct cw_farm_child *w = &m->child[k];
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    uint32_t running = atomic_load(&now_of(m, k)->task);
    struct cw_farm_result r = {.task = running, .end = CW_FARM_WORKER, .value = sig};

    end_program(m, k);
    if (sig == SIGALRM)
        r.end = CW_FARM_TIMEOUT;
    if (m->f)
        m->f->deaths += sig != 0;
    if (m->stopped_by || w->adopted)
        running = CW_DISPATCH_NOBODY; /* it was told to; or it may have been */
    else if (running != CW_DISPATCH_NOBODY)
        cw_farm_task_output(w->stream, &m->output, &r);
    cw_farm_serve_take(m, cw_dispatch_master_death(&m->state, k, running), &r);
}

/* Child k has ended with `status`; the results that it sent before count. The tasks of a regional master are
 * its successor's, as far as that announces them. */
static void bury(struct cw_farm_master *m, uint32_t k, int status)
{
    struct cw_farm_child *w = &m->child[k];

    w->pid = 0;
    while (w->fd >= 0 && poll(&(struct pollfd){w->fd, POLLIN, 0}, 1, 0) > 0 && cw_farm_serve_listen(m, k))
        ;
    cw_farm_serve_close(m, k);
    w->stopped_s = 0;
    w->gone_s = cw_monotonic_s();
    m->vain_deaths++;
    if (cw_farm_master_has_workers(m))
        bury_worker(m, k, status);
    w->adopted = false;
}

/* Takes the changes of the state of a process that this master has not started. */
static void watch_adopted(struct cw_farm_master *m, uint32_t k)
{
    struct cw_farm_child *w = &m->child[k];
    enum cw_farm_life life = cw_farm_tree_look(m->tree, m->first + k, NULL);

    if (life == CW_FARM_GONE)
        bury(m, k, 0);
    else if (life == CW_FARM_RUNS)
        w->stopped_s = 0;
    else if (w->stopped_s == 0)
        w->stopped_s = cw_monotonic_s();
}

/* Takes the changes of all children's states. */
void cw_farm_children_reap(struct cw_farm_master *m)
{
    for (uint32_t k = 0; k < m->children; k++) {
        struct cw_farm_child *w = &m->child[k];
        int status;

        if (w->pid && w->adopted)
            watch_adopted(m, k);
        while (w->pid && !w->adopted &&
               waitpid(w->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) == w->pid) {
            if (WIFSTOPPED(status))
                w->stopped_s = cw_monotonic_s();
            else if (WIFCONTINUED(status))
                w->stopped_s = 0;
            else
                bury(m, k, status);
        }
        if (w->stopped_s > 0 && cw_monotonic_s() - w->stopped_s > m->run->patience_s)
            cw_farm_child_signal(w, SIGKILL);
    }
}

uint32_t cw_farm_children_alive(const struct cw_farm_master *m)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < m->children; k++)
        n += m->child[k].pid != 0;
    return n;
}

/* Whether child k, which has no process, is to have one; `n` have. */
static bool is_due(const struct cw_farm_master *m, uint32_t k, uint32_t n)
{
    const struct cw_farm_child *w = &m->child[k];

    if (cw_farm_master_has_workers(m))
        return n < m->state.left + (m->run->outside != NULL);
    return (n < m->state.left || m->state.child[k].held) &&
           (w->gone_s == 0 || cw_monotonic_s() - w->gone_s > SUCCESSOR_S);
}

/* Successors for the dead, as long as there are tasks for them. */
void cw_farm_children_replace(struct cw_farm_master *m)
{
    uint32_t n = cw_farm_children_alive(m);

    if (m->vain_deaths > 10 * m->children + 10 && m->status == CW_OK)
        m->status = cw_error_set(m->err, CW_ERR_LIMIT,
                                 "%u workers have died one after the other, and no task "
                                 "was done: is memory or the number of processes limited?",
                                 m->vain_deaths);
    for (uint32_t k = 0; k < m->children && m->status == CW_OK; k++)
        if (!m->child[k].pid && is_due(m, k, n)) {
            start_child(m, k);
            n++;
        }
}

/* ---- successors */

/* The process `pid` asks for a link as child k. False: there is another process for that. */
static bool adopt(struct cw_farm_master *m, uint32_t k, pid_t pid)
{
    struct cw_farm_child *w = &m->child[k];
    int status;

    if (w->pid == pid)
        return true;
    if (w->pid && cw_farm_master_has_workers(m))
        return false;
    if (w->pid) { /* it has no address, so it is as good as dead */
        bool own = !w->adopted;
        pid_t dead = w->pid;

        cw_farm_child_signal(w, SIGKILL);
        while (own && waitpid(dead, &status, 0) < 0 && errno == EINTR)
            ;
        bury(m, k, 0);
    }
    w->adopted = true;
    w->pid = pid;
    if (!cw_farm_master_has_workers(m))
        tell(m, k);
    return true;
}

void cw_farm_children_accept(struct cw_farm_master *m)
{
    pid_t pid;

    for (int fd; (fd = cw_farm_tree_accept(m->listening, &pid)) >= 0;) {
        uint32_t k = 0;

        while (k < m->children && atomic_load(&m->tree->node[m->first + k].pid) != pid)
            k++;
        if (k == m->children || !adopt(m, k, pid)) {
            close(fd);
            continue;
        }
        cw_farm_serve_close(m, k);
        m->child[k].fd = fd;
        m->child[k].gone_s = 0;
        m->child[k].in.bytes.used = m->child[k].in.at = 0;
    }
}

/* The children of a dead master: those that live are this one's; the tasks of its dead workers are queued. */
void cw_farm_children_inherit(struct cw_farm_master *m)
{
    for (uint32_t k = 0; k < m->children; k++) {
        struct cw_farm_child *w = &m->child[k];
        pid_t pid;

        w->adopted = cw_farm_tree_look(m->tree, m->first + k, &pid) != CW_FARM_GONE;
        w->pid = w->adopted ? pid : 0;
        if (!w->pid && pid)
            w->gone_s = cw_monotonic_s();
        if (!w->pid && cw_farm_master_has_workers(m)) {
            end_program(m, k);
            cw_farm_serve_take(m, cw_dispatch_master_death(&m->state, k, CW_DISPATCH_NOBODY), NULL);
        }
    }
}
