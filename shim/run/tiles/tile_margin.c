/* tile_margin.c - see tiles/share.h. */
#include "share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/footprint/form.h"
#include "../../../analyzer/settings/options.h"
#include "../../../sched/whole.h"
#include "../memory/spread.h"
#include "../models/cutter.h"
#include "tile.h"

enum { REACH = CW_RUN_TILE_HULLS - 2 }; /* units that a launch may reach over its blocks' borders */

static uint32_t asked; /* by --set exchange: launches between two copies; 0: as measured */

void cw_run_tile_margin_start(const struct cw_options *options)
{
    asked = (uint32_t)strtoul(options->exchange, NULL, 10); /* auto: 0 */
}

static uint32_t args_of(const struct cw_run_tiles *x)
{
    return x->whole->launch.kernel->count;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- what the launch is like */

static bool are_bound(const struct cw_run_tiles *x)
{
    for (uint32_t i = 0; i < x->blocks; i++)
        if (x->block[i].part == CW_RUN_ANYBODY)
            return false;
    return true;
}

/* Fills x->hulls with the accesses of all of the launch. False: memory is out. */
static bool find_accesses(struct cw_run_tiles *x)
{
    const int64_t from[] = {0, (int64_t)x->fine.groups};

    return cw_run_cut_hulls(x->whole, &x->fine, from, 1, x->hulls);
}

/* Argument `i` is a buffer that a cut launch has written. */
static bool is_of_series(const struct cw_run_tiles *x, uint32_t i)
{
    const struct cw_run_memory *m = x->whole->launch.args[i].memory;

    return m && m->region->root && m->region->series.cut;
}

/* The series of what the launch reads, with the smallest margins. x->hulls: its accesses. */
static struct cw_run_series series_of(const struct cw_run_tiles *x)
{
    struct cw_run_series found = {0};

    for (uint32_t i = 0; i < args_of(x); i++) {
        const struct cw_run_series *s;

        if (!is_of_series(x, i) || x->hulls[i].reads.answer == CW_ANSWER_NONE)
            continue;
        s = &x->whole->launch.args[i].memory->region->series;
        if (!found.cut || s->left[0] + s->left[1] < found.left[0] + found.left[1])
            found = *s;
    }
    return found;
}

/* ---- how far it reaches over the borders of its blocks */

/* Of tiles 0 .. n, tile `own` is the block, the others lie behind it (or before it) one by one. Returns how
 * many of those write what the block reads of argument `i`, taken to lie in the written buffer where it
 * lies in the one that is read; REACH + 1: more. */
static uint32_t reach_in(const struct cw_run_tiles *x, uint32_t i, uint32_t n, bool behind)
{
    uint32_t args = args_of(x), own = behind ? 0 : n;
    const struct cw_hull *reads = &x->hulls[own * args + i].reads;

    if (reads->answer == CW_ANSWER_NONE)
        return 0;
    for (uint32_t e = 0; e <= n; e++)
        for (uint32_t k = 0; k < args; k++) {
            const struct cw_hull *w = &x->hulls[(behind ? e : n - e) * args + k].writes;

            if (w->answer != CW_ANSWER_NONE && (behind ? w->end >= reads->end : w->begin <= reads->begin))
                return e;
        }
    return REACH + 1;
}

/* The same of all arguments, by `n` tiles next to block `b`. */
static uint32_t reach_by(struct cw_run_tiles *x, const struct cw_run_block *b, bool behind, uint32_t n)
{
    size_t first = b->first * x->units, end = first + b->groups * x->units;
    int64_t from[CW_RUN_TILE_HULLS + 1];
    uint32_t most = 0, k = 0;

    for (uint32_t i = n; !behind && i; i--)
        from[k++] = (int64_t)(first - i);
    from[k++] = (int64_t)first;
    for (uint32_t i = 0; i <= (behind ? n : 0); i++)
        from[k++] = (int64_t)(end + i);
    if (!cw_run_cut_hulls(x->whole, &x->fine, from, (int)n + 1, x->hulls))
        return REACH + 1;
    for (uint32_t i = 0; i < args_of(x); i++)
        if (is_of_series(x, i)) {
            uint32_t reach = reach_in(x, i, n, behind);

            most = reach > most ? reach : most;
        }
    return most;
}

/* Over the border behind block `b`, or before it: mostly into the next tile. */
static uint32_t reach_of(struct cw_run_tiles *x, const struct cw_run_block *b, bool behind)
{
    size_t there = behind ? x->fine.groups - (b->first + b->groups) * x->units : b->first * x->units;
    uint32_t reach = reach_by(x, b, behind, 1);

    return reach > 1 ? reach_by(x, b, behind, (uint32_t)least(REACH, there)) : reach;
}

/* ---- margins */

/* The units next to block `i` on a side that are run in other memories than its own, `most` at most. */
static size_t beside(const struct cw_run_tiles *x, uint32_t i, bool behind, size_t most)
{
    uint32_t own = cw_run_tile_memory(x, x->block[i].part);
    size_t n = 0;

    for (uint32_t k = behind ? i + 1 : i - 1;
         k < x->blocks && n < most && cw_run_tile_memory(x, x->block[k].part) != own;
         k += behind ? 1 : UINT32_MAX)
        n += x->block[k].groups * x->units;
    return least(n, most);
}

static void set_margins(struct cw_run_tiles *x, const size_t margin[2])
{
    for (uint32_t i = 0; i < x->blocks; i++) {
        x->part[x->block[i].part].launch.part.known = 0;
        for (int side = 0; side < 2; side++)
            x->block[i].margin[side] = beside(x, i, side, margin[side]);
    }
}

/* Some part would copy bytes for its block and its margins. */
static bool copies(struct cw_run_tiles *x)
{
    bool any = false;

    for (uint32_t i = 0; i < x->blocks; i++)
        any |= cw_run_tile_memory_lacks(x, &x->block[i]);
    return any;
}

/* ---- for how many launches */

/* With n launches from one copy to the next each of them takes 1 / n of the copies' time and (n - 1) / 2
 * margins on each side: that is the least where n * n is so much. */
static uint32_t best(const struct cw_run_tiles *x, const uint32_t reach[2])
{
    double speed = INFINITY, copies = fmax(x->share->copying_ns, x->share->copies_ns);

    for (uint32_t i = 0; i < x->parts; i++)
        speed = fmin(speed, cw_run_share_speed(x, x->part[i].at.place));
    return (uint32_t)cw_whole_from(sqrt(2 * copies * speed * (double)x->units / (reach[0] + reach[1])),
                                   CW_RUN_LOOK_EACH);
}

/* Between the copies that are to be made now and the next; `s` is the series so far. Something else that
 * makes launches copy comes sooner where it does twice in a row. New cuts do not come again and again. */
static uint32_t launches(const struct cw_run_tiles *x, const struct cw_run_series *s, const uint32_t reach[2])
{
    struct cw_run_margins *m = &x->share->margins;
    bool anew = m->launches && m->held != x->share->times_held;
    uint32_t most;

    m->held = x->share->times_held;
    if (asked)
        return asked;
    if (!anew)
        m->rest.poor = s->saved < s->planned ? m->rest.poor + 1 : 0;
    if (anew || m->rest.poor == 1)
        return m->launches ? m->launches : 1;
    if (m->rest.poor) {
        m->launches = s->saved + 1;
        cw_run_trial_rest(&m->rest, CW_RUN_REST_LOOKS, 0, 1);
    } else if (!cw_run_trial_passes(&m->rest)) {
        most = best(x, reach);
        m->launches = m->launches ? 2 * m->launches : 1;
        m->launches = m->launches < most ? m->launches : most;
    }
    return m->launches ? m->launches : 1;
}

/* The smallest block's units: margins reach no further than neighbours. */
static size_t smallest(const struct cw_run_tiles *x)
{
    size_t n = x->cut.groups;

    for (uint32_t i = 0; i < x->blocks; i++)
        n = least(n, x->block[i].groups);
    return n * x->units;
}

/* The launch copies for its blocks: margins begin. */
static void begin(struct cw_run_tiles *x, struct cw_run_series *s, size_t margin[2])
{
    const uint32_t *reach = x->share->margins.reach;
    uint32_t far = reach[0] > reach[1] ? reach[0] : reach[1];
    size_t more = far && far <= REACH ? least(launches(x, s, reach) - 1, smallest(x) / far) : 0;

    for (int side = 0; side < 2; side++)
        margin[side] = more * reach[side];
    s->planned = (uint32_t)more;
    s->saved = 0;
    set_margins(x, margin);
}

/* Margins go on, by what the launch is known to reach. False: it would copy. */
static bool goes_on(struct cw_run_tiles *x, struct cw_run_series *s, size_t margin[2])
{
    const uint32_t *reach = x->share->margins.reach;

    for (int side = 0; side < 2; side++) {
        size_t left = s->left[side] / x->fine.local[x->cut.dim];

        margin[side] = left > reach[side] ? left - reach[side] : 0;
    }
    set_margins(x, margin);
    if (copies(x))
        return false;
    s->saved += reach[0] || reach[1];
    return true;
}

static void find_reach(struct cw_run_tiles *x)
{
    for (int side = 0; side < 2; side++)
        x->share->margins.reach[side] = reach_of(x, &x->block[!side], side);
}

/* What is known of the launch's reach may be of other arguments. Then no margins are better than copies. */
static void choose(struct cw_run_tiles *x, struct cw_run_series *s, size_t margin[2])
{
    bool had = s->left[0] || s->left[1];

    if (goes_on(x, s, margin))
        return;
    find_reach(x);
    if (had && goes_on(x, s, margin))
        return;
    memset(margin, 0, 2 * sizeof *margin);
    set_margins(x, margin);
    if (!had || copies(x))
        begin(x, s, margin);
}

/* Two devices that run the same work-groups write the same bytes: no order of atomics shows, and nothing is
 * merged. */
static bool may_repeat(const struct cw_run_tiles *x)
{
    const struct cw_run_cutter *c = cw_run_cutter_of(x->whole->launch.kernel);

    return asked != 1 && x->several && !x->merges && are_bound(x) && c && !c->has_atomics;
}

void cw_run_tile_margin_find(struct cw_run_tiles *x)
{
    size_t margin[2] = {0};
    struct cw_run_series s;

    x->series = (struct cw_run_series){.cut = true};
    if (x->blocks < 2 || !may_repeat(x) || !find_accesses(x))
        return;
    s = series_of(x);
    if (s.cut && !cw_run_cut_hulls_in_place(&x->whole->launch, x->hulls))
        choose(x, &s, margin);
    for (int side = 0; side < 2; side++)
        s.left[side] = margin[side] * x->fine.local[x->cut.dim];
    s.cut = true;
    x->series = s;
}

void cw_run_tile_margin_draw(struct cw_run_tiles *x, size_t (*below)(size_t n))
{
    if (!may_repeat(x) || !find_accesses(x) || cw_run_cut_hulls_in_place(&x->whole->launch, x->hulls))
        return;
    for (uint32_t i = 0; i < x->blocks; i++)
        for (int side = 0; side < 2; side++)
            x->block[i].margin[side] = beside(x, i, side, below(4 * x->units));
}
