/* farm_serve.h - a master's answers to its children: it takes their results, gives them tasks, and
 * welcomes those with a new link. Part of farm_master.h. */
#ifndef CW_FARM_SERVE_H
#define CW_FARM_SERVE_H

#include "farm_master.h"
#include "farm_tree.h"
#include "../../sched/dispatch_queue.h"
#include "farm_link.h"

/* The link of a process to its master, and the master's successor when it is dead.
 *
 * The address of a master is free when its process is dead (farm_tree.h). The first of its children that
 * replaces the address has it served by a new process, a fork of its own: a regional master by one of its
 * children, the global master by a regional master. The others, and that child, then join the successor:
 * each announces the tasks that it holds, with those of results that it has not passed on. A worker does
 * not take over the global master: in a tree of one level it ends.
 *
 * Thread-safety: a link belongs to one thread. */

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

/* Takes the messages of child k. False: it has closed its end, or sends what makes no sense. */
bool cw_farm_serve_listen(struct cw_farm_master *m, uint32_t k);

/* The link to child k is gone. */
void cw_farm_serve_close(struct cw_farm_master *m, uint32_t k);

/* Gives the tasks that wait to the children that are parked. */
void cw_farm_serve_parked(struct cw_farm_master *m);

/* Adds a result to the batch when it is to be taken; r: NULL allowed when it is not. */
void cw_farm_serve_take(struct cw_farm_master *m, enum cw_dispatch_report report,
                        const struct cw_farm_result *r);

/* Notes a failure; errno is the reason. The first one counts. */
void cw_farm_serve_fail(struct cw_farm_master *m, enum cw_status status, const char *text);

/* The processes of a master's children: they begin, end, are stopped, and have
 * successors. Part of farm_master.h. */

/* The children of a dead master: those that live are this one's; the tasks of its dead workers are queued. */
void cw_farm_children_inherit(struct cw_farm_master *m);

/* Starts processes for the children that have none, as far as there are tasks for them. A dead regional
 * master's own children have a second to take over. */
void cw_farm_children_replace(struct cw_farm_master *m);

/* Takes the changes of all children's states. */
void cw_farm_children_reap(struct cw_farm_master *m);

/* Takes the links that children, or their successors, ask for. */
void cw_farm_children_accept(struct cw_farm_master *m);

/* The number of children that have a process. */
uint32_t cw_farm_children_alive(const struct cw_farm_master *m);

/* In a process that a fork of this one has made: closes all descriptors of the master, and restores the
 * signals that it found. */
void cw_farm_children_forget(void *master);

/* A regional master: asks its own master for a block x the workers below it, serves its
 * children, and passes their results on in batches. It serves on while they work: the work of its own
 * processor is that of a worker. */

/* The global master of a farm on one machine: results to the checkpoint. Its children are
 * workers, or, in a tree of more levels, regional masters. */

/* Runs all tasks without a result. Returns when each has one and run->finish is done (its errors are
 * returned), or after a signal that ends it (SIGINT, SIGTERM, SIGHUP, SIGQUIT): *stopped_by, else 0. All
 * results that came are in the checkpoint, on the disk. CW_ERR_IO (the checkpoint cannot be written; no
 * processes), CW_ERR_NOMEM, CW_ERR_LIMIT (workers die, and no task gets on): the checkpoint holds all
 * results before. No process of the farm is left in any case. */
enum cw_status cw_farm_global_run(const struct cw_farm_run *run, struct cw_farm_figures *f, int *stopped_by,
                                  struct cw_error *err);

/* A worker: asks its master for tasks, runs them one after the other, reports the results. */

struct cw_farm_worker {
    struct cw_farm_up up; /* the link to the master */
    int stream[2];        /* for the output of jobs; shared with the master */
    uint32_t block;
    const struct cw_farm_plan *plan;
    const struct cw_farm_jobs *jobs;
    struct cw_farm_now *now; /* shared with the master */
};

#endif
