/* tile_memory.c - see tiles/tile.h. */
#include "tile.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../../analyzer/kernels/footprint/form.h"
#include "../core/global_lock.h"
#include "../core/state.h"
#include "../memory/quarantine.h"
#include "../memory/spread.h"
#include "../models/cutter.h"

enum { TILES = 3 }; /* before a block, the block, behind it */

static uint32_t memory_of(const struct cw_run_tiles *x, uint32_t place)
{
    return x->whole->queue->context->places[place].device->memory;
}

/* Where no work-item can tell which work-group it is in, a unit is a row of work-items; else a work-group. */
static void find_units(struct cw_run_tiles *x)
{
    const struct cw_run_launch *l = &x->whole->launch;
    uint32_t dim = x->cut.dim;
    bool rows = dim && !l->kernel->program->fixed_size && cw_run_cutter_any_local(l->kernel);

    x->fine = x->cut;
    x->units = 1;
    for (uint32_t i = 0; rows && i < x->parts; i++)
        rows = cw_run_tile_program_by_offset(&x->whole->queue->context->places[x->part[i].at.place]);
    if (!rows)
        return;
    x->units = x->cut.local[dim];
    x->fine.local[dim] = 1;
    x->fine.groups = l->global[dim];
    x->fine.ragged = false;
}

bool cw_run_tile_memory_make(struct cw_run_tiles *x)
{
    /* accesses of a block: ranges that each argument is read in, and writes before, in and behind the block,
     * in each range of the launch */
    uint32_t most = (CW_READ_RANGES + 3) * x->whole->launch.kernel->count * x->whole->accesses.n;

    for (uint32_t i = 0; i < x->parts; i++)
        x->several |= memory_of(x, x->part[i].at.place) != memory_of(x, x->whole->queue->home);
    if (!x->several)
        return true;
    find_units(x);
    if (x->whole->launch.kernel->tile_broken >> x->whole->queue->home_worker &
        1) /* it runs what others cannot */
        return false;
    x->access = calloc((size_t)x->parts * most + 1, sizeof *x->access);
    x->hulls = calloc((size_t)CW_RUN_TILE_HULLS * x->whole->launch.kernel->count + 1, sizeof *x->hulls);
    for (uint32_t i = 0; x->access && i < x->parts; i++)
        x->part[i].accesses.of = x->access + (size_t)i * most;
    return x->access && x->hulls && cw_run_tile_merge_make(x);
}

/* ---- the bytes of a block */

/* Tiles that are all of the launch: what is before a block, the block, and what is behind it. */
struct row {
    int n, own; /* own: the block's; n 0: memory is out */
    struct cw_arg_hulls *hulls;
};

static struct row evaluate(const struct cw_run_tiles *x, const struct cw_run_block *b, bool margins,
                           struct cw_arg_hulls *hulls)
{
    size_t first = b->first * x->units - (margins ? b->margin[0] : 0),
           end = (b->first + b->groups) * x->units + (margins ? b->margin[1] : 0);
    struct row r = {.own = first > 0, .hulls = hulls};
    int64_t from[TILES + 1] = {0};

