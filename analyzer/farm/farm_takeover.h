/* farm_takeover.h - the link of a process to its master, and the master's successor when it is dead.
 *
 * The address of a master is free when its process is dead (farm_tree.h). The first of its children that
 * replaces the address has it served by a new process, a fork of its own: a regional master by one of its
 * children, the global master by a regional master. The others, and that child, then join the successor:
 * each announces the tasks that it holds, with those of results that it has not passed on. A worker does
 * not take over the global master: in a tree of one level it ends.
 *
 * Thread-safety: a link belongs to one thread. */
#ifndef CW_FARM_TAKEOVER_H
#define CW_FARM_TAKEOVER_H

#include "../../sched/dispatch_queue.h"
#include "farm_link.h"
#include "farm_tree.h"

struct cw_farm_up {
    const struct cw_farm_run *run;
    struct cw_farm_tree *tree;
    uint32_t node;          /* of this process */
    int fd;                 /* the link; -1: none */
    uint32_t epoch;         /* under which it reports */
    void (*forget)(void *); /* in a successor: closes the descriptors that are not its own; NULL allowed */
    void *context;
    struct cw_farm_inbox in;
};

/* Joins the master over the link that there is, else over a new one, and announces the tasks `held`. Waits
 * for the master, or makes its successor. False: the farm ends, or this process has been replaced. */
bool cw_farm_takeover_join(struct cw_farm_up *u, const struct cw_dispatch_queue *held);

/* Puts the tasks of the results into `held`. False: out of memory. */
bool cw_farm_takeover_hold(struct cw_dispatch_queue *held, const struct cw_farm_bytes *results);

#endif
