/* adaptive_dispatch.c - blocks of one size by multi-level masters: algorithm A9 within a process (adaptive.h,
 * dispatch_master.h).
 *
 * A launch is the global master's, its blocks are the tasks, a region's master is one of its children, and a
 * device is a child of that. Requests travel upward at once: a region that is short asks for a block for each
 * of its devices. Reports do, too. What a device held when it goes stands at the tail of its region's queue;
 * a region without devices gives back all that it had. */
#include <stdlib.h>

#include "adaptive_internal.h"
#include "dispatch_master.h"

enum { BLOCKS_N_MOST = 1 << 15 }; /* a launch has fewer than twice as many blocks */

struct adaptive_dispatch {
    uint64_t block; /* groups of all blocks but the last */
    uint32_t blocks, regions;
    struct cw_dispatch_master global;
    struct {
        uint32_t region, child; /* child: of the region's master */
    } of[CW_ADAPTIVE_DEVICES];
    struct cw_dispatch_master *regional;
};

static uint32_t blocks_n(const struct cw_adaptive *a)
{
    return a->blocks_n < BLOCKS_N_MOST ? a->blocks_n : BLOCKS_N_MOST;
}

/* Numbers regions from 0 on, by their first devices, and the devices of each; members[]: how many those are.
 */
static void number_regions(struct cw_adaptive *a, const uint32_t *region,
                           uint32_t members[CW_ADAPTIVE_DEVICES])
{
    struct adaptive_dispatch *x = a->dispatch;

    for (uint32_t d = 0; d < a->devices; d++) {
        uint32_t same = 0;

        while (same < d && region && region[same] != region[d])
            same++;
        x->of[d].region = same < d ? x->of[same].region : x->regions;
        if (same == d)
            members[x->regions++] = 0;
        x->of[d].child = members[x->of[d].region]++;
    }
}

bool cw_adaptive_create_dispatch(struct cw_adaptive *a, const uint32_t *region)
{
    struct adaptive_dispatch *x = a->dispatch = calloc(1, sizeof *x);
    uint32_t members[CW_ADAPTIVE_DEVICES], tasks = 2 * blocks_n(a);
    bool good;

    if (!x)
        return false;
    number_regions(a, region, members);
    x->regional = calloc(x->regions, sizeof *x->regional);
    good = x->regional && cw_dispatch_master_init(&x->global, tasks, x->regions, 1, NULL) == CW_OK &&
           cw_dispatch_master_reserve(&x->global, tasks);
    for (uint32_t r = 0; r < x->regions && good; r++)
        good = cw_dispatch_master_init(&x->regional[r], tasks, members[r], 0, NULL) == CW_OK &&
               cw_dispatch_master_reserve(&x->regional[r], tasks);
    return good;
}

void cw_adaptive_destroy_dispatch(struct cw_adaptive *a)
{
    struct adaptive_dispatch *x = a->dispatch;

    if (!x)
        return;
    for (uint32_t r = 0; r < x->regions && x->regional; r++)
        cw_dispatch_master_finish(&x->regional[r]);
    cw_dispatch_master_finish(&x->global);
    free(x->regional);
    free(x);
}

void cw_adaptive_start_dispatch(struct cw_adaptive *a)
{
    struct adaptive_dispatch *x = a->dispatch;

    x->block = a->groups / blocks_n(a) ? a->groups / blocks_n(a) : 1;
    x->blocks = (uint32_t)((a->groups + x->block - 1) / x->block);
    a->common = (struct adaptive_range){0, 0};
    cw_dispatch_master_clear(&x->global, x->blocks);
    cw_dispatch_master_begin(&x->global, NULL);
    for (uint32_t r = 0; r < x->regions; r++)
        cw_dispatch_master_clear(&x->regional[r], x->blocks);
}

static uint32_t present(const struct cw_adaptive *a, uint32_t region)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < a->devices; d++)
        n += a->dispatch->of[d].region == region && adaptive_counts(&a->device[d]);
    return n;
}

