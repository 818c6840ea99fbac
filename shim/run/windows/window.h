/* window.h - the window of commands that are not released yet, and the threads that close it: the program's
 * that wait, the workers', the timer. Lock held. Closing plans the window, for which it may give up the lock:
 * records found before must be found again, or be pinned. */
#ifndef CW_RUN_WINDOW_H
#define CW_RUN_WINDOW_H

#include "../core/types.h"

void cw_run_window_close(void);
void cw_run_window_step(
    void); /* the same for callers that wait, or need not hurry: part of it may stay open for a moment */
bool cw_run_window_is_due(void); /* it is old enough, and nothing runs */

/* ---- the timer (windows/window.c) */

void cw_run_window_start(void); /* cw_run.threads says whether it could */
/* The same where run mode has begun with helpers: behind each call that may be its beginning. */
void cw_run_window_start_if_begun(void);

/* Models of programs, or the history, may have come: then rewritten kernels are built early. */
void cw_run_window_tell_of_models(void);

/* At the end: stops and joins its thread; the lock is not held, and nothing new may come. */
void cw_run_window_stop(void);

/* ---- the workers' threads (windows/loop.c) */

/* Workers that have something to do, and no thread, get one. */
void cw_run_loop_staff(void);

/* Runs `t`, which has left the heap of `l`, and those that follow it at once, up to number `last`. Gives up
 * the lock meanwhile. */
void cw_run_loop_run(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);

/* Runs a command of a worker that can have no thread; false: there is none. */
bool cw_run_loop_run_orphan(void);

/* Stops and joins; the lock is not held, and nothing new may come. When commands were abandoned workers are
 * left behind: their threads never return, which cw_run_thread_park sees to. */
void cw_run_loop_stop_all(void);

/* ---- calls of the program that run its commands while they wait (windows/help.c) */

/* For help: everything of `queue` up to number `sequence` has retired. */
struct cw_run_until {
    const struct cw_run_queue *queue;
    uint64_t sequence;
};

/* Helps with the commands of `q` (NULL: only waits) up to number `last` until over() is true.
 * Gives up the lock meanwhile. */
void cw_run_help(struct cw_run_queue *q, uint64_t last, bool (*over)(const void *), const void *what);

/* `until`: a struct cw_run_until. */
bool cw_run_help_is_over(const void *until);     /* of all commands up to that number */
bool cw_run_help_one_is_over(const void *until); /* out of order: of that one command */

/* Runs the ready short tasks of `q`, which is pinned, up to number `last`, for `ns` in all: for
 * calls that must not block, of programs that want it to happen. Gives up the lock meanwhile. */
void cw_run_help_briefly(struct cw_run_queue *q, uint64_t last, double ns);

/* Waits for the callbacks that are due: of a queue, which is pinned, or of an event, which is over and
 * pinned, and those that come before them. Gives up the lock meanwhile. Does nothing inside a callback. */
void cw_run_help_callbacks(struct cw_run_queue *q);
void cw_run_help_callbacks_on(struct cw_run_event *e);

#endif
