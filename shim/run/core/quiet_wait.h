/* quiet_wait.h - blocking calls of a vendor whose waits keep a processor busy (--wait quiet).
 *
 * Such a call is preceded by a sleep: the waiting thread asks the vendor for the state of the events that the
 * call waits for, and sleeps in between. The vendor's own call follows and finds the commands over: error,
 * callbacks and the visibility of memory are its own. No vendor is known to sleep by itself on a question for
 * an event, and a callback instead would start threads in the vendor, cannot be taken back, and comes before
 * or behind the program's own.
 *
 * How long a thread's calls of a kind took decides about the next one. Those that took little go to the
 * vendor at once. Else the sleeps halve the time that is left to 1/64 before the shortest of the last eight,
 * so that a call which ends earlier is seen; from there to 1/16 behind it the thread asks without a sleep;
 * behind that it sleeps for 1/64 of the time since the call. A thread that has slept for a second, and twice
 * the longest of the eight, goes to the vendor: a vendor may call the program back only while it waits.
 *
 * clWaitForEvents has its events. clFinish gets a marker, where it took a millisecond and more. Such reads
 * and maps that block get an event: they are enqueued as ones that do not block, at the same place of the
 * queue, and clWaitForEvents follows. Writes that block are the vendor's, which may return from them before
 * their queue has come to them. */
#ifndef CW_RUN_QUIET_WAIT_H
#define CW_RUN_QUIET_WAIT_H

#include "../../../analyzer/settings/options.h"

/* Puts the calls above in place of the vendor's in cw_next, if `options` ask for it. Called once, by start(),
 * before the other layers copy cw_next. */
void cw_run_quiet_wait_start(const struct cw_options *options);

#endif
