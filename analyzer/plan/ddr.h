/* ddr.h - the time table of one memory that several devices use.
 *
 * A later device gets the share that earlier ones leave free: of a memory of which a part u is taken, service
 * takes 1 / (1 - u) times as long. (Earlier ones are not slowed in hindsight: their ends have been promised.)
 * So together they never get more than the memory serves.
 *
 * Not thread-safe. */
#ifndef CW_DDR_H
#define CW_DDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CW_DDR_SPANS = 256 };

/* From at[k] to at[k + 1] the part used[k] of the memory is taken; nothing before the first, nor after the
 * last, where used is 0. When there are too many spans the earliest two become one, with the larger use. */
struct cw_ddr {
    size_t n;
    uint64_t at[CW_DDR_SPANS];
    double used[CW_DDR_SPANS];
};

/* Work that needs the memory: `compute_ns` without it and `memory_ns` of its service, in turn all the time,
 * or both at once (`overlapped`). */
struct cw_ddr_work {
    double compute_ns, memory_ns;
    bool overlapped;
};

/* Runs `work` from `start` on, and returns when it ends. O(CW_DDR_SPANS). */
uint64_t cw_ddr_run(struct cw_ddr *d, uint64_t start, const struct cw_ddr_work *work);

/* The same for a transfer, which does nothing but move: `ns` of service, in the gaps that others have left.
 */
uint64_t cw_ddr_take(struct cw_ddr *d, uint64_t start, uint64_t ns);

#endif
