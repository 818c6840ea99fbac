/* run.h - what the parts of run mode share: records of the program's objects, commands, lanes, one lock.
 *
 * A *managed* command never reaches the program's own queue. It is a struct cw_run_task: a snapshot of
 * everything that it needs, its dependences (memory/byte_range.c: byte ranges of host memory;
 * tasks/dependence.c: events, barriers), and the program's event, which is a user event of the vendor made in
 * the program's context, so that every function that we do not know gets a real handle. Any other command is
 * *native* (api/native.c): it goes to the vendor at once, behind a user event that completes when the managed
 * commands before it have.
 *
 *   enqueued ── window closes ──▶ released ── waits == 0 ──▶ in a lane's heap ── executed ──▶ DONE ──▶
 *   RETIRED
 *
 * Locks: one, cw_run.lock, over all that is declared here. Nothing of the vendor is called while it is held
 * but queries of an event's status and of reference counts, and retains of events (PoCL calls back without a
 * lock of its own, so these cannot meet us from behind). cw_run_global_lock_give first hands over what had to
 * wait for the lock to be free: releases, and callbacks on vendor events. A task is linked completely within
 * one critical section.
 *
 * Lifetimes: a release by the program that would be the last one while commands still need the object is kept
 * back until they have retired (core/record.c); so nothing is retained per command and no reference count is
 * off. */
#ifndef CW_RUN_H
#define CW_RUN_H

#include "tasks/reference_counts.h"
#include "core/recount.h"
#include "core/state.h"

/* ---- the lock and what waits for it to be free (core/global_lock.c) */
void cw_run_global_lock_take(void);
void cw_run_thread_park(void); /* of a worker of a lane that has been left behind: does not return */
void cw_run_global_lock_give(void);
/* Waits until cw_run_global_lock_tell() is called, or for `ns` (0: for ever), or for no reason. A handler of
 * a signal may call exit() meanwhile, or jump away: nobody else notices. Lock held, given up meanwhile;
 * `waiters` counts the caller. */
void cw_run_global_lock_wait(uint64_t ns);
void cw_run_global_lock_tell(void); /* lock held */

/* The process ends inside a call of this thread: a handler of a signal has called exit(). If it was
 * interrupted with the lock held it keeps it for ever: whatever it calls finds it taken and goes on, all
 * others stop there. True: it has it. */
bool cw_run_global_lock_keep(void);

void cw_run_global_lock_give_in_callback(void); /* hands nothing over: for callbacks of the vendor */
enum cw_run_garbage {
    CW_RUN_DROP_MEMORY,
    CW_RUN_DROP_QUEUE,
    CW_RUN_DROP_KERNEL,
    CW_RUN_DROP_PROGRAM,
    CW_RUN_DROP_EVENT,
    CW_RUN_DROP_CONTEXT,
    CW_RUN_DROP_DEVICE,
    CW_RUN_DROP_BLOCK,
    CW_RUN_COMPLETE_EVENT
};
/* Releases `handle` (BLOCK: frees it) once the lock is free. Lock held. NULL is ignored. */
void cw_run_global_lock_release_later(enum cw_run_garbage what, void *handle);
bool cw_run_global_lock_has_releases(void);

/* Something has failed. PoCL 3.1 calls nobody back whose event fails, so all events that are waited for are
 * looked at. Lock held. */
void cw_run_global_lock_look_at_failures(void);
/* `f` is one of those events from now on. Lock held. */
void cw_run_global_lock_follow(struct cw_run_foreign *f);

/* Time on the clock that the vendor's profiling uses. */
uint64_t cw_run_global_lock_now_ns(void);
/* The same, asked once by all who share `now`, 0 before; a call of ours that does little is mostly clocks and
 * locks. */
static inline uint64_t cw_run_once_ns(uint64_t *now)
{
    return *now = *now ? *now : cw_run_global_lock_now_ns();
}

/* ---- records (core/record.c); lock held unless said */
void *cw_run_record_find(const void *handle, enum cw_run_kind kind);
/* There is none of that handle, of any kind; false: there may be. Lock need not be held by who owns a
 * reference: whoever made the record did so before the program got the handle. */
bool cw_run_record_is_unknown(const void *handle);
/* For all records of a kind; `function` makes none, and does not free the one that it gets. Looks at every
 * bucket. */
