/* tile_apart.c - see tiles/tile_apart.h. */
#include "tile_apart.h"
#include "tile_merge.h"

#include <stdlib.h>

#include "../../../analyzer/footprint/form.h"
#include "../core/state.h"
#include "../memory/quarantine.h"
#include "../memory/spread.h"

enum { TILES = 3 }; /* before a block, the block, behind it */

static uint32_t memory_of(const struct cw_run_tiles *x, uint32_t place)
{
    return x->whole->queue->context->places[place].slot->memory;
}

bool cw_run_tile_apart_make(struct cw_run_tiles *x)
{
    /* accesses of a block: reads and writes of each argument, in each range of the launch */
    uint32_t most = 2 * x->whole->launch.kernel->count * x->whole->accesses.n;

    for (uint32_t i = 0; i < x->parts; i++)
        x->apart |= memory_of(x, x->part[i].at.place) != memory_of(x, x->whole->queue->home);
    x->whole->apart = x->apart;
    if (!x->apart)
        return true;
    if (x->whole->launch.kernel->tile_broken >> x->whole->at.home & 1) /* it runs what others cannot */
        return false;
    x->access = calloc((size_t)x->parts * most + 1, sizeof *x->access);
    x->hulls = calloc((size_t)TILES * x->whole->launch.kernel->count + 1, sizeof *x->hulls);
    for (uint32_t i = 0; x->access && i < x->parts; i++) {
        x->part[i].accesses.of = x->access + (size_t)i * most;
        x->part[i].order.serves = x->whole->order.recorded;
    }
    return x->access && x->hulls && cw_run_tile_merge_make(x);
}

/* ---- the bytes of a block */

/* The hulls of the block, and of all that is before and behind it. Returns how many tiles these are; *own:
 * the number of the block. 0: memory is out. */
static int evaluate(struct cw_run_tiles *x, const struct cw_run_block *b, int *own)
{
    int64_t from[TILES + 1];
    int n = 0;

    if (b->first)
        from[n++] = 0;
    *own = n;
    from[n++] = (int64_t)b->first;
    if (b->first + b->groups < x->cut.groups)
        from[n++] = (int64_t)(b->first + b->groups);
    from[n] = (int64_t)x->cut.groups;
    return cw_run_cut_hulls(x->whole, &x->cut, from, n, x->hulls) ? n : 0;
}

/* Offsets in the region of the buffer; all of it where the model does not know. False: none. */
static bool range_of(const struct cw_run_memory *m, const struct cw_hull *h, uint64_t *low, uint64_t *high)
{
    bool known = h->answer != CW_ANSWER_UNKNOWN;

    if (!m || !m->region->root || h->answer == CW_ANSWER_NONE)
        return false;
    *low = m->offset + (known ? (uint64_t)h->begin : 0);
    *high = m->offset + (known ? (uint64_t)h->end : m->bytes);
    return *low < *high;
}

/* Another tile than `own` may write some of these bytes. */
static bool is_written_beside(const struct cw_run_tiles *x, int n, int own, const struct cw_run_memory *m,
                              const struct cw_hull *h)
{
    const struct cw_run_launch *l = &x->whole->launch;
    uint32_t args = l->kernel->count;
    uint64_t low, high, from, to;

    for (uint32_t k = 0; range_of(m, h, &low, &high) && k < (uint32_t)n * args; k++) {
        const struct cw_run_memory *other = l->args[k % args].memory;

        if (k / args != (uint32_t)own && !cw_run_tile_merge_is(x, k % args) && other &&
            other->region == m->region && range_of(other, &x->hulls[k].writes, &from, &to) && from < high &&
            low < to)
            return true;
    }
    return false;
}

/* No other tile may write a byte that tile `own` may read or write: bytes do not change while they are
 * copied, and have one writer. */
