/* spread_beside.c - see memory/spread.h. */
#include <stdlib.h>

#include "../core/fault.h"
#include "spread_state.h"

struct cw_run_beside {
    struct cw_run_beside *next;                  /* of the launch */
    struct cw_run_beside *prev_here, *next_here; /* of the buffer */
    struct cw_run_region *region;
    uint64_t low, high;
    uint32_t worker;
    bool spoilt; /* something else has come there, or these bytes have left that memory */
};

static void link_to(struct cw_run_spread *s, struct cw_run_beside *b)
{
    b->next_here = s->besides;
    if (s->besides)
        s->besides->prev_here = b;
    s->besides = b;
}

static void unlink_from(struct cw_run_spread *s, struct cw_run_beside *b)
{
    if (b->prev_here)
        b->prev_here->next_here = b->next_here;
    else
        s->besides = b->next_here;
    if (b->next_here)
        b->next_here->prev_here = b->prev_here;
}

void cw_run_spread_beside_add(struct cw_run_beside **list, const struct cw_run_task *part)
{
    for (uint32_t i = 0; i < part->accesses.n; i++) {
        const struct cw_run_access *a = &part->accesses.of[i];
        struct cw_run_beside *b = a->beside && a->region->spread ? malloc(sizeof *b) : NULL;

        if (!b)
            continue;
        *b = (struct cw_run_beside){
            .next = *list, .region = a->region, .low = a->low, .high = a->high, .worker = part->at.worker};
        *list = b;
        link_to(a->region->spread, b);
    }
}

void cw_run_spread_beside_spoil(struct cw_run_spread *s, uint64_t low, uint64_t high, uint32_t memory)
{
    for (struct cw_run_beside *b = s->besides; b; b = b->next_here)
        b->spoilt |= cw_run.workers[b->worker].memory == memory && b->low < high && low < b->high;
}

static void make_valid(const struct cw_run_beside *b)
{
    struct cw_extents *valid = &b->region->spread->valid;
    uint64_t more = CW_UNLIKELY(cw_run_fault_since(CW_RUN_FAULT_BEYOND)) ? b->high - b->low : 0;

    if (cw_extents_reserve(valid, 1))
        cw_extents_change(valid, b->low > more ? b->low - more : 0, b->high + more, UINT64_MAX,
                          cw_run_spread_bit(cw_run.workers[b->worker].memory));
}

void cw_run_spread_beside_end(struct cw_run_beside *list, bool counts)
{
    struct cw_run_beside *next;

    for (; list; list = next) {
        next = list->next;
        unlink_from(list->region->spread, list);
        if (counts && !list->spoilt && !cw_run.workers[list->worker].quarantine.error)
            make_valid(list);
        free(list);
    }
}
