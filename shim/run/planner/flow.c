#include "flow.h"

#include <stdbool.h>

static bool meets(const struct cw_run_flow_range *r, const void *region, uint64_t low, uint64_t high)
{
    return r->region == region && r->low < high && low < r->high;
}

void cw_run_flow_need(struct cw_run_flow *f, const void *region, uint64_t low, uint64_t high)
{
    for (uint32_t k = 0; k < f->n && low < high; k++) {
        const struct cw_run_flow_range r = f->need[k];
        if (!meets(&r, region, low, high))
            continue;
        cw_run_flow_need(f, region, low, r.low); /* in front of it, if anything */
        low = r.high;
    }
    if (low < high && f->n < CW_RUN_FLOW_RANGES)
        f->need[f->n++] = (struct cw_run_flow_range){region, low, high};
}

/* Takes [low, high), a part of range `k`, out, if there is room for what is left. */
static void cut(struct cw_run_flow *f, uint32_t k, uint64_t low, uint64_t high)
{
    struct cw_run_flow_range *r = &f->need[k];

    if (r->low < low && high < r->high) {
        if (f->n == CW_RUN_FLOW_RANGES)
            return;
        f->need[f->n++] = (struct cw_run_flow_range){r->region, high, r->high};
        r->high = low;
    } else if (r->low < low) {
        r->high = low;
    } else if (high < r->high) {
        r->low = high;
    } else {
        *r = f->need[--f->n];
    }
}

uint64_t cw_run_flow_take(struct cw_run_flow *f, const void *region, uint64_t low, uint64_t high)
{
    uint64_t bytes = 0;

    for (uint32_t k = f->n; k-- > 0;) {
        const struct cw_run_flow_range r = f->need[k];
        uint64_t from = r.low > low ? r.low : low, to = r.high < high ? r.high : high;
        if (!meets(&r, region, low, high))
            continue;
        bytes += to - from;
        cut(f, k, from, to);
    }
    return bytes;
}
