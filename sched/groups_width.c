/* groups_width.c - how many tiles a group has in each dimension. */
#include "groups_order.h"

#include <math.h>

#include "random.h"
#include "whole.h"

#define LESS .9 /* of the bytes that make shorter rows worth it */

/* Four tiles side by side for each lane, so that lanes seldom read other lanes' results, if those are at most
 * a quarter of the cache; else as many as there are lanes, at least. */
static uint32_t wide(const struct cw_groups_order *o)
{
    uint32_t width = 4 * o->options->lanes;
    double held = o->net->bytes ? (double)o->options->cache_bytes / (double)o->net->bytes * o->most[0] : 0;

    if (o->options->cache_bytes && held < 4.0 * width)
        width = (uint32_t)cw_whole_from(held / 4, UINT32_MAX);
    return width > o->options->lanes ? width : o->options->lanes;
}

static uint32_t asked(const struct cw_groups_options *options, uint32_t d)
{
    return d ? options->inner[d - 1] : options->width;
}

/* Groups follow each other in dimension `slide`: strips of `strip` tiles before it, all tiles behind it. In a
 * grid a group is one tile wide there, as lanes share the other dimensions. */
static void set(struct cw_groups_order *o, uint32_t slide, uint32_t strip)
{
    o->slide = slide;
    for (uint32_t d = 0; d < CW_GROUPS_DIMS; d++) {
        uint32_t own = d < slide                            ? strip
                       : d > slide                          ? o->most[d]
                       : o->dims == 1 && !o->options->apart ? wide(o)
                                                            : 1;

        o->width[d] = asked(o->options, d) ? asked(o->options, d) : own;
        o->width[d] = o->width[d] < o->most[d] ? o->width[d] : o->most[d];
    }
}

static void draw(struct cw_groups_order *o, struct cw_groups_options *drawn)
{
    uint64_t seed = o->options->seed;

    *drawn = *o->options;
    drawn->width = (uint32_t)cw_random_below(&seed, o->most[0]) + 1;
    drawn->height = (uint32_t)cw_random_below(&seed, o->net->steps) + 1;
    for (uint32_t d = 1; d < CW_GROUPS_DIMS; d++)
        drawn->inner[d - 1] = (uint32_t)cw_random_below(&seed, o->most[d]) + 1;
    o->options = drawn;
}

enum cw_status cw_groups_widths(struct cw_groups_order *o, struct cw_groups_options *drawn,
                                struct cw_error *err)
{
    /* the patent's groups are runs of tile numbers, so of whole rows */
    uint32_t dims = o->options->rule == CW_GROUPS_SKEW ? o->dims : 1, best_slide = 0, best_strip = 1;
    double least = INFINITY, bytes;
    enum cw_status status = CW_OK;

    if (o->options->seed)
        draw(o, drawn);
    for (uint32_t slide = 0; slide < dims && dims > 1 && status == CW_OK; slide++)
        for (uint32_t strip = o->most[0]; strip >= 1 && status == CW_OK; strip = slide ? strip / 2 : 0) {
            set(o, slide, strip);
            status = cw_groups_weigh(o, &bytes, err);
            if (bytes < LESS * least)
                least = bytes, best_slide = slide, best_strip = strip;
        }
    set(o, best_slide, best_strip);
    return status;
}
