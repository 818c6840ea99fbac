/* dsp_fault.h - faults of emulated DSPs, for tests of the code that handles them.
 *
 *   K:die@N     DSP K (from 0 on) refuses its N-th launch (from 1 on) and all that follow: the command fails
 *               before it has written anything, as on a chip whose results are still in its local memory
 *   K:hang@N    its N-th launch does not end; a watchdog gives it up after three times its modelled time,
 *               1 ms at least, and the DSP counts as dead
 *   K:slow@T*F  from T us after the program's start on commands take F times as long
 *
 * with commas between; at most one of each kind per DSP, the last one holds. */
#ifndef CW_DSP_FAULT_H
#define CW_DSP_FAULT_H

#include <stdint.h>

#include "../../sched/status.h"

struct cw_dsp_faults {
    uint64_t dies_at, hangs_at; /* 0: never */
    uint64_t slow_from_ns;
    double slow_by; /* 0 or 1: not at all */
};

/* Reads `text` into faults[0 .. n - 1], which are zeroed first. Errors: CW_ERR_INVALID, with words. */
enum cw_status cw_dsp_faults_read(const char *text, unsigned n, struct cw_dsp_faults *faults,
                                  struct cw_error *err);

/* When a command ends that runs from `start` to `end` by the model; times since the program's start. */
uint64_t cw_dsp_faults_end(const struct cw_dsp_faults *f, uint64_t start, uint64_t end);

/* How long the watchdog waits for a launch of this cost. */
uint64_t cw_dsp_watchdog_ns(double cost_ns);

#endif
