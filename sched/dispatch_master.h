/* dispatch_master.h - the state of one master of multi-level dispatch (algorithm A9): the tasks that wait,
 * the child that holds each of the others, and the results. It knows neither messages nor processes.
 *
 * Tasks are numbered 0 .. tasks - 1. A child asks for tasks and gets them from the head of the queue; without
 * any it is parked. It reports each task as done or failed; a failed task goes to the tail. When a child
 * dies, all that it holds goes to the tail, and its successor has the same number and the next epoch. Reports
 * of an earlier epoch, and of tasks that the child does not hold, are stale. Each task is taken once: as
 * done, or as given up after `tries` failures. Memory: 5 bytes per task. Thread-safety: a master belongs to
 * one thread. */
#ifndef CW_DISPATCH_MASTER_H
#define CW_DISPATCH_MASTER_H

#include <stdbool.h>
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
    uint32_t left; /* tasks that are not taken yet; 0: the END mark is reached */
    struct cw_dispatch_queue queue;
    uint32_t *holder;  /* per task; see dispatch_queue.h */
    uint8_t *failures; /* per task; CW_DISPATCH_TRIES_MAX: taken */
    struct cw_dispatch_child *child;
};

/* tasks: 0 to 2^32 - 2; children: 1 or more; tries: 1 to CW_DISPATCH_TRIES_MAX - 1. CW_ERR_NOMEM. The queue
 * is empty; m is finished in any case. */
enum cw_status cw_dispatch_master_init(struct cw_dispatch_master *m, uint32_t tasks, uint32_t children,
                                       uint32_t tries, struct cw_error *err);
void cw_dispatch_master_finish(struct cw_dispatch_master *m);

/* A checkpoint has the result of `task`: before cw_dispatch_master_begin(). */
void cw_dispatch_master_restore(struct cw_dispatch_master *m, uint32_t task);
/* Queues all tasks that are not taken. CW_ERR_NOMEM. */
enum cw_status cw_dispatch_master_begin(struct cw_dispatch_master *m, struct cw_error *err);

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

#endif
