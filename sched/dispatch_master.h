/* dispatch_master.h - the state of one master of multi-level dispatch (algorithm A9): the tasks that wait,
 * the child that holds each of the others, and the results. It knows neither messages nor processes.
 *
 * The global master has all tasks, counts their failures, and takes each once. A regional master has the
 * tasks that its own master gave it, and passes each report on: a failure, too, is the global master's to
 * count.
 *
 * Tasks are numbered 0 .. tasks - 1. A child asks for tasks and gets them from the head of the queue; without
 * any it is parked. It reports each task as done or failed; a failed task goes to the tail. When a child
 * dies, all that it holds goes to the tail, and its successor has the same number and the next epoch. Reports
 * of an earlier epoch, and of tasks that the child does not hold, are stale. Each task is taken once: as
 * done, or as given up after `tries` failures.
 *
 * The record of holders may lie in memory that outlives the master. A successor begins with it: the children
 * hold what they held, and each says, when it joins, what of that is true. Memory: 5 bytes per task.
 * Thread-safety: a master belongs to one thread. */
#ifndef CW_DISPATCH_MASTER_H
#define CW_DISPATCH_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch_queue.h"
#include "status.h"

enum { CW_DISPATCH_TRIES_MAX = 255 };

struct cw_dispatch_child {
    uint32_t epoch;
    uint32_t held; /* tasks */
    uint32_t owed; /* tasks that the parked child has asked for; 0: it is not parked */
};

struct cw_dispatch_master {
    uint32_t tasks, children, tries;
    uint32_t first; /* child k is first + k in the record of holders */
    uint32_t left;  /* tasks that it has and that are not taken yet; 0 at the global master: the END mark */
    struct cw_dispatch_queue queue;
    uint32_t *holder, *own; /* per task; see dispatch_queue.h; own: to be freed */
    uint8_t *failures;      /* per task; CW_DISPATCH_TRIES_MAX: taken; NULL: a regional master */
    struct cw_dispatch_child *child;
};

/* tasks: 0 to 2^32 - 2; children: 1 or more; tries: 1 to CW_DISPATCH_TRIES_MAX - 1. CW_ERR_NOMEM. The queue
 * is empty; m is finished in any case. */
enum cw_status cw_dispatch_master_init(struct cw_dispatch_master *m, uint32_t tasks, uint32_t children,
                                       uint32_t tries, struct cw_error *err);
void cw_dispatch_master_finish(struct cw_dispatch_master *m);

/* Room in its queue for so many ranges: none is refused then for want of memory. False: out of memory. */
bool cw_dispatch_master_reserve(struct cw_dispatch_master *m, uint32_t ranges);
/* As after init, for other tasks, no more than it was made for; children begin their next epoch. Of a master
 * with a record of its own. O(tasks). */
void cw_dispatch_master_clear(struct cw_dispatch_master *m, uint32_t tasks);

/* The same on the caller's record of holders, which other masters of the level may share: child k is number
 * first + k there. CW_DISPATCH_NOBODY for all tasks when there was no master before. tries 0: a regional
 * master, which has no tasks. */
enum cw_status cw_dispatch_master_init_on(struct cw_dispatch_master *m, uint32_t *holder, uint32_t first,
                                          uint32_t tasks, uint32_t children, uint32_t tries,
                                          struct cw_error *err);

/* A checkpoint has the result of `task`: before cw_dispatch_master_begin(). */
void cw_dispatch_master_restore(struct cw_dispatch_master *m, uint32_t task);
/* Queues all tasks that are not taken and that no child holds; a regional master has those that its children
 * hold. CW_ERR_NOMEM. */
enum cw_status cw_dispatch_master_begin(struct cw_dispatch_master *m, struct cw_error *err);

/* A regional master has got the tasks r. False: out of memory. */
bool cw_dispatch_master_add(struct cw_dispatch_master *m, struct cw_dispatch_range r);
/* Puts all tasks that wait or are held into q. O(tasks). False: out of memory. */
bool cw_dispatch_master_holdings(const struct cw_dispatch_master *m, struct cw_dispatch_queue *q);

/* `child` asks for `n` tasks (at least 1). Count 0: there are none, and the child is parked, or the request
 * is stale. */
struct cw_dispatch_range cw_dispatch_master_request(struct cw_dispatch_master *m, uint32_t child,
                                                    uint32_t epoch, uint32_t n);
/* The number of a parked child when tasks wait; CW_DISPATCH_NOBODY: none is to be served. */
uint32_t cw_dispatch_master_parked(const struct cw_dispatch_master *m);

enum cw_dispatch_report {
    CW_DISPATCH_STALE, /* drop the report */
    CW_DISPATCH_TAKE,  /* the result is the task's one result: as done, or as given up */
    CW_DISPATCH_AGAIN, /* the task is queued once more */
    CW_DISPATCH_NOMEM
};

/* `child` reports `task` as done, or as failed. */
enum cw_dispatch_report cw_dispatch_master_report(struct cw_dispatch_master *m, uint32_t child,
                                                  uint32_t epoch, uint32_t task, bool failed);

/* `child` is dead. The task `running` (CW_DISPATCH_NOBODY: none) counts as failed, the rest of its tasks goes
 * to the tail. O(tasks). Returns the report on `running`. */
enum cw_dispatch_report cw_dispatch_master_death(struct cw_dispatch_master *m, uint32_t child,
                                                 uint32_t running);

/* `child`, or its successor, has a link to this master and holds the n ranges `held`: what else the master
 * has it down for goes to the tail. A new epoch begins. O(tasks). False: out of memory. */
bool cw_dispatch_master_join(struct cw_dispatch_master *m, uint32_t child,
                             const struct cw_dispatch_range *held, size_t n);
/* The link to `child` is gone; its tasks stay with it until it joins or is dead. */
void cw_dispatch_master_leave(struct cw_dispatch_master *m, uint32_t child);

#endif
