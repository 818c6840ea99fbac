/* adaptive.c - see adaptive.h: the common part of both ways. */
#include "adaptive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adaptive_internal.h"
#include "whole.h"

/* A part whose speed differs by this factor from the window's shows that the device has changed. */
#define CHANGED 1.5

/* In multiples of the cost of a part: a part that should be shorter than SHORT, and was held up by less than
 * HELD_UP, may be slow because of something that has nothing to do with the device. */
#define SHORT   8
#define HELD_UP 16

struct cw_adaptive *cw_adaptive_create(uint32_t devices, const struct cw_adaptive_options *options)
{
    static const struct cw_adaptive_options defaults = {.mode = CW_ADAPTIVE_ASYNC};
    struct cw_adaptive *a;
    double sum = 0;

    options = options ? options : &defaults;
    if (devices < 1 || devices > CW_ADAPTIVE_DEVICES)
        return NULL;
    a = calloc(1, sizeof *a + devices * sizeof *a->device);
    if (!a)
        return NULL;
    a->mode = options->mode;
    a->devices = devices;
    a->blocks_n = options->blocks_n ? options->blocks_n : CW_ADAPTIVE_BLOCKS_N;
    a->overhead_ns = options->overhead_ns > 0 ? options->overhead_ns : 0;
    for (uint32_t d = 0; options->ratio && d < devices; d++)
        sum += options->ratio[d];
    for (uint32_t d = 0; d < devices; d++)
        a->device[d].ratio = sum > 0 && isfinite(sum) ? options->ratio[d] / sum : 1.0 / devices;
    if (a->mode != CW_ADAPTIVE_DISPATCH || cw_adaptive_create_dispatch(a, options->region))
        return a;
    cw_adaptive_destroy(a);
    return NULL;
}

void cw_adaptive_destroy(struct cw_adaptive *a)
{
    if (a)
        cw_adaptive_destroy_dispatch(a);
    free(a);
}

void cw_adaptive_start(struct cw_adaptive *a, uint64_t groups)
{
    a->groups = groups;
    a->done = a->rest = 0;
    a->began = false;
    cw_adaptive_free_all(a, groups);
    a->events = 1;
    a->event_is_new = true;
    for (uint32_t d = 0; d < a->devices; d++) {
        a->device[d].left = a->device[d].holds = a->device[d].took = a->device[d].asked = false;
        a->device[d].seen = 0;
    }
    cw_adaptive_start_sync(a);
    if (a->dispatch)
        cw_adaptive_start_dispatch(a);
}

enum cw_adaptive_answer cw_adaptive_next(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                         struct cw_adaptive_part *part)
{
    struct adaptive_device *d = &a->device[device];

    *part = (struct cw_adaptive_part){.again_ns = UINT64_MAX};
    if (a->done == a->groups)
        return CW_ADAPTIVE_DONE;
    if (d->holds || !adaptive_counts(d))
        return CW_ADAPTIVE_WAIT;
    if (a->event_is_new)
        a->event_ns = now_ns;
    a->event_is_new = false;
    d->seen = a->events;
    if (a->dispatch)
        return cw_adaptive_next_dispatch(a, device, now_ns, part);
    return a->mode == CW_ADAPTIVE_ASYNC ? cw_adaptive_next_async(a, device, now_ns, part)
                                        : cw_adaptive_next_sync(a, device, now_ns, part);
}

/* ---- parts */

void cw_adaptive_hold(struct cw_adaptive *a, struct adaptive_device *d, struct adaptive_range part,
                      uint64_t now_ns)
{
    if (!d->took && d->samples) /* as one of those that count */
        d->passed = d->patience = 0;
    d->holds = d->took = a->began = true;
    d->part = part;
    d->began_ns = now_ns;
    if (a->mode == CW_ADAPTIVE_ASYNC || a->dispatch)
        a->block = part.groups;
}

bool cw_adaptive_rest(struct cw_adaptive *a, struct cw_adaptive_part *part)
{
    struct adaptive_range r;

    if (a->rest || !cw_adaptive_remaining(a))
        return false;
    r = a->dispatch ? cw_adaptive_take_dispatch(a) : cw_adaptive_take(a, UINT64_MAX);
    a->began = true;
    *part = (struct cw_adaptive_part){r.first, r.groups, UINT64_MAX};
    a->rest = r.groups;
    return true;
}

void cw_adaptive_rest_done(struct cw_adaptive *a)
{
    a->done += a->rest;
    a->rest = 0;
}

/* ---- speeds */

static double window_groups(const struct adaptive_device *d)
{
    double sum = 0;

    for (uint32_t i = 0; i < d->samples; i++)
        sum += d->groups[i];
    return sum;
}

static double window_ns(const struct adaptive_device *d)
{
    double sum = 0;

    for (uint32_t i = 0; i < d->samples; i++)
        sum += d->ns[i];
    return sum;
}

