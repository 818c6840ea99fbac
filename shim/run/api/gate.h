/* gate.h - the gate of a native command (api/native.h), the event of managed commands that must come first,
 * where it cannot stand in the command's own list. Lock not held. */
#ifndef CW_RUN_GATE_H
#define CW_RUN_GATE_H

#include "native.h"

/* Waits here for the managed commands, so that the list may be as the program gave it. */
void cw_run_gate_wait(struct cw_run_native *x);

/* `event` is the vendor's event of run mode's own command in the program's queue. Takes over the
 * reference. */
void cw_run_gate_own(const struct cw_run_native *x, cl_event event);

/* A barrier of run mode's own waits for the whole list, and the list of the command is empty. */
void cw_run_gate_separate(struct cw_run_native *x, cl_command_queue queue);

/* Of a fill, as NVIDIA's hold their caller until the events in their list are set: a barrier of run mode's
 * own waits for the gate, and the list is as the program gave it. */
void cw_run_gate_before(struct cw_run_native *x, cl_command_queue queue, cl_uint n, const cl_event *list);

#endif
