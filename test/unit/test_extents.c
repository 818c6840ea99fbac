/* Extents (shim/run/memory/extents.h) against an array that holds the mask of each byte. */
#include "../../shim/run/memory/extents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BYTES = 97, MEMORIES = 4, OPERATIONS = 1000000 };

static uint32_t number(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static void check_form(const struct cw_extents *e, const uint8_t *valid)
{
    uint64_t at = 0;

    assert_true(e->n && e->n + e->promised <= e->capacity);
    for (uint32_t i = 0; i < e->n; i++) {
        assert_int_equal(e->of[i].low, at);
        assert_true(e->of[i].high > at);
        assert_true(!i || e->of[i].valid != e->of[i - 1].valid);
        for (; at < e->of[i].high; at++)
            assert_int_equal(e->of[i].valid, valid[at]);
    }
    assert_int_equal(at, BYTES);
}

static void check_missing(const struct cw_extents *e, const uint8_t *valid, uint32_t low, uint32_t high,
                          uint64_t where)
{
    struct cw_extent piece;
    uint32_t at = low, end;

    while (at < high && at < BYTES && (valid[at] & where) == where)
        at++;
    if (at >= high || at >= BYTES) {
        assert_false(cw_extents_missing(e, low, high, where, &piece));
        return;
    }
    for (end = at; end < high && end < BYTES && valid[end] == valid[at]; end++)
        ;
    assert_true(cw_extents_missing(e, low, high, where, &piece));
    assert_int_equal(piece.low, at);
    assert_int_equal(piece.high, end);
    assert_int_equal(piece.valid, valid[at]);
}

static void agrees_with_bytes(void **unused)
{
    uint8_t valid[BYTES];
    struct cw_extents e;
    uint32_t seed = 1;

    (void)unused;
    assert_true(cw_extents_init(&e, BYTES, 1));
    for (uint32_t at = 0; at < BYTES; at++)
        valid[at] = 1;
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        uint32_t low = number(&seed, BYTES + 1), high = number(&seed, BYTES + 8);
        uint64_t keep = number(&seed, 1 << MEMORIES), set = number(&seed, 1 << MEMORIES);

        assert_true(cw_extents_reserve(&e, 1 + i % 3));
        cw_extents_return(&e, i % 3);
        cw_extents_change(&e, low, high, keep, set);
        for (uint32_t at = low; at < high && at < BYTES; at++)
            valid[at] = (uint8_t)((valid[at] & keep) | set);
        assert_int_equal(e.promised, 0);
        check_missing(&e, valid, number(&seed, BYTES + 1), number(&seed, BYTES + 8),
                      number(&seed, 1 << MEMORIES));
        if (i % 16 == 0)
            check_form(&e, valid);
    }
    cw_extents_finish(&e);
}

/* Room that is promised to several changes is there when they come. */
static void keeps_promises(void **unused)
{
    struct cw_extents e;

    (void)unused;
    assert_true(cw_extents_init(&e, 1000, 1));
    assert_true(cw_extents_reserve(&e, 200));
    for (uint64_t i = 0; i < 200; i++)
        cw_extents_change(&e, 5 * i, 5 * i + 1, 0, 2);
    assert_int_equal(e.n, 400);
    assert_int_equal(e.promised, 0);
    cw_extents_finish(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_bytes), cmocka_unit_test(keeps_promises)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
