/* callback.h - callbacks of the program on events. Lock held unless said. */
#ifndef CW_RUN_CALLBACK_H
#define CW_RUN_CALLBACK_H

#include "../core/types.h"

bool cw_run_callback_start(void); /* false: no thread could call them */
void cw_run_callback_push(struct cw_run_event *e, cl_int reached, cl_int status);
/* Whether a callback on the managed `e`, for a state that is there, may be called at once: no callback on a
 * command before it is due. */
bool cw_run_callbacks_turn(const struct cw_run_event *e);
/* clSetEventCallback on an event that is no managed command's; lock not held. */
cl_int cw_run_callbacks_set_native(cl_event event, cl_int type,
                                   void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data);
/* A call of the program may wait for callbacks: it is not made inside one. */
bool cw_run_callback_may_wait(void);
/* The same, and callbacks on commands of `q` have not returned. */
bool cw_run_callback_is_due(struct cw_run_queue *q);

/* At the end: stops and joins its thread; the lock is not held, and nothing new may come. */
void cw_run_callback_stop(void);

#endif