static bool is_alone(const struct cw_run_tiles *x, int n, int own)
{
    const struct cw_run_launch *l = &x->whole->launch;
    const struct cw_arg_hulls *h = &x->hulls[(size_t)own * l->kernel->count];

    for (uint32_t i = 0; i < l->kernel->count; i++)
        if (is_written_beside(x, n, own, l->args[i].memory, &h[i].reads) ||
            is_written_beside(x, n, own, l->args[i].memory, &h[i].writes))
            return false;
    return true;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A hull is one range; the launch may have several, and between them lie bytes that other commands use at the
 * same time. */
static void add(const struct cw_run_tiles *x, struct cw_run_task *part, const struct cw_run_memory *m,
                const struct cw_hull *h, bool write)
{
    uint64_t low, high, sure = m ? m->offset + (uint64_t)h->sure : 0,
                        sure_end = m ? m->offset + (uint64_t)h->sure_end : 0;

    for (uint32_t i = 0; range_of(m, h, &low, &high) && i < x->whole->accesses.n; i++) {
        const struct cw_run_access *of = &x->whole->accesses.of[i];
        struct cw_run_access *a = &part->accesses.of[part->accesses.n];

        low = later(low, of->low);
        high = earlier(high, of->high);
        if (of->region != m->region || (write && !of->write) || low >= high)
            continue;
        *a = (struct cw_run_access){
            .task = part, .region = m->region, .low = low, .high = high, .write = write};
        if (write && later(sure, low) < earlier(sure_end, high)) {
            a->sure = later(sure, low);
            a->sure_end = earlier(sure_end, high);
        }
        part->accesses.n++;
    }
}

static bool find_bytes(struct cw_run_tiles *x, struct cw_run_task *part)
{
    const struct cw_run_launch *l = &x->whole->launch;
    int own, n = evaluate(x, &x->block[part->window.index], &own);

    part->accesses.n = 0;
    if (!n || (!x->inherits && !is_alone(x, n, own))) /* one that inherits has nothing beside it */
        return false;
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        const struct cw_arg_hulls *h = &x->hulls[(size_t)own * l->kernel->count + i];

        if (cw_run_tile_merge_is(x, i))
            continue;
        add(x, part, l->args[i].memory, &h->reads, false);
        add(x, part, l->args[i].memory, &h->writes, true);
    }
    return true;
}

/* ---- before and behind a block */

static bool is_at_home(const struct cw_run_task *part)
{
    return part->at.lane == part->at.home;
}

static void forget(struct cw_run_task *part)
{
    cw_run_spread_abandon(part);
    part->accesses.n = 0;
}

bool cw_run_tile_apart_fetch(struct cw_run_task *part, cl_int *lost)
{
    struct cw_run_worker *l = &cw_run.lanes[part->at.lane];
    cl_int err;

    *lost = CL_SUCCESS;
    part->outcome.status = CL_SUCCESS;
    if (l->quarantine.error || !find_bytes(part->tile.part_of, part)) {
        part->accesses.n = 0;
        *lost = part->tile.part_of->inherits ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
        return false;
    }
    err = cw_run_spread_fetch(part);
    if (err == CL_SUCCESS && !cw_run_tile_merge_begin(part))
        err = CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS)
        return true;
    forget(part);
    *lost = is_at_home(part) ? err : CL_SUCCESS;
    return false;
}

bool cw_run_tile_apart_over(struct cw_run_task *part, cl_int status)
{
    struct cw_run_worker *l = &cw_run.lanes[part->at.lane];
    bool away = !is_at_home(part), again = status < 0 && away;

    if (again && cw_run_quarantine_is_due(part->outcome.vendor))
        cw_run_quarantine_begin(l, part->outcome.vendor, false);
    if (again && part->begun)
        again = cw_run_spread_failed(part);
    part->outcome.status = status;
    if (status >= 0 || !away) /* else nothing that it has written is valid there */
        cw_run_spread_over(part);
    forget(part);
    return !again;
}

void cw_run_tile_apart_give_up(struct cw_run_tiles *x)
{
    x->apart = x->whole->apart = false;
    cw_run_spread_release(x->whole);
}
