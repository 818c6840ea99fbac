/* Priority groups over grids of two and three dimensions: the order held against one that is made by the
 * definitions of A8 (coordinates, R, shifts, P by dimension), and what rows wider than the cache fetch. */
#define CHAIN_TILES    400
#define CHAIN_ACCESSES 10
#include "groups_chain.h"

enum { DIMS = CW_GROUPS_DIMS, ALL = 700 };

static struct chain c;
static uint32_t grid[DIMS];

static void place(uint32_t tile, int64_t x[DIMS])
{
    for (uint32_t d = DIMS; d-- > 0; tile /= grid[d])
        x[d] = tile % grid[d];
}

static int64_t number(const int64_t x[DIMS])
{
    return (x[0] * grid[1] + x[1]) * grid[2] + x[2];
}

/* Reads the tiles from x - low to x + high of one buffer, row by row, and writes tile x of the other one. */
static void add_box(const int64_t low[DIMS], const int64_t high[DIMS])
{
    uint32_t tiles = grid[0] * grid[1] * grid[2], s = c.steps,
             rows = (uint32_t)((low[0] + high[0] + 1) * (low[1] + high[1] + 1));
    struct cw_groups_access *a = chain_add(&c, tiles, rows + 1);
    int64_t x[DIMS];

    for (uint32_t d = 0; d < DIMS; d++)
        c.step[s].grid[d] = grid[d];
    for (uint32_t i = 0; i < tiles; i++, a += rows + 1) {
        uint32_t n = 0;
        place(i, x);
        for (int64_t y = x[0] - low[0]; y <= x[0] + high[0]; y++)
            for (int64_t z = x[1] - low[1]; z <= x[1] + high[1]; z++, n++) {
                int64_t first[] = {y, z, x[2] > low[2] ? x[2] - low[2] : 0};
                int64_t last = x[2] + high[2] < grid[2] ? x[2] + high[2] : grid[2] - 1;
                if (y >= 0 && y < grid[0] && z >= 0 && z < grid[1])
                    a[n] = chain_part(s % 2, number(first), number(first) + last - first[2], tiles, false);
            }
        a[n] = chain_part((s + 1) % 2, i, i, tiles, true);
    }
}

/* ---- the definitions */

struct node {
    uint32_t step, tile;
    int64_t x[DIMS], p[DIMS], group[DIMS];
};

static struct node node[ALL];
static uint32_t nodes;

static bool depends(const struct node *on, const struct node *n)
{
    return on->step < n->step &&
           chain_depends(&c, &(struct cw_groups_tile){.step = on->step, .tile = on->tile},
                         &(struct cw_groups_tile){.step = n->step, .tile = n->tile});
}

static void make_nodes(int64_t shift[STEPS_MAX][DIMS], int64_t r[DIMS])
{
    nodes = 0;
    for (uint32_t s = 0; s < c.steps; s++)
        for (uint32_t i = 0; i < c.step[s].tiles; i++) {
            struct node *n = &node[nodes++];
            *n = (struct node){.step = s, .tile = i};
            place(i, n->x);
            for (uint32_t k = 0; k < nodes; k++)
                for (uint32_t d = 0; d < DIMS && depends(&node[k], n); d++) {
                    int64_t away = node[k].x[d] - n->x[d], own = shift[node[k].step][d] + away;
                    shift[s][d] = own > shift[s][d] ? own : shift[s][d];
                    r[d] = llabs(away) > r[d] ? llabs(away) : r[d];
                }
        }
}

/* The number of the last tile in N(x); later ones: the largest of those that the tile depends on. */
static int64_t largest(const struct node *n, const int64_t r[DIMS])
{
    int64_t p = -1, x[DIMS];

    for (uint32_t k = 0; k < nodes; k++)
        p = depends(&node[k], n) && node[k].p[0] > p ? node[k].p[0] : p;
    for (uint32_t d = 0; d < DIMS; d++)
        x[d] = n->x[d] + r[d] < grid[d] ? n->x[d] + r[d] : grid[d] - 1;
    return p < 0 ? number(x) : p;
}

