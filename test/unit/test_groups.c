/* Priority groups: known answers by hand. */
#include "groups_chain.h"

/* "g0: 0.0  g1: 0.1 1.0" - groups with step.tile, in order */
static const char *text(const struct cw_groups *g)
{
    static char out[4096];
    size_t n = 0;

    for (uint32_t k = 0; k < g->tiles; k++) {
        if (k == 0 || g->tile[k].group != g->tile[k - 1].group)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%u:", k ? " | " : "", g->tile[k].group);
        n += (size_t)snprintf(out + n, sizeof out - n, " %u.%u", g->tile[k].step, g->tile[k].tile);
    }
    return out;
}

static void expect_order(const struct chain *c, struct cw_groups_options o, const char *want)
{
    struct cw_groups g = chain_groups(c, o);

    assert_string_equal(text(&g), want);
    cw_groups_finish(&g);
}

static void skew_moves_against_the_steps(void **state)
{
    struct chain c = {0};

    (void)state;
    chain_jacobi(&c, 4, 3, 1);
    expect_order(&c, (struct cw_groups_options){.width = 1, .height = 3},
                 "0: 0.0 | 1: 0.1 1.0 | 2: 0.2 1.1 2.0 | 3: 0.3 1.2 2.1 | 4: 1.3 2.2 | 5: 2.3");
    expect_order(&c, (struct cw_groups_options){.width = 2, .height = 3},
                 "0: 0.0 0.1 1.0 | 1: 0.2 0.3 1.1 1.2 2.0 2.1 | 2: 1.3 2.2 2.3");
    expect_order(&c, (struct cw_groups_options){.width = 4, .height = 2},
                 "0: 0.0 0.1 0.2 0.3 1.0 1.1 1.2 | 1: 1.3 | 2: 2.0 2.1 2.2 2.3");
}

/* The patent's maximum: P(0, x) = min(x + 1, 3), P(1, x) = min(x + 2, 3), so that the border folds into the
 * last group. */
static void max_folds_the_border(void **state)
{
    struct chain c = {0};

    (void)state;
    chain_jacobi(&c, 4, 3, 1);
    expect_order(&c, (struct cw_groups_options){.rule = CW_GROUPS_MAX, .width = 1, .height = 3},
                 "0: 0.0 | 1: 0.1 1.0 | 2: 0.2 0.3 1.1 1.2 1.3 2.0 2.1 2.2 2.3");
    expect_order(&c, (struct cw_groups_options){.rule = CW_GROUPS_BY_STEP},
                 "0: 0.0 0.1 0.2 0.3 | 1: 1.0 1.1 1.2 1.3 | 2: "
                 "2.0 2.1 2.2 2.3");
}

static void radius_two_shifts_by_two(void **state)
{
    struct chain c = {0};
    struct cw_groups g;

    (void)state;
    chain_jacobi(&c, 5, 2, 2);
    expect_order(&c, (struct cw_groups_options){.width = 1, .height = 2},
                 "0: 0.0 | 1: 0.1 | 2: 0.2 1.0 | 3: 0.3 1.1 | 4: 0.4 1.2 | 5: 1.3 | 6: 1.4");
    g = chain_groups(&c, (struct cw_groups_options){.width = 1});
    assert_true(g.reach == 2);
    cw_groups_finish(&g);
}

/* A step without neighbours between two with: no effective step, and no shift of its own. */
static void pointwise_steps_do_not_count(void **state)
{
    struct chain c = {0};
    struct cw_groups g;

    (void)state;
    chain_add_stencil(&c, 3, 1, 0, 1);
    chain_add_stencil(&c, 3, 0, 1, 2);
    chain_add_stencil(&c, 3, 1, 2, 0);
    expect_order(&c, (struct cw_groups_options){.width = 1, .height = 2},
                 "0: 0.0 1.0 | 1: 0.1 1.1 2.0 | 2: 0.2 1.2 2.1 | 3: 2.2");
    c.steps = 0;
    chain_add_stencil(&c, 3, 1, 0, 1);
    chain_add_stencil(&c, 3, 0, 1, 2);
    chain_add_stencil(&c, 3, 0, 2, 3);
    g = chain_groups(&c, (struct cw_groups_options){.width = 1, .height = 1});
    assert_int_equal(g.blocks, 1);
    assert_string_equal(text(&g), "0: 0.0 1.0 2.0 | 1: 0.1 1.1 2.1 | 2: 0.2 1.2 2.2");
    cw_groups_finish(&g);
}

