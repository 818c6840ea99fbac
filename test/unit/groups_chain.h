/* groups_chain.h - chains of launches in tiles, made by hand, and whether an order keeps their dependences,
 * found the slow way. Include first. All functions fail the test where something is wrong. */
#ifndef GROUPS_CHAIN_H
#define GROUPS_CHAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../sched/groups.h"
#include "../../sched/random.h"

#ifndef CHAIN_TILES /* a test may need more */
#define CHAIN_TILES    40
#define CHAIN_ACCESSES 4
#endif
enum { TILE = 1000, STEPS_MAX = 24, TILES_MAX = CHAIN_TILES, ACCESSES_MAX = CHAIN_ACCESSES };

struct chain {
    struct cw_groups_step step[STEPS_MAX];
    struct cw_groups_access access[STEPS_MAX][TILES_MAX * ACCESSES_MAX];
    uint32_t column[STEPS_MAX][TILES_MAX];
    uint32_t steps;
};

/* Bytes of tiles [first, last] of `tiles` of buffer `b`, clipped. Buffers lie 2^20 apart. */
static inline struct cw_groups_access chain_part(uint32_t b, int64_t first, int64_t last, uint32_t tiles,
                                                 bool write)
{
    uint64_t base = (uint64_t)b << 20;

    first = first < 0 ? 0 : first;
    last = last >= tiles ? tiles - 1 : last;
    return (struct cw_groups_access){base + (uint64_t)first * TILE, base + (uint64_t)(last + 1) * TILE,
                                     write};
}

static inline struct cw_groups_access *chain_add(struct chain *c, uint32_t tiles, uint32_t accesses)
{
    uint32_t s = c->steps++;

    c->step[s] = (struct cw_groups_step){.tiles = tiles, .accesses = accesses, .access = c->access[s]};
    return c->access[s];
}

/* Reads buffer `from` with `radius` tiles around, writes `to`. */
static inline void chain_add_stencil(struct chain *c, uint32_t tiles, int radius, uint32_t from, uint32_t to)
{
    struct cw_groups_access *a = chain_add(c, tiles, 2);

    for (uint32_t i = 0; i < tiles; i++) {
        a[2 * i] = chain_part(from, (int64_t)i - radius, (int64_t)i + radius, tiles, false);
        a[2 * i + 1] = chain_part(to, i, i, tiles, true);
    }
}

static inline void chain_jacobi(struct chain *c, uint32_t tiles, uint32_t steps, int radius)
{
    for (uint32_t s = 0; s < steps; s++)
        chain_add_stencil(c, tiles, radius, s % 2, (s + 1) % 2);
}

static inline struct cw_groups chain_groups(const struct chain *c, struct cw_groups_options o)
{
    struct cw_groups g;
    struct cw_error err = {0};

    o.workers = o.workers ? o.workers : 2;
    if (cw_groups_make(c->step, c->steps, &o, &g, &err) != CW_OK)
        fail_msg("%s", err.text);
    return g;
}

static inline bool chain_meet(const struct cw_groups_access *a, const struct cw_groups_access *b)
{
    return (a->write || b->write) && a->low < a->high && b->low < b->high && a->low < b->high &&
           b->low < a->high;
}

static inline bool chain_depends(const struct chain *c, const struct cw_groups_tile *a,
                                 const struct cw_groups_tile *b)
{
    const struct cw_groups_step *s = &c->step[a->step], *t = &c->step[b->step];

    for (uint32_t x = 0; x < s->accesses; x++)
        for (uint32_t y = 0; y < t->accesses; y++)
            if (chain_meet(&s->access[a->tile * s->accesses + x], &t->access[b->tile * t->accesses + y]))
                return true;
    return false;
}

/* Each tile once, no tile before one that it depends on, successors and counts of waits that say so: by
 * taking tiles in any order in which waits are zero, every dependence is kept. */
static inline void chain_check(const struct chain *c, const struct cw_groups *g)
{
    uint8_t seen[STEPS_MAX][TILES_MAX] = {0};
    uint32_t total = 0, *waits = calloc(g->tiles, sizeof *waits);
    uint8_t *after = calloc((size_t)g->tiles * g->tiles, 1); /* after[i * tiles + k]: k follows from i */

    for (uint32_t s = 0; s < c->steps; s++)
        total += c->step[s].tiles;
    assert_int_equal(g->tiles, total);
    for (uint32_t k = g->tiles; k-- > 0;) {
        const struct cw_groups_tile *t = &g->tile[k];
        assert_int_equal(seen[t->step][t->tile]++, 0);
        for (uint32_t e = t->first; e < t->first + t->successors; e++) {
            uint32_t n = g->successor[e];
            assert_true(n > k);
            waits[n]++;
            after[k * g->tiles + n] = 1;
            for (uint32_t m = n; m < g->tiles; m++)
                after[k * g->tiles + m] |= after[n * g->tiles + m];
        }
    }
    for (uint32_t k = 0; k < g->tiles; k++) {
        assert_int_equal(waits[k], g->tile[k].waits);
        for (uint32_t m = 0; m < g->tiles; m++)
            if (g->tile[k].step < g->tile[m].step && chain_depends(c, &g->tile[k], &g->tile[m]))
                assert_true(after[k * g->tiles + m]);
    }
    free(waits);
    free(after);
}

#endif
