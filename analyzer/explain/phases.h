/* phases.h - the run's time by phase: at each moment of it one, so that their times sum up to the whole.
 *
 * Of several that go on at a moment the first of enum cw_phase counts. Device times are put on the host's
 * clock (device_clock.h). */
#ifndef CW_PHASES_H
#define CW_PHASES_H

#include "first_launches.h"

enum cw_phase {
    CW_PHASE_KERNELS,   /* a kernel runs */
    CW_PHASE_TRANSFERS, /* another command runs */
    CW_PHASE_BUILD,     /* a call builds, compiles or links a program */
    CW_PHASE_FIRST,     /* presumably the vendor compiles for a first launch (first_launches.h) */
    CW_PHASE_SETUP,     /* a call makes or releases objects, or asks for platforms and devices */
    CW_PHASE_WAITING,   /* a call waits for commands */
    CW_PHASE_CALLS,     /* other calls of OpenCL that are recorded */
    CW_PHASE_HOST,      /* none of these */
    CW_PHASES
};

struct cw_phases {
    uint64_t ns[CW_PHASES];
    /* of the run: from the beginning of the recording to its end; of a part of it, the part's; of a trace
     * that has lost its older commands (--limit), from the first one that is there */
    uint64_t total_ns;
    /* kernels and transfers are missing: no command has times. Then waiting is also for them */
    bool no_device_times;
    /* set-up and builds are missing: the trace has only commands. Then host is also for them */
    bool no_calls;
};

/* Fills `p`. CW_ERR_NOMEM. O(n log n) in commands and calls. Thread-safety: reads `t` only. */
enum cw_status cw_phases_measure(struct cw_phases *p, const struct cw_trace *t,
                                 const struct cw_first_launches *first, struct cw_error *err);

/* "kernels", "first launches", ... */
const char *cw_phases_name(enum cw_phase phase);

#endif
