/* roofline.h - a roofline as SVG: operations per second over operations per byte, both logarithmic. */
#ifndef CW_ROOFLINE_H
#define CW_ROOFLINE_H

#include <stddef.h>
#include <stdio.h>

#include "../../history/device_roofs.h"

struct cw_roofline_mark {
    const char *name;         /* of a kernel; any text */
    const char *fill;         /* its colour, as in other pictures (palette.h) */
    double intensity, gflops; /* both above 0 */
    double share;             /* of the roof; 0: not known */
    double weight;            /* of the kernels' time, 0 to 1: the mark's size */
};

/* Draws the roofs that are known and the marks. */
void cw_roofline_draw(const struct cw_device_roofs *roofs, const struct cw_roofline_mark *mark, size_t n,
                      FILE *f);

#endif
