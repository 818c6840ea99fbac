/* execute.h - running one command on its worker. */
#ifndef CW_RUN_EXECUTE_H
#define CW_RUN_EXECUTE_H

#include "../core/types.h"

/* Kinds of commands. */
extern const struct cw_run_work_ops cw_run_execute_launch_ops, cw_run_execute_transfer_ops,
    cw_run_execute_fill_ops, cw_run_execute_fill_image_ops;
/* `execute` of a launch of any kind, without planted faults: submits it, and waits until it is over. */
cl_int cw_run_execute_launch(struct cw_run_task *t);
cl_int cw_run_execute_whole(struct cw_run_task *t); /* `execute` of a whole launch */

/* `submit` of a whole launch; the worker is held. *queue: to be finished. */
cl_int cw_run_execute_submit(struct cw_run_task *t, cl_command_queue *queue);
/* Before a launch first runs elsewhere or in parts, where policies take that early: the process has the
 * code that the home device needs to run it whole. The bare program would load it now; later no descriptor
 * may be left for that. False: there is no room for a compiler. Lock not held; the task stays. */
bool cw_run_execute_home_has_code(const struct cw_run_task *t);
/* Gives a private kernel of the place the arguments of a launch, where `set` has others; the worker is held.
 * */
cl_int cw_run_execute_set_args(cl_kernel kernel, const struct cw_run_launch *l,
                               struct cw_run_context_device *p, struct cw_run_set *set);

#endif
