/* svg_raster.h - SVG to PNG, by a tool that is made for it. */
#ifndef CW_SVG_RASTER_H
#define CW_SVG_RASTER_H

#include <stdio.h>

#include "../sched/status.h"

/* Runs rsvg-convert: reads SVG from the file behind `svg` (flushed, positioned at its start), writes PNG at twice the size
 * to the file behind `out`. Errors: CW_ERR_UNSUPPORTED (it is not installed: the message says what to install),
 * CW_ERR_IO (it failed). */
enum cw_status cw_svg_rasterise(FILE *svg, FILE *out, struct cw_error *err);

#endif