/* Whether a new part tells that the device's speed has changed. Slow ones must be long and quick ones large:
 * short parts say little. */
static bool has_changed(const struct adaptive_device *d, double groups, double ns)
{
    double all = window_groups(d), time = window_ns(d), quicker = d->samples ? groups / ns * time / all : 1;

    return (quicker > CHANGED && 2 * d->samples * groups >= all) ||
           (quicker < 1 / CHANGED && 2 * d->samples * ns >= time);
}

/* The first of such parts is not learnt from, a second one in a row is. */
static bool says_little(const struct cw_adaptive *a, struct adaptive_device *d, double groups, double ns)
{
    double expected = d->samples ? groups * window_ns(d) / window_groups(d) : 0;
    double part = adaptive_part_ns(a, d);
    bool held_up =
        expected > 0 && expected < SHORT * part && ns > CHANGED * expected && ns - expected < HELD_UP * part;

    d->held_up = held_up && !d->held_up;
    return d->held_up;
}

static void learn(struct cw_adaptive *a, struct adaptive_device *d, double groups, double ns)
{
    /* a part's overhead must not make small parts look slow; but it is an estimate */
    ns = fmax(ns - adaptive_part_ns(a, d), ns / 4);
    if (says_little(a, d, groups, ns))
        return;
    if (has_changed(d, groups, ns))
        d->samples = d->at = 0;
    d->groups[d->at] = groups;
    d->ns[d->at] = ns;
    d->at = (d->at + 1) % CW_ADAPTIVE_WINDOW;
    d->samples += d->samples < CW_ADAPTIVE_WINDOW;
}

void cw_adaptive_costs(struct cw_adaptive *a, uint32_t device, double extra_ns)
{
    a->device[device].extra_ns = extra_ns > 0 ? extra_ns : 0;
}

double cw_adaptive_speed(const struct cw_adaptive *a, uint32_t device)
{
    const struct adaptive_device *d = &a->device[device];

    return d->samples ? window_groups(d) / window_ns(d) : 0;
}

bool cw_adaptive_speeds(const struct cw_adaptive *a, double speed[CW_ADAPTIVE_DEVICES])
{
    double measured = 0, ratios = 0;

    for (uint32_t d = 0; d < a->devices; d++) {
        speed[d] = a->device[d].lost ? 0 : cw_adaptive_speed(a, d);
        measured += speed[d];
        ratios += speed[d] > 0 ? a->device[d].ratio : 0;
    }
    for (uint32_t d = 0; d < a->devices; d++) {
        const struct adaptive_device *v = &a->device[d];
        if (v->lost || v->ratio <= 0)
            speed[d] = 0;
        else if (speed[d] <= 0)
            speed[d] = ratios > 0 ? v->ratio * measured / ratios : v->ratio;
    }
    return measured > 0;
}

double cw_adaptive_share(const struct cw_adaptive *a, uint32_t device)
{
    double speed[CW_ADAPTIVE_DEVICES], sum = 0;

    cw_adaptive_speeds(a, speed);
    for (uint32_t d = 0; d < a->devices; d++) {
        if (a->mode != CW_ADAPTIVE_ASYNC)
            speed[d] = a->device[d].lost ? 0 : a->device[d].ratio;
        sum += speed[d];
    }
    return sum > 0 ? speed[device] / sum : 0;
}

bool cw_adaptive_is_lost(const struct cw_adaptive *a, uint32_t device)
{
    return a->device[device].lost;
}

uint64_t cw_adaptive_block(const struct cw_adaptive *a)
{
    return a->block;
}

void cw_adaptive_resize(struct cw_adaptive *a, double factor)
{
    for (uint32_t d = 0; d < a->devices; d++)
        for (uint32_t i = 0; i < a->device[d].samples; i++)
            a->device[d].groups[i] /= factor;
}

void cw_adaptive_know(struct cw_adaptive *a, uint32_t device, double groups, double ns)
{
    double speed[CW_ADAPTIVE_DEVICES], sum = 0;

    if (!(groups > 0) || !(ns > 0))
        return;
    learn(a, &a->device[device], groups, ns);
    if (a->mode == CW_ADAPTIVE_STATIC)
        return;
    cw_adaptive_speeds(a, speed);
    for (uint32_t d = 0; d < a->devices; d++)
        sum += speed[d];
    for (uint32_t d = 0; d < a->devices && sum > 0; d++)
        if (speed[d] > 0)
            a->device[d].ratio = speed[d] / sum;
}

/* ---- the end of parts */

/* Every idle device is expected to ask now, also the one that was busy until now. Events before any device
 * could ask count as one: a device without a turn is not late. */
static void happened(struct cw_adaptive *a, struct adaptive_device *d)
{
    a->events += !a->event_is_new;
    d->seen = a->events - 1;
    a->event_is_new = true;
    if (a->mode != CW_ADAPTIVE_ASYNC)
        cw_adaptive_ended_sync(a);
}

