/* handoff.h - callbacks on events that the vendor makes while locks may be held, on a thread of this library.
 *
 * PoCL calls back for CL_SUBMITTED with the lock of the event held that the command has waited for. A
 * function that takes a lock there waits for each thread that has this lock and asks the vendor about that
 * event: two that wait for each other. So the vendor's callback takes one lock, with which no other is taken,
 * and a thread calls the function. The same goes for callbacks inside a vendor's call that this library
 * makes with locks of its own (cw_handoff_holds).
 *
 * Functions for later states of an event are called behind these, and a wait for the event returns behind
 * them. Any thread. */
#ifndef CW_HANDOFF_H
#define CW_HANDOFF_H

#include "dispatch.h"

typedef void(CL_CALLBACK *cw_handoff_function)(cl_event, cl_int, void *);

/* As clSetEventCallback: `set` is the vendor's, or that of the next layer; returns the result of `set`. A
 * function that is called inside `set` is called at once. Without memory the vendor calls the function. */
cl_int cw_handoff_set(__typeof__(&clSetEventCallback) set, cl_event event, cl_int type,
                      cw_handoff_function function, void *data);

/* From now on functions for all states are called by this library; before it those for CL_SUBMITTED alone,
 * the first of which has the same effect. Any thread. */
void cw_handoff_use(void);

/* At the beginning of a callback for CL_RUNNING or CL_COMPLETE: waits until the functions that were handed
 * over for this event have returned; returns at once on their thread, and where this thread holds locks. */
void cw_handoff_wait(cl_event event);

/* Locks of this library that the calling thread holds while it calls the vendor. */
extern __thread unsigned cw_handoff_holds __attribute__((tls_model("initial-exec")));

#endif
