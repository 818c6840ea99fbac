/* adaptive_async.c - parts without a barrier between them (adaptive.h). */
#include <math.h>
#include <string.h>

#include "adaptive_internal.h"
#include "whole.h"

/* The work that each device has before it, and its share of the rest. */
struct outlook {
    double speed[CW_ADAPTIVE_DEVICES];    /* 0: it is not counted on */
    double start_ns[CW_ADAPTIVE_DEVICES]; /* when it will be free, after now */
    double extra_ns[CW_ADAPTIVE_DEVICES]; /* the cost of one more part */
    uint64_t groups[CW_ADAPTIVE_DEVICES];
};

/* When the part that a device holds should end; a device that is late is taken for as much slower, and to
 * need as long again as it is late. */
static void look_at(const struct cw_adaptive *a, uint32_t e, double now, struct outlook *o)
{
    const struct adaptive_device *d = &a->device[e];
    double takes, late;

    if (!d->holds || o->speed[e] <= 0)
        return;
    takes = adaptive_part_ns(a, d) + (double)d->part.groups / o->speed[e];
    late = now - (double)d->began_ns - takes;
    o->start_ns[e] = fabs(late);
    if (late > 0)
        o->speed[e] *= takes / (takes + late);
}

/* Whether to count on a device: it works, or waits, or may well ask in a moment. */
static bool is_present(const struct cw_adaptive *a, uint32_t e, uint32_t asker, double now, double speed)
{
    const struct adaptive_device *d = &a->device[e];

    if (e == asker || d->holds || d->seen == a->events)
        return true;
    return d->seen + 1 == a->events && now < (double)a->event_ns + a->overhead_ns + 1 / speed;
}

/* Hands out `rest` groups one by one, each to the device that ends it first. */
static void hand_out(const struct cw_adaptive *a, uint64_t rest, struct outlook *o)
{
    for (; rest; rest--) {
        uint32_t best = CW_ADAPTIVE_DEVICES;
        double least = INFINITY;
        for (uint32_t e = 0; e < a->devices; e++) {
            double end = o->start_ns[e] + o->extra_ns[e] + (double)(o->groups[e] + 1) / o->speed[e];
            if (o->speed[e] > 0 && end < least) {
                least = end;
                best = e;
            }
        }
        if (best == CW_ADAPTIVE_DEVICES)
            return;
        o->groups[best]++;
    }
}

/* Divides `rest` so that all finish as early as whole groups allow: first as if groups could be divided, then
 * the remainder one by one to the device that ends its next group first. */
static void divide(const struct cw_adaptive *a, uint64_t rest, struct outlook *o)
{
    double speeds = 0, work = (double)rest, finish = 0;
    uint64_t given = 0;
    bool changed = true, in[CW_ADAPTIVE_DEVICES];
    uint32_t left = 0;

    for (uint32_t e = 0; e < a->devices; e++) {
        o->groups[e] = 0;
        in[e] = o->speed[e] > 0;
        left += in[e];
        speeds += o->speed[e];
        work += in[e] ? o->speed[e] * (o->start_ns[e] + o->extra_ns[e]) : 0;
    }
    while (changed) { /* a device that is free only after the common end does nothing */
        changed = false;
        finish = work / speeds;
        for (uint32_t e = 0; e < a->devices; e++)
            if (in[e] && left > 1 && o->start_ns[e] + o->extra_ns[e] > finish) {
                in[e] = false;
                changed = true;
                left--;
                speeds -= o->speed[e];
                work -= o->speed[e] * (o->start_ns[e] + o->extra_ns[e]);
            }
    }
    for (uint32_t e = 0; e < a->devices; e++) {
        if (in[e])
            o->groups[e] =
                cw_whole_from(o->speed[e] * (finish - o->start_ns[e] - o->extra_ns[e]), rest - given);
        given += o->groups[e];
    }
    hand_out(a, rest - given, o);
}

/* When the asker, for which there is nothing now, should look again: another device may be late by then, or
 * still not there. */