void cw_run_record_each(enum cw_run_kind kind, void (*function)(void *record));
/* Makes a zeroed record of `bytes` with one reference, replacing a stale one. NULL: out of memory. */
void *cw_run_record_create(const void *handle, enum cw_run_kind kind, size_t bytes);
void cw_run_record_pin(struct cw_run_record *r);
void cw_run_record_unpin(struct cw_run_record *r);
/* The program's retain and release; lock not held. */
bool cw_run_record_take_back(const void *handle,
                             enum cw_run_kind kind); /* a release is undone: no vendor call */
void cw_run_record_retained(const void *handle, enum cw_run_kind kind);
bool cw_run_record_release(const void *handle,
                           enum cw_run_kind kind); /* true: the caller makes the vendor's call */
/* What the vendor counts too many for `r`: a release that is kept back. */
uint32_t cw_run_record_hidden_references(const struct cw_run_record *r);

/* ---- memory ranges (memory/byte_range.c); lock held */
struct cw_run_region *cw_run_byte_range_region_at(const void *address);
bool cw_run_byte_range_among(const void *address,
                             size_t bytes); /* any of these bytes are a buffer's of ours */
struct cw_run_region *cw_run_byte_range_region_create(void *address, size_t bytes);
void cw_run_byte_range_region_destroy(struct cw_run_region *r);
/* `t`, which is to go into `q`, reads or writes these bytes: it is ordered behind whoever meets them.
 * t->tainted is known. */
void cw_run_byte_range_add_access(const struct cw_run_queue *q, struct cw_run_task *t,
                                  struct cw_run_region *r, const void *address, size_t bytes, bool write);
void cw_run_byte_range_remove_accesses(struct cw_run_task *t);

/* ---- commands (tasks/task.c, tasks/dependence.c) */

/* A command with room for `accesses` ranges, `args` kernel arguments and `blob` bytes behind them. NULL: out
 * of memory. */
struct cw_run_task *cw_run_task_create(uint32_t accesses, uint32_t args, size_t blob);
void cw_run_task_destroy(struct cw_run_task *t); /* only one that was never linked, or has retired */
/* False: out of memory. */
bool cw_run_task_depend(struct cw_run_task *before, struct cw_run_task *after, enum cw_run_edge edge);