    r.n = r.own + 1;
    from[r.own] = (int64_t)first;
    if (end < x->fine.groups)
        from[r.n++] = (int64_t)end;
    from[r.n] = (int64_t)x->fine.groups;
    r.n = cw_run_cut_hulls(x->whole, &x->fine, from, r.n, hulls) ? r.n : 0;
    return r;
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

/* The hulls of which reads[0 .. *n - 1] are the ranges; one where the model does not know. */
static void ranges_of(const struct cw_arg_hulls *h, struct cw_hull reads[CW_READ_RANGES], int *n)
{
    *n = h->reads.answer == CW_ANSWER_UNKNOWN ? 1 : h->ranges;
    for (int i = 0; i < *n; i++) {
        reads[i] = h->reads;
        if (h->reads.answer != CW_ANSWER_UNKNOWN) {
            reads[i].begin = h->range[i].begin;
            reads[i].end = h->range[i].end;
        }
    }
}

/* Another tile than the block may write some of these bytes. */
static bool is_written_beside(const struct cw_run_tiles *x, const struct row *r,
                              const struct cw_run_memory *m, const struct cw_hull *h)
{
    const struct cw_run_launch *l = &x->whole->launch;
    uint32_t args = l->kernel->count;
    uint64_t low, high, from, to;

    for (uint32_t k = 0; range_of(m, h, &low, &high) && k < (uint32_t)r->n * args; k++) {
        const struct cw_run_memory *other = l->args[k % args].memory;

        if (k / args != (uint32_t)r->own && !cw_run_tile_merge_is(x, k % args) && other &&
            other->region == m->region && range_of(other, &r->hulls[k].writes, &from, &to) && from < high &&
            low < to)
            return true;
    }
    return false;
}

static const struct cw_arg_hulls *own_of(const struct cw_run_tiles *x, const struct row *r)
{
    return &r->hulls[(size_t)r->own * x->whole->launch.kernel->count];
}

/* No other tile may write a byte that the block may read or write: bytes do not change while they are
 * copied, and have one writer. */
static bool is_alone(const struct cw_run_tiles *x, const struct row *r)
{
    const struct cw_run_launch *l = &x->whole->launch;
    const struct cw_arg_hulls *h = own_of(x, r);
    struct cw_hull reads[CW_READ_RANGES];
    bool alone = true;
    int n;

    for (uint32_t i = 0; alone && i < l->kernel->count; i++) {
        ranges_of(&h[i], reads, &n);
        for (int k = 0; alone && k < n; k++)
            alone = !is_written_beside(x, r, l->args[i].memory, &reads[k]);
        alone = alone && !is_written_beside(x, r, l->args[i].memory, &h[i].writes);
    }
    return alone;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool has_margins(const struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->blocks; i++)
        if (x->block[i].margin[0] || x->block[i].margin[1])
            return true;
    return false;
}

/* The launch may touch several ranges, and between them lie bytes that other commands use at the
 * same time. */
static void add(const struct cw_run_tiles *x, struct cw_run_task *part, const struct cw_run_memory *m,
                const struct cw_hull *h, bool write, bool beside)
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
        *a = (struct cw_run_access){.task = part,
                                    .region = m->region,
                                    .low = low,
                                    .high = high,
                                    .write = write,
                                    .beside = beside,
                                    .twice = write && has_margins(x)};
        if (write && later(sure, low) < earlier(sure_end, high)) {
            a->sure = later(sure, low);
            a->sure_end = earlier(sure_end, high);
        }
        part->accesses.n++;
    }
}

/* What margins write beyond the block. */
static void add_beside(const struct cw_run_tiles *x, struct cw_run_task *part, const struct cw_run_memory *m,
                       const struct cw_hull *own, const struct cw_hull *wide)
{
    struct cw_hull before = *wide, behind = *wide;

    if (own->answer == CW_ANSWER_NONE) {
        add(x, part, m, wide, true, true);
        return;
    }
    before.end = own->begin;
    behind.begin = own->end;
    add(x, part, m, &before, true, true);
    add(x, part, m, &behind, true, true);
}

/* The block with its margins: what it may write is known, and no tile beyond writes there. */
static bool is_clear(const struct cw_run_tiles *x, const struct row *r)
{
    const struct cw_arg_hulls *h = own_of(x, r);

    for (uint32_t i = 0; i < x->whole->launch.kernel->count; i++)
        if (h[i].writes.answer == CW_ANSWER_UNKNOWN)
            return false;
    return is_alone(x, r);
}

/* Fills part->accesses with the bytes of the block, and leaves out its margins where they may not be.
 * False: it must not run beside others, or memory is out. */
static bool find_bytes(struct cw_run_tiles *x, struct cw_run_task *part, struct cw_run_block *b)
{
    const struct cw_run_launch *l = &x->whole->launch;
    bool margins = b->margin[0] || b->margin[1];
    struct row own = evaluate(x, b, false, x->hulls), wide = own;
    const struct cw_arg_hulls *h, *w;
    struct cw_hull reads[CW_READ_RANGES];
    int n;

    part->accesses.n = 0;
    if (!own.n || (!x->inherits && !is_alone(x, &own))) /* one that inherits has nothing beside it */
        return false;
    if (margins)
        wide = evaluate(x, b, true, x->hulls + (size_t)TILES * l->kernel->count);
    if (margins && (!wide.n || !is_clear(x, &wide))) {
        wide = own;
        b->margin[0] = b->margin[1] = 0;
    }
    h = own_of(x, &own);
    w = own_of(x, &wide);
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        if (cw_run_tile_merge_is(x, i))
            continue;
        ranges_of(&w[i], reads, &n);
        for (int k = 0; k < n; k++)
            add(x, part, l->args[i].memory, &reads[k], false, false);
        add(x, part, l->args[i].memory, &h[i].writes, true, false);
        if (h != w)
            add_beside(x, part, l->args[i].memory, &h[i].writes, &w[i].writes);
    }
    return true;
}

bool cw_run_tile_memory_lacks(struct cw_run_tiles *x, struct cw_run_block *b)
{
    struct cw_run_task *part = &x->part[b->part];
    bool lacks = !find_bytes(x, part, b) || cw_run_spread_lacks(part);

    part->launch.part.known = part->accesses.n; /* a part that waits for its device has none that count */
    part->accesses.n = 0;
    return lacks;
}