static uint64_t look_again(const struct cw_adaptive *a, uint32_t asker, double now, const struct outlook *o)
{
    double again = INFINITY, own = o->extra_ns[asker] + 1 / o->speed[asker];

    for (uint32_t e = 0; e < a->devices; e++)
        if (e != asker && o->groups[e] && (a->device[e].holds || a->device[e].seen != a->events)) {
            double at = o->start_ns[e] * 1.25 + 1;
            again = at < again ? at : again;
        }
    if (!(again < INFINITY))
        return UINT64_MAX;
    again = now + (again > own ? again : own);
    return cw_whole_from(again, UINT64_MAX - 1) + 1;
}

/* How much of the `deserved` groups the device takes at once. */
static uint64_t part_of(const struct cw_adaptive *a, const struct adaptive_device *d, double speed,
                        double speeds, uint64_t deserved)
{
    double least = ceil(adaptive_least_part(a, d, speed)),
           most = ceil(2 * (double)a->groups * speed / speeds / a->blocks_n);
    double half = ceil((double)deserved / 2), part = half < most ? half : most;

    if ((double)deserved <= least)
        return deserved;
    part = part < least ? fmin(half, least) : part;
    return cw_whole_from(part, deserved);
}

static uint64_t probe_of(const struct cw_adaptive *a, uint32_t device)
{
    uint64_t part = cw_whole_from((double)a->groups * a->device[device].ratio / a->blocks_n, a->groups);

    return part ? part : 1;
}

/* A device that is too slow for a part gets a single group now and then, to be measured again. */
static uint64_t ask_again(struct cw_adaptive *a, uint32_t device)
{
    struct adaptive_device *d = &a->device[device];

    if (!d->samples || d->asked)
        return 0;
    d->asked = true;
    cw_adaptive_pass(a, device);
    return !d->samples;
}

/* No other device will come back for the rest: none holds a part or has yet to ask. */
static bool is_alone(const struct cw_adaptive *a, uint32_t asker, const struct outlook *o)
{
    for (uint32_t e = 0; e < a->devices; e++)
        if (e != asker && (a->device[e].holds || (o->speed[e] > 0 && a->device[e].seen != a->events)))
            return false;
    return true;
}

enum cw_adaptive_answer cw_adaptive_next_async(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                               struct cw_adaptive_part *part)
{
    struct adaptive_device *d = &a->device[device];
    uint64_t rest = cw_adaptive_remaining(a), want;
    double now = (double)now_ns, speeds = 0;
    struct adaptive_range r;
    struct outlook o;
    bool measured;

    if (!rest)
        return CW_ADAPTIVE_WAIT;
    memset(&o, 0, sizeof o);
    measured = cw_adaptive_speeds(a, o.speed);
    for (uint32_t e = 0; e < a->devices; e++) {
        double own = measured ? o.speed[device] : 1;
        if (a->device[e].left || (o.speed[e] > 0 && !is_present(a, e, device, now, own)))
            o.speed[e] = 0;
        speeds += o.speed[e];
        o.extra_ns[e] = adaptive_part_ns(a, &a->device[e]);
    }
    for (uint32_t e = 0; measured && e < a->devices; e++)
        look_at(a, e, now, &o);
    if (measured)
        divide(a, rest, &o);
    if (!measured)
        want = probe_of(a, device);
    else if (!d->samples) /* a look at it is worth something while there is much to do */
        want = o.groups[device] || 2 * rest >= a->groups
                   ? adaptive_least(probe_of(a, device), o.groups[device] + 1)
                   : 0;
    else
        want = part_of(a, d, o.speed[device], speeds, o.groups[device]);
    if (!want && measured && 2 * rest >= a->groups)
        want = ask_again(a, device);
    if (!want && is_alone(a, device, &o))
        want = 1;
    if (!want) {
        part->again_ns = look_again(a, device, now, &o);
        return CW_ADAPTIVE_WAIT;
    }
    r = cw_adaptive_take_beside(a, device, want);
    cw_adaptive_hold(a, d, r, now_ns);
    part->first = r.first;
    part->groups = r.groups;
    return CW_ADAPTIVE_PART;
}
