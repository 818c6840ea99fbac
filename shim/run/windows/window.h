/* window.h - the window of commands that are not released yet, and the threads that close it: the program's
 * that wait, the workers', the timer. Lock held. Closing plans the window, for which it may give up the lock:
 * records found before must be found again, or be pinned. */
#ifndef CW_RUN_WINDOW_H
#define CW_RUN_WINDOW_H

#include "../core/types.h"
#include "../planner/flow.h"
#include "../planner/plan.h"
#include <stdbool.h>
#include <stdint.h>

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

/* ---- hold: the commands of a program that enqueues far more than it waits for stay in run mode's window,
 * so that helpers that begin, or builds that end, in the midst of it still find something to do.
 *
 * A program may enqueue seconds of work within a millisecond, and wait once. Given to the vendor that work
 * is out of reach. So while helpers have not begun, the first launch since the program has waited is
 * watched by an event: when CW_RUN_HOLD_AFTER launches are behind it and it is not over, later commands
 * are managed (cw_run.holds), at home and in their order. And as long as something is being made that may
 * change plans, the window gives its workers CW_RUN_HOLD_NS of work at a time. The program cannot tell:
 * enqueues are asynchronous. A queue whose held commands were over at once needs more of them for a
 * while.
 *
 * Lock held in all of them. */

/* A native launch on `q` is about to be enqueued: true when it shall have an event, for
 * cw_run_hold_launched(). */
bool cw_run_hold_watches(struct cw_run_queue *q);
/* It was enqueued. `event`: a reference, which is taken over; NULL: none was asked for. */
void cw_run_hold_launched(struct cw_run_queue *q, cl_event event);
/* The program has waited for all commands of `q` so far, or some. */
void cw_run_hold_synchronised(struct cw_run_queue *q);
/* True while the window gives out its commands bit by bit. */
bool cw_run_hold_is_on(void);
/* The `count` commands of a window, from `first` on, are known to be left to do. May begin helpers. */
void cw_run_hold_tell(struct cw_run_task *first, uint32_t count);
/* The commands from `first` on, linked by links.window, are about to be planned. Waits for GPUs that are
 * being made ready to help, if the launches are long; else returns false. Gives up the lock. */
bool cw_run_hold_for_gpus(struct cw_run_task *first);
/* Of a window of *count commands from `first` on that is about to be decided: cuts off, and returns, the
 * commands that stay in it; NULL: none. */
struct cw_run_task *cw_run_hold_rest(struct cw_run_task *first, uint32_t *count);

/* ---- relieve: commands that wait behind launches which are late (workers/late.c) go home. Lock held. */

/* For a thread that is about to wait, and the timer: sends launches home that wait behind late ones, and
 * those that never end. Returns when it should look again, on the clock of cw_run_global_lock_now_ns; 0:
 * there is no need. *any: some were sent. */
uint64_t cw_run_relieve_look(bool *any);

/* ---- window_flow: the bytes that the commands of a window take from each other, and those that lie
 * somewhere before it, for a planner of several memories. Lock held. */

/* As struct cw_run_window's fields of these names. A zeroed struct is empty; used again for each window. */
struct cw_run_window_flow {
    double *pred_bytes;
    uint32_t *piece_start;
    struct cw_plan_piece *piece;
    /* per command: bytes that it writes and that, as before, the host is going to read behind this window */
    double *back;
    uint32_t tasks, backs, edges, pieces; /* internal: room */
    uint32_t window;                      /* internal: its number */
    uint32_t n;                           /* internal: pieces so far */
    struct cw_run_flow flow;              /* internal: of one command */
};

/* A native command uses the buffer: a launch (`launch`), or another one; `writes`: to it. */
void cw_run_window_flow_native(struct cw_run_region *r, bool launch, bool writes);
/* Fills *f for the `count` >= 1 commands task[0] to task[count - 1], whose dependences are as those of struct
 * cw_run_window, each row in ascending order. False: memory is out. */
bool cw_run_window_flow_find(struct cw_run_window_flow *f, struct cw_run_task *const *task, uint32_t count,
                             const uint32_t *pred_start, const uint32_t *pred);

/* ---- decide: a window that closes: the costs of its commands, their devices and their order.
 *
 * The commands of a window become a cw_run_window (planner/plan.h): their costs come from the history
 * (planner/estimate.h), their dependences from the edges that tasks/dependence.c made; the plan gives each a
 * worker and a rank. Unplanned commands stay on their home device in program order. */

/* Sets worker, place and rank of the `count` commands from `first`
 * on (by window_next), which no other thread knows of yet. Lock held; given up while a plan is made. False:
 * it is as if they had been left alone. rest: NULL, or set to the first of those that nothing was decided of,
 * as launches before them are about to show such launches' time elsewhere; the list then ends before it.
 * NULL there: everything is decided. */
bool cw_run_decide(struct cw_run_task *first, uint32_t count, struct cw_run_task **rest);
/* One line for the summary; returns its length. */
int cw_run_decide_describe(char *text, unsigned size);

#endif
