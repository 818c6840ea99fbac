/* execute.h - running one command on its worker. */
#ifndef CW_RUN_EXECUTE_H
#define CW_RUN_EXECUTE_H

#include "../core/types.h"

/* Does the work of a command, which is no part of a cut launch (tiles/tile.h) or of a group run
 * (groups/group.h), and returns its status; sets measure.took_ns where measure.wanted, and times
 * (workers/timing.h). The caller has the command's worker; lock not held. */
cl_int cw_run_execute_command(struct cw_run_task *t);

/* Hands a whole launch to its device. *queue: to be finished. Sets t->begun. Worker held, lock not held. */
cl_int cw_run_execute_submit(struct cw_run_task *t, cl_command_queue *queue);
/* Around that call, or the one that hands a block to its device: takes the device's turn, gives it back and
 * waits for `queue`. False: a thread that is lost has the turn, and t->outcome.vendor is the status. */
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

#endif
