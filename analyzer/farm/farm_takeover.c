#include "farm_serve.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "farm_master.h"

enum { PAUSE_NS = 5000000, WAIT_MS = 100 };

bool cw_farm_takeover_hold(struct cw_dispatch_queue *held, const struct cw_farm_bytes *results)
{
    const char *p = results->v, *end = p ? p + results->used : p;
    struct cw_farm_result r;
    bool ok = true;

    while (p < end && cw_farm_result_next(&p, end, &r))
        ok &= cw_dispatch_queue_put_task(held, r.task);
    return ok;
}

static bool to_end(const struct cw_farm_up *u)
{
    return cw_farm_tree_ended(u->tree) || cw_farm_task_stop ||
           atomic_load(&u->tree->node[u->node].pid) != getpid();
}

/* The ranges one behind the other. */
static bool announce(const struct cw_farm_up *u, const struct cw_dispatch_queue *held)
{
    struct cw_dispatch_range *v = malloc((held->used + 1) * sizeof *v);
    bool sent;

    for (uint32_t k = 0; v && k < held->used; k++)
        v[k] = held->v[(held->head + k) % held->capacity];
    sent = cw_farm_link_send(u->fd, CW_FARM_JOIN, 0, v, v ? held->used * sizeof *v : 0, NULL, 0);
    free(v);
    return sent;
}

/* Announces, and waits for the answer. False: the master is gone, or the farm ends. */
static bool greet(struct cw_farm_up *u, const struct cw_dispatch_queue *held)
{
    struct cw_farm_frame f;
    const char *payload;

    u->in.bytes.used = u->in.at = 0;
    if (!announce(u, held))
        return false;
    while (!to_end(u)) {
        enum cw_farm_received got = cw_farm_link_next(&u->in, &f, &payload);

        if (got == CW_FARM_FULL && f.kind == CW_FARM_WELCOME) {
            u->epoch = f.epoch;
            return true;
        }
        if (got == CW_FARM_EMPTY && poll(&(struct pollfd){u->fd, POLLIN, 0}, 1, WAIT_MS) > 0)
            got = cw_farm_link_read(u->fd, &u->in);
        if (got == CW_FARM_CLOSED || got == CW_FARM_NOMEM)
            return false;
    }
    return false;
}

/* In the successor of master `dead`. Never returns. */
static void become(struct cw_farm_up *u, uint32_t dead, int listening)
{
    if (u->forget)
        u->forget(u->context);
    for (int s = 0; s < 2; s++)
        if (u->tree->terminal[s] >= 0)
            dup2(u->tree->terminal[s], STDOUT_FILENO + s);
    setpgid(0, 0);
    cw_farm_task_stop = 0;
    _exit(dead ? u->tree->region(u->run, u->tree, dead, listening, -1)
               : u->run->go_on(u->run, u->tree, listening));
}

/* Where the master's address is free, a new process takes it over. */
static void take_over(struct cw_farm_up *u, uint32_t dead)
{
    int listening = cw_farm_tree_listen(u->tree, dead);

    if (listening < 0)
        return;
    if (fork() == 0)
        become(u, dead, listening);
    close(listening);
}

bool cw_farm_takeover_join(struct cw_farm_up *u, const struct cw_dispatch_queue *held)
{
    uint32_t master = u->tree->place[u->node].parent;
    bool may = master || !cw_farm_tree_is_worker(u->tree, u->node);

    for (; !to_end(u); nanosleep(&(struct timespec){0, PAUSE_NS}, NULL)) {
        if (u->fd < 0)
            u->fd = cw_farm_tree_connect(u->tree, master);
        if (u->fd >= 0 && greet(u, held))
            return true;
        if (u->fd >= 0)
            close(u->fd);
        else if (may)
            take_over(u, master);
        else
            return false;
        u->fd = -1;
    }
    return false;
}
