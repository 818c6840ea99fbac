/* staging_objects.h - the program's contexts and queues on devices with pinned memory, and whose turn a queue
 * is. */
#ifndef CW_RUN_STAGING_OBJECTS_H
#define CW_RUN_STAGING_OBJECTS_H

#include "staging.h"

#include <pthread.h>
#include <stdatomic.h>

struct cw_run_staging_job;

enum { CW_RUN_STAGING_OWN_QUEUES = 8 };

/* Records stay for the life of the process; one whose handle comes back is made anew. */
struct cw_run_staging_context {
    cl_context handle;
    uint32_t references; /* the program's */
    uint32_t queues;     /* the program's, that it has not released: they hold the context, too */
    bool ended;          /* the program has neither: no new object of run mode's stays in it */
    uint32_t hidden;     /* objects of run mode's in it */
    uint32_t later;      /* transfers that do not block, whose gates are not open */
    uint32_t jobs;       /* transfers under way that use `own` */
    struct {             /* run mode's own in-order queues, for transfers that do not block */
        cl_device_id device;
        cl_command_queue queue;
    } own[CW_RUN_STAGING_OWN_QUEUES];
    uint32_t num_own;
};

struct cw_run_staging_queue {
    cl_command_queue handle;
    struct cw_run_staging_context *context;
    cl_device_id device;
    uint32_t references; /* the program's */
    bool profiled, in_order;
    _Atomic uint32_t calls; /* turns that are taken */
    _Atomic uint64_t given; /* turns taken so far */
    _Atomic uint64_t idle;  /* of an in-order queue: all commands of so many turns are over */
    _Atomic(struct cw_run_staging_job *) job; /* its pieces are being enqueued; NULL: none */
};

/* Everything in this folder that no other lock protects. No call of the vendor is made while it is held. */
extern pthread_mutex_t cw_run_staging_objects_lock;
/* Signalled when something under that lock has changed. */
extern pthread_cond_t cw_run_staging_objects_changed;

/* The record of a queue; NULL: it is not known. */
struct cw_run_staging_queue *cw_run_staging_objects_queue(cl_command_queue handle);

/* The queue is `job`'s alone from here on: turn_take() of others lets it end first. `given`: the turns taken
 * when the caller took its own; another one since, or one that is taken now, and it returns false. */
bool cw_run_staging_objects_open(struct cw_run_staging_queue *q, struct cw_run_staging_job *job,
                                 uint64_t given);
/* No queue is a job's from here on, but for one of the calling thread: others are hurried. */
void cw_run_staging_objects_open_no_more(void);
bool cw_run_staging_objects_may_open(void);
/* The lock is held. */
void cw_run_staging_objects_close(struct cw_run_staging_queue *q);

/* Run mode's own queue in the context for `device`, made if need be, between a begin and an end. NULL: it
 * cannot be had. One thread at a time. */
cl_command_queue cw_run_staging_objects_begin(struct cw_run_staging_context *c, cl_device_id device);
void cw_run_staging_objects_end(struct cw_run_staging_context *c);

/* A queue of run mode's, and its end. A sub-device of the program stays until then. */
cl_command_queue cw_run_staging_objects_make_queue(cl_context context, cl_device_id device);
void cw_run_staging_objects_release_queue(cl_command_queue queue);

/* A transfer that does not block begins in the context, or is over. */
void cw_run_staging_objects_later(struct cw_run_staging_context *c, bool begins);

/* So many objects more, or less, of run mode's are in the context. */
void cw_run_staging_objects_hide(struct cw_run_staging_context *c, int more);

/* Waits for the end of a thread, but no more than two seconds: at the end of the process it may wait for a
 * thread of the vendor's that the program keeps. */
void cw_run_staging_objects_join(pthread_t thread);

void cw_run_staging_objects_after_fork(void);

#endif
