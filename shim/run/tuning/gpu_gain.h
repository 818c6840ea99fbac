/* gpu_gain.h - what launches that are cut between GPUs gain, all of a program together.
 *
 * Each launch is cut because it is expected to end sooner. But it leaves its bytes in several memories, and
 * the next one may have to fetch them. So an account is kept of all cut launches beside their time at home
 * with all bytes there, and of what home waits for bytes. Where it falls too low, launches are left whole for
 * a while, longer each time, and for good at the fourth time in a row. Lock held. */
#ifndef CW_RUN_GPU_GAIN_H
#define CW_RUN_GPU_GAIN_H

#include <stdbool.h>

/* A launch that was cut took so long, and would take `home_ns` at home; 0: not known, it does not count. */
void cw_run_gpu_gain_cut(double home_ns, double took_ns);

/* The program's own GPU has waited for bytes from others, for a launch. */
void cw_run_gpu_gain_waited(double ns);

/* Launches stay whole now. */
bool cw_run_gpu_gain_rests(void);

/* The sum of all gains and losses in this run. */
double cw_run_gpu_gain_all(void);

#endif