static int by_group(const void *left, const void *right)
{
    const struct node *a = left, *b = right;

    for (uint32_t d = 0; d < DIMS; d++)
        if (a->group[d] != b->group[d])
            return a->group[d] < b->group[d] ? -1 : 1;
    return a->step != b->step ? (a->step < b->step ? -1 : 1) : (a->tile < b->tile ? -1 : 1);
}

static void order_by_definition(enum cw_groups_rule rule, const uint32_t width[DIMS])
{
    int64_t shift[STEPS_MAX][DIMS] = {{0}}, r[DIMS] = {0}, least[DIMS] = {INT64_MAX, INT64_MAX, INT64_MAX};
    int64_t box = 1;

    make_nodes(shift, r);
    for (uint32_t d = 0; d < DIMS; d++)
        box *= width[d] < grid[d] ? width[d] : grid[d];
    for (uint32_t k = 0; k < nodes; k++)
        for (uint32_t d = 0; d < DIMS; d++) {
            struct node *n = &node[k];
            n->p[d] = rule == CW_GROUPS_SKEW ? n->x[d] + shift[n->step][d] : d == 0 ? largest(n, r) : 0;
            least[d] = n->p[d] < least[d] ? n->p[d] : least[d];
        }
    for (uint32_t k = 0; k < nodes; k++)
        for (uint32_t d = 0; d < DIMS; d++) {
            int64_t w = rule == CW_GROUPS_MAX ? box : width[d] < grid[d] ? width[d] : grid[d];
            node[k].group[d] = (node[k].p[d] - least[d]) / w;
        }
    qsort(node, nodes, sizeof *node, by_group);
}

static void random_boxes_are_in_the_order_of_the_definitions(void **state)
{
    uint64_t seed = 11;

    (void)state;
    for (int round = 0; round < 60; round++) {
        uint32_t width[DIMS], steps = (uint32_t)cw_random_below(&seed, 4) + 2, groups = 0;
        int64_t low[DIMS], high[DIMS];

        c = (struct chain){0};
        for (uint32_t d = 0; d < DIMS; d++) {
            grid[d] = (uint32_t)cw_random_below(&seed, d == 2 && round % 2 ? 1 : 5) + 1;
            width[d] = (uint32_t)cw_random_below(&seed, 4) + 1;
        }
        while (c.steps < steps) {
            for (uint32_t d = 0; d < DIMS; d++)
                low[d] = (int64_t)cw_random_below(&seed, 2), high[d] = (int64_t)cw_random_below(&seed, 2);
            add_box(low, high);
        }
        for (enum cw_groups_rule rule = CW_GROUPS_SKEW; rule <= CW_GROUPS_MAX; rule++) {
            struct cw_groups g = chain_groups(
                &c, (struct cw_groups_options){
                        .rule = rule, .width = width[0], .inner = {width[1], width[2]}, .height = 99});
            order_by_definition(rule, width);
            if (grid[0] * grid[1] * grid[2] > 1)
                for (uint32_t k = 0; k < nodes; k++) {
                    groups += k && by_group(&node[k - 1], &node[k]) &&
                              memcmp(node[k - 1].group, node[k].group, sizeof node[k].group);
                    assert_int_equal(g.tile[k].step, node[k].step);
                    assert_int_equal(g.tile[k].tile, node[k].tile);
                }
            chain_check(&c, &g);
            cw_groups_finish(&g);
        }
        assert_true(groups || grid[0] * grid[1] * grid[2] * steps < 40);
    }
}

/* Slabs of the slowest dimension, or all in one tile: other kernels beside those that are cut in boxes. */
static void add_slabs(uint32_t slabs)
{
    struct cw_groups_access *a = chain_add(&c, slabs, 2);
    uint32_t tiles = grid[0] * grid[1] * grid[2], s = c.steps - 1;

    for (uint32_t i = 0; i < slabs; i++) {
        a[2 * i] =
            chain_part(s % 2, (int64_t)i * tiles / slabs, (int64_t)(i + 1) * tiles / slabs - 1, tiles, false);
        a[2 * i + 1] = chain_part(s % 3, i, i, slabs, true);
    }
}

