/* run_logs.h - the logs that one run of a program left, and their conversion. */
#ifndef CW_RUN_LOGS_H
#define CW_RUN_LOGS_H

#include <stdbool.h>
#include <stdint.h>

/* Converts every log of run `run` (the id in the log's header) whose name follows from `pattern` (absolute;
 * %e, %p and %% as in the option `out`; children's logs have more inserted before the extension), removes the
 * converted logs, and prints one line per trace on stderr. `footprints`: their graphs tell bytes of buffers apart
 * (footprints.h); with `summary` the tables of `clweave graph` as
 * well. Says so when there is no log or no enqueue. */
void cw_run_logs_convert(const char *pattern, uint64_t run, const char *program, bool footprints, bool summary);

#endif
