/* quarantine.h - devices with a memory of their own that fail.
 *
 * The first launch that fails there as devices do, or the first copy, ends their use: no other launch goes
 * there (planner/legal.c), those that wait there run at home, and what their memory alone has is copied to
 * the host's as long as they answer, for a second. The rest is lost (memory/coherence.h): commands that
 * need it end with CL_OUT_OF_RESOURCES. */
#ifndef CW_RUN_QUARANTINE_H
#define CW_RUN_QUARANTINE_H

#include "../core/instruction.h"

/* Whether a launch that ends so says that its device has failed, rather than the launch. */
bool cw_run_quarantine_is_due(cl_int status);

/* A launch or a copy has failed at `l` with `error`; only the first one counts, and none at a device
 * of the program's. Lock held. */
void cw_run_quarantine_begin(struct cw_run_worker *l, cl_int error, bool copy);

/* Reads from its memory may never end: it has failed, or a launch there is late. Lock not needed. */
bool cw_run_quarantine_doubts(const struct cw_run_worker *l);

/* Runs `fetch`. A thread of its own does, into memory of its own: this call returns when that device is in
 * quarantine and its time is up, and the thread, which may never come back from the vendor, then leaves
 * fetch->host alone. Lock not held. */
cl_int cw_run_quarantine_read(const struct cw_run_instruction *fetch);

/* Saves what the memory of `l` alone has, once. No launch runs there. Worker held; lock held, given up
 * meanwhile. */
void cw_run_quarantine_leave(struct cw_run_worker *l);

/* Lines for the summary; returns their length. Lock held. */
int cw_run_quarantine_describe(char *text, unsigned size);

#endif
