/* The last users of each byte: random reads, writes and updates of few bytes. The edges that follow lead from
 * each command to each later one that it may not change places with; and no edge joins commands that may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/graph/graph_parts.h"
#include "../../sched/random.h"

enum { COMMANDS = 60, BYTES = 12, READ = 1, WRITE = 2, FIRST_CLASS = 3 };

struct history {
    uint8_t use[COMMANDS][BYTES][2]; /* READ, WRITE, or a class; of two arguments */
    bool edge[COMMANDS][COMMANDS];   /* from, to */
    bool behind[COMMANDS][COMMANDS]; /* a path leads from the second to the first */
    uint32_t to;
    bool reads, writes;
};

static void add_edge(struct history *h, uint32_t from)
{
    if (from != h->to && from != CW_NONE)
        h->edge[from][h->to] = true;
}

static void visit(void *context, uint64_t bytes, const struct cw_segment_users *before)
{
    struct history *h = context;

    assert_in_range(bytes, 1, BYTES);
    for (const struct cw_reader *r = before->readers; r && h->writes; r = r->next)
        for (uint32_t i = 0; i < r->count; i++)
            add_edge(h, r->command[i]);
    add_edge(h, before->writer);
    for (const struct cw_reader *r = before->updates; r; r = r->next)
        for (uint32_t i = 0; i < r->count; i++)
            add_edge(h, r->command[i]);
}

static bool conflict(uint8_t a, uint8_t b)
{
    return a && b && !(a == READ && b == READ) && !(a >= FIRST_CLASS && a == b);
}

/* The commands touch some byte in ways that do not commute. */
static bool may_not_change(const struct history *h, uint32_t i, uint32_t j)
{
    bool found = false;

    for (int b = 0; b < BYTES && !found; b++)
        for (int k = 0; k < 4 && !found; k++)
            found = conflict(h->use[i][b][k / 2], h->use[j][b][k % 2]);
    return found;
}

static void use(struct history *h, struct cw_interval_map *m, struct cw_interval_pool *p, uint64_t *random,
                int argument, uint8_t how)
{
    uint64_t lo = cw_random_below(random, BYTES), hi = lo + 1 + cw_random_below(random, BYTES - lo);
    bool ok;

    for (uint64_t b = lo; b < hi; b++)
        h->use[h->to][b][argument] = how;
    h->reads = how != WRITE;
    h->writes = how != READ;
    if (how == READ)
        ok = cw_interval_map_read(m, p, lo, hi, h->to, visit, h);
    else if (how == WRITE)
        ok = cw_interval_map_write(m, p, lo, hi, h->to, visit, h);
    else
        ok = cw_interval_map_update(m, p, lo, hi, h->to, how, visit, h);
    assert_true(ok);
}

static void close_paths(struct history *h)
{
    for (uint32_t i = 0; i < h->to; i++)
        if (h->edge[i][h->to]) {
            h->behind[h->to][i] = true;
            for (uint32_t k = 0; k < i; k++)
                h->behind[h->to][k] |= h->behind[i][k];
        }
}

/* Returns the edges that were not needed. */
static unsigned check(uint64_t seed, unsigned classes, bool two)
{
    struct history *h = calloc(1, sizeof *h);
    struct cw_interval_map m = {0};
    struct cw_interval_pool *p = cw_interval_pool_create();
    uint64_t random = seed;
    unsigned idle = 0;

    assert_true(h && p);
    for (h->to = 0; h->to < COMMANDS; h->to++) {
        uint8_t how = (uint8_t)(1 + cw_random_below(&random, 2 + 2 * classes));
        uint8_t other = (uint8_t)(1 + cw_random_below(&random, 2 + classes));

        how = how > FIRST_CLASS - 1 + classes ? (uint8_t)(how - classes) : how; /* mostly updates */
        if (two && other == READ) /* the graph notes reads first */
            use(h, &m, p, &random, 1, other);
        use(h, &m, p, &random, 0, how);
        if (two && other != READ)
            use(h, &m, p, &random, 1, other);
        close_paths(h);
        for (uint32_t i = 0; i < h->to; i++) {
            assert_true(!may_not_change(h, i, h->to) || h->behind[h->to][i]);
            idle += h->edge[i][h->to] && !may_not_change(h, i, h->to);
        }
    }
    cw_interval_pool_destroy(p);
    free(h);
    return idle;
}

static void test_one_class(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        assert_int_equal(check(seed, 1, false), 0);
}

static void test_several(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        (void)check(seed, 3, false);
        (void)check(seed, 1, true);
        (void)check(seed, 2, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_class), cmocka_unit_test(test_several)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
