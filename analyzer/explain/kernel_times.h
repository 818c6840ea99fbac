/* kernel_times.h - how long launches took, by kernel and by NDRange, and the rates that they reached.
 *
 * Only launches with device times have a part in times and rates. */
#ifndef CW_KERNEL_TIMES_H
#define CW_KERNEL_TIMES_H

#include "../kernels/footprint/op_kinds.h"
#include "../record/trace.h"
#include "command_times.h"

enum { CW_KERNEL_BINS = 24 };

/* All launches of the kernels of one name, or those of them with one NDRange. */
struct cw_kernel_row {
    uint32_t kernel; /* an id whose name the row has */
    uint32_t launch; /* of an NDRange: a command with it; of a kernel: any of its commands */
    uint64_t launches, failed;
    struct cw_spread spread; /* ns on the device */
    /* launches by their time: bins of equal ratio from spread.min to spread.max. All in the first one where
     * these are equal */
    uint32_t bins[CW_KERNEL_BINS];
    uint64_t bytes; /* that the timed launches read and write, at most */
    /* timed launches whose operations are known, and their time */
    double single, twice;
    uint64_t flops_ns, flops_launches;
    uint64_t work_bytes, bytes_ns, bytes_launches; /* the same of launches whose bytes are known by a model */
    const char *no_flops, *no_bytes; /* of the first timed launch that is not among them; NULL: none */
    size_t first_range, range_count; /* of a kernel: its NDRanges in `ranges`, most time first */
};

struct cw_kernel_times {
    struct cw_kernel_row *kernels; /* owned; most time first, then most launches */
    struct cw_kernel_row *ranges;  /* owned */
    size_t kernel_count, range_count;
    uint64_t ns; /* of all timed launches */
};

/* Fills `k`; finish it in any case. work: of each command; NULL: of none. CW_ERR_NOMEM. O(n log n) in
 * launches. Thread-safety: reads `t` and `work` only. */
enum cw_status cw_kernel_times_init(struct cw_kernel_times *k, const struct cw_trace *t,
                                    const struct cw_launch_work *work, struct cw_error *err);
void cw_kernel_times_finish(struct cw_kernel_times *k); /* safe on a zeroed struct */

/* 10^9 bytes, or operations, per second; 0 where they are not known. */
double cw_kernel_times_gbps(const struct cw_kernel_row *row);
double cw_kernel_times_gflops(const struct cw_kernel_row *row);

/* "16x16 / 4x4": the NDRange of a launch, in `text`. Between the numbers stands `by` ("x"). */
void cw_kernel_times_range(const struct cw_command *launch, const char *by, char text[160]);

#endif
