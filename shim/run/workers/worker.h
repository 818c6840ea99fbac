/* worker.h - workers: each drives one device. Lock held. */
#ifndef CW_RUN_WORKER_H
#define CW_RUN_WORKER_H

#include "../core/ready.h"
#include "../core/types.h"
#include "../../../analyzer/kernels/footprint/op_kinds.h"
#include "../../device/pace.h"

/* All that `t` waited for is over: puts it, or its parts, into heaps (core/ready.h). */
void cw_run_worker_ready(struct cw_run_task *t);
/* The same for all that have become ready (cw_run_ready_next of core/ready.h). */
void cw_run_worker_take_ready(void);
/* cw_run_task_done and cw_run_task_retire (tasks/task.h), and then cw_run_worker_take_ready. */
void cw_run_worker_done(struct cw_run_task *t, cl_int status);
void cw_run_worker_retire(void);
void cw_run_worker_starts(struct cw_run_task *t); /* the command is going to run now */
struct cw_run_worker *cw_run_worker_of(const struct cw_cl_device *device);

/* The ready command may run now, beside all that runs. */
bool cw_run_worker_can_run(const struct cw_run_task *t);
/* Takes the command of lowest rank that may run now out of the heap; NULL, and the worker is blocked, when
 * none may. */
struct cw_run_task *cw_run_worker_take_first(struct cw_run_worker *l);

/* ---- what runs a command that has left its heap (windows/loop.c); each gives up the lock meanwhile */

/* Where devices have memories of their own: bytes that the command may touch are copied to where it runs.
 * False: it is ready elsewhere now, or its parts are. */
bool cw_run_worker_fetch(struct cw_run_worker *l, struct cw_run_task *t);
/* Runs the command as it is, and those that follow it at once, up to number `last`. */
void cw_run_worker_run_command(struct cw_run_worker *l, struct cw_run_task *t, uint64_t last);
/* Runs such a read (memory/spread.h): the worker stays free for others, and windows close meanwhile. */
void cw_run_worker_run_read(struct cw_run_task *t);
/* What devices that have failed still have is saved (memory/quarantine.h). */
void cw_run_worker_save_all(void);
/* Around the work of one command, or of one block of a part, at `l`: gives the lock, and takes it. Where the
 * launch is watched the thread is to use *copy of it, which is returned, as the command goes elsewhere when
 * the launch never ends. l->quarantine.hung says in the end that it has: then it is another thread's. */
struct cw_run_task *cw_run_worker_begins(struct cw_run_worker *l, struct cw_run_task *t,
                                         struct cw_run_task *copy);
void cw_run_worker_ended(struct cw_run_worker *l, struct cw_run_task *t, const struct cw_run_task *run);
/* The launch that `l` runs (l->runs) never ends: the device is in quarantine, its thread is left behind
 * with all that it may use, and the launch runs at home if other memories have the bytes that it needs;
 * else it fails with CL_OUT_OF_RESOURCES. Returns the part of a cut launch that it was, for which the caller
 * does that (cw_run_tile_crew_hangs); else NULL. */
struct cw_run_task *cw_run_worker_leave_behind(struct cw_run_worker *l);

/* ---- batch: commands that run together. Commands that follow each other on an asynchronous device are
 * handed to it together, since an in-order queue keeps their order without a pause; where kernels run inside
 * the enqueueing call, very short ones run in a row. */

/* Puts up to CW_RUN_BATCH launches into `batch`, the first is `t`: of these, those behind it wait
 * for nothing else, and are of t's queue and not after `last`. Returns their number. Lock held. */
#define CW_RUN_BATCH 256
uint32_t cw_run_batch_gather(struct cw_run_task *t, uint64_t last, struct cw_run_task *batch[CW_RUN_BATCH]);
/* Runs them; statuses and times are set. Those behind one that fails on a helper have CW_RUN_NOT_RUN. Lock
 * not held. */
#define CW_RUN_NOT_RUN 1
void cw_run_batch_execute(struct cw_run_task *const *batch, uint32_t n);

/* ---- device_kernel: the private kernel that a worker launches on its device in place of the program's. */

/* Makes room for the values of the arguments of the private kernel of `worker`. False: memory is out. */
bool cw_run_device_kernel_set(struct cw_run_kernel *k, const struct cw_run_worker *worker);
/* The private kernel for `place`, made by the first call; `k` owns it. NULL: it cannot be had there. The
 * caller has the device's worker; lock not held. */
cl_kernel cw_run_device_kernel_of(struct cw_run_kernel *k, struct cw_run_context_device *place);

