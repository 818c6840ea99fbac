/* repeat.h - fast path: a launch identical to the previous one runs inside clEnqueueNDRangeKernel.
 *
 * Programs that enqueue small kernels one after the other and wait for each spend their time on the
 * hand-over. Where such a launch went when it was planned last, its time and that no data can make it long
 * is known (tuning/repeat_place.c, workers/short_task.c); when nothing of the process is unfinished
 * there is nothing that it could be ordered before or behind. So it needs no command of its own: no window,
 * no plan, no queue. Every LEFT-th launch takes the long way again, where it is measured and, now and then,
 * planned. A command of the same queue from another thread waits meanwhile (cw_run_repeat_turn). */
#ifndef CW_RUN_REPEAT_H
#define CW_RUN_REPEAT_H

#include "../core/types.h"

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

#endif
