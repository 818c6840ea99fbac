/* gpu_gain.h - what launches that are cut between GPUs gain, all of a program together.
 *
 * Each launch is cut because it is expected to end sooner. But it leaves its bytes in several memories, and
 * the next one may have to fetch them. So an account is kept of all cut launches beside their time at home
 * with all bytes there, and of what home waits for bytes. Where it falls too low, launches are left whole for
 * a while, longer each time, and for good at the fourth time in a row.
 *
 * Other commands pay for cuts, too, and a time at home may be an old guess. So spans are compared as wholes,
 * from the first command to the program's wait: those with launches on other GPUs with the quickest one
 * without, of as many commands and work-items. Where these lose as much, launches stay whole for good, and
 * the next runs of the program with these arguments leave other GPUs alone (tuning/gpu_begin.h). Lock
 * held. */
#ifndef CW_RUN_GPU_GAIN_H
#define CW_RUN_GPU_GAIN_H

#include <stdbool.h>
#include <stdint.h>

/* A launch that was cut took so long, and would take `home_ns` at home; 0: not known, it does not count. */
void cw_run_gpu_gain_cut(double home_ns, double took_ns);

/* The program's own GPU has waited for bytes from others, for a launch. */
void cw_run_gpu_gain_waited(double ns);

/* The program enqueues a launch of `items` work-items. */
void cw_run_gpu_gain_launch(double items);

/* The program has waited, `ns` after the first of `commands` commands. */
void cw_run_gpu_gain_span(double ns, uint64_t commands);

/* Whole spans have lost so much that launches stay whole for good. */
bool cw_run_gpu_gain_harms(void);

/* Launches stay whole now. */
bool cw_run_gpu_gain_rests(void);

/* The sum of all gains and losses in this run. */
double cw_run_gpu_gain_all(void);

#endif
