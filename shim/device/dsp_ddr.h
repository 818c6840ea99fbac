/* dsp_ddr.h - the time table of one memory that serves one transfer at a time.
 *
 * Not thread-safe. */
#ifndef CW_DSP_DDR_H
#define CW_DSP_DDR_H

#include <stddef.h>
#include <stdint.h>

enum { CW_DDR_SPANS = 64 };

/* Busy spans, in order, apart from each other. When there are too many the earliest gap is given up. */
struct cw_ddr {
    size_t n;
    struct cw_ddr_span {
        uint64_t from, to;
    } span[CW_DDR_SPANS];
};

/* Takes `ns` of service from the time `start` on, in the gaps that others have left (a transfer may be
 * interrupted by earlier admitted ones), and returns when it ends: start + ns if nobody else was there.
 * O(CW_DDR_SPANS). */
uint64_t cw_ddr_take(struct cw_ddr *d, uint64_t start, uint64_t ns);

#endif
