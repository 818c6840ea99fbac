/* report_roofs.h - the part of a report (report.h) that sets kernels beside the roofs of their devices: the
 * roofline of Williams, Waterman and Patterson (2009). */
#ifndef CW_REPORT_ROOFS_H
#define CW_REPORT_ROOFS_H

#include <stdio.h>

#include "../../history/device_roofs.h"
#include "report_facts.h"

/* A kernel, or one of its NDRanges, by its work (kernel_times.h). A rate that is not known is 0. */
struct cw_roof_point {
    double gflops, gbps, intensity; /* operations, of which there may be none, per byte */
    double roof;                    /* what its device could at best: GFLOP/s, or GB/s without operations */
    double share;                   /* of that; 0: not known */
    bool by_memory;                 /* memory bounds it, else multiply-adds */
};

/* roofs: of the device that the row's launch ran on; NULL: none are kept. */
struct cw_roof_point cw_report_roofs_point(const struct cw_kernel_row *row,
                                           const struct cw_device_roofs *roofs);

/* For a terminal: a table, and why something is not known; nothing without known work. roofs: of each device
 * of the trace, when_s 0: none is kept; NULL: of none. */
void cw_report_roofs_print(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f);

/* For the page: a section with a picture for each device that has roofs, and the table. */
void cw_report_roofs_page(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f);

#endif
