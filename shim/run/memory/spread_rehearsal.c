/* spread_rehearsal.c - see memory/spread_rehearsal.h. */
#include "spread_rehearsal.h"

#include <stdlib.h>
#include <string.h>

#include "spread_state.h"

static bool keep(struct cw_run_rehearsal *r, struct cw_run_region *region)
{
    const struct cw_extents *e = &region->spread->valid;
    struct cw_run_rehearsed *b = &r->buffer[r->n];

    for (uint32_t i = 0; i < r->n; i++)
        if (r->buffer[i].region == region)
            return true;
    if (r->n == CW_RUN_REHEARSAL_BUFFERS || !(b->of = malloc(e->n * sizeof *b->of)))
        return false;
    memcpy(b->of, e->of, e->n * sizeof *b->of);
    b->region = region;
    b->n = e->n;
    b->series = region->series;
    r->n++;
    return true;
}

bool cw_run_spread_rehearsal_play(struct cw_run_rehearsal *r, const struct cw_run_task *part,
                                  uint32_t accesses, bool beside)
{
    uint64_t here = cw_run_spread_bit(cw_run_spread_memory_of(part));

    for (uint32_t i = 0; i < accesses; i++) {
        const struct cw_run_access *a = &part->accesses.of[i];

        if (!a->write || a->beside != beside)
            continue;
        if (!a->region->spread || !keep(r, a->region) || !cw_extents_reserve(&a->region->spread->valid, 1))
            return false;
        cw_extents_change(&a->region->spread->valid, a->low, a->high, beside ? UINT64_MAX : 0, here);
    }
    return true;
}

void cw_run_spread_rehearsal_end(struct cw_run_rehearsal *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct cw_run_rehearsed *b = &r->buffer[i];
        struct cw_extents *e = &b->region->spread->valid;

        memcpy(e->of, b->of, b->n * sizeof *b->of);
        e->n = b->n;
        b->region->series = b->series;
        free(b->of);
    }
    r->n = 0;
}
