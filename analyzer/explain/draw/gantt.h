/* gantt.h - a plan as a picture: one row per device, time to the right. */
#ifndef CW_GANTT_H
#define CW_GANTT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../plan/plan_result.h"
#include "../../../sched/groups.h"

/* Draws plan `r` to `path` as SVG, or as PNG when the name ends in .png (by rsvg-convert, which must be
 * installed). The file is complete or not there. Errors: CW_ERR_IO, CW_ERR_NOMEM, CW_ERR_UNSUPPORTED (no
 * rsvg-convert), CW_ERR_INVALID (the name ends in something else). */
enum cw_status cw_gantt_write(const char *path, const struct cw_plan_input *input,
                              const struct cw_plan_result *r, struct cw_error *err);

/* Items narrower than a pixel in a picture of times: how much of each pixel's time they take.
 *
 * Drawn one by one, each with a visible width, commands that take 4 % of the time fill a row. Drawn by
 * density, the column of a pixel is as high as the share of its time that is taken: a row looks as busy as
 * it is. */

struct cw_density;

/* Priority groups as a picture: steps downwards, tiles side by side, coloured by group. */

/* One order of the same steps. */
struct cw_group_panel {
    const char *title, *text; /* a heading and a line below it */
    const struct cw_groups *groups;
};

/* The bytes that came from memory in an order, as a bar. */
struct cw_group_bar {
    const char *label, *text;
    double value; /* >= 0 */
};

struct cw_group_picture {
    const char *heading, *text;
    uint32_t steps;
    const uint32_t *tiles;    /* of each step */
    const char *const *names; /* of each step; NULL: none */
    const struct cw_group_panel *panel;
    const struct cw_group_bar *bar;
    uint32_t panels, bars;
};

enum { CW_GROUP_PICTURE_STEPS = 200 }; /* drawn; the picture says how many more there are */

/* Writes the file as cw_svg_file_write does. */
enum cw_status cw_group_picture_write(const char *path, const struct cw_group_picture *p,
                                      struct cw_error *err);

#endif