static struct adaptive_range groups_of(const struct cw_adaptive *a, struct cw_dispatch_range blocks)
{
    uint64_t first = blocks.first * a->dispatch->block, end = first + blocks.count * a->dispatch->block;

    return (struct adaptive_range){first, adaptive_least(end, a->groups) - first};
}

enum cw_adaptive_answer cw_adaptive_next_dispatch(struct cw_adaptive *a, uint32_t device, uint64_t now_ns,
                                                  struct cw_adaptive_part *part)
{
    struct adaptive_dispatch *x = a->dispatch;
    uint32_t r = x->of[device].region, child = x->of[device].child;
    struct cw_dispatch_master *m = &x->regional[r];
    struct cw_dispatch_range given = cw_dispatch_master_request(m, child, m->child[child].epoch, 1);
    struct adaptive_range groups;

    if (!given.count) {
        struct cw_dispatch_range more =
            cw_dispatch_master_request(&x->global, r, x->global.child[r].epoch, present(a, r));

        if (!more.count || !cw_dispatch_master_add(m, more))
            return CW_ADAPTIVE_WAIT; /* parked, until a device of the region goes, or all of another one */
        given = cw_dispatch_master_request(m, child, m->child[child].epoch, 1);
    }
    groups = groups_of(a, given);
    cw_adaptive_hold(a, &a->device[device], groups, now_ns);
    part->first = groups.first;
    part->groups = groups.groups;
    return CW_ADAPTIVE_PART;
}

void cw_adaptive_done_dispatch(struct cw_adaptive *a, uint32_t device)
{
    struct adaptive_dispatch *x = a->dispatch;
    uint32_t r = x->of[device].region, child = x->of[device].child;
    uint32_t task = (uint32_t)(a->device[device].part.first / x->block);

    cw_dispatch_master_report(&x->regional[r], child, x->regional[r].child[child].epoch, task, false);
    cw_dispatch_master_report(&x->global, r, x->global.child[r].epoch, task, false);
}

void cw_adaptive_gone_dispatch(struct cw_adaptive *a, uint32_t device)
{
    struct adaptive_dispatch *x = a->dispatch;
    uint32_t r = x->of[device].region;

    cw_dispatch_master_death(&x->regional[r], x->of[device].child, CW_DISPATCH_NOBODY);
    if (present(a, r))
        return;
    cw_dispatch_master_clear(&x->regional[r], x->blocks);
    cw_dispatch_master_death(&x->global, r, CW_DISPATCH_NOBODY);
}

uint64_t cw_adaptive_remaining_dispatch(const struct cw_adaptive *a)
{
    const struct adaptive_dispatch *x = a->dispatch;
    uint64_t n = 0;

    for (uint32_t r = 0; r <= x->regions; r++) {
        const struct cw_dispatch_queue *q = r < x->regions ? &x->regional[r].queue : &x->global.queue;

        for (uint32_t k = 0; k < q->used; k++)
            n += groups_of(a, q->v[(q->head + k) % q->capacity]).groups;
    }
    return n;
}

struct adaptive_range cw_adaptive_take_dispatch(struct cw_adaptive *a)
{
    struct adaptive_dispatch *x = a->dispatch;
    struct cw_dispatch_range blocks = {0, 0};

    for (uint32_t r = 0; r < x->regions && !blocks.count; r++) {
        blocks = cw_dispatch_queue_take(&x->regional[r].queue, UINT32_MAX);
        for (uint32_t t = blocks.first; t < blocks.first + blocks.count;
             t++) /* the caller answers for them */
            cw_dispatch_master_report(&x->global, r, x->global.child[r].epoch, t, false);
    }
    if (!blocks.count)
        blocks = cw_dispatch_queue_take(&x->global.queue, UINT32_MAX);
    return groups_of(a, blocks);
}