/* A reduction of all tiles ends a block; a small step at the border does not, and stands where it touches. */
static void reductions_end_blocks(void **state)
{
    struct chain c = {0};
    struct cw_groups g;

    (void)state;
    chain_jacobi(&c, 8, 2, 1);
    struct cw_groups_access *a = chain_add(&c, 1, 2);
    a[0] = chain_part(0, 0, 7, 8, false), a[1] = chain_part(5, 0, 0, 1, true);
    chain_jacobi(&c, 8, 2, 1);
    g = chain_groups(&c, (struct cw_groups_options){.width = 1});
    assert_int_equal(g.blocks, 2);
    assert_int_equal(g.tile[16].step, 2);
    cw_groups_finish(&g);
    a[0] = chain_part(0, 7, 7, 8, false), a[1] = chain_part(0, 7, 7, 8, true);
    g = chain_groups(&c, (struct cw_groups_options){.width = 1});
    assert_int_equal(g.blocks, 1);
    for (uint32_t k = 0; k < g.tiles; k++)
        if (g.tile[k].step == 2)
            assert_in_range(k, 18, g.tiles - 1);
    cw_groups_finish(&g);
}

/* A kernel over the first row only, cut into four tiles: they stand with tile 0, whatever their index says.
 */
static void border_kernels_stand_at_the_border(void **state)
{
    struct chain c = {0};

    (void)state;
    chain_add_stencil(&c, 4, 1, 0, 1);
    struct cw_groups_access *a = chain_add(&c, 4, 1);
    for (uint64_t i = 0; i < 4; i++)
        a[i] = (struct cw_groups_access){(1 << 20) + i * 50, (1 << 20) + (i + 1) * 50, true};
    chain_add_stencil(&c, 4, 1, 1, 0);
    expect_order(&c, (struct cw_groups_options){.width = 1, .height = 9},
                 "0: 0.0 1.0 1.1 1.2 1.3 | 1: 0.1 2.0 | 2: 0.2 2.1 | 3: 0.3 2.2 | 4: 2.3");
}

/* Neighbours share a lane: of a group of four tiles each of two lanes has two. */
static void lanes_take_neighbours(void **state)
{
    struct chain c = {0};
    struct cw_groups g;

    (void)state;
    chain_jacobi(&c, 8, 2, 1);
    g = chain_groups(&c, (struct cw_groups_options){.width = 4, .height = 2});
    for (uint32_t k = 0; k < g.tiles; k++)
        assert_int_equal(g.tile[k].worker, (g.tile[k].step + g.tile[k].tile) % 4 / 2);
    cw_groups_finish(&g);
}

/* 16 tiles of 1000 bytes in two buffers; by step each step fetches both once, 32,000; skewed the block does.
 */
static void traffic_by_hand(void **state)
{
    struct chain c = {0};
    struct cw_groups g;

    (void)state;
    chain_jacobi(&c, 16, 4, 1);
    g = chain_groups(&c, (struct cw_groups_options){.width = 1, .height = 4, .cache_bytes = 14000});
    assert_int_equal(g.plain_bytes, 4 * 32000);
    assert_int_equal(g.touched_bytes, 32000);
    cw_groups_finish(&g);
    g = chain_groups(&c, (struct cw_groups_options){.cache_bytes = 32000});
    assert_int_equal(g.plain_bytes, 32000);
    cw_groups_finish(&g);
    /* window of H steps and two lanes: 2,000 bytes x (H - 1 + 2 + 2) <= 12,000: H = 3, of four steps two and
     * two */
    g = chain_groups(&c, (struct cw_groups_options){.cache_bytes = 12000});
    assert_int_equal(g.height, 2);
    assert_int_equal(g.blocks, 2);
    assert_int_equal(g.width, 2);
    cw_groups_finish(&g);
    /* first group of width 1: tile 0 reads tiles 0 and 1 and writes one; the largest are in the middle */
    g = chain_groups(&c, (struct cw_groups_options){.width = 1, .height = 1});
    assert_int_equal(g.footprint_bytes, 4000);
    cw_groups_finish(&g);
}

static void expect_blocks(const struct chain *c, double reuse, uint32_t blocks, uint64_t grouped_tiles)
{
    struct cw_groups g = chain_groups(c, (struct cw_groups_options){.width = 16, .reuse = reuse});

    assert_int_equal(g.blocks, blocks);
    assert_int_equal(g.grouped_bytes, grouped_tiles * TILE);
    chain_check(c, &g);
    cw_groups_finish(&g);
}

/* A group is all 16 tiles of a block: four steps touch 32 tiles of memory four times each, which is not more
 * often than four times. A reduction, then a block of two steps, whose reuse is two. */
