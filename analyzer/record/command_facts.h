/* command_facts.h - facts about one recorded command that follow from its record alone.
 *
 * Thread-safety: each function reads the trace only. */
#ifndef CW_COMMAND_FACTS_H
#define CW_COMMAND_FACTS_H

#include "trace.h"

/* True for an enqueued command that has done its work, as far as the trace knows: the vendor has not refused
 * it, and it has not failed. A command that has done no work counts in no sum, in no chain, and as nothing
 * that could run beside others. */
bool cw_command_works(const struct cw_command *c);

/* The time that a command took on its device, ns; 0 when it is not known or the command has done no work. */
uint64_t cw_command_device_ns(const struct cw_command *c);

/* True when `c` has done work and its time is not known. Markers and barriers do none that takes time. */
bool cw_command_lacks_time(const struct cw_command *c);

/* True when at least one enqueued command of `t` has a device time. O(commands). */
bool cw_command_times_exist(const struct cw_trace *t);

/* True for a host call that returns when commands are over: clFinish, clWaitForEvents, blocking transfers
 * that were not refused. */
bool cw_command_is_wait(const struct cw_command *k);

/* How many of the trace's commands are such calls. O(commands). */
size_t cw_command_count_waits(const struct cw_trace *t);

/* True for what waits for all that its queue was given before, whatever the queue's order: clFinish, barriers
 * and markers without a wait list. */
bool cw_command_awaits_queue(const struct cw_command *k);

/* False: the accesses of `k` are ranges that it may touch, not just the bytes that it moves. */
bool cw_command_bytes_are_exact(const struct cw_trace *t, const struct cw_command *k);

/* Times of the vendor's profiling that cannot be.
 *
 * Some vendors answer with success and times that no clock has shown (rusticl of Mesa 22.3: 0, 1, 2 and 3).
 * Thread-safety: the functions touch their arguments only. */

/* False: at[0..3], QUEUED to END of one command (0: not known), are out of order, or END lies so near the
 * beginning of the device's clock that none can have run. */
bool cw_event_times_are_possible(const uint64_t at[4]);

/* Takes the times of such commands out of `t`, a trace that the recorder made, and those of all commands of a
 * device whose clock stands still beside the host's. Adds their number to process.impossible_times. Times
 * that run mode gives are left alone. O(commands * devices). */
void cw_event_times_drop(struct cw_trace *t);

#endif
