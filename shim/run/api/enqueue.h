/* enqueue.h - the frame of every enqueue hook. */
#ifndef CW_RUN_API_ENQUEUE_H
#define CW_RUN_API_ENQUEUE_H

#include "../core/types.h"
#include "native.h"

/* The lock is held from here on, unless e->unlocked. True: the command may be managed; end with
 * cw_run_enqueue_commit or cw_run_enqueue_refuse. False: it is refused. */
bool cw_run_enqueue_begin(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n, const cl_event *list,
                          cl_event *event, bool whole);
/* The same for a launch. */
bool cw_run_enqueue_begin_launch(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n,
                                 const cl_event *list, cl_event *event);
/* The same for a transfer or a map. */
bool cw_run_enqueue_begin_transfer(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n,
                                   const cl_event *list, cl_event *event, bool blocking);
/* The same for a read that takes its bytes from several devices' memories. */
bool cw_run_enqueue_begin_straight(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n,
                                   const cl_event *list, cl_event *event, bool blocking);
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

/* Around the vendor's call, where nothing is managed (cw_run_record_had_queue): counts the command as native
 * and takes the queue's turn (staging/staging.h); gives it, and returns `status`. `event`: the program's.
 * Lock not held. */
struct cw_run_staging_queue *cw_run_enqueue_pass_begin(cl_command_queue queue, enum cw_run_reason why);
cl_int cw_run_enqueue_pass_end(struct cw_run_staging_queue *turn, const cl_event *event, cl_int status);

#endif