/* ---- exclusion: launches that must not overlap. Lock held unless said. */

struct cw_run_side;

struct cw_run_exclusion *cw_run_exclusion_of(const struct cw_run_kernel *k);
bool cw_run_exclusion_may(const struct cw_run_task *t); /* it may run now */
void cw_run_exclusion_begin(const struct cw_run_task *t);
void cw_run_exclusion_end(const struct cw_run_task *t);
/* The same for launches of `k` that are no commands (workers/repeat.c, api/launch.c); false: it may not run
 * now. */
struct cw_run_side *cw_run_exclusion_side(const struct cw_run_kernel *k,
                                          bool home); /* NULL: nothing is in its way ever */
bool cw_run_exclusion_enter(struct cw_run_side *side, const struct cw_run_ndrange *r);
void cw_run_exclusion_leave(struct cw_run_side *side);
/* A native launch has ended. NULL is fine. */
void cw_run_exclusion_native_end(struct cw_run_exclusion *f);

/* ---- execute: running one command on its worker. */

/* Does the work of a command, which is no part of a cut launch (tiles/tile.h) or of a group run
 * (groups/group.h), and returns its status; sets launch.measure.took_ns where .wanted, and times
 * (workers/timing.c). The caller has the command's worker; lock not held. */
cl_int cw_run_execute_command(struct cw_run_task *t);
/* Hands a whole launch to its device. *queue: to be finished. Sets t->launch.begun. Worker held, lock not
 * held. */
cl_int cw_run_execute_submit(struct cw_run_task *t, cl_command_queue *queue);
/* Around that call, or the one that hands a block to its device: takes the device's turn, gives it back and
 * waits for `queue`. False: a thread that is lost has the turn, and t->launch.vendor is the status. */
bool cw_run_execute_begins(struct cw_run_task *t, uint64_t *start_ns);
cl_int cw_run_execute_ends(struct cw_run_task *t, uint64_t start_ns, cl_int err, cl_command_queue queue);
/* Before a launch first runs elsewhere or in parts, where policies take that early: the process has the
 * code that the home device needs to run it whole. The bare program would load it now; later no descriptor
 * may be left for that. False: there is no room for a compiler. Lock not held; the task stays. */
bool cw_run_execute_home_has_code(const struct cw_run_task *t);
/* Gives a private kernel of the place the arguments of a launch, where `set` has others; the worker is held.
 * */
cl_int cw_run_execute_set_args(cl_kernel kernel, const struct cw_run_launch *l,
                               struct cw_run_context_device *p, struct cw_run_set *set);

/* ---- late: launches that take long at devices with a memory of their own: commands that wait behind them
 * go home, and no new ones go there before they are over. One that takes so long that it seems never to
 * end is left behind with its worker's thread, and runs at home: what it writes later, if it ever does, it
 * writes to a memory of which no byte is valid any more. Lock held. */

/* `t`, or a block of it, begins to run at `l`; nothing runs there. alone: no other command runs with it. */
void cw_run_late_begins(struct cw_run_worker *l, const struct cw_run_task *t, bool alone);
void cw_run_late_ends(struct cw_run_worker *l);
/* A launch runs that may be late, or commands may still come to a device where one never ends: the timer
 * looks. */
bool cw_run_late_watches(void);

/* ---- local_size: the local size that the program's own device chooses when the program leaves it to
 * it. A kernel may see it, so a launch that runs elsewhere, or in tiles, gets the same.
 *
 * A device is asked by launching a probe kernel over the same range; PoCL's choice depends on the device
 * and the range alone unless a kernel demands a size (test/vendor/null_local_size.c, test/runmode/nulls.c). A
 * thread of run mode asks, and launches stay at home until the answer is there. */

/* The local size that home of `q` chooses for an ndrange: fills local[0..dims). False: not known, or not yet;
 * the second question about a range has it asked. Lock held. */
bool cw_run_local_size_of(const struct cw_run_queue *q, cl_uint dims, const size_t *global, size_t *local);
/* Lock not held; nothing new may come. */
void cw_run_local_size_stop(void);

/* ---- repeat: fast path: a launch identical to the previous one runs inside clEnqueueNDRangeKernel.
 *
 * Programs that enqueue small kernels one after the other and wait for each spend their time on the
 * hand-over. Where such a launch went when it was planned last, its time and that no data can make it long
 * is known (tuning/repeat_place.c, workers/short_task.c); when nothing of the process is unfinished
 * there is nothing that it could be ordered before or behind. So it needs no command of its own: no window,
 * no plan, no queue. Every LEFT-th launch takes the long way again, where it is measured and, now and then,
 * planned. A command of the same queue from another thread waits meanwhile (cw_run_repeat_turn). */