static void adaptive_looked(struct cw_adaptive *a, uint32_t device, double ns);

void cw_adaptive_report(struct cw_adaptive *a, uint32_t device, uint64_t ns)
{
    struct adaptive_device *d = &a->device[device];

    if (!d->holds)
        return;
    d->holds = d->block_open = false;
    d->block_ns = ns;
    a->done += d->part.groups;
    if (a->dispatch)
        cw_adaptive_done_dispatch(a, device);
    if (ns) {
        adaptive_looked(a, device, (double)ns);
        learn(a, d, (double)d->part.groups, (double)ns);
    }
    happened(a, d);
}

static void goes(struct cw_adaptive *a, uint32_t device)
{
    struct adaptive_device *d = &a->device[device];

    if (a->dispatch)
        cw_adaptive_gone_dispatch(a, device);
    else if (d->holds)
        a->back[a->num_back++] = d->part;
    d->holds = d->block_open = false;
    d->block_groups = 0;
    happened(a, d);
}

void cw_adaptive_leave(struct cw_adaptive *a, uint32_t device)
{
    a->device[device].left = true;
    if (a->began || a->dispatch) /* else nothing has begun, and no device is late */
        goes(a, device);
}

void cw_adaptive_lost(struct cw_adaptive *a, uint32_t device)
{
    a->device[device].lost = true;
    goes(a, device);
}

/* ---- settings */

enum cw_status cw_adaptive_read_ratio(const char *text, double *ratio, uint32_t *devices,
                                      struct cw_error *err)
{
    const char *at = text;
    double sum = 0;
    char *end;

    for (*devices = 0; *devices < CW_ADAPTIVE_DEVICES; at = end + 1) {
        double value = strtod(at, &end);

        if (end == at || !isfinite(value) || value < 0 || (*end && *end != ':'))
            break;
        ratio[(*devices)++] = value;
        sum += value;
        if (!*end && sum > 0)
            return CW_OK;
        if (!*end)
            break;
    }
    return cw_error_set(
        err, CW_ERR_INVALID,
        "the ratio \"%s\" is not a list of up to %d numbers like 3:1:0.5, one per device, not all of them 0",
        text, CW_ADAPTIVE_DEVICES);
}

/* Devices that are too slow to take part, as far as is known (adaptive.h).
 *
 * A device's known speed changes when it takes a part, so one that was slow once, as others used the machine,
 * would be believed to be slow for ever. It is asked again when 2 launches have gone by without it, then
 * after 4, 8 ... more; a speed that another run measured is tested at once. Where a group of it takes longer
 * than the others' whole launch, as was measured more than once or as the latest question has shown, as many
 * launches go by as make that a small share of the time. */

#define FIRST 2
#define MOST  256  /* launches from one question to the next; where they cost something ... */
#define CEIL  4096 /* ... so many; one may have been slow for another reason */
#define SHARE 0.03 /* of the time, for questions */

/* So many launches make it cheap that the others of one wait for `ns` of `device`. */
static uint32_t worth(const struct cw_adaptive *a, uint32_t device, double ns)
{
    double others = 0, launch, launches;

    for (uint32_t e = 0; e < a->devices; e++)
        /* it counts until the device is measured: no large part before that */
        others += e == device || a->device[e].lost ? 0 : cw_adaptive_speed(a, e);
    launch = others > 0 ? (double)a->groups / others : 0;
    launches = launch > 0 && ns > launch ? (ns - launch) / (SHARE * launch) : 0;
    return (uint32_t)cw_whole_from(launches, CEIL);
}

static void at_least(uint32_t *patience, uint32_t launches)
{
    *patience = *patience < launches ? launches : *patience;
}

void cw_adaptive_pass(struct cw_adaptive *a, uint32_t device)
{
    struct adaptive_device *d = &a->device[device];
    double speed[CW_ADAPTIVE_DEVICES], seemed = cw_adaptive_speed(a, device);

    if (!d->samples || d->holds || d->lost || d->ratio <= 0)
        return;
    at_least(&d->patience, d->reported ? FIRST : 1);
    if (d->samples > 1)
        at_least(&d->patience, worth(a, device, 1 / seemed));
    if (++d->passed < d->patience)
        return;
    d->passed = 0;
    at_least(&d->patience, d->patience < MOST / 2 ? 2 * d->patience : MOST);
    d->samples = d->at = 0;
    d->held_up = false;
    d->looked_at = true;
    if (cw_adaptive_speeds(a, speed) && a->mode == CW_ADAPTIVE_ASYNC)
        d->ratio *= seemed / speed[device];
}

/* A report of `ns`, before it is learnt from. */
static void adaptive_looked(struct cw_adaptive *a, uint32_t device, double ns)
{
    struct adaptive_device *d = &a->device[device];

    d->reported = true;
    if (d->looked_at)
        at_least(&d->patience, worth(a, device, ns));
    d->looked_at = false;
}
