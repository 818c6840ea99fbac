/* adaptive_groups.c - which groups a part is of (adaptive.h).
 *
 * sync, static: from the front on. async: most of the share that each device is expected to have is its own
 * stretch, in the order of the devices; the rest of the launch is common. So nearly all parts of a device lie
 * side by side, in this launch and in the next: few bytes move between memories and caches, in few copies.
 * What a device does not come to is taken by others, at the end of its stretch. */
#include "adaptive_internal.h"
#include "whole.h"

#define OWN 0.875 /* of a device's share; all of it where the rest is too short for a part */

void cw_adaptive_free_all(struct cw_adaptive *a, uint64_t groups)
{
    a->common = (struct adaptive_range){0, groups};
    a->num_back = 0;
    a->laid_out = a->mode != CW_ADAPTIVE_ASYNC;
    for (uint32_t d = 0; d < a->devices; d++)
        a->device[d].stretch = (struct adaptive_range){0};
}

uint64_t cw_adaptive_remaining(const struct cw_adaptive *a)
{
    uint64_t n = a->dispatch ? cw_adaptive_remaining_dispatch(a) : a->common.groups;

    for (uint32_t d = 0; d < a->devices; d++)
        n += a->device[d].stretch.groups;
    for (uint32_t i = 0; i < a->num_back; i++)
        n += a->back[i].groups;
    return n;
}

/* The first ones of `r`. */
static struct adaptive_range take_first(struct adaptive_range *r, uint64_t groups)
{
    struct adaptive_range part = {r->first, adaptive_least(groups, r->groups)};

    r->first += part.groups;
    r->groups -= part.groups;
    return part;
}

static struct adaptive_range take_last(struct adaptive_range *r, uint64_t groups)
{
    groups = adaptive_least(groups, r->groups);
    r->groups -= groups;
    return (struct adaptive_range){r->first + r->groups, groups};
}

static struct adaptive_range *longest_stretch(struct cw_adaptive *a)
{
    struct adaptive_range *r = &a->device[0].stretch;

    for (uint32_t d = 1; d < a->devices; d++)
        r = a->device[d].stretch.groups > r->groups ? &a->device[d].stretch : r;
    return r;
}

struct adaptive_range cw_adaptive_take(struct cw_adaptive *a, uint64_t groups)
{
    struct adaptive_range *r = longest_stretch(a), part;

    if (a->common.groups)
        return take_first(&a->common, groups);
    if (!a->num_back)
        return take_last(r, groups);
    part = take_first(&a->back[a->num_back - 1], groups);
    a->num_back -= !a->back[a->num_back - 1].groups;
    return part;
}

/* By the devices' speeds as known now. The common groups are the last ones; all, where one device has no
 * others beside it. */
static void lay_out(struct cw_adaptive *a)
{
    double speed[CW_ADAPTIVE_DEVICES], all = 0, most = 0;
    uint64_t groups = a->common.groups;

    a->laid_out = true;
    cw_adaptive_speeds(a, speed);
    for (uint32_t d = 0; d < a->devices; d++) {
        all += speed[d] = a->device[d].left ? 0 : speed[d];
        most = speed[d] > most ? speed[d] : most;
    }
    for (uint32_t d = 0; d < a->devices && most < all; d++) {
        double share = speed[d] / all * (double)groups;
        bool is_short = 4 * (1 - OWN) * share < adaptive_least_part(a, &a->device[d], speed[d]);

        a->device[d].stretch = take_first(&a->common, cw_whole_from(is_short ? share : OWN * share, groups));
    }
}

struct adaptive_range cw_adaptive_take_beside(struct cw_adaptive *a, uint32_t device, uint64_t groups)
{
    struct adaptive_range *own = &a->device[device].stretch;

    if (!a->laid_out)
        lay_out(a);
    if (!own->groups)
        return cw_adaptive_take(a, groups);
    return take_first(own, own->groups <= groups + groups / 2 ? own->groups : groups);
}
