/* trace_diff.h - two traces side by side, A and B: of each kernel and kind of command how many there are and
 * how long they took, whether the times differ, commands that only one has, and phases of the runs.
 *
 * Times of commands are compared by the test of rank_test.h, adjusted for the number of rows that are tested.
 * A phase is one number of each trace, so nothing is tested there. */
#ifndef CW_TRACE_DIFF_H
#define CW_TRACE_DIFF_H

#include "../trace/trace.h"

enum { CW_DIFF_A, CW_DIFF_B, CW_DIFF_SIDES };

enum cw_diff_verdict {
    CW_DIFF_UNTIMED, /* a side has no times */
    CW_DIFF_FEW,     /* fewer than CW_RANK_TEST_LEAST on a side */
    CW_DIFF_SAME,    /* the test shows no difference, or the typical one is less than CW_DIFF_LEAST */
    CW_DIFF_FASTER,  /* B is */
    CW_DIFF_SLOWER
};
#define CW_DIFF_LEVEL .05 /* of adjusted p */
#define CW_DIFF_LEAST .01 /* of a time of A */

struct cw_diff_side {
    uint64_t commands, failed; /* failed: of these; refused ones among them */
    uint64_t timed;            /* have device times, and make the next two */
    double total_ns, median_ns;
};

struct cw_diff_row {
    const struct cw_trace *trace; /* of `command`, which the row is named after */
    const struct cw_command *command;
    struct cw_diff_side side[CW_DIFF_SIDES];
    double change;    /* typical ratio of a time of B to one of A (rank_test.h), less 1; NAN: unknown */
    double low, high; /* its 95 % interval; NAN: too few times */
    double p;         /* adjusted; NAN: not tested */
    enum cw_diff_verdict verdict;
};

struct cw_diff_phase {
    const char *name, *meaning;
    double ns[CW_DIFF_SIDES]; /* NAN: the trace does not say */
};
enum { CW_DIFF_PHASES = 7 };

struct cw_trace_diff {
    const struct cw_trace *trace[CW_DIFF_SIDES];
    bool by_size;
    struct cw_diff_row *row; /* owned; largest difference of total times first, then of numbers */
    size_t rows, tested;
    struct cw_diff_row *odd; /* owned; by name and size: those of which A and B have different numbers */
    size_t odds;
    uint64_t commands[CW_DIFF_SIDES]; /* enqueued */
    uint64_t alike;                   /* at the beginning, by name and size */
    uint32_t next[CW_DIFF_SIDES];     /* ids of the first commands that differ; CW_NONE: it ends there */
    struct cw_diff_phase phase[CW_DIFF_PHASES];
};

/* Compares two loaded traces, which must outlive `d`; finish it in any case. by_size: a row for each NDRange
 * of a kernel and number of bytes of a transfer. CW_ERR_NOMEM. O(commands log commands). Thread-safety: reads
 * the traces only. */
enum cw_status cw_trace_diff_init(struct cw_trace_diff *d, const struct cw_trace *a, const struct cw_trace *b,
                                  bool by_size, struct cw_error *err);
void cw_trace_diff_finish(struct cw_trace_diff *d); /* safe on a zeroed struct */

/* "64x64/8x8", "16 KiB" or "", in `text` of 96 bytes, which is returned. */
const char *cw_trace_diff_size(const struct cw_trace *t, const struct cw_command *command, char text[96]);

/* The side, CW_DIFF_A or CW_DIFF_B, that has some much longer times than the typical ones say: its mean
 * changes by CW_DIFF_TAIL more than the typical time does. -1: none. */
#define CW_DIFF_TAIL .2
int cw_trace_diff_tail(const struct cw_diff_row *r);

/* "faster", "too few" and so on. */
const char *cw_trace_diff_verdict(enum cw_diff_verdict verdict);

#endif
