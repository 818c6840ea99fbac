/* dispatch_queue.h - tasks that wait at a master, as ranges of numbers, and the record of their holders.
 * The simulated dispatch (dispatch.h) and the real one (dispatch_master.h) share it.
 *
 * A holder record is an array with one element per task: the child that a master holds answerable for the
 * task, CW_DISPATCH_NOBODY for a task that is with none. Children have numbers below 2^31. Thread-safety:
 * a queue belongs to one thread. */
#ifndef CW_DISPATCH_QUEUE_H
#define CW_DISPATCH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CW_DISPATCH_NOBODY UINT32_MAX

struct cw_dispatch_range {
    uint32_t first, count;
};

/* A zeroed queue is empty. */
struct cw_dispatch_queue {
    struct cw_dispatch_range *v; /* owned */
    uint32_t head, used, capacity;
};

void cw_dispatch_queue_finish(struct cw_dispatch_queue *q);

/* Makes room for so many ranges. False: out of memory. */
bool cw_dispatch_queue_reserve(struct cw_dispatch_queue *q, uint32_t capacity);

/* Puts a range at the end, or one task, into the last range where it belongs there. False: out of memory. */
bool cw_dispatch_queue_put(struct cw_dispatch_queue *q, struct cw_dispatch_range r);
bool cw_dispatch_queue_put_task(struct cw_dispatch_queue *q, uint32_t task);

/* Takes at most `most` tasks in a row from the head; count 0: the queue is empty. */
struct cw_dispatch_range cw_dispatch_queue_take(struct cw_dispatch_queue *q, uint64_t most);

/* The same for `child`, which then holds them. */
struct cw_dispatch_range cw_dispatch_queue_grant(struct cw_dispatch_queue *q, uint32_t *holder,
                                                 uint32_t child, uint64_t most);

/* `child` reports a result of `task`. True: it held the task, and holds it no more; false: the report is
 * stale. */
bool cw_dispatch_queue_settle(uint32_t *holder, uint32_t child, uint32_t task);

/* `child` is dead: the tasks of `r` that it held go to the tail. False: out of memory. */
bool cw_dispatch_queue_return(struct cw_dispatch_queue *q, uint32_t *holder, uint32_t child,
                              struct cw_dispatch_range r);

/* A successor of `child` holds the n ranges `kept`: what else it held of the tasks below `tasks` goes to the
 * tail. *held: the tasks that it holds then. False: out of memory. */
bool cw_dispatch_queue_keep(struct cw_dispatch_queue *q, uint32_t *holder, uint32_t child, uint32_t tasks,
                            const struct cw_dispatch_range *stored, size_t n, uint32_t *held);

#endif
