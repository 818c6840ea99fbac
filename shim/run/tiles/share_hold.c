/* share_hold.c - see tiles/share.h. */
#include "share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../memory/extents.h"
#include "../memory/spread.h"

/* It is time to look at the shares again: each time they have stood for twice as many launches, up to a
 * limit: a GPU may become slower later. */
static bool are_due(struct cw_run_share *h)
{
    cw_run_trial_passes(&h->look);
    if (h->look.until)
        return false;
    cw_run_trial_rest(&h->look, CW_RUN_REST_LOOKS, 0, 1);
    return true;
}

static bool are_known(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS])
{
    bool known = true;

    for (uint32_t k = 0; k < x->parts; k++)
        known &= speed[k] > 0;
    return known;
}

/* How long the launch takes with such shares, ns; where speeds are not known, as if all parts were equally
 * quick. */
static double takes(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS],
                    const double share[CW_RUN_WORKERS])
{
    bool known = are_known(x, speed);
    double most = 0;

    for (uint32_t k = 0; k < x->parts; k++)
        most = fmax(most, share[k] * (known ? (double)x->cut.groups / speed[k] : x->whole_ns));
    return most;
}

/* ---- the shares of the last such launch */

/* Replaces `share` by those that stand: until others are so much quicker that bytes may move for them. Times
 * of single launches vary, and each new cut moves bytes. */
static void hold(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS],
                 double share[CW_RUN_WORKERS])
{
    struct cw_run_share *h = x->share;
    size_t places = x->whole->queue->context->devices->n;
    double held[CW_RUN_WORKERS], sum = 0;

    for (uint32_t k = 0; k < x->parts; k++)
        sum += held[k] = h->held[x->part[k].at.place];
    if (sum <= .999)
        h->look = (struct cw_run_trial){.wait = 1, .until = 1};
    else if (!are_known(x, speed) || !are_due(h) ||
             takes(x, speed, share) > CW_RUN_SHARE_GAIN * takes(x, speed, held)) {
        memcpy(share, held, x->parts * sizeof *share);
        return;
    }
    h->times_held++;
    memset(h->held, 0, places * sizeof *h->held);
    for (uint32_t k = 0; k < x->parts; k++)
        h->held[x->part[k].at.place] = share[k];
}

/* ---- where the bytes lie */

static bool reads(const struct cw_run_task *t, const struct cw_run_access *write)
{
    bool any = false;

    for (uint32_t i = 0; i < t->accesses.n && !any; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        any = !a->write && a->region == write->region && a->low < write->high && write->low < a->high;
    }
    return any;
}

/* The largest range of bytes that the launch changes in place. NULL: there is none. */
static const struct cw_run_access *in_place(const struct cw_run_task *t)
{
    const struct cw_run_access *most = NULL;

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        const struct cw_run_access *a = &t->accesses.of[i];

        if (a->write && a->region->spread && (!most || a->high - a->low > most->high - most->low) &&
            reads(t, a))
            most = a;
    }
    return most;
}

/* The part in whose memory alone bytes are valid that are in `valid`; x->parts: there is none. */
static uint32_t owner(const struct cw_run_tiles *x, uint64_t valid)
{
    uint32_t k = 0;

    while (k < x->parts && valid != UINT64_C(1) << cw_run_tile_memory(x, k))
        k++;
    return k;
}

/* Of the bytes that the launch changes in place, the share that lies in each part's memory, and nowhere else.
 * Returns their number; 0: not each part has some, or they do not lie in the order of the parts' places. */
static uint64_t shares_of_bytes(const struct cw_run_tiles *x, double share[CW_RUN_WORKERS])
{
    const struct cw_run_access *a = in_place(x->whole);
    uint32_t k = x->parts, before = k, parts = 0;
    struct cw_extent piece;

    memset(share, 0, x->parts * sizeof *share);
    for (uint64_t low = a ? a->low : 0; a && low < a->high; low = piece.high, before = k) {
        if (!cw_run_spread_part(a->region, low, a->high, &piece))
            return 0;
        k = owner(x, piece.valid);
        if (k == x->parts || (before < x->parts && x->part[k].at.place < x->part[before].at.place))
            return 0;
        parts += !(share[k] > 0);
        share[k] += (double)(piece.high - piece.low) / (double)(a->high - a->low);
    }
    return parts == x->parts ? a->high - a->low : 0;
}

/* The share of the bytes that are elsewhere with shares `a` than with `b`. */
static double moves(const struct cw_run_tiles *x, const double a[CW_RUN_WORKERS],
                    const double b[CW_RUN_WORKERS])
{
    double all = 0;

    for (uint32_t k = 0; k < x->parts; k++)
        all += fabs(a[k] - b[k]) / 2;
    return all;
}

/* Where the parts would end sooner with other shares, launches are cut where their bytes lie until the time
 * that they have lost by that would have paid for the move. */
static void stay(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS], double byte_ns,
                 double share[CW_RUN_WORKERS])
{
    struct cw_run_share *h = x->share;
    double there[CW_RUN_WORKERS], bytes = (double)shares_of_bytes(x, there);

    if (!(bytes > 0))
        return;
    h->lost_ns += fmax(0, takes(x, speed, there) - takes(x, speed, share));
    if (h->lost_ns < bytes * byte_ns * moves(x, there, share))
        memcpy(share, there, x->parts * sizeof *share);
    else
        h->lost_ns = 0;
}

void cw_run_share_hold(const struct cw_run_tiles *x, const double speed[CW_RUN_WORKERS], double byte_ns,
                       double share[CW_RUN_WORKERS])
{
    struct cw_run_share *h = x->share;

    if (!h->held && !(h->held = calloc(x->whole->queue->context->devices->n, sizeof *h->held)))
        return;
    hold(x, speed, share);
    stay(x, speed, byte_ns, share);
}
