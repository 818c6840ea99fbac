/* trace_diff.h - two traces side by side, A and B, or several of each: of each kernel and kind of command how
 * many there are and how long they took, whether the times differ, commands that only one has, and phases.
 *
 * Times are compared by the test of rank_test.h, adjusted for the number of rows that are tested. From
 * CW_RANK_TEST_LEAST traces a side on, the values that are tested are one of each run: the median of a row's
 * times, a phase. With fewer they are the times of single commands, which are not independent of each other,
 * and phases are not tested. */
#ifndef CW_TRACE_DIFF_H
#define CW_TRACE_DIFF_H

#include "../record/trace.h"
#include "diff_test.h"
#include "phases.h"

enum { CW_DIFF_A, CW_DIFF_B, CW_DIFF_SIDES };

struct cw_diff_side {
    uint64_t commands, failed; /* failed: of these; refused ones among them */
    uint64_t timed;            /* have device times, and make the next two */
    double total_ns, median_ns;
};

struct cw_diff_row {
    const struct cw_trace *trace; /* of `command`, which the row is named after */
    const struct cw_command *command;
    struct cw_diff_side side[CW_DIFF_SIDES];
    struct cw_diff_test test;
};

struct cw_diff_phase {
    const char *name, *meaning;
    double ns[CW_DIFF_SIDES]; /* median of the runs; NAN: a trace does not say */
    struct cw_diff_test test;
};
/* The run, its phases, calls that enqueue, calls that wait. */
enum { CW_DIFF_PHASES = 1 + CW_PHASES + 2 };

struct cw_trace_diff {
    const struct cw_trace *const *trace[CW_DIFF_SIDES]; /* `runs` of each */
    size_t runs;
    bool by_size, by_run;    /* by_run: one value of each run is tested */
    struct cw_diff_row *row; /* owned; largest difference of total times first, then of numbers */
    size_t rows, tested;
    struct cw_diff_row *odd; /* owned; by name and size: those of which A and B have different numbers */
    size_t odds;
    uint64_t commands[CW_DIFF_SIDES]; /* enqueued, in all runs */
    uint64_t alike;                   /* at the beginning of the first runs, by name and size */
    uint32_t next[CW_DIFF_SIDES];     /* ids of the first commands that differ; CW_NONE: it ends there */
    struct cw_diff_phase phase[CW_DIFF_PHASES];
};

/* Compares runs >= 1 loaded traces of each side, which must outlive `d`, as the arrays must; finish it in any
 * case. by_size: a row for each NDRange of a kernel and number of bytes of a transfer. CW_ERR_NOMEM.
 * O(commands log commands). Thread-safety: reads the traces only. */
enum cw_status cw_trace_diff_init(struct cw_trace_diff *d, const struct cw_trace *const *a,
                                  const struct cw_trace *const *b, size_t runs, bool by_size,
                                  struct cw_error *err);
void cw_trace_diff_finish(struct cw_trace_diff *d); /* safe on a zeroed struct */

/* "64x64/8x8", "16 KiB" or "", in `text` of 96 bytes, which is returned. */
const char *cw_trace_diff_size(const struct cw_trace *t, const struct cw_command *command, char text[96]);

/* The side, CW_DIFF_A or CW_DIFF_B, that has some much longer times than the typical ones say: its mean
 * changes by CW_DIFF_TAIL more than the typical time does. -1: none. */
#define CW_DIFF_TAIL .2
int cw_trace_diff_tail(const struct cw_diff_row *r);

#endif
