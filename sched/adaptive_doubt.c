/* adaptive_doubt.c - devices that are too slow to take part, as far as is known (adaptive.h).
 *
 * A device's known speed changes when it takes a part, so one that was slow once, as others used the machine,
 * would be believed to be slow for ever. It is asked again when 2 launches have gone by without it, then
 * after 4, 8 ... more; a speed that another run measured is tested at once. Where a group of it takes longer
 * than the others' whole launch, as was measured more than once or as the latest question has shown, as many
 * launches go by as make that a small share of the time. */
#include "adaptive_internal.h"
#include "whole.h"

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

void cw_adaptive_looked(struct cw_adaptive *a, uint32_t device, double ns)
{
    struct adaptive_device *d = &a->device[device];

    d->reported = true;
    if (d->looked_at)
        at_least(&d->patience, worth(a, device, ns));
    d->looked_at = false;
}
