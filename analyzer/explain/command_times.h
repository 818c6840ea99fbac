/* command_times.h - from the call to the end, by kind of command: how long the program's thread was in the
 * call, how long the command waited, how long it ran. */
#ifndef CW_COMMAND_TIMES_H
#define CW_COMMAND_TIMES_H

#include "../record/trace.h"
#include "spread.h"

enum cw_stage {
    CW_STAGE_CALL,   /* the call that enqueued it; of a blocking one until it had run */
    CW_STAGE_QUEUED, /* in its queue: from CL_PROFILING_COMMAND_QUEUED to SUBMIT */
    CW_STAGE_SUBMIT, /* handed to the device: from SUBMIT to START */
    CW_STAGE_RUN,    /* from START to END */
    CW_STAGES
};

/* The enqueued commands of one kernel's name, or of one type; blocking ones are another kind. */
struct cw_command_times_row {
    const char *name; /* the trace's, or static; may be NULL */
    bool kernel, blocking;
    uint64_t commands;
    struct cw_spread stage[CW_STAGES]; /* ns; count 0: not known, as without device times */
};

struct cw_command_times {
    struct cw_command_times_row *rows; /* owned; most time on devices first, then most commands */
    size_t count;
};

/* Fills `k`; finish it in any case. CW_ERR_NOMEM. O(n log n) in commands. Thread-safety: reads `t` only. */
enum cw_status cw_command_times_init(struct cw_command_times *k, const struct cw_trace *t,
                                     struct cw_error *err);
void cw_command_times_finish(struct cw_command_times *k); /* safe on a zeroed struct */

#endif
