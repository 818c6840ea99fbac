/* Plans of priority groups as bytes: the same plan comes back, a damaged one does not, and every one
 * that does can be walked. Its chain is told from all others. */
#include "groups_chain.h"

#include "../../sched/groups_pack.h"

static void expect_same(const struct cw_groups *a, const struct cw_groups *b)
{
    uint32_t successors = 0;

    assert_int_equal(a->tiles, b->tiles);
    assert_int_equal(a->groups, b->groups);
    assert_int_equal(a->blocks, b->blocks);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->width, b->width);
    assert_true(a->touched_bytes == b->touched_bytes && a->plain_bytes == b->plain_bytes);
    assert_memory_equal(a->tile, b->tile, a->tiles * sizeof *a->tile);
    for (uint32_t i = 0; i < a->tiles; i++)
        successors += a->tile[i].successors;
    assert_true(successors > 0);
    assert_memory_equal(a->successor, b->successor, successors * sizeof *a->successor);
}

static void comes_back(void **state)
{
    struct chain c = {0};
    struct cw_groups g, again;
    size_t bytes;
    void *data;

    (void)state;
    chain_jacobi(&c, 20, 6, 1);
    g = chain_groups(&c, (struct cw_groups_options){.width = 3, .height = 4, .workers = 2});
    data = cw_groups_pack(&g, &bytes);
    assert_true(data && cw_groups_unpack(data, bytes, &again));
    expect_same(&g, &again);
    cw_groups_finish(&again);
    for (size_t n = 0; n < bytes; n += 7)
        assert_false(cw_groups_unpack(data, n, &again));
    assert_null(again.tile);
    cw_groups_finish(&g);
    free(data);
}

/* Whatever byte is other than it was: no plan, or one whose successors are tiles behind. */
static void damage_is_no_harm(void **state)
{
    struct chain c = {0};
    struct cw_groups g, again;
    uint64_t seed = 5;
    unsigned char *data;
    size_t bytes;

    (void)state;
    chain_jacobi(&c, 12, 4, 1);
    g = chain_groups(&c, (struct cw_groups_options){.width = 2, .workers = 2});
    data = cw_groups_pack(&g, &bytes);
    for (size_t k = 0; k < bytes; k++) {
        unsigned char was = data[k];

        data[k] ^= (unsigned char)(1 + cw_random_below(&seed, 255));
        if (cw_groups_unpack(data, bytes, &again)) {
            for (uint32_t i = 0; i < again.tiles; i++)
                for (uint32_t e = 0; e < again.tile[i].successors; e++) {
                    uint32_t next = again.successor[again.tile[i].first + e];
                    assert_true(next > i && next < again.tiles);
                }
            cw_groups_finish(&again);
        }
        data[k] = was;
    }
    cw_groups_finish(&g);
    free(data);
}

struct words {
    uint64_t *word;
    size_t n;
};

static struct words words_of(const struct chain *c, const struct cw_groups_options *o)
{
    struct words w;

    w.word = cw_groups_words(c->step, c->steps, o, &w.n);
    assert_non_null(w.word);
    return w;
}

static bool same_words(const struct words *a, const struct words *b)
{
    return a->n == b->n && !memcmp(a->word, b->word, a->n * sizeof *a->word);
}

/* Each thing that a plan is made of is among them. */
static void words_differ(void **state)
{
    struct cw_groups_options o = {
        .rule = CW_GROUPS_SKEW, .workers = 2, .separate = true, .cache_bytes = 1000};
    struct cw_groups_options options[] = {o, o, o, o, o, o, o, o, o, o, o};
    static struct chain chain[6];
    struct words all[18];
    uint32_t n = 0;

    (void)state;
    options[1].rule = CW_GROUPS_MAX, options[2].workers = 3, options[3].separate = false,
    options[4].height = 2, options[5].width = 2;
    options[6].cache_bytes = 1001, options[7].measured = true, options[8].seed = 1;
    options[9].reuse = 1, options[10].inner[1] = 1;
    for (uint32_t k = 0; k < 6; k++)
        chain_jacobi(&chain[k], 8, 3, 1);
    chain[1].access[2][3].high++;
    chain[2].access[1][2].write ^= true;
    chain[3].step[0].lean = .5;
    chain[4].steps = 2;
    chain[5].step[1].grid[0] = 8;
    for (uint32_t k = 0; k < sizeof options / sizeof *options; k++)
        all[n++] = words_of(&chain[0], &options[k]);
    for (uint32_t k = 1; k < 6; k++)
        all[n++] = words_of(&chain[k], &o);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_false(same_words(&all[i], &all[j]));
    all[n] = words_of(&chain[0], &o);
    assert_true(same_words(&all[n], &all[0]));
    for (uint32_t i = 0; i <= n; i++)
        free(all[i].word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(damage_is_no_harm),
        cmocka_unit_test(words_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
