/* trace_diff.h - two traces side by side, A and B, or several of each: of each kernel and kind of command how
 * many there are and how long they took, whether the times differ, commands that only one has, and phases.
 *
 * Times are compared by the test of trace_diff.h, adjusted for the number of rows that are tested. From
 * CW_RANK_TEST_LEAST traces a side on, the values that are tested are one of each run: the median of a row's
 * times, a phase. With fewer they are the times of single commands, which are not independent of each other,
 * and phases are not tested. */
#ifndef CW_TRACE_DIFF_H
#define CW_TRACE_DIFF_H

#include <stddef.h>

#include "../record/trace.h"
#include "figures.h"

/* Whether the values of B differ from those of A, for a table of such rows.
 *
 * Thread-safety: no state. */

enum cw_diff_verdict {
    CW_DIFF_ALONE,   /* a side has no such commands */
    CW_DIFF_UNTIMED, /* a side has no times */
    CW_DIFF_FEW,     /* fewer than CW_RANK_TEST_LEAST on a side, or than a difference needs to show */
    CW_DIFF_SAME,    /* the test shows no difference, or the typical one is less than CW_DIFF_LEAST */
    CW_DIFF_FASTER,  /* B is */
    CW_DIFF_SLOWER
};
#define CW_DIFF_LEVEL .05 /* of adjusted p */
#define CW_DIFF_LEAST .01 /* of a time of A */

struct cw_diff_test {
    double change;    /* typical ratio of a value of B to one of A, less 1; NAN: unknown */
    double low, high; /* its 95 % interval; NAN: too few values */
    double p;         /* adjusted; NAN: not tested, or CW_DIFF_FEW */
    double least;     /* the least p, not adjusted, of this number of values; NAN: not tested */
    enum cw_diff_verdict verdict;
};

/* Compares a[0 .. n - 1] and b[0 .. m - 1], ascending, at least 0. The p is not adjusted yet. */
struct cw_diff_test cw_diff_test_compare(const double *a, size_t n, const double *b, size_t m);

/* Adjusts the p of the tests that were made, for their number, and judges. A test that could not have shown
 * any difference beside the others judges nothing. Returns how many judge; `test` and `p` have room for n,
 * and `test` is reordered. */
size_t cw_diff_test_judge(struct cw_diff_test **test, size_t n, double *p);

/* "faster", "too few" and so on. */
const char *cw_diff_test_verdict(enum cw_diff_verdict verdict);

enum { CW_DIFF_A, CW_DIFF_B, CW_DIFF_SIDES };

struct cw_diff_side {
    uint64_t commands, failed; /* failed: of these; refused ones among them */
    uint64_t timed;            /* have device times, and make the others */
    double total_ns;           /* of traces of every:N: estimated, for all that have not failed */
    double mean_ns, median_ns; /* NAN: none has a time */
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
/* The run, its phases, calls that enqueue, calls that wait, processor time. */
enum { CW_DIFF_PHASES = 1 + CW_PHASES + 3 };

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

/* Phases of the runs that a struct cw_trace_diff compares: those of reports, sums over calls.
 */

/* Fills d->phase and d->commands from d->trace. CW_ERR_NOMEM. O(commands log commands). */
enum cw_status cw_diff_phases_fill(struct cw_trace_diff *d, struct cw_error *err);

/* Whether two sets of times differ: the rank-sum test of Wilcoxon, Mann and Whitney, two-sided,
 * and Holm's correction for many of them.
 *
 * It asks nothing of the distributions, so first launches that take long do not decide. Times of one run are
 * not independent of each other: a small p says that these two runs differ, not that all runs do.
 *
 * Thread-safety: no state. */

/* Fewer values on a side are not tested. */
enum { CW_RANK_TEST_LEAST = 4 };

/* The p of a[0 .. n - 1] and b[0 .. m - 1], both ascending, n and m at least 1: by the normal approximation
 * with correction for ties and continuity. 1 when all values are equal. O(n + m). */
double cw_rank_test_p(const double *a, size_t n, const double *b, size_t m);

/* The least p that n and m values can have: those of one side are all below those of the other. */
double cw_rank_test_least_p(size_t n, size_t m);

/* The ratios b[k] / a[i] of all pairs have a median, the typical ratio (the estimate of Hodges and Lehmann
 * that belongs to this test), and an interval that holds the true one with 95 %, by the normal approximation.
 * All values above 0, ascending, n and m at least 1. O((n + m) log of the precision). */
struct cw_rank_test_ratio {
    double typical, low, high;
};
struct cw_rank_test_ratio cw_rank_test_ratio(const double *a, size_t n, const double *b, size_t m);

/* Replaces p[0 .. n - 1], ascending, by Holm's adjusted values: those below a level differ at that level,
 * all of them together. */
void cw_rank_test_adjust(double *p, size_t n);

#endif