static void reuse_bounds_blocks(void **state)
{
    struct chain c = {0};
    struct cw_groups_access *a;

    (void)state;
    chain_jacobi(&c, 16, 4, 0);
    expect_blocks(&c, 0, 1, 32);
    expect_blocks(&c, 3.99, 1, 32);
    expect_blocks(&c, 4, 4, 4 * 32);
    a = chain_add(&c, 1, 2);
    a[0] = chain_part(0, 0, 15, 16, false), a[1] = chain_part(5, 0, 0, 1, true);
    chain_jacobi(&c, 16, 2, 0);
    expect_blocks(&c, 1.5, 2, 32 + 32);
    expect_blocks(&c, 3, 3, 32 + 2 * 32);
    expect_blocks(&c, 5, 7, 4 * 32 + 2 * 32);
}

/* What was measured need not be counted: the same order. */
static void measured_is_not_counted(void **state)
{
    struct cw_groups_options o = {.workers = 2, .cache_bytes = 12000};
    struct chain c = {0};
    struct cw_groups g;
    char counted[4096];

    (void)state;
    chain_jacobi(&c, 16, 4, 1);
    g = chain_groups(&c, o);
    snprintf(counted, sizeof counted, "%s", text(&g));
    assert_int_not_equal(g.touched_bytes, 0);
    cw_groups_finish(&g);
    o.measured = true;
    g = chain_groups(&c, o);
    assert_string_equal(text(&g), counted);
    assert_int_equal(g.touched_bytes + g.plain_bytes + g.footprint_bytes, 0);
    cw_groups_finish(&g);
}

/* A step that only later ones need goes when they do: step 1 fills buffer 3, which step 3 adds in. */
static void producers_wait_for_their_readers(void **state)
{
    struct chain c = {0};

    (void)state;
    chain_add_stencil(&c, 3, 1, 0, 1);
    struct cw_groups_access *a = chain_add(&c, 3, 1);
    for (uint32_t i = 0; i < 3; i++)
        a[i] = chain_part(3, i, i, 3, true);
    chain_add_stencil(&c, 3, 1, 1, 2);
    a = chain_add(&c, 3, 2);
    for (uint32_t i = 0; i < 3; i++)
        a[2 * i] = chain_part(3, i, i, 3, false), a[2 * i + 1] = chain_part(2, i, i, 3, true);
    expect_order(&c, (struct cw_groups_options){.width = 1, .height = 9},
                 "0: 0.0 | 1: 0.1 1.0 2.0 3.0 | 2: 0.2 1.1 2.1 3.1 | 3: 1.2 2.2 3.2");
}

/* Tiles of four rows that lean by one a step: a tile needs its own column and the one before, and nothing
 * else. */
static void lean_jacobi(struct chain *c, uint32_t rows, uint32_t steps)
{
    for (uint32_t s = 0; s < steps; s++) {
        struct cw_groups_access *a = chain_add(c, (rows + s + 3) / 4, 2);
        for (uint32_t i = 0; i < c->step[s].tiles; i++) {
            int64_t first = 4 * (int64_t)i - s, last = first + 3;
            c->column[s][i] = i;
            a[2 * i] = chain_part(s % 2, first - 1, last + 1, rows, false);
            a[2 * i + 1] = chain_part((s + 1) % 2, first, last, rows, true);
        }
        c->step[s].column = c->column[s];
        c->step[s].lean = s / 4.0;
    }
}

static void leaning_bands_need_one_column(void **state)
{
    struct chain c = {0};
    struct cw_groups g;
    double lean[STEPS_MAX];

    (void)state;
    lean_jacobi(&c, 12, 3);
    expect_order(&c, (struct cw_groups_options){.width = 1, .height = 3},
                 "0: 0.0 1.0 2.0 | 1: 0.1 1.1 2.1 | 2: 0.2 1.2 2.2 | 3: 1.3 2.3");
    /* a column, the lean of all steps and the reach at both ends: 1 + 2/4 + 2/4 of 4 columns that are 24 rows
     */
    g = chain_groups(&c, (struct cw_groups_options){.width = 1, .cache_bytes = 12 * TILE});
    assert_int_equal(g.height, 3);
    cw_groups_finish(&g);
    g = chain_groups(&c, (struct cw_groups_options){.width = 1, .cache_bytes = 10 * TILE});
    assert_int_equal(g.height, 1);
    cw_groups_finish(&g);
    c.steps = 0;
    chain_jacobi(&c, 16, 4, 2);
    assert_int_equal(cw_groups_leans(c.step, 4, lean, NULL), CW_OK);
    for (int s = 0; s < 4; s++)
        assert_float_equal(lean[s], 2 * s, 0);
}

/* Each lane does what needs no other one first: no tile of its range waits for the other lane's but those
 * behind all of them. */
