/* Priority groups: orders of random chains held against dependences found the slow way. */
#include "groups_chain.h"

/* Columns that no even cut has; the order is to hold for all of them. */
static const uint32_t *random_columns(struct chain *c, uint32_t step, uint64_t *seed)
{
    uint32_t at = (uint32_t)cw_random_below(seed, 4);

    for (uint32_t i = 0; i < c->step[step].tiles; i++)
        c->column[step][i] = at += 1 + (cw_random_below(seed, 8) == 0);
    return c->column[step];
}

static void random_chain(struct chain *c, uint64_t *seed)
{
    uint32_t most = (uint32_t)cw_random_below(seed, TILES_MAX) + 1,
             buffers = (uint32_t)cw_random_below(seed, 4) + 1;

    *c = (struct chain){0};
    for (uint32_t steps = (uint32_t)cw_random_below(seed, STEPS_MAX) + 1; c->steps < steps;) {
        uint32_t tiles = cw_random_below(seed, 4) ? most : (uint32_t)cw_random_below(seed, most) + 1,
                 accesses = (uint32_t)cw_random_below(seed, ACCESSES_MAX) + 1;
        struct cw_groups_access *a = chain_add(c, tiles, accesses);
        for (uint32_t k = 0; k < accesses; k++) {
            uint32_t b = (uint32_t)cw_random_below(seed, buffers);
            int64_t low = (int64_t)cw_random_below(seed, 3), high = (int64_t)cw_random_below(seed, 3);
            bool write = cw_random_below(seed, 3) == 0, all = cw_random_below(seed, 30) == 0;
            for (uint32_t i = 0; i < tiles; i++) {
                int64_t at = (int64_t)i * most / tiles;
                a[i * accesses + k] = all ? chain_part(b, 0, most - 1, most, write)
                                          : chain_part(b, at - low, at + high, most, write);
                a[i * accesses + k].low += cw_random_below(seed, 9);
            }
        }
        if (cw_random_below(seed, 4) == 0) {
            c->step[c->steps - 1].column = random_columns(c, c->steps - 1, seed);
            c->step[c->steps - 1].lean = (double)cw_random_below(seed, 30) / 4;
        }
    }
}

static void random_orders_keep_every_dependence(void **state)
{
    uint64_t seed = 7;
    struct chain *c = malloc(sizeof *c);

    (void)state;
    for (int round = 0; round < 300; round++) {
        random_chain(c, &seed);
        struct cw_groups_options o = {.rule = (enum cw_groups_rule)cw_random_below(&seed, 3),
                                      .workers = (uint32_t)cw_random_below(&seed, 4) + 1,
                                      .width = (uint32_t)cw_random_below(&seed, 6),
                                      .height = (uint32_t)cw_random_below(&seed, 6),
                                      .cache_bytes =
                                          cw_random_below(&seed, 2) * 1000 * cw_random_below(&seed, 80),
                                      .separate = cw_random_below(&seed, 2),
                                      .reuse = (double)cw_random_below(&seed, 12) / 4,
                                      .seed = cw_random_below(&seed, 3) ? 0 : seed};
        struct cw_groups g = chain_groups(c, o), again = chain_groups(c, o);
        chain_check(c, &g);
        assert_memory_equal(g.tile, again.tile, g.tiles * sizeof *g.tile);
        for (uint32_t k = 1; k < g.tiles && !o.seed; k++)
            assert_true(g.tile[k].group == g.tile[k - 1].group || g.tile[k].group == g.tile[k - 1].group + 1);
        for (uint32_t k = 0; k < g.tiles; k++)
            assert_true(g.tile[k].worker < o.workers);
        cw_groups_finish(&g);
        cw_groups_finish(&again);
    }
    free(c);
}

/* Small chains, of which some shuffled orders are legal as they are drawn. */
static void shuffled_orders_of_small_chains(void **state)
{
    struct chain c = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        c.steps = 0;
        chain_jacobi(&c, (uint32_t)(seed % 3) + 1, (uint32_t)(seed % 4) + 1, (int)(seed % 2));
        struct cw_groups g = chain_groups(&c, (struct cw_groups_options){.seed = seed});
        chain_check(&c, &g);
        cw_groups_finish(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_orders_keep_every_dependence),
        cmocka_unit_test(shuffled_orders_of_small_chains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
