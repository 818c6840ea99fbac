#include "moldable.h"
#include "whole.h"

#include <math.h>

/* The level above the first start. In times since the first start, so that late starts do not drown short
 * tasks in rounding. */
static double find_level(const struct cw_part *part, uint32_t count, const double *cost)
{
    double speed = 1 / cost[part[0].device], work = 1, level = cost[part[0].device];

    for (uint32_t n = 1; n < count && part[n].start - part[0].start < level; n++) {
        double one = 1 / cost[part[n].device];
        speed += one;
        work += (part[n].start - part[0].start) * one;
        level = work / speed;
    }
    return level;
}

static void round_to_groups(struct cw_part *part, uint32_t count, const double *cost, uint64_t groups)
{
    uint64_t left = groups;

    for (uint32_t k = 0; k < count; k++) {
        double exact = part[k].share * (double)groups;
        part[k].groups = cw_whole_from(exact, left);
        left -= part[k].groups;
    }
    for (; left > 0; left--) { /* fewer than `count` times, but for rounding */
        uint32_t first = 0;
        double least = 0;
        for (uint32_t k = 0; k < count; k++) {
            double finish =
                part[k].start + (double)(part[k].groups + 1) / (double)groups * cost[part[k].device];
            if (k == 0 || finish < least) {
                first = k;
                least = finish;
            }
        }
        part[first].groups++;
    }
    for (uint32_t k = 0; k < count; k++)
        part[k].share = (double)part[k].groups / (double)groups;
}

uint32_t cw_water_fill(struct cw_part *part, uint32_t count, const double *cost, uint64_t groups)
{
    double level = find_level(part, count, cost), sum = 0;
    uint32_t stay = 0;

    for (uint32_t k = 0; k < count; k++) {
        double time = level - (part[k].start - part[0].start);
        part[k].groups = 0;
        part[k].share = time > 0 ? time / cost[part[k].device] : 0;
        sum += part[k].share;
    }
    if (!(sum > 0) || isinf(sum)) { /* costs that are too unlike for doubles: not shared */
        part[0].share = sum = 1;
        count = 1;
    }
    for (uint32_t k = 0; k < count; k++)
        part[k].share = part[k].share / sum; /* 1 but for rounding */
    if (groups)
        round_to_groups(part, count, cost, groups);
    for (uint32_t k = 0; k < count; k++)
        if (part[k].share > 0) {
            part[stay] = part[k];
            part[stay].finish = part[k].start + part[k].share * cost[part[k].device];
            stay++;
        }
    return stay;
}