/* What the events of a wait list are to a command of `q`. */
enum cw_run_waits { CW_RUN_WAITS_FINE, CW_RUN_WAITS_GATED, CW_RUN_WAITS_ODD };
enum cw_run_waits cw_run_dependence_look(const struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* Whether a command of `q` with that list would wait for native work that is not finished. */
bool cw_run_dependence_waits_native(const struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* True when an unset user event holds a native command of `q`. */
bool cw_run_dependence_is_gated(struct cw_run_queue *q);

/* Why the next command of `q` must be native, whatever it is, or -1. `blocking`: the call waits for it. */
int cw_run_dependence_admit(struct cw_run_queue *q, cl_uint n, const cl_event *list, bool blocking);

/* ---- queues that stand aside (tuning/bypass.c); lock held */
int cw_run_bypass_wanted(const struct cw_run_queue *q,
                         bool blocking); /* why this command shall be native; -1: it shall not */
void cw_run_bypass_window(struct cw_run_queue *q,
                          bool gained); /* a window with launches of `q` has been planned */
/* The program has waited for what it enqueued; it launches a kernel of `p` natively. `now`: of
 * cw_run_once_ns(). */
void cw_run_bypass_synchronised(struct cw_run_queue *q, uint64_t *now);
void cw_run_bypass_launched(struct cw_run_queue *q, struct cw_run_program *p, uint64_t *now);

/* Native commands of `q` so far become something that later ones can wait for. Gives up the lock meanwhile.
 * False: the vendor refused, or memory is out. */
bool cw_run_dependence_take_in_natives(struct cw_run_queue *q);

/* Puts the command into its queue and the window, with the edges from queue and wait list; accesses must have
 * been touched already. `event`: a fresh user event for the program, or NULL. False: out of memory; the
 * command is not enqueued, and `t` no longer the caller's. */
bool cw_run_dependence_link(struct cw_run_queue *q, struct cw_run_task *t, cl_uint n, const cl_event *list,
                            bool whole, cl_event event);
void cw_run_task_done(struct cw_run_task *t, cl_int status);
void cw_run_task_retire(void);

/* The private queue of a place; whoever has the lane makes it. Helpers' contexts serve all contexts of the
 * program. NULL: the vendor made none. Lane held, lock not held. (workers/execute.c) */
cl_command_queue cw_run_execute_queue(struct cw_run_context *c, struct cw_run_context_device *p);

/* The private copy of `p` on a helper's `place`; lane held, lock not held. The first takes only what an
 * earlier run has kept, the second builds. (builds/helper_program.c) */
bool cw_helper_program_load(struct cw_run_program *p, struct cw_run_context_device *place);
cl_program cw_helper_program_of(struct cw_run_program *p,
                                struct cw_run_context_device *place); /* NULL: cannot be built */
struct cw_run_ndrange;
/* cw_isolated_compiler_ahead() for a launch of such a copy's kernel (builds/isolated_compiler.h). Lane held.
 */
cl_int cw_helper_program_ahead(const struct cw_run_launch *l, const struct cw_run_context_device *place,
                               const struct cw_run_ndrange *r);

/* ---- window and lanes (workers/window.c, workers/worker.c); lock held. Closing plans the window, for which
 * it may give up the lock: what was found before must be found again, or be busy */
void cw_run_window_close(void);
void cw_run_window_step(
    void); /* the same for callers that wait, or need not hurry: part of it may stay open for a moment */
bool cw_run_window_is_due(void); /* it is old enough, and nothing runs */
bool cw_run_worker_reserve(
    uint32_t tasks); /* room for so many ready ones on every lane; false: out of memory */
void cw_run_worker_ready(struct cw_run_task *t);
void cw_run_worker_unready(struct cw_run_task *t); /* it leaves its lane's heap again */
void cw_run_worker_starts(struct cw_run_task *t);  /* the command is going to run now */
struct cw_run_worker *cw_run_worker_of(const struct cw_cl_device *slot);
void cw_run_worker_signal(struct cw_run_worker *l);
/* Takes the i-th out of the heap; and runs what was taken, and what follows it at once, up to number `last`.
 * Gives up the lock meanwhile. */
struct cw_run_task *cw_run_worker_take(struct cw_run_worker *l, uint32_t i);
void cw_run_worker_run(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);
/* (workers/help.c) Helps with the commands of `q` (NULL: only waits) up to number `last` until over(what).
 * Gives up the lock meanwhile. */
void cw_run_help(struct cw_run_queue *q, uint64_t last, bool (*over)(const void *), const void *what);
void cw_run_window_start(void); /* cw_run.threads says whether it could */
bool cw_run_worker_run_orphan(
    void); /* runs a command of a lane that can have no worker; false: there is none */
void cw_run_worker_kick_all(void);
static inline void cw_run_worker_kick(void) /* wakes the workers of lanes that have something to do */
{
    if (cw_run.ready_count || cw_run.wanted || cw_run.timer_wanted)
        cw_run_worker_kick_all();
}

/* True when `t` may run at `p` (its own home included) without any difference that the program could see.
 * Lock held. (workers/legal.c) */
bool cw_run_legal_may_move(const struct cw_run_task *t, const struct cw_run_context_device *p);
/* True when some other device may run launches of `k` from `q`, or tiles of them. Lock held. */
bool cw_run_legal_may_leave(const struct cw_run_queue *q, struct cw_run_kernel *k, bool has_local);
extern bool cw_run_relaxed; /* --numerics=relaxed; constant after start() */

/* For cw_run_help: everything of `queue` up to number `sequence` has retired. */
struct cw_run_until {
    const struct cw_run_queue *queue;
    uint64_t sequence;
};
bool cw_run_help_is_over(const void *until);

/* ---- commands that take less than waking a worker would (workers/short_task.c); lock held */
bool cw_run_short_task_is(const struct cw_run_task *t,
                          double *ns); /* it is ready, and takes about *ns, never much more */
void cw_run_short_task_measured(const struct cw_run_task *t); /* took_ns is set */
/* Runs what is ready of `q`, which is busy, up to number `last`, as far as it is brief, for `ns` in all: for
 * calls that must not block, of programs that want it to happen. Gives up the lock meanwhile. */
#define CW_RUN_BRIEF_NS  5000  /* less than to have it done */
#define CW_RUN_POLLED_NS 50000 /* asks for the second time, before a worker was there: it spins */
void cw_run_help_briefly(struct cw_run_queue *q, uint64_t last, double ns);

/* Runs a command on its lane; lock not held. Returns its status. (workers/execute.c) */
cl_int cw_run_execute(struct cw_run_task *t);

/* Commands that follow each other on an asynchronous device are handed to it together, since an in-order
 * queue keeps their order without a pause; where kernels run inside the enqueueing call, very short ones run
 * in a row. Puts up to CW_RUN_BATCH launches into `batch`, the first is `t`: of these, those behind it wait
 * for nothing else, and are of t's queue and not after `last`. Returns their number. Lock held.
 * (workers/batch.c) */
#define CW_RUN_BATCH 256
uint32_t cw_run_batch_gather(struct cw_run_task *t, uint64_t last, struct cw_run_task *batch[CW_RUN_BATCH]);
/* Runs them; statuses and times are set. Those behind one that fails on a helper have CW_RUN_NOT_RUN. Lock
 * not held. */
#define CW_RUN_NOT_RUN 1
void cw_run_batch_execute(struct cw_run_task *const *batch, uint32_t n);
/* Hands a launch to its device (workers/execute.c); the lane is held. *queue: to be finished. */
cl_int cw_run_execute_submit(struct cw_run_task *t, cl_command_queue *queue);
/* Gives a private kernel of the place the arguments of a launch, where `set` has others; the lane is held. */
cl_int cw_run_execute_set_args(cl_kernel kernel, const struct cw_run_launch *l,
                               const struct cw_run_context_device *p, struct cw_run_set *set);

/* ---- launches that must not overlap (workers/exclusion.c); lock held unless said */
struct cw_run_exclusion *cw_run_exclusion_of(const struct cw_run_kernel *k);
bool cw_run_exclusion_may(const struct cw_run_task *t); /* it may run now */
void cw_run_exclusion_begin(const struct cw_run_task *t);
void cw_run_exclusion_end(const struct cw_run_task *t);
/* The same for launches of `k` that are no commands (tuning/repeat.h), without an offset; false: it may not
 * run now. */
struct cw_run_side *cw_run_exclusion_side(const struct cw_run_kernel *k,
                                          bool home); /* NULL: nothing is in its way ever */
bool cw_run_exclusion_enter(struct cw_run_side *side, cl_uint dims, const size_t *global);
void cw_run_exclusion_leave(struct cw_run_side *side);

/* ---- times (workers/timing.c) */

/* The same, sets times[3] and, where the device's times are modelled, waits for the modelled end and sets
 * times[1] to times[3]. */
cl_int cw_run_timing_execute(struct cw_run_task *t);

/* What the command costs by. */
struct cw_work cw_run_timing_work_of(const struct cw_run_task *t);

/* Now, on the clock of times[]; and that the program has waited for something that was over at `event_ns`. */
uint64_t cw_run_timing_now_ns(void);
void cw_run_timing_reached(uint64_t event_ns);

/* ---- events (api/event.c, tasks/callback.c) */
void cw_run_event_progress(struct cw_run_task *t);
bool cw_run_callback_start(void); /* false: no thread could call them */
void cw_run_callback_push(struct cw_run_event *e, cl_int reached, cl_int status);
/* Whether a callback on the managed `e`, for a state that is there, may be called at once: no callback on a
 * command before it is due. */
bool cw_run_callbacks_turn(const struct cw_run_event *e);
/* clSetEventCallback on an event that is no managed command's; lock not held. */
cl_int cw_run_callbacks_set_native(cl_event event, cl_int type,
                                   void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data);
/* Waits for the callbacks that are due: of a queue, which is busy, or of an event, which is over and busy,
 * and those that come before them. Lock held, given up meanwhile. Does nothing inside a callback. */
void cw_run_callback_wait(struct cw_run_queue *q);
void cw_run_callback_wait_event(struct cw_run_event *e);
void cw_run_event_free(struct cw_run_event *e);

/* ---- native commands (api/native.c) */
struct cw_run_native {
    struct cw_run_queue *queue; /* NULL: nothing to do at the end */
    cl_uint n;
    const cl_event *list; /* what the vendor gets */
    cl_event *event;      /* likewise */
    cl_event own_event, gate;
    cl_event *heap;
    cl_event few[8];
    cl_command_type type;
    bool gated, wanted;
    uint64_t given;  /* a call that blocks until this many native commands are over; 0: it does not */
    uint64_t now_ns; /* of cw_run_once_ns() */
    struct cw_run_exclusion *flight;
    const cl_mem *used; /* memory objects that the command names; may be set between begin and end */
    cl_uint num_used;
    cl_kernel launched; /* NULL: none; likewise */
};
/* `blocking`: the bare call would block. `whole`: the command waits for everything before it. Lock not held.
 */
void cw_run_native_begin(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list,
                         cl_event *event, bool blocking, bool whole, enum cw_run_reason why);
/* The same for a command that was refused (below): the lock is held, and given up. */
struct cw_run_enqueue;
void cw_run_native_follow(struct cw_run_native *x, const struct cw_run_enqueue *e);
cl_int cw_run_native_end(struct cw_run_native *x, cl_int status);
/* Between the two: the command names these memory objects, which stay until the end. */
static inline void cw_run_native_uses(struct cw_run_native *x, cl_uint n, const cl_mem *memory)
{
    x->used = memory;
    x->num_used = n;
}
/* Between the two, for a launch; cw_run_native_end() ends it. Waits where the bare call would: on a device
 * that runs kernels inside the call. Lock not held. */
void cw_run_exclusion_native_begin(struct cw_run_native *x, cl_kernel kernel, cl_uint dims,
                                   const size_t *offset, const size_t *global);
void cw_run_exclusion_native_end(struct cw_run_exclusion *f); /* lock held; NULL is fine */

/* ---- memory, programs, kernels */
struct cw_run_memory *cw_run_memory_buffer(cl_mem handle); /* a managed one, or NULL; lock held */
void cw_run_memory_free(struct cw_run_memory *m);
void cw_run_program_free(struct cw_run_program *p);
void cw_run_program_left(
    struct cw_run_program *p); /* by the program or a kernel of it: one may have been the last */
void cw_run_kernel_free(struct cw_run_kernel *k);
void cw_run_context_free(struct cw_run_context *c);
void cw_run_queue_free(struct cw_run_queue *q);
void cw_source_parse(struct cw_run_program *p);
/* Waits until nothing of ours keeps the program from being built or compiled again. Lock not held. */
void cw_run_program_settle(cl_program program);
/* A program that was linked, as one of this source and these options, which are taken over. `doubtful`: only
 * once models have shown that it compiles; then cw_run_program_trust is called. Lock not held; held.
 * (api/program_link.c) */
void cw_run_program_linked(cl_context context, cl_program program, char *source, char *options,
                           bool doubtful);
void cw_run_program_trust(struct cw_run_program *p);
/* The text that the vendor has built of, trusted or not; NULL: not known. */
static inline const char *cw_run_program_text(const struct cw_run_program *p)
{
    return p->source ? p->source : p->linked;
}
/* Launches of the kernel have, or may have, effects that no argument shows. Lock held. */
bool cw_source_forbids(const struct cw_run_kernel *k);
bool cw_source_is_manageable(const char *source, const char *options); /* any thread */
/* Another build of the same text may be another program: it says when it was built. Any thread. */
bool cw_source_is_dated(const char *source, const char *options);
cl_mem cw_run_image_mirror(const struct cw_run_image *image, cl_context context, void *bytes); /* the same */
cl_mem_object_type cw_run_image_type(const struct cw_run_image *image);
/* True when `k`, which has images (the arguments' `memory` is set), only reads them, and takes no sampler.
 * Lock held. */
bool cw_run_image_are_read(const struct cw_run_kernel *k);
cl_mem cw_run_memory_on(struct cw_run_memory *m,
                        const struct cw_run_context_device *p); /* lane held, lock not held */
cl_kernel cw_run_kernel_on(struct cw_run_kernel *k, struct cw_run_context_device *p);
void cw_run_kernel_points(cl_kernel kernel,
                          cl_uint index); /* its argument is a bare pointer; lock not held */

/* ---- the frame of every enqueue hook (api/enqueue.c) */
struct cw_run_enqueue {
    cl_command_queue handle;
    struct cw_run_queue *queue;
    cl_uint n;
    const cl_event *list;
    cl_event *event, made;
    struct cw_run_context *context; /* that `made` is in */
    bool whole, blocking;
    enum cw_run_reason why; /* for the native command */
    uint64_t now_ns;        /* of cw_run_once_ns(), likewise */
};
/* The lock is held from here on. True: the command may be managed; end with cw_run_enqueue_commit or
 * cw_run_enqueue_refuse. False: it is refused. */
bool cw_run_enqueue_begin(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n, const cl_event *list,
                          cl_event *event, bool whole);
/* The same for a transfer or a map. */
bool cw_run_enqueue_begin_transfer(struct cw_run_enqueue *e, cl_command_queue queue, cl_uint n,
                                   const cl_event *list, cl_event *event, bool blocking);
/* The command is fine and will be managed: takes in what native commands before it left behind, for which it
 * may give up the lock for a while. False: it must be native. */
bool cw_run_enqueue_settle(struct cw_run_enqueue *e);
/* The command is native; end with cw_run_native_follow. Returns false. */
bool cw_run_enqueue_refuse(struct cw_run_enqueue *e, enum cw_run_reason why);
/* Enqueues `t`, gives up the lock, and waits for the command when `blocking`. */
cl_int cw_run_enqueue_commit(struct cw_run_enqueue *e, struct cw_run_task *t, bool blocking);

/* ---- end of the process (api/process_end.c) */
void cw_run_process_end_drain(void);
void cw_run_process_end_register(void);
void cw_run_summary(void);

#endif
