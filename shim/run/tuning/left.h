/* left.h - launches that are left in the queue of their GPU, where other GPUs may help
 * (cw_run_context_device_is_gpu).
 *
 * A managed launch costs some of the vendor's user events, which hold a queue for tenths of a millisecond.
 * So a kernel whose launch was planned and stayed at home as a whole is native for a while, longer each time;
 * larger launches of it are planned again. It becomes native, and managed again, when nothing of its queue is
 * unfinished: else one side would wait for the other, launch by launch. Behind native commands it waits for
 * that as long again. Lock held. */
#ifndef CW_RUN_LEFT_H
#define CW_RUN_LEFT_H

#include "../core/types.h"

/* A launch of `k` over so many work-items, which is enqueued to `q`, is native. */
bool cw_run_left_is(const struct cw_run_queue *q, struct cw_run_kernel *k, double items);

/* The commands from `first` on, linked by links.window, have been planned. */
void cw_run_left_planned(const struct cw_run_task *first);

#endif
