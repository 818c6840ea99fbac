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
    int64_t *shift = o->shift + (size_t)s * o->dims, still = net->step[s].column ? 0 : CW_GROUPS_UNIT / 2;
    bool any = false;

    for (uint32_t d = 0; d < o->dims; d++)
        shift[d] = 0;
    o->level[s] = 0;
    for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
        for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++) {
            uint32_t on = net->pred[e], t = net->step_of[on], level = 0;

            if (t < first)
                continue;
            for (uint32_t d = 0; d < o->dims; d++) {
                int64_t away = o->at[(size_t)on * o->dims + d] - o->at[(size_t)i * o->dims + d];
                int64_t own = o->shift[(size_t)t * o->dims + d] + away;

                shift[d] = !any || own > shift[d] ? own : shift[d];
                level |= away > still || away < -still;
            }
            any = true;
            level += o->level[t];
            o->level[s] = level > o->level[s] ? level : o->level[s];
        }
}

/* The shifts of a block's steps lie between these. */
struct span {
    int64_t low[CW_GROUPS_DIMS], high[CW_GROUPS_DIMS];
};

static void widen(const struct cw_groups_order *o, struct span *span, uint32_t s)
{
    for (uint32_t d = 0; d < o->dims && !o->spread[s]; d++) {
        int64_t shift = o->shift[(size_t)s * o->dims + d];

        span->low[d] = shift < span->low[d] ? shift : span->low[d];
        span->high[d] = shift > span->high[d] ? shift : span->high[d];
    }
}

/* How far a group's tiles reach beyond its width in dimension `d`, in tiles. */
static double beyond(const struct cw_groups_order *o, const struct span *span, uint32_t d)
{
    return (double)(span->high[d] - span->low[d] + 2 * o->forward[d]) / CW_GROUPS_UNIT;
}

/* Does the window of a block with such shifts fit, when its steps touch `bytes` in all? */
static bool fits(const struct cw_groups_order *o, const struct span *span, uint64_t bytes)
{
    double share = 1;

    for (uint32_t d = 0; d < o->dims; d++) {
        double tiles = beyond(o, span, d) + o->width[d];

        share *= tiles < o->most[d] ? tiles / o->most[d] : 1;
    }
    return o->options->cache_bytes == 0 || (double)bytes * share <= (double)o->options->cache_bytes;
}

/* What the block touches comes from memory once; at the borders of strips twice; as often as there are
 * effective steps, if the window does not fit. */
static double traffic(const struct cw_groups_order *o, const struct span *span, uint64_t bytes,
                      uint32_t levels)
{
    double all = (double)bytes;

    if (!fits(o, span, bytes))
        return all * levels;
    for (uint32_t d = 0; d < o->slide; d++)
        if (o->width[d] < o->most[d])
            all *= 1 + beyond(o, span, d) / o->width[d];
    return all;
}

/* The end of the block that begins with step `first`: at most `height` effective steps (0: any number), and
 * as many as fit unless the caller wants a height. *levels: how many it has; *moved: its bytes from memory.
 */
static uint32_t block_end(struct cw_groups_order *o, struct union_ *u, uint32_t first, uint32_t height,
                          uint32_t *levels, double *moved)
{
    struct span span = {{0}, {0}};
    uint32_t s = first;

    u->number++, u->bytes = 0, *levels = 0, *moved = 0;
    for (; s < o->net->steps; s++) {
        cw_groups_place_step(o, first, s);
        add_step(u, o->net, s);
        widen(o, &span, s);
        if (s > first &&
            ((height && o->level[s] >= height) || (!o->options->height && !fits(o, &span, u->bytes))))
            break;
        *levels = o->level[s] + 1 > *levels ? o->level[s] + 1 : *levels;
        *moved = traffic(o, &span, u->bytes, *levels);
    }
    return s;
}

/* Steps of a block on which none of it bears go as late as the steps that need them allow: their results are
 * still in cache. */
static void delay(struct cw_groups_order *o, uint32_t first, uint32_t end, uint32_t d, int64_t *late)
{
    const struct cw_groups_net *net = o->net;

    for (uint32_t s = first; s < end; s++)
        late[s] = INT64_MAX;
    for (uint32_t s = first; s < end; s++)
        for (uint32_t i = net->base[s]; i < net->base[s + 1]; i++)
            for (size_t e = net->pred_start[i]; e < net->pred_start[i + 1]; e++) {
                uint32_t on = net->pred[e], t = net->step_of[on];
                int64_t latest = o->shift[(size_t)s * o->dims + d] + o->at[(size_t)i * o->dims + d] -
                                 o->at[(size_t)on * o->dims + d];
                if (t >= first && latest < late[t])
                    late[t] = latest;
                late[s] = t >= first ? INT64_MIN : late[s]; /* bound from before: stays */
            }
    for (uint32_t s = first; s < end; s++)
        if (late[s] != INT64_MIN && late[s] != INT64_MAX)
            o->shift[(size_t)s * o->dims + d] = late[s];
}

/* Steps [first, end), between two that end blocks, in as few blocks as fit and as even as that allows.
 * Returns what they fetch. */
static double divide(struct cw_groups_order *o, struct union_ *u, uint32_t first, uint32_t end)
{
    uint32_t height = o->options->height, levels, total = 0, count = 0;
    double moved, all = 0;

    if (!height) {
        for (uint32_t s = first; s < end; s = block_end(o, u, s, 0, &levels, &moved), total += levels)
            count++;
        height = (total + count - 1) / count;
    }
    for (uint32_t s = first, next; s < end; s = next) {
        next = block_end(o, u, s, height, &levels, &moved);
        all += moved;
        if (o->height == 0)
            o->height = levels;
        for (uint32_t t = s; t < next; t++)
            o->block[t] = o->blocks;
        o->blocks++;
    }
    return all;
}

static void one_each(struct cw_groups_order *o)
{
    for (uint32_t s = 0; s < o->net->steps; s++)
        o->block[s] = s;
    o->blocks = o->net->steps, o->height = 1;
}

enum cw_status cw_groups_weigh(struct cw_groups_order *o, double *bytes, struct cw_error *err)
{
    const struct cw_groups_net *net = o->net;
    struct union_ u = {.stamp = calloc((size_t)net->pieces + 1, sizeof *u.stamp)};
    uint32_t first = 0;

    *bytes = 0;
    if (!u.stamp)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    o->blocks = o->height = 0;
    if (o->options->rule == CW_GROUPS_BY_STEP)
        one_each(o);
    else
        for (uint32_t s = 0; s < net->steps; s++)
            if (o->spread[s] || s + 1 == net->steps) {
                *bytes += divide(o, &u, first, s + 1);
                first = s + 1;
            }
    free(u.stamp);
    return CW_OK;
}

enum cw_status cw_groups_blocks(struct cw_groups_order *o, struct cw_error *err)
{
    double bytes;
    enum cw_status status = cw_groups_weigh(o, &bytes, err);

    return status == CW_OK ? cw_groups_shift_blocks(o, err) : status;
}

enum cw_status cw_groups_shift_blocks(struct cw_groups_order *o, struct cw_error *err)
{
    const struct cw_groups_net *net = o->net;
    int64_t *late = malloc(net->steps * sizeof *late);

    if (!late)
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory");
    for (uint32_t s = 0, end; s < net->steps; s = end) {
        for (end = s; end < net->steps && o->block[end] == o->block[s]; end++)
            cw_groups_place_step(o, s, end);
        for (uint32_t d = 0; d < o->dims; d++)
            delay(o, s, end, d, late);
    }
    free(late);
    return CW_OK;
}
