#include "farm_master.h"

#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "farm_serve.h"
#include "../io/quantity.h"

enum { STOP_MS = 3000, LEVEL_MS = 400 };

/* ---- the loop */

static void take_signals(struct cw_farm_master *m)
{
    struct signalfd_siginfo info;

    while (read(m->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD && !m->stopped_by)
            m->stopped_by = (int)info.ssi_signo;
}

/* Waits for messages, signals, or a tick, and takes them. True: `up` is to be read. */
static bool attend(struct cw_farm_master *m, int up)
{
    struct pollfd *signals = &m->poll[m->children], *listening = signals + 1, *above = signals + 2;

    for (uint32_t k = 0; k < m->children; k++)
        m->poll[k] = (struct pollfd){m->child[k].pid ? m->child[k].fd : -1, POLLIN, 0};
    *signals = (struct pollfd){m->signals, POLLIN, 0};
    *listening = (struct pollfd){m->listening, POLLIN, 0};
    *above = (struct pollfd){up, POLLIN, 0};
    if (poll(m->poll, m->children + 3, CW_FARM_TICK_MS) > 0) {
        for (uint32_t k = 0; k < m->children; k++)
            if (m->poll[k].revents && !cw_farm_serve_listen(m, k))
                cw_farm_serve_close(m, k);
        if (signals->revents)
            take_signals(m);
        if (listening->revents)
            cw_farm_children_accept(m);
    } else {
        above->revents = 0;
    }
    cw_farm_children_reap(m);
    return above->revents != 0;
}

bool cw_farm_master_serve(struct cw_farm_master *m, int up)
{
    cw_farm_children_replace(m);
    cw_farm_serve_parked(m);
    return attend(m, up);
}

static void attend_the_end(struct cw_farm_master *m)
{
    double limit = cw_monotonic_s() + (STOP_MS - LEVEL_MS * (double)m->tree->place[m->node].level) / 1e3;

    while (cw_farm_children_alive(m) && cw_monotonic_s() < limit)
        attend(m, -1);
}

void cw_farm_master_dismiss(struct cw_farm_master *m)
{
    for (uint32_t k = 0; k < m->children; k++) {
        struct cw_farm_child *w = &m->child[k];
        bool done = m->state.left == 0 && w->stopped_s == 0;

        if (w->pid && done && w->fd >= 0)
            cw_farm_link_send(w->fd, CW_FARM_NO_MORE, m->state.child[k].epoch, NULL, 0, NULL, 0);
        else
            cw_farm_child_signal(w, w->stopped_s > 0 ? SIGKILL : SIGTERM);
        if (w->pid && w->fd >= 0)
            shutdown(w->fd, SHUT_WR);
    }
    attend_the_end(m);
    for (uint32_t k = 0; k < m->children; k++)
        cw_farm_child_signal(&m->child[k], SIGKILL);
    attend_the_end(m);
}

/* ---- begin and end */

static void take_over_signals(struct cw_farm_master *m)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    struct sigaction action;
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == SIGCHLD ||
            (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN))
            sigaddset(&set, numbers[i]);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, &m->found);
    m->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool cw_farm_master_begin(struct cw_farm_master *m)
{
    const struct cw_farm_place *place = &m->tree->place[m->node];
    const struct cw_farm_checkpoint *c = m->run->checkpoint;
    bool global = m->node == 0;

    m->first = place->first;
    m->children = place->children;
    m->child = calloc(m->children, sizeof *m->child);
    for (uint32_t k = 0; m->child && k < m->children; k++)
        m->child[k] = (struct cw_farm_child){.fd = -1, .stream = {-1, -1}};
    m->poll = calloc(m->children + 3, sizeof *m->poll);
    take_over_signals(m);
    m->status =
        cw_dispatch_master_init_on(&m->state, cw_farm_tree_holders(m->tree, m->node), m->first,
                                   m->tree->tasks, m->children, global ? m->run->plan->tries : 0, m->err);
    if (m->status == CW_OK && (!m->child || !m->poll || m->signals < 0))
        cw_farm_serve_fail(m, CW_ERR_NOMEM, "cannot begin");
    for (uint32_t t = 0; global && m->status == CW_OK && t < c->tasks; t++)
        if (c->place[t])
            cw_dispatch_master_restore(&m->state, t);
    if (m->status == CW_OK)
        m->status = cw_dispatch_master_begin(&m->state, m->err);
    if (m->status == CW_OK)
        cw_farm_children_inherit(m);
    return m->status == CW_OK;
}

void cw_farm_master_end(struct cw_farm_master *m)
{
    struct timespec none = {0, 0};
    sigset_t ended;

    cw_dispatch_master_finish(&m->state);
    for (uint32_t k = 0; m->child && k < m->children; k++) {
        free(m->child[k].in.bytes.v);
        cw_farm_descriptor_close(&m->child[k].fd);
        for (int s = 0; s < 2; s++)
            cw_farm_descriptor_close(&m->child[k].stream[s]);
    }
    free(m->child);
    free(m->poll);
    free(m->batch.v);
    free(m->output.v);
    cw_farm_descriptor_close(&m->signals);
    cw_farm_descriptor_close(&m->listening);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    while (sigtimedwait(&ended, NULL, &none) > 0)
        ;
    sigprocmask(SIG_SETMASK, &m->found, NULL);
}
