/* adaptive_sync.c - blocks that all devices finish before the next begins: the patent (adaptive.h).
 *
 * Where the patent leaves it open: within EPSILON of the block before counts as neither faster nor slower; a
 * device whose share of a block is less than half a group sits it out, keeps its ratio, and gets a group of
 * the next block that has one for each device. */

#include "adaptive_internal.h"
#include "whole.h"

#define EPSILON 0.05

void cw_adaptive_start_sync(struct cw_adaptive *a)
{
    if (a->mode == CW_ADAPTIVE_ASYNC)
        return;
    a->block = a->last_block = 0;
    a->blocks = 0;
    a->last_speed = a->this_speed = 0;
    a->growing = true;
    for (uint32_t d = 0; d < a->devices; d++)
        a->device[d].block_open = a->device[d].skipped = false;
}

/* Whether a device still has to run its share of the block. */
static bool is_open(const struct cw_adaptive *a)
{
    for (uint32_t d = 0; d < a->devices; d++)
        if (a->device[d].block_open)
            return true;
    return false;
}

/* R_i := V_i / sum V over those that were measured; the others keep theirs. V := size / max T_i. */
static void learn_block(struct cw_adaptive *a)
{
    double speeds = 0, measured = 0, longest = 0, size = 0;

    for (uint32_t k = 0; k < a->devices; k++) {
        const struct adaptive_device *d = &a->device[k];
        if (!adaptive_counts(d) || !d->block_groups || !d->block_ns)
            continue;
        speeds += (double)d->block_groups / (double)d->block_ns;
        measured += d->ratio;
        size += (double)d->block_groups;
        longest = (double)d->block_ns > longest ? (double)d->block_ns : longest;
    }
    for (uint32_t k = 0; k < a->devices; k++) {
        struct adaptive_device *d = &a->device[k];
        if (a->mode == CW_ADAPTIVE_SYNC && adaptive_counts(d) && d->block_groups && d->block_ns)
            d->ratio = measured * ((double)d->block_groups / (double)d->block_ns) / speeds;
        d->block_groups = d->block_ns = 0;
    }
    if (longest > 0) {
        a->last_speed = a->this_speed;
        a->this_speed = size / longest;
    }
}

void cw_adaptive_ended_sync(struct cw_adaptive *a)
{
    if (a->blocks && !is_open(a))
        learn_block(a);
}

/* The size of the next block, before the tail is looked at. */
static uint64_t next_size(struct cw_adaptive *a)
{
    uint64_t size = a->block;

    if (a->mode == CW_ADAPTIVE_STATIC)
        size = a->groups;
    else if (a->blocks == 0)
        size = a->groups / a->blocks_n;
    else if (a->blocks == 1)
        size *= 2;
    else if (a->last_speed > 0 && a->this_speed > 0) {
        double faster = a->this_speed / a->last_speed;
        if (faster > 1 + EPSILON || faster < 1 - EPSILON) {
            a->growing = faster > 1 ? a->growing : !a->growing;
            size = a->growing ? size * 2 : size / 2;
        }
    }
    return size ? size : 1;
}

/* Whole groups by largest remainder; ties to the lowest device. */
static void share_out(struct cw_adaptive *a, uint64_t size)
{
    double exact[CW_ADAPTIVE_DEVICES], ratios = 0;
    uint64_t given = 0, count = 0;

    for (uint32_t k = 0; k < a->devices; k++) {
        count += adaptive_counts(&a->device[k]);
        ratios += adaptive_counts(&a->device[k]) ? a->device[k].ratio : 0;
    }
    for (uint32_t k = 0; k < a->devices; k++) {
        struct adaptive_device *d = &a->device[k];
        exact[k] = adaptive_counts(d) ? (double)size * d->ratio / ratios : -1;
        d->block_groups =
            adaptive_counts(d) ? adaptive_least(cw_whole_from(exact[k], size), size - given) : 0;
        given += d->block_groups;
    }
    for (; given < size; given++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < a->devices; k++)
            if (exact[k] - (double)a->device[k].block_groups >
                exact[best] - (double)a->device[best].block_groups)
                best = k;
        a->device[best].block_groups++;
    }
    for (uint32_t k = 0; k < a->devices; k++) {
        struct adaptive_device *d = &a->device[k];
        uint32_t most = 0;
        for (uint32_t e = 1; e < a->devices; e++)
            most = a->device[e].block_groups > a->device[most].block_groups ? e : most;
        if (adaptive_counts(d) && !d->block_groups && d->skipped && size >= count) {
            a->device[most].block_groups--;
            d->block_groups++;
        }
        d->skipped = adaptive_counts(d) && !d->block_groups;
        d->block_open = d->block_groups > 0;
    }
}

static void begin_block(struct cw_adaptive *a)
{
    uint64_t rest = cw_adaptive_remaining(a),
             piece = a->common.groups ? a->common.groups : a->back[a->num_back - 1].groups, size;

    size = adaptive_least(next_size(a), rest);
    if (2 * (rest - size) <= rest)
        size = rest;
    a->last_block = a->block;
    a->block = adaptive_least(size, piece);
    a->blocks++;
    share_out(a, a->block);
}

enum cw_adaptive_answer cw_adaptive_next_sync(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                              struct cw_adaptive_part *part)
{
    struct adaptive_device *d = &a->device[device];
    struct adaptive_range r;

    if (!is_open(a) && cw_adaptive_remaining(a))
        begin_block(a);
    if (!d->block_open)
        return CW_ADAPTIVE_WAIT;
    r = cw_adaptive_take(a, d->block_groups);
    if (!r.groups) { /* the caller has taken the rest itself */
        d->block_open = false;
        return CW_ADAPTIVE_WAIT;
    }
    cw_adaptive_hold(a, d, r, now_ns);
    d->block_groups = r.groups;
    part->first = r.first;
    part->groups = r.groups;
    return CW_ADAPTIVE_PART;
}
