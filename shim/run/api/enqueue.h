/* enqueue.h - the frame of every enqueue hook. */
#ifndef CW_RUN_API_ENQUEUE_H
#define CW_RUN_API_ENQUEUE_H

#include "../core/types.h"
#include "native.h"

/* The same as cw_run_enqueue_begin(), for a queue that has a record. The lock is held from here on. */
bool cw_run_enqueue_begin_tracked(struct cw_run_enqueue *e);

/* A queue without a record is bypassed, as is one that passes: no lock is taken, and the command goes to the
 * vendor as it is. The lock is held from here on, unless e->unlocked. True: the command may be managed; end
 * with cw_run_enqueue_commit or cw_run_enqueue_refuse. False: it is refused. `given`: its flags. */
static inline __attribute__((always_inline)) bool
cw_run_enqueue_begin_as(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n, const cl_event *list,
                        cl_event *event, struct cw_run_enqueue given)
{
    struct cw_run_queue *q = cw_run_native_queue(queue);
    uint64_t passed;

    if (CW_LIKELY(!q)) {
        e->unlocked = true;
        e->queue = NULL;
    } else if (!given.tracked && (passed = cw_run_native_passes(q, n, list, given.blocking))) {
        e->unlocked = true;
        e->queue = q;
        e->passed = given.blocking && given.ends && q->in_order ? passed : 0;
    } else {
        *e = given;
    }
    e->n = n;
    e->list = list;
    e->event = event;
    e->handle = queue;
    return !e->unlocked && cw_run_enqueue_begin_tracked(e);
}
static inline __attribute__((always_inline)) bool cw_run_enqueue_begin(struct cw_run_enqueue *e,
                                                                       cl_command_queue queue, cl_uint n,
                                                                       const cl_event *list, cl_event *event,
                                                                       bool whole)
{
    return cw_run_enqueue_begin_as(e, queue, n, list, event, (struct cw_run_enqueue){.whole = whole});
}
/* The same for a launch. */
static inline bool cw_run_enqueue_begin_launch(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n,
                                               const cl_event *list, cl_event *event)
{
    return cw_run_enqueue_begin_as(e, queue, n, list, event, (struct cw_run_enqueue){.launch = true});
}
/* The same for a transfer or a map. `straight`: a read that takes its bytes from several devices' memories.
 * `writes`: it may return before its own bytes have arrived. */
static inline __attribute__((always_inline)) bool
cw_run_enqueue_begin_transfer(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n,
                              const cl_event *list, cl_event *event, bool blocking, bool straight,
                              bool writes)
{
    return cw_run_enqueue_begin_as(
        e, queue, n, list, event,
        (struct cw_run_enqueue){.blocking = blocking, .straight = straight, .ends = !writes});
}
/* The command is fine and will be managed: takes in the native commands before it, for which it may give
 * up the lock for a while. False: it must be native. */
bool cw_run_enqueue_settle(struct cw_run_enqueue *e);
/* The command is native; end with cw_run_native_follow. Returns false. */
bool cw_run_enqueue_refuse(struct cw_run_enqueue *e, enum cw_run_reason why);
/* A launch on a GPU whose times the program may ask for: they would be the host's, those of other commands
 * are the device's. */
bool cw_run_enqueue_is_timed(const struct cw_run_enqueue *e);
/* Enqueues `t`, gives up the lock, and waits for the command when `blocking`. */
cl_int cw_run_enqueue_commit(struct cw_run_enqueue *e, struct cw_run_task *t, bool blocking);

#endif