/* Of the block that each part takes next, if one is bound to it: memory/spread_copy.c looks at them. */
static void find_all_bytes(struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->blocks; i++) {
        struct cw_run_block *b = &x->block[i];
        struct cw_run_task *part = b->taken || b->part == CW_RUN_ANYBODY ? NULL : &x->part[b->part];

        if (!part || part->accesses.n || part->launch.part.known)
            continue;
        if (find_bytes(x, part, b))
            part->launch.part.known = part->accesses.n;
        part->accesses.n = 0;
    }
}

/* ---- before and behind a block */

static bool is_at_home(const struct cw_run_task *part)
{
    return !cw_run_is_away(part);
}

static void forget(struct cw_run_task *part)
{
    cw_run_spread_abandon(part);
    part->accesses.n = 0;
}

/* Copies what the block needs. Parts of one launch may copy bytes that others of them write beside their
 * blocks: those wait. */
static cl_int fetch(struct cw_run_tiles *x, struct cw_run_task *part)
{
    bool lacks = cw_run_spread_lacks(part);
    cl_int err;

    if (lacks)
        find_all_bytes(x);
    x->fetches |= lacks;
    x->fetching += lacks;
    err = cw_run_spread_gather(part);
    x->fetching -= lacks;
    if (lacks)
        cw_run_global_lock_tell();
    while (lacks && x->fetching)
        cw_run_spread_wait();
    cw_run_spread_cover(part);
    return err;
}

bool cw_run_tile_memory_fetch(struct cw_run_task *part, cl_int *lost)
{
    struct cw_run_tiles *x = part->launch.part.of;
    struct cw_run_worker *l = &cw_run.workers[part->at.worker];
    cl_int err;

    *lost = CL_SUCCESS;
    part->outcome.status = CL_SUCCESS;
    part->accesses.n = part->launch.part.known;
    part->launch.part.known = 0;
    if (l->quarantine.error ||
        (!part->accesses.n && !find_bytes(x, part, &x->block[part->launch.part.block]))) {
        part->accesses.n = 0;
        *lost = x->inherits ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
        return false;
    }
    err = fetch(x, part);
    if (err == CL_SUCCESS && !cw_run_tile_merge_begin(part))
        err = CL_OUT_OF_RESOURCES;
    if (err == CL_SUCCESS)
        return true;
    forget(part);
    *lost = is_at_home(part) ? err : CL_SUCCESS;
    return false;
}

bool cw_run_tile_memory_over(struct cw_run_task *part, cl_int status)
{
    struct cw_run_worker *l = &cw_run.workers[part->at.worker];
    bool away = !is_at_home(part), again = status < 0 && away;

    if (again && cw_run_quarantine_is_due(part->launch.vendor))
        cw_run_quarantine_begin(l, part->launch.vendor, false);
    if (again && part->launch.begun)
        again = cw_run_spread_failed(part);
    part->outcome.status = status;
    if (status >= 0)
        cw_run_spread_beside_add(&part->launch.part.of->beside, part);
    if (status >= 0 || !away) /* else nothing that it has written is valid there */
        cw_run_spread_over(part);
    forget(part);
    return !again;
}

void cw_run_tile_memory_give_up(struct cw_run_tiles *x)
{
    x->several = false;
    cw_run_spread_release(x->whole);
}

void cw_run_tile_memory_end(struct cw_run_tiles *x, cl_int status)
{
    struct cw_run_task *t = x->whole;

    cw_run_spread_beside_end(x->beside, status >= 0);
    x->beside = NULL;
    for (uint32_t i = 0; i < t->accesses.n; i++)
        if (t->accesses.of[i].write && t->accesses.of[i].region->root)
            t->accesses.of[i].region->series = x->series;
    for (uint32_t i = 0; i < x->blocks; i++) {
        cw_run.counts.several_units += x->block[i].groups * x->units;
        cw_run.counts.margin_units += x->block[i].margin[0] + x->block[i].margin[1];
    }
    cw_run.counts.several++;
    cw_run.counts.several_fetches += x->fetches;
}

int cw_run_tile_memory_describe(char *text, unsigned size)
{
    const struct cw_run_counts *c = &cw_run.counts;

    if (!c->several)
        return 0;
    return snprintf(text, size,
                    "run: borders: %llu launches cut over memories, %llu of them copied bytes; "
                    "%.1f %% more work-items for that\n",
                    (unsigned long long)c->several, (unsigned long long)c->several_fetches,
                    c->several_units ? 100 * (double)c->margin_units / (double)c->several_units : 0);
}
