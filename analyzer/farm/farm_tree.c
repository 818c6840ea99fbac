#include "farm_tree.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../sched/dispatch.h"

/* ---- the shape */

/* Nodes of each level; returns their number. */
static uint32_t count_nodes(uint32_t workers, uint32_t levels, uint32_t count[CW_DISPATCH_LEVELS_MAX + 1])
{
    uint32_t fan_out = 1, nodes = 0;

    while (pow(fan_out, levels) < workers)
        fan_out++;
    count[levels] = workers;
    for (uint32_t l = levels; l-- > 0;)
        count[l] = l ? (count[l + 1] + fan_out - 1) / fan_out : 1;
    for (uint32_t l = 0; l <= levels; l++)
        nodes += count[l];
    return nodes;
}

static void set_places(struct cw_farm_place *place, uint32_t levels, const uint32_t *count)
{
    uint32_t at = 0;

    for (uint32_t l = 0; l <= levels; l++)
        for (uint32_t k = 0; k < count[l]; k++, at++) {
            struct cw_farm_place *p = &place[at];

            p->level = l;
            p->below = l == levels;
            if (l == 0)
                continue;
            p->parent = at - k - count[l - 1] + (uint32_t)((uint64_t)k * count[l - 1] / count[l]);
            if (place[p->parent].children++ == 0)
                place[p->parent].first = at;
        }
    for (uint32_t k = at; k-- > 1;)
        place[place[k].parent].below += place[k].below;
}

bool cw_farm_tree_is_worker(const struct cw_farm_tree *t, uint32_t node)
{
    return t->place[node].level == t->levels;
}

/* ---- the shared memory */

static bool share(struct cw_farm_tree *t)
{
    size_t nodes = t->nodes * sizeof *t->node, holders = (size_t)t->levels * t->tasks * sizeof *t->holder;
    char *v;

    t->shared_bytes = nodes + sizeof *t->ended + holders;
    v = mmap(NULL, t->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (v == MAP_FAILED)
        return false;
    t->node = (void *)v;
    t->ended = (void *)(v + nodes);
    t->holder = (void *)(v + nodes + sizeof *t->ended);
    memset(t->holder, 0xff, holders);
    return true;
}

struct cw_farm_tree *cw_farm_tree_make(uint32_t workers, uint32_t levels, uint32_t tasks,
                                       struct cw_error *err)
{
    struct cw_farm_tree *t = calloc(1, sizeof *t);
    uint32_t count[CW_DISPATCH_LEVELS_MAX + 1];

    if (t) {
        *t =
            (struct cw_farm_tree){.workers = workers, .levels = levels, .tasks = tasks, .terminal = {-1, -1}};
        t->nodes = count_nodes(workers, levels, count);
        t->place = calloc(t->nodes, sizeof *t->place);
    }
    if (!t || !t->place || !share(t)) {
        cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u workers and %u tasks", workers, tasks);
        cw_farm_tree_free(t);
        return NULL;
    }
    set_places(t->place, levels, count);
    for (int s = 0; s < 2; s++)
        t->terminal[s] = fcntl(STDOUT_FILENO + s, F_DUPFD_CLOEXEC, 3);
    return t;
}

void cw_farm_tree_free(struct cw_farm_tree *t)
{
    if (!t)
        return;
    for (int s = 0; s < 2; s++)
        if (t->terminal[s] >= 0)
            close(t->terminal[s]);
    if (t->node)
        munmap(t->node, t->shared_bytes);
    free(t->place);
    free(t);
}

uint32_t *cw_farm_tree_holders(const struct cw_farm_tree *t, uint32_t node)
{
    return &t->holder[(size_t)t->place[node].level * t->tasks];
}

/* ---- processes */

/* Reads /proc/PID/stat: the state of a process, '\0': there is none; *began: when it began, in clock
 * ticks. */
static char read_stat(pid_t pid, uint64_t *began)
{
    enum { BEGAN = 20 }; /* fields from the state to the time */
    char path[32], text[1024], *p, state;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    p = strrchr(text, ')'); /* the name may hold blanks */
    if (!p || p[1] == '\0')
        return '\0';
    state = p[2];
    for (int k = 0; p && k < BEGAN; k++)
        p = strchr(p + 1, ' ');
    *began = p ? strtoull(p, NULL, 10) : 0;
    return state;
}

void cw_farm_tree_enter(struct cw_farm_tree *t, uint32_t node, const char *name)
{
    struct cw_farm_node *n = &t->node[node];
    uint64_t began = 0;

    read_stat(getpid(), &began);
    prctl(PR_SET_NAME, name);
    atomic_store(&n->pid, 0);
    atomic_store(&n->began, began);
    atomic_store(&n->pid, getpid());
}

enum cw_farm_life cw_farm_tree_look(const struct cw_farm_tree *t, uint32_t node, pid_t *pid)
{
    pid_t id = atomic_load(&t->node[node].pid);
    uint64_t began = 0;
    char state = id > 0 ? read_stat(id, &began) : '\0';

    if (pid)
        *pid = id;
    if (!state || strchr("ZXx", state) || began != atomic_load(&t->node[node].began))
        return CW_FARM_GONE; /* another process may have its number */
    return state == 'T' || state == 't' ? CW_FARM_STOPPED : CW_FARM_RUNS;
}

void cw_farm_tree_end(struct cw_farm_tree *t, bool kill_all)
{
    atomic_store(t->ended, 1);
    for (uint32_t k = 0; kill_all && k < t->nodes; k++) {
        int32_t group = atomic_load(&t->node[k].now.group);
        pid_t pid;

        if (cw_farm_tree_look(t, k, &pid) == CW_FARM_GONE || pid == getpid())
            continue;
        if (group > 0)
            kill(-group, SIGKILL);
        kill(pid, SIGKILL);
    }
}

bool cw_farm_tree_ended(const struct cw_farm_tree *t)
{
    return atomic_load(t->ended) != 0;
}

/* ---- addresses */

static socklen_t address(uint32_t node, uint64_t name, struct sockaddr_un *a)
{
    int n;

    *a = (struct sockaddr_un){.sun_family = AF_UNIX}; /* a name that begins with NUL is no file's */
    n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "clweave-farm-%016llx-%u", (unsigned long long)name,
                 node);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool same_user(int fd, pid_t *pid)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || peer.uid != geteuid())
        return false;
    *pid = peer.pid;
    return true;
}

