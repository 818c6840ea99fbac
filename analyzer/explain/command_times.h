/* command_times.h - from the call to the end, by kind of command: how long the program's thread was in the
 * call, how long the command waited, how long it ran. */
#ifndef CW_COMMAND_TIMES_H
#define CW_COMMAND_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "../record/trace.h"

/* How a set of times is spread: its smallest, middle and largest. */

struct cw_spread {
    uint64_t count;
    uint64_t sum, min, median, p95,
        max; /* ns; all 0 without times. p95: 95 % of the times are at most that */
};

/* The spread of ns[0 .. n-1], which it sorts. O(n log n). */
struct cw_spread cw_spread_of(uint64_t *ns, size_t n);

/* The device time of a set of commands of which not all have one. Those that have are a sample drawn by lot,
 * without putting back (--device-times=every:N). */
struct cw_estimate {
    uint64_t timed,
        untimed;      /* commands that have done work; markers and barriers without a time are neither */
    uint64_t unknown; /* of a sum: commands of kinds without an interval, which it leaves out */
    double ns;        /* all of their times; NAN: none has one */
    /* half of its 95 % confidence interval, by Student's t and the sample's share; 0: all have a time, NAN:
     * fewer than two have */
    double half_ns;
};

/* Of the commands command[0 .. n-1] of `t`. O(n). */
struct cw_estimate cw_estimate_make(const struct cw_trace *t, const uint32_t *command, size_t n);

/* Adds the estimate of other commands: the half intervals by the root of their squares' sum. */
void cw_estimate_add(struct cw_estimate *sum, const struct cw_estimate *e);

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
    struct cw_estimate all;            /* of all of them */
};

struct cw_command_times {
    struct cw_command_times_row *rows; /* owned; most time on devices first, then most commands */
    size_t count;
    struct cw_estimate all; /* of all rows */
};

/* Fills `k`; finish it in any case. CW_ERR_NOMEM. O(n log n) in commands. Thread-safety: reads `t` only. */
enum cw_status cw_command_times_init(struct cw_command_times *k, const struct cw_trace *t,
                                     struct cw_error *err);
void cw_command_times_finish(struct cw_command_times *k); /* safe on a zeroed struct */

#endif
