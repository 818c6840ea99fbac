/* farm_tree.h - the tree of processes of a farm on one machine: its shape, the memory that all of them share,
 * and the addresses at which masters listen.
 *
 * Nodes are numbered level by level: 0 is the global master, then regional masters, then workers; the
 * children of a master are numbered in a row. The shape is fixed. The process of a node may change: a
 * master that dies gets a successor, which has the same number.
 *
 * The shared memory holds the process of each node, the task that each worker runs, and the masters' records
 * of holders (dispatch_master.h), one for each level. It outlives each process, so that a successor begins
 * where the dead master was.
 *
 * A master listens at an address in the abstract name space of sockets, which the shared memory holds for its
 * node. It is free when no process listens there: then the master is dead, and the process that first puts
 * an address of its own in its place is the successor. Addresses are random, and each is used once: another
 * user's process that takes a dead master's is told from a master by its user, and is in no process's way.
 * Descriptors of an address must not be inherited.
 *
 * Thread-safety: the shared parts are atomic; the rest does not change. */
#ifndef CW_FARM_TREE_H
#define CW_FARM_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../sched/status.h"
#include "farm_task.h"

struct cw_farm_run;
struct cw_farm_tree;

/* In the shared memory. */
struct cw_farm_node {
    _Atomic int32_t pid;    /* 0: no process yet, or it is dead */
    _Atomic uint64_t began; /* when that process began, in clock ticks of the kernel */
    _Atomic uint64_t name;  /* masters: part of the address; 0: there was none yet */
    struct cw_farm_now now; /* workers */
};

/* A node's place; not shared. */
struct cw_farm_place {
    uint32_t parent, first, children; /* first: number of the first child */
    uint32_t level;                   /* 0: the global master */
    uint32_t below;                   /* workers below it; 1: itself */
};

struct cw_farm_tree {
    uint32_t nodes, workers, levels, tasks; /* levels: of masters */
    uint32_t block;                         /* tasks that a worker asks for */
    struct cw_farm_place *place;
    struct cw_farm_node *node; /* shared */
    _Atomic uint32_t *ended;   /* shared; nonzero: the farm ends, and no process takes over */
    uint32_t *holder;          /* shared; levels x tasks */
    int terminal[2];           /* standard output and error of the farm; jobs have others */
    /* Is the regional master `node` until the farm ends (farm_serve.h); returns an exit status. */
    int (*region)(const struct cw_farm_run *run, struct cw_farm_tree *t, uint32_t node, int listening,
                  int link);
    size_t shared_bytes;
};

/* workers: 1 or more; levels: 1 to CW_DISPATCH_LEVELS_MAX. Each level has about the same fan-out. Returns the
 * tree, which the caller frees; NULL: CW_ERR_NOMEM. */
struct cw_farm_tree *cw_farm_tree_make(uint32_t workers, uint32_t levels, uint32_t tasks,
                                       struct cw_error *err);
void cw_farm_tree_free(struct cw_farm_tree *t);

bool cw_farm_tree_is_worker(const struct cw_farm_tree *t, uint32_t node);

/* The record of the holders below master `node`. */
uint32_t *cw_farm_tree_holders(const struct cw_farm_tree *t, uint32_t node);

/* This process is now that of `node`, under the name `name` for ps. */
void cw_farm_tree_enter(struct cw_farm_tree *t, uint32_t node, const char *name);

enum cw_farm_life { CW_FARM_GONE, CW_FARM_RUNS, CW_FARM_STOPPED };

/* Whether the process of `node` lives; stopped: a signal holds it. *pid: that process; NULL allowed. */
enum cw_farm_life cw_farm_tree_look(const struct cw_farm_tree *t, uint32_t node, pid_t *pid);

/* Ends the farm: no process takes over from here on. `kill_all`: all its processes but this one die. */
void cw_farm_tree_end(struct cw_farm_tree *t, bool kill_all);
bool cw_farm_tree_ended(const struct cw_farm_tree *t);

/* Becomes the process at which the children of master `node` find it: a descriptor; -1: another process is
 * (errno EADDRINUSE), or an error. */
int cw_farm_tree_listen(const struct cw_farm_tree *t, uint32_t node);
/* A link to master `node`; -1: there is none now. */
int cw_farm_tree_connect(const struct cw_farm_tree *t, uint32_t node);
/* Takes a link that a process of this user asks for; *pid: that process. -1: there is none. Does not wait. */
int cw_farm_tree_accept(int listening, pid_t *pid);

#endif
