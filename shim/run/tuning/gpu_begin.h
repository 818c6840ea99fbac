/* gpu_begin.h - when GPUs that may help get their contexts.
 *
 * A context takes some .15 s, a part of it in locks of the driver that the program's own calls wait for, and
 * it ends with the process. So other GPUs begin when launches that they would have shortened have cost the
 * program as much as their contexts do (the ski-rental rule, history/history_runs.h), at the first launch to
 * cut (--learn all), or with the program where its last run with these arguments had twice that to gain.
 * Lock held, unless said. */
#ifndef CW_RUN_GPU_BEGIN_H
#define CW_RUN_GPU_BEGIN_H

#include "../core/types.h"

struct cw_options;

/* At once: other GPUs begin with the first queue (CLWEAVE_MANAGE_ALL, chaos, planted faults). `folder`: the
 * records of programs are in it, "" for none. Called once by start(): no OpenCL call, lock not held. */
void cw_run_gpu_begin_start(const struct cw_options *options, const char *folder);

/* The contexts of GPUs that help may be made now. Other devices than GPUs may begin at once. */
bool cw_run_gpu_begin_may(const struct cw_run_context_device *p);

/* They have begun, or may. */
bool cw_run_gpu_begin_is_due(void);

/* GPUs save, or would have saved, so much of a launch; cut: in parts. */
void cw_run_gpu_begin_saves(double ns, bool cut);

/* At exit, lock not held: writes how much time they might have saved in this run, for the next one. */
void cw_run_gpu_begin_stop(void);

/* One line for the summary, where GPUs may help; returns its length. */
int cw_run_gpu_begin_describe(char *text, unsigned size);

#endif
