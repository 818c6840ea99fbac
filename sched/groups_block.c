/* groups_block.c - how many steps one block takes: shifts, effective steps, and the bytes of the window that
 * moves over the grid. */
#include "groups_order.h"

#include <stdlib.h>

/* The bytes that the steps of the block touch, each once; which pieces those are. */
struct union_ {
    uint32_t *stamp; /* of each piece: the number of the block it was counted in */
    uint32_t number;
    uint64_t bytes;
};

static void add_step(struct union_ *u, const struct cw_groups_net *net, uint32_t step)
{
    size_t first = net->access_base[step], end = net->access_base[step + 1];

    for (size_t a = first; a < end; a++)
        for (uint32_t p = net->run[a].low; p < net->run[a].high; p++)
            if (u->stamp[p] != u->number) {
                u->stamp[p] = u->number;
                u->bytes += cw_groups_piece_bytes(net, p);
            }
}

/* Shift and effective step of `s` in the block that begins with step `first`. A step far from its neighbours
 * by half a tile or less (other numbers of tiles) is not effective; where steps lean, columns are exact. */
void cw_groups_place_step(struct cw_groups_order *o, uint32_t first, uint32_t s)
{
    const struct cw_groups_net *net = o->net;
    bool any = false;

    o->shift[s] = 0, o->level[s] = 0;
    for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++) {
            uint32_t on = net->pred[e], t = net->step_of[on];
            int64_t away = o->at[on] - o->at[i], shift = o->shift[t] + away;
            if (t < first)
                continue;
            if (!any || shift > o->shift[s])
                o->shift[s] = shift;
            any = true;
            int64_t still = net->step[s].column ? 0 : CW_GROUPS_UNIT / 2;
            uint32_t level = o->level[t] + (away > still || away < -still);
            if (level > o->level[s])
                o->level[s] = level;
        }
}

/* Does the window of a block whose shifts span `span` fit, when its steps touch `bytes` in all? */
static bool fits(const struct cw_groups_order *o, int64_t span, uint64_t bytes)
{
    double tiles = (double)(span + 2 * o->forward) / CW_GROUPS_UNIT + o->width, share = tiles / o->most;

    return o->options->cache_bytes == 0 ||
           (double)bytes * (share < 1 ? share : 1) <= (double)o->options->cache_bytes;
}

/* The end of the block that begins with step `first`: at most `height` effective steps (0: any number), and
 * as many as fit unless the caller wants a height. *levels: how many it has. */
static uint32_t block_end(struct cw_groups_order *o, struct union_ *u, uint32_t first, uint32_t height,
                          uint32_t *levels)
{
    int64_t low = 0, high = 0;
    uint32_t s = first;

    u->number++, u->bytes = 0, *levels = 0;
    for (; s < o->net->steps; s++) {
        cw_groups_place_step(o, first, s);
        add_step(u, o->net, s);
        if (!o->spread[s]) {
            low = o->shift[s] < low ? o->shift[s] : low;
            high = o->shift[s] > high ? o->shift[s] : high;
        }
        if (s > first &&
            ((height && o->level[s] >= height) || (!o->options->height && !fits(o, high - low, u->bytes))))
            break;
        *levels = o->level[s] + 1 > *levels ? o->level[s] + 1 : *levels;
    }
    return s;
}

/* Steps of a block on which none of it bears go as late as the steps that need them allow: their results are
 * still in cache. */
static void delay(struct cw_groups_order *o, uint32_t first, uint32_t end, int64_t *late)
{
    const struct cw_groups_net *net = o->net;

    for (uint32_t s = first; s < end; s++)
        late[s] = INT64_MAX;
    for (uint32_t s = first; s < end; s++)
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++) {
                uint32_t on = net->pred[e], t = net->step_of[on];
                int64_t latest = o->shift[s] + o->at[i] - o->at[on];
                if (t >= first && latest < late[t])
                    late[t] = latest;
                late[s] = t >= first ? INT64_MIN : late[s]; /* bound from before: stays */
            }
    for (uint32_t s = first; s < end; s++)
        if (late[s] != INT64_MIN && late[s] != INT64_MAX)
            o->shift[s] = late[s];
}

/* Steps [first, end), between two that end blocks, in as few blocks as fit and as even as that allows. */
static void divide(struct cw_groups_order *o, struct union_ *u, uint32_t first, uint32_t end)
{
    uint32_t height = o->options->height, levels, total = 0, count = 0;

    if (!height) {
        for (uint32_t s = first; s < end; s = block_end(o, u, s, 0, &levels), total += levels)
            count++;
        height = (total + count - 1) / count;
    }
    for (uint32_t s = first, next; s < end; s = next) {
        next = block_end(o, u, s, height, &levels);
        if (o->height == 0)
            o->height = levels;
        for (uint32_t t = s; t < next; t++)
            o->block[t] = o->blocks;
        o->blocks++;
    }
}

static void one_each(struct cw_groups_order *o)
{
    for (uint32_t s = 0; s < o->net->steps; s++)
        o->block[s] = s;
    o->blocks = o->net->steps, o->height = 1;
}

enum cw_status cw_groups_blocks(struct cw_groups_order *o, struct cw_error *err)
{
    const struct cw_groups_net *net = o->net;
    struct union_ u = {.stamp = calloc((size_t)net->pieces + 1, sizeof *u.stamp)};
    uint32_t first = 0;

    if (!u.stamp)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    if (o->options->rule == CW_GROUPS_BY_STEP)
        one_each(o);
    else
        for (uint32_t s = 0; s < net->steps; s++)
            if (o->spread[s] || s + 1 == net->steps) {
                divide(o, &u, first, s + 1);
                first = s + 1;
            }
    free(u.stamp);
    return cw_groups_shift_blocks(o, err);
}

/* Shifts and effective steps in the blocks that o->block says. */
enum cw_status cw_groups_shift_blocks(struct cw_groups_order *o, struct cw_error *err)
{
    const struct cw_groups_net *net = o->net;
    int64_t *late = malloc(net->steps * sizeof *late);

    if (!late)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t s = 0, end; s < net->steps; s = end) {
        for (end = s; end < net->steps && o->block[end] == o->block[s]; end++)
            cw_groups_place_step(o, s, end);
        delay(o, s, end, late);
    }
    free(late);
    return CW_OK;
}
