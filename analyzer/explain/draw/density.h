/* density.h - items narrower than a pixel in a picture of times: how much of each pixel's time they take.
 *
 * Drawn one by one, each with a visible width, commands that take 4 % of the time fill a lane. Drawn by
 * density, the column of a pixel is as high as the share of its time that is taken: a lane looks as busy as
 * it is. */
#ifndef CW_DENSITY_H
#define CW_DENSITY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cw_density;

/* Of `pixels` > 0 columns, all empty. NULL: memory is out. */
struct cw_density *cw_density_create(uint32_t pixels);
void cw_density_destroy(struct cw_density *d); /* NULL is fine */
void cw_density_clear(struct cw_density *d);

/* Adds an item that reaches from `x` to `end`, in pixels from the first column's left edge; end < x + 1. */
void cw_density_add(struct cw_density *d, double x, double end);

/* Writes the columns as SVG rectangles of colour `fill` to `f`; neighbours of one height are one. The first
 * column's left edge is at `left`, the lane is `full` pixels high and ends at `bottom`. A column with
 * anything in it is at least one pixel high. Returns false when there is nothing to draw. */
bool cw_density_draw(const struct cw_density *d, FILE *f, double left, double bottom, uint32_t full,
                     const char *fill);

#endif
