/* process_end.h - the end of the process and forks. */
#ifndef CW_RUN_PROCESS_END_H
#define CW_RUN_PROCESS_END_H

#include <stdbool.h>

struct cw_options;

/* Called by start(). The settings say whether the end prints a verdict and a summary. */
void cw_run_process_end_start(const struct cw_options *options);

/* Waits for everything, ends our threads, says the summary. Once; does nothing in a forked child. */
void cw_run_process_end_at_exit(void);

/* Waits for all commands; later ones are native. Lock not held. */
void cw_run_process_end_drain(void);

#endif
