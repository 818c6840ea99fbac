/* farm_master.h - a master of a farm on one machine, global or regional: it serves its children, which are
 * processes. The rules of who holds which task are dispatch_master.h's, messages go over farm_link.h, the
 * tree is farm_tree.h's. farm_serve.h and farm_serve.h have the rest. */
#ifndef CW_FARM_MASTER_H
#define CW_FARM_MASTER_H

#include "../../sched/dispatch_master.h"
#include "farm_link.h"
#include "farm_tree.h"
#include "farm_checkpoint.h"
#include "farm_outside.h"
#include "farm_task.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* ---- what a farm is to do, and its figures. */

struct cw_farm_tree;

struct cw_farm_figures {
    uint32_t tasks, done, failed;
    uint32_t session_done; /* of `done`: by this farm, not by one before */
    uint32_t deaths;       /* of workers; those of regional masters are not counted */
    double seconds;        /* since this farm began */
};

struct cw_farm_run {
    const struct cw_farm_plan *plan;
    struct cw_farm_checkpoint *checkpoint;
    const struct cw_farm_jobs *jobs;       /* NULL allowed */
    const struct cw_farm_outside *outside; /* workers of other machines, with one level; NULL: none */
    uint32_t workers;                      /* processes; 1 or more, 0 or more beside `outside` */
    uint32_t levels;                       /* of masters: 1 to CW_DISPATCH_LEVELS_MAX; 0 counts as 1 */
    uint32_t block;    /* tasks that a worker asks for; 0: by the tasks and workers, 64 at most */
    double patience_s; /* a process that is stopped (SIGSTOP) for so long counts as dead */
    /* Called about ten times a second; NULL allowed. */
    void (*tick)(void *context, const struct cw_farm_figures *f);
    /* Tells the user; NULL allowed. */
    void (*note)(const char *text);
    /* In a tree of two levels or more, when the process of the global master has died: called in its
     * successor, a process of its own, which opens the checkpoint, sets run->checkpoint, tree and listening
     * of its copy, and calls cw_farm_global_run(). Returns an exit status. */
    int (*go_on)(const struct cw_farm_run *run, struct cw_farm_tree *tree, int listening);
    /* When all results are on the disk: makes of them what the farm is for. A successor does it again when
     * the process dies meanwhile. Signals that end the farm wait. NULL allowed. */
    enum cw_status (*finish)(const struct cw_farm_run *run, struct cw_error *err);
    void *context;
    struct cw_farm_tree *tree; /* of the dead global master; NULL: there was none */
    int listening;             /* its address; where `tree` is set */
};

enum { CW_FARM_TICK_MS = 100, CW_FARM_BATCH_BYTES = 1 << 20 };
#define CW_FARM_BATCH_S 0.1 /* a result waits no longer than that */

/* A worker, or the regional master of a part of the tree. */
struct cw_farm_child {
    pid_t pid;        /* 0: none */
    bool adopted;     /* a process that this master has not started: it does not hear how it ends */
    int fd;           /* its link; -1: it has none, or nothing more to say */
    int stream[2];    /* workers: the output of the job that it runs; -1: not made yet */
    double stopped_s; /* when it was stopped; 0: it is not */
    double gone_s;    /* regional masters without a process: when the last one died; 0: there was none */
    struct cw_farm_inbox in;
};

/* The caller sets the first group and zeroes the rest. */
struct cw_farm_master {
    const struct cw_farm_run *run;
    struct cw_farm_tree *tree;
    uint32_t node;             /* 0: the global master */
    int listening;             /* for successors of children; -1: it has none */
    struct cw_farm_figures *f; /* of the global master, else NULL */
    struct cw_error *err;

    struct cw_dispatch_master state;
    uint32_t first, children, vain_deaths;
    uint32_t outside; /* processes of other machines */
    struct cw_farm_child *child;
    struct pollfd *poll;
    struct cw_farm_bytes output;
    struct cw_farm_bytes batch; /* results that are taken and not passed on yet */
    double batch_s;             /* when the first of them came */
    uint32_t batch_results;
    int signals, stopped_by;
    sigset_t found;
    enum cw_status status;
};

static inline bool cw_farm_master_has_workers(const struct cw_farm_master *m)
{
    return cw_farm_tree_is_worker(m->tree, m->first);
}

/* Child 0 is all workers of other machines, where there are such. */
static inline bool cw_farm_master_is_outside(const struct cw_farm_master *m, uint32_t k)
{
    return m->node == 0 && k == 0 && m->run->outside;
}

static inline void cw_farm_child_signal(const struct cw_farm_child *c, int sig)
{
    if (c->pid)
        kill(c->pid, sig);
}

static inline void cw_farm_descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Begins with the children that live. False: m->status says why. m is ended in any case. */
bool cw_farm_master_begin(struct cw_farm_master *m);
void cw_farm_master_end(struct cw_farm_master *m);

/* Starts processes for children that have none, as far as there are tasks for them, serves the children that
 * are parked, then waits for messages and signals, or a tick, and takes them. True: `up` (-1: none) has
 * something to read. */
bool cw_farm_master_serve(struct cw_farm_master *m, int up);

/* Ends the children: with END when all is done, else their tasks too. Reports that come meanwhile count. */
void cw_farm_master_dismiss(struct cw_farm_master *m);

#endif