static void lanes_apart_meet_once_a_block(void **state)
{
    struct chain c = {0};
    uint32_t late = 0, lane = 0, seen[2] = {0}, changes = 0;

    (void)state;
    lean_jacobi(&c, 36, 4);
    struct cw_groups g =
        chain_groups(&c, (struct cw_groups_options){.width = 1, .height = 4, .workers = 2, .separate = true});
    chain_check(&c, &g);
    for (uint32_t k = 0; k < g.tiles; k++) {
        changes += k && g.tile[k].worker != lane;
        lane = g.tile[k].worker;
        seen[lane]++;
        late += changes >= 2;
    }
    assert_int_equal(changes,
                     1); /* lane 0, lane 1, and lane 1's border at the end, which alone waits for lane 0 */
    assert_true(seen[0] + 4 >= seen[1] && seen[1] + 4 >= seen[0]);
    assert_int_equal(late, 0);
    for (uint32_t k = 0; k < g.tiles; k++)
        for (uint32_t e = g.tile[k].first; e < g.tile[k].first + g.tile[k].successors; e++)
            if (g.tile[k].worker != g.tile[g.successor[e]].worker)
                assert_true(g.successor[e] + 6 >= g.tiles); /* the triangle of 1 + 2 + 3 tiles */
    cw_groups_finish(&g);
}

/* In place, bands of 64 rows that lean by one a step, as in a Gauss-Seidel of two colours: borders are at
 * every row by and by, which is not to count as many dependences. */
static void bands_that_lean_are_local(void **state)
{
    enum { STEPS = 62, ROWS = 16384, BAND = 64, ROW = 8192, TILES = ROWS / BAND + 1 };
    struct cw_groups_access *a = calloc((size_t)STEPS * TILES * 2, sizeof *a);
    uint32_t *column = malloc(TILES * sizeof *column);
    struct cw_groups_step step[STEPS];
    struct cw_groups_options o = {.workers = 2, .separate = true, .cache_bytes = 8 << 20, .measured = true};
    struct cw_groups g;

    (void)state;
    for (uint32_t i = 0; i < TILES; i++)
        column[i] = i;
    for (int64_t s = 0; s < STEPS; s++) {
        struct cw_groups_access *b = &a[s * TILES * 2];
        for (int64_t i = 0; i < TILES; i++) {
            int64_t low = i * BAND - s, high = low + BAND;
            low = low < 0 ? 0 : low, high = high > ROWS ? ROWS : high;
            b[2 * i] = (struct cw_groups_access){(uint64_t)(low ? low - 1 : 0) * ROW,
                                                 (uint64_t)(high + 1) * ROW, false};
            b[2 * i + 1] = (struct cw_groups_access){(uint64_t)low * ROW, (uint64_t)high * ROW, true};
        }
        step[s] = (struct cw_groups_step){
            .tiles = TILES, .accesses = 2, .access = b, .column = column, .lean = (double)s / BAND};
    }
    assert_int_equal(cw_groups_make(step, STEPS, &o, &g, NULL), CW_OK);
    for (uint32_t k = 0; k < g.tiles; k++)
        assert_true(g.tile[k].waits <= 3);
    cw_groups_finish(&g);
    free(column);
    free(a);
}

static void bad_input(void **state)
{
    struct chain c = {0};
    struct cw_groups g;
    struct cw_error err = {0};
    struct cw_groups_options o = {.workers = 1};

    (void)state;
    assert_int_equal(cw_groups_make(c.step, 0, &o, &g, &err), CW_ERR_INVALID);
    assert_null(g.tile);
    chain_add(&c, 0, 1);
    assert_int_equal(cw_groups_make(c.step, 1, &o, &g, NULL), CW_ERR_INVALID);
    o.workers = 0;
    assert_int_equal(cw_groups_make(c.step, 1, &o, &g, NULL), CW_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_moves_against_the_steps),
        cmocka_unit_test(max_folds_the_border),
        cmocka_unit_test(radius_two_shifts_by_two),
        cmocka_unit_test(pointwise_steps_do_not_count),
        cmocka_unit_test(reductions_end_blocks),
        cmocka_unit_test(traffic_by_hand),
        cmocka_unit_test(reuse_bounds_blocks),
        cmocka_unit_test(measured_is_not_counted),
        cmocka_unit_test(producers_wait_for_their_readers),
        cmocka_unit_test(border_kernels_stand_at_the_border),
        cmocka_unit_test(lanes_take_neighbours),
        cmocka_unit_test(leaning_bands_need_one_column),
        cmocka_unit_test(lanes_apart_meet_once_a_block),
        cmocka_unit_test(bands_that_lean_are_local),
        cmocka_unit_test(bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