static void random_options_keep_every_dependence(void **state)
{
    uint64_t seed = 12;

    (void)state;
    for (int round = 0; round < 200; round++) {
        uint32_t steps = (uint32_t)cw_random_below(&seed, 5) + 1;

        c = (struct chain){0};
        for (uint32_t d = 0; d < DIMS; d++)
            grid[d] = (uint32_t)cw_random_below(&seed, 4) + 1;
        while (c.steps < steps) {
            if (cw_random_below(&seed, 4) == 0)
                add_slabs(cw_random_below(&seed, 3) ? grid[0] : 1);
            else
                add_box((int64_t[]){(int64_t)cw_random_below(&seed, 2), 1, 1},
                        (int64_t[]){1, (int64_t)cw_random_below(&seed, 2), 0});
        }
        struct cw_groups_options o = {.rule = (enum cw_groups_rule)cw_random_below(&seed, 3),
                                      .workers = (uint32_t)cw_random_below(&seed, 4) + 1,
                                      .width = (uint32_t)cw_random_below(&seed, 3),
                                      .inner = {(uint32_t)cw_random_below(&seed, 3)},
                                      .cache_bytes =
                                          cw_random_below(&seed, 2) * TILE * cw_random_below(&seed, 80),
                                      .separate = cw_random_below(&seed, 2),
                                      .reuse = (double)cw_random_below(&seed, 8) / 4,
                                      .seed = cw_random_below(&seed, 3) ? 0 : seed};
        struct cw_groups g = chain_groups(&c, o), again = chain_groups(&c, o);

        chain_check(&c, &g);
        assert_memory_equal(g.tile, again.tile, g.tiles * sizeof *g.tile);
        for (uint32_t k = 0; k < g.tiles; k++)
            assert_true(g.tile[k].worker < o.workers);
        cw_groups_finish(&g);
        cw_groups_finish(&again);
    }
}

/* 20 x 20 tiles of 1,000 bytes in two buffers, 8 steps that need their eight neighbours, a cache for 100
 * tiles: three rows of both buffers do not fit, so that whole rows gain nothing; boxes do. */
static void wide_rows_are_cut_too(void **state)
{
    struct cw_groups_options o = {.cache_bytes = 100 * TILE, .workers = 1};
    struct cw_groups rows, boxes;

    (void)state;
    c = (struct chain){0};
    grid[0] = grid[1] = 20, grid[2] = 1;
    while (c.steps < 8)
        add_box((int64_t[]){1, 1, 0}, (int64_t[]){1, 1, 0});
    o.inner[0] = 20;
    rows = chain_groups(&c, o);
    o.inner[0] = 0;
    boxes = chain_groups(&c, o);
    printf("whole rows: %llu; boxes of %u x %u, H %u: %llu\n", (unsigned long long)rows.touched_bytes,
           boxes.width, boxes.inner[0], boxes.height, (unsigned long long)boxes.touched_bytes);
    assert_int_equal(rows.inner[0], 20);
    assert_in_range(boxes.inner[0], 1, 10);
    assert_true(boxes.touched_bytes * 3 < 2 * rows.touched_bytes);
    assert_true(boxes.reach == 1 && boxes.inner_reach[0] == 1);
    cw_groups_finish(&rows);
    cw_groups_finish(&boxes);
}

/* Where a window of whole rows fits they stay whole. */
static void rows_that_fit_stay_whole(void **state)
{
    struct cw_groups g;

    (void)state;
    g = chain_groups(&c, (struct cw_groups_options){.cache_bytes = 400 * TILE, .workers = 1});
    assert_int_equal(g.inner[0], 20);
    assert_true(g.height > 1);
    cw_groups_finish(&g);
}

static void a_grid_has_all_tiles(void **state)
{
    struct cw_groups_options o = {.workers = 1};
    struct cw_groups g;

    (void)state;
    c.step[3].grid[1]--;
    assert_int_equal(cw_groups_make(c.step, c.steps, &o, &g, NULL), CW_ERR_INVALID);
    c.step[3].grid[0] = c.step[3].grid[1] = c.step[3].grid[2] = UINT32_MAX;
    assert_int_equal(cw_groups_make(c.step, c.steps, &o, &g, NULL), CW_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes_are_in_the_order_of_the_definitions),
        cmocka_unit_test(random_options_keep_every_dependence),
        cmocka_unit_test(wide_rows_are_cut_too),
        cmocka_unit_test(rows_that_fit_stay_whole),
        cmocka_unit_test(a_grid_has_all_tiles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
