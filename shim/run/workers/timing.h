/* timing.h - times of commands. */
#ifndef CW_RUN_TIMING_H
#define CW_RUN_TIMING_H

#include "../../../analyzer/kernels/footprint/op_kinds.h"
#include "../../device/pace.h"
#include "../core/types.h"

/* Of a command that runs. */
struct cw_run_timing {
    bool modelled, paced;
    bool runs; /* where `modelled`: the device lives */
    uint64_t begin_ns;
    struct cw_pace pace;
    struct cw_hold hold;
    struct cw_work_ops ops; /* that hold.work points to */
};

/* Around the work of a command; lock not held. False: the device has died, and the command is not to run: its
 * status is CL_OUT_OF_RESOURCES. */
bool cw_run_timing_begins(struct cw_run_task *t, struct cw_run_timing *timing);
/* Returns its status, sets times[3] and, where the device's times are modelled, waits for the modelled end
 * and sets times[1] to times[3]. */
cl_int cw_run_timing_ends(struct cw_run_task *t, struct cw_run_timing *timing, cl_int status);

#endif
