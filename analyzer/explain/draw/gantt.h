/* gantt.h - a plan as a picture: one lane per device, time to the right. */
#ifndef CW_GANTT_H
#define CW_GANTT_H

#include "../../plan/plan_result.h"

/* Draws plan `r` to `path` as SVG, or as PNG when the name ends in .png (by rsvg-convert, which must be
 * installed). The file is complete or not there. Errors: CW_ERR_IO, CW_ERR_NOMEM, CW_ERR_UNSUPPORTED (no
 * rsvg-convert), CW_ERR_INVALID (the name ends in something else). */
enum cw_status cw_gantt_write(const char *path, const struct cw_plan_input *input,
                              const struct cw_plan_result *r, struct cw_error *err);

#endif
