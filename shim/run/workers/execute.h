/* execute.h - running one command on its lane. */
#ifndef CW_RUN_EXECUTE_H
#define CW_RUN_EXECUTE_H

#include "../core/types.h"

/* Runs a command on its lane; lock not held. Returns its status. */
cl_int cw_run_execute(struct cw_run_task *t);

/* Hands a launch to its device; the lane is held. *queue: to be finished. */
cl_int cw_run_execute_submit(struct cw_run_task *t, cl_command_queue *queue);
/* Gives a private kernel of the place the arguments of a launch, where `set` has others; the lane is held. */
cl_int cw_run_execute_set_args(cl_kernel kernel, const struct cw_run_launch *l,
                               const struct cw_run_context_device *p, struct cw_run_set *set);

#endif
