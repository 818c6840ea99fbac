/* dependence.h - the order of commands by queues, events and barriers. Lock held. */
#ifndef CW_RUN_DEPENDENCE_H
#define CW_RUN_DEPENDENCE_H

#include "../core/types.h"

/* How a command of `q` can wait for the events of a list. */
enum cw_run_waits { CW_RUN_WAITS_FINE, CW_RUN_WAITS_GATED, CW_RUN_WAITS_ODD };
enum cw_run_waits cw_run_dependence_look(const struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* Whether a command of `q` with that list would wait for native work that is not finished. */
bool cw_run_dependence_waits_native(const struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* True when an unset user event holds a native command of `q`. */
bool cw_run_dependence_is_gated(struct cw_run_queue *q);

/* Why the next command of `q`, which is managed, must be native for its order, or -1. */
int cw_run_dependence_admit(struct cw_run_queue *q, cl_uint n, const cl_event *list);

/* Native commands of `q` so far become something that later ones can wait for. Gives up the lock meanwhile.
 * False: the vendor refused, or memory is out. */
bool cw_run_dependence_take_in_natives(struct cw_run_queue *q);

/* A marker behind the native commands of `q` so far tells of those that have no event (memory/native_use.h).
 * Gives up the lock meanwhile. False: the vendor refused. */
bool cw_run_dependence_mark(struct cw_run_queue *q);

/* Puts the command, at its home, into its queue and the window, with the edges from queue and wait list.
 * Accesses must have been touched already. `event`: a fresh user event for the program, or NULL. False: out
 * of memory; the command is not enqueued, and `t` no longer the caller's. */
bool cw_run_dependence_link(struct cw_run_queue *q, struct cw_run_task *t, cl_command_type type, cl_uint n,
                            const cl_event *list, bool whole, cl_event event);

#endif