/* A link to the process at the address; -1: there is none now. *vacant: no process of this user listens
 * there, and none will. */
static int link_to(uint32_t node, uint64_t name, bool *vacant)
{
    struct sockaddr_un a;
    socklen_t n = address(node, name, &a);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool linked = fd >= 0 && connect(fd, (struct sockaddr *)&a, n) == 0;
    pid_t pid;

    *vacant = fd >= 0 && !linked && (errno == ECONNREFUSED || errno == EPROTOTYPE);
    if (linked && same_user(fd, &pid))
        return fd;
    *vacant |= linked;
    if (fd >= 0)
        close(fd);
    return -1;
}

int cw_farm_tree_connect(const struct cw_farm_tree *t, uint32_t node)
{
    bool vacant;

    return link_to(node, atomic_load(&t->node[node].name), &vacant);
}

/* Listens at a new address, *name. -1: errno says why. */
static int listen_anew(uint32_t node, uint64_t *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;
    struct sockaddr_un a;

    if (fd >= 0 && getrandom(name, sizeof *name, 0) == sizeof *name &&
        bind(fd, (struct sockaddr *)&a, address(node, *name, &a)) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int cw_farm_tree_listen(const struct cw_farm_tree *t, uint32_t node)
{
    uint64_t before = atomic_load(&t->node[node].name), name = 0;
    bool vacant = before == 0;
    int fd = vacant ? -1 : link_to(node, before, &vacant);

    if (fd >= 0)
        close(fd);
    fd = vacant ? listen_anew(node, &name) : -1;
    if (fd >= 0 && atomic_compare_exchange_strong(&t->node[node].name, &before, name))
        return fd;
    if (fd >= 0 || !vacant) {
        if (fd >= 0)
            close(fd);
        errno = EADDRINUSE;
    }
    return -1;
}

int cw_farm_tree_accept(int listening, pid_t *pid)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0 || same_user(fd, pid))
        return fd;
    close(fd);
    return -1;
}
