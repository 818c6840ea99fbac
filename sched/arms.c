/* arms.c - see arms.h. */
#include "arms.h"

#include <math.h>

#define WIDTH .08 /* of the mean: half of the scatter of one program's runs on a shared machine */
#define FEW                                                                                                  \
    4.0 /* one measurement may be of a busy hour: in the long run it counts as so many times wider still */
#define EARLY 4.0 /* ln N up to which looking at others finds more than looking again */
#define HOPED .15 /* how much better an arm that was never pulled may be than the best of its family */

uint32_t cw_arms_best(const struct cw_arm *arm, uint32_t arms)
{
    uint32_t best = arms;

    for (uint32_t v = 0; v < arms; v++)
        if (arm[v].usable && arm[v].pulls && (best == arms || arm[v].mean < arm[best].mean))
            best = v;
    return best;
}

/* The first usable arm of the first family of which none was pulled. */
static uint32_t new_family(const struct cw_arm *arm, uint32_t arms)
{
    for (uint32_t v = 0, end; v < arms; v = end) {
        uint32_t first = arms;
        bool pulled = false;

        for (end = v; end < arms && arm[end].family == arm[v].family; end++) {
            pulled |= arm[end].usable && arm[end].pulls;
            first = first == arms && arm[end].usable ? end : first;
        }
        if (!pulled && first < arms)
            return first;
    }
    return arms;
}

static double width(double pulls, double log_pulls)
{
    return WIDTH * (1 + FEW * fmax(0, 1 - EARLY / log_pulls) / pulls) * sqrt(log_pulls / pulls);
}

static double bound(const struct cw_arm *arm, uint32_t arms, uint32_t v, double log_pulls)
{
    double best = INFINITY;

    if (arm[v].pulls)
        return arm[v].mean * (1 - width(arm[v].pulls, log_pulls));
    for (uint32_t k = 0; k < arms; k++)
        if (arm[k].family == arm[v].family && arm[k].usable && arm[k].pulls && arm[k].mean < best)
            best = arm[k].mean;
    return best * (1 - HOPED);
}

uint32_t cw_arms_next(const struct cw_arm *arm, uint32_t arms, double log_pulls)
{
    uint32_t next = new_family(arm, arms);
    double least = INFINITY, pulls = 0;

    if (next < arms)
        return next;
    for (uint32_t v = 0; v < arms; v++)
        pulls += arm[v].usable ? arm[v].pulls : 0;
    if (pulls > 0 && log(pulls) > log_pulls)
        log_pulls = log(pulls);
    for (uint32_t v = 0; v < arms; v++) {
        double b = arm[v].usable ? bound(arm, arms, v, log_pulls) : INFINITY;
        if (b < least) {
            least = b;
            next = v;
        }
    }
    return next;
}
