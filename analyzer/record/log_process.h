/* log_process.h - whether the writer of a log is still there. */
#ifndef CW_LOG_PROCESS_H
#define CW_LOG_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Field 22 of /proc/PID/stat, the start time of a process in clock ticks; 0 when there is no such process or
 * it has ended. Together with the pid it names a process for good. Thread-safe. */
uint64_t cw_log_process_start(uint64_t pid);

/* True when process `pid` is still there, but has been killed or is exiting: its memory may take a while to
 * be given back. Thread-safe. */
bool cw_log_process_is_ending(uint64_t pid);

#endif
