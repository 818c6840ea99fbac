/* process_end.h - the end of the process and forks. */
#ifndef CW_RUN_PROCESS_END_H
#define CW_RUN_PROCESS_END_H

#include <stdbool.h>

/* Called by start(). `summary`: print one at the end. */
void cw_run_process_end_start(bool summary);

/* Waits for everything, ends our threads, says the summary. Once; does nothing in a forked child. */
void cw_run_process_end_at_exit(void);

/* Waits for all commands; later ones are native. Lock not held. */
void cw_run_process_end_drain(void);

#endif