/* Runs the launch of `k` over `r`, whose local size is final, on the queue of `e`, which admits it.
 * Unless it is done nothing has happened; where it was refused, the lock has been given up meanwhile, and
 * the content of `e` may be out of date. Lock held. */
enum cw_run_repeat_answer { CW_RUN_NOT_AGAIN, CW_RUN_REFUSED, CW_RUN_DONE_AGAIN };
enum cw_run_repeat_answer cw_run_repeat_launch(const struct cw_run_enqueue *e, struct cw_run_kernel *k,
                                               const struct cw_run_ndrange *r);
/* `t` is a launch that has run on its own, and ends now: the next one may be the same. Lock held. */
void cw_run_repeat_learn(const struct cw_run_task *t);
/* Such a launch is under way on `q`, in another thread. Lock held. */
bool cw_run_repeat_elsewhere(const struct cw_run_queue *q);
/* The record of the queue, NULL: there is none. Waits while a launch is under way there that is in no queue.
 * Lock held, and given up meanwhile. */
struct cw_run_queue *cw_run_repeat_turn(cl_command_queue queue);

/* ---- short_task: commands that take less than waking a worker would. Lock held. */

bool cw_run_short_task_is(const struct cw_run_task *t,
                          double *ns); /* it is ready, and takes about *ns, never much more */
void cw_run_short_task_measured(const struct cw_run_task *t); /* took_ns is set */

/* ---- timing: times of commands. */

/* Of a command that runs. */
struct cw_run_timing {
    bool modelled, paced;
    bool runs; /* where `modelled`: the device lives */
    uint64_t begin_ns;
    struct cw_pace pace;
    struct cw_hold hold;
    struct cw_work_ops ops; /* that hold.work points to */
};

/* Around the work of a command; lock not held. False: the device has died, and the command is not to run: its
 * status is CL_OUT_OF_RESOURCES. */
bool cw_run_timing_begins(struct cw_run_task *t, struct cw_run_timing *timing);
/* Returns its status, sets times[3] and, where the device's times are modelled, waits for the modelled end
 * and sets times[1] to times[3]. */
cl_int cw_run_timing_ends(struct cw_run_task *t, struct cw_run_timing *timing, cl_int status);

/* ---- wanted: what is wanted of a helper for launches to come: its context, and programs. */

/* Seeks or builds the last of `l->wanted`, of which there is one. Lock held; given up meanwhile. */
void cw_run_wanted_prepare(struct cw_run_worker *l);
/* Asks its worker for its context, which takes an NVIDIA GPU some .2 s. Lock held. */
void cw_run_wanted_context(struct cw_run_worker *l);
/* Makes it, as it was asked for. Lock held; given up meanwhile. */
void cw_run_wanted_open(struct cw_run_worker *l);
/* No thread does it any more: it gets neither. Lock held. */
void cw_run_wanted_nothing(struct cw_run_worker *l);

/* ---- watch: threads that are about to be needed stay awake for some microseconds.
 *
 * Waking a thread whose processor sleeps takes 40 to 200 us on a virtual machine, as much as a short launch
 * gains by being cut. Half of a launch of .5 ms on each of two PoCL basic devices, by two threads of one
 * process and without clweave, is 1.5 times as fast as all of it on one where the second thread slept before,
 * and 2.0 times where it watched (2 ms: 1.55 and 1.9). So a worker's thread that has run tiles watches for
 * the next ones before it sleeps, about as long as being woken would take (ski rental: at most twice the
 * best choice's cost), and ever less often where none has come. A thread of the program that waits for
 * a cut launch does so when the others are expected to be ready: where the bare call runs kernels itself,
 * all the time.
 *
 * No thread watches where another worker would need the processor, or while a compiler runs, and never
 * after these some hundred microseconds: an idle program costs nothing. */

/* There is a processor for one that watches. */
bool cw_run_watch_space(void);
/* `l` has run tiles: more may come soon. */
void cw_run_watch_begins(struct cw_run_worker *l);
/* For a worker with nothing to do: watches for something in its heap. False: it should sleep. Lock given up
 * meanwhile. */
bool cw_run_watch_worker(struct cw_run_worker *l);
/* A block of some cut launch has run. */
void cw_run_watch_block_over(void);
/* For a thread that has nothing to do but wait for `t`, which may be NULL: watches for the end of a block
 * where one is expected. False: it should sleep. Lock given up meanwhile. */
bool cw_run_watch_parts(const struct cw_run_task *t);

#endif
