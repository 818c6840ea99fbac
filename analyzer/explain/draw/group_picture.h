/* group_picture.h - priority groups as a picture: steps downwards, tiles side by side, coloured by group. */
#ifndef CW_GROUP_PICTURE_H
#define CW_GROUP_PICTURE_H

#include <stdio.h>

#include "../../../sched/groups.h"

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

/* Writes an SVG document. Errors: CW_ERR_NOMEM; those of `f` itself are found by the caller. */
enum cw_status cw_group_picture_draw(FILE *f, const struct cw_group_picture *p, struct cw_error *err);

/* Writes the file as cw_svg_file_write does. */
enum cw_status cw_group_picture_write(const char *path, const struct cw_group_picture *p,
                                      struct cw_error *err);

#endif
