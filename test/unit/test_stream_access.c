/* test_stream_access.c - conflicts of commands on streams, against all pairs of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/run/streams/stream_access.h"

#define COMMANDS 120
#define REGIONS  3
#define BYTES    40

struct command {
    struct cw_stream_bytes of[3];
    uint32_t n, stream;
    bool after[COMMANDS + 1]; /* these are over before it begins */
};

static uint32_t state;

static uint32_t any(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

static struct cw_stream_bytes some_bytes(void)
{
    uint64_t low = any(BYTES), bytes = 1 + any(any(4) ? 6 : BYTES);
    bool write = any(2);

    return (struct cw_stream_bytes){.region = any(REGIONS),
                                    .low = low,
                                    .high = low + bytes,
                                    .write = write,
                                    .commutes = write ? any(3) : 0};
}

static bool conflict(const struct command *a, const struct command *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < b->n; j++)
            if (a->of[i].region == b->of[j].region && a->of[i].low < b->of[j].high &&
                b->of[j].low < a->of[i].high && (a->of[i].write || b->of[j].write) &&
                !(a->of[i].commutes && a->of[i].commutes == b->of[j].commutes))
                return true;
    return false;
}

/* Command k comes after all up to `number` on stream s. */
static void comes_after(struct command *c, uint32_t k, uint32_t s, uint64_t number)
{
    for (uint32_t j = 1; j < k && j <= number; j++)
        if (c[j].stream == s) {
            c[k].after[j] = true;
            for (uint32_t i = 1; i < j; i++)
                c[k].after[i] |= c[j].after[i];
        }
}

static void one(uint32_t seed, uint32_t streams)
{
    static struct cw_stream_accesses a;
    static struct command c[COMMANDS + 1];
    uint64_t over[CW_STREAM_MAX] = {0}, need[CW_STREAM_MAX];

    state = seed;
    a.n = 0;
    memset(c, 0, sizeof c);
    for (uint32_t k = 1; k <= COMMANDS; k++) {
        c[k].n = 1 + any(3);
        c[k].stream = any(streams);
        memset(need, 0, sizeof need);
        for (uint32_t i = 0; i < c[k].n; i++) {
            c[k].of[i] = some_bytes();
            cw_stream_access_conflicts(&a, &c[k].of[i], over, need);
        }
        comes_after(c, k, c[k].stream, k - 1);
        for (uint32_t s = 0; s < streams; s++)
            comes_after(c, k, s, need[s]);
        for (uint32_t j = 1; j < k; j++)
            assert_true(c[k].after[j] || !conflict(&c[j], &c[k]));
        for (uint32_t i = 0; i < c[k].n; i++)
            if (!cw_stream_access_add(&a, &c[k].of[i], c[k].stream, k))
                return; /* full: its user closes the streams */
    }
}

static void all_conflicts_are_found(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 400; seed++)
        one(seed, 1 + seed % CW_STREAM_MAX);
}

static void needs(struct cw_stream_accesses *a, struct cw_stream_bytes bytes, uint64_t zero, uint64_t one_)
{
    uint64_t over[CW_STREAM_MAX] = {0}, need[CW_STREAM_MAX] = {0};

    cw_stream_access_conflicts(a, &bytes, over, need);
    assert_int_equal(need[0], zero);
    assert_int_equal(need[1], one_);
}

static void independent_ones_wait_for_none(void **unused)
{
    static struct cw_stream_accesses a;
    struct cw_stream_bytes left = {7, 0, 16, .write = true}, right = {7, 16, 32, .write = true},
                           look = {7, 0, 32, .write = false};

    (void)unused;
    assert_true(cw_stream_access_add(&a, &left, 0, 1));
    needs(&a, right, 0, 0);
    assert_true(cw_stream_access_add(&a, &right, 1, 2));
    needs(&a, look, 1, 2);
    assert_true(cw_stream_access_add(&a, &look, 1, 3));
    needs(&a, look, 1, 2); /* readers do not wait for each other */
    needs(&a, left, 1, 3);
    needs(&a, (struct cw_stream_bytes){8, 0, 32, .write = true}, 0, 0);
    assert_true(cw_stream_access_add(&a, &(struct cw_stream_bytes){7, 0, 64, .write = true}, 0, 4));
    assert_int_equal(a.n, 1); /* the others are implied */
}

/* Accesses of one class of atomic operations have no order between them; each has one with all others. */
static void those_that_commute_do_not_wait_for_each_other(void **unused)
{
    static struct cw_stream_accesses a;
    struct cw_stream_bytes read = {7, 0, 16, .write = false},
                           one_more = {7, 0, 4, .write = true, .commutes = 1},
                           other = {7, 0, 4, .write = true, .commutes = 2};

    (void)unused;
    assert_true(cw_stream_access_add(&a, &read, 0, 1));
    needs(&a, one_more, 1, 0);
    assert_true(cw_stream_access_add(&a, &one_more, 1, 2));
    needs(&a, one_more, 1, 0); /* the one on stream 1 may begin later */
    needs(&a, other, 1, 2);
    needs(&a, read, 0, 2);
}

static void what_is_over_is_forgotten(void **unused)
{
    static struct cw_stream_accesses a;
    struct cw_stream_bytes x = {7, 0, 16, .write = true};
    uint64_t over[CW_STREAM_MAX] = {1}, need[CW_STREAM_MAX] = {0};

    (void)unused;
    assert_true(cw_stream_access_add(&a, &x, 0, 1));
    cw_stream_access_conflicts(&a, &x, over, need);
    assert_int_equal(need[0], 0);
    assert_int_equal(a.n, 0);
}

/* Also where a later command, which waits for it, has taken its place in the list. */
static void what_polls_is_known_until_it_is_over(void **unused)
{
    uint64_t over[CW_STREAM_MAX] = {0}, need[CW_STREAM_MAX] = {0};
    struct cw_stream_bytes polled = {7, 0, 64, .polled = true}, fill = {7, 0, 64, .write = true};
    struct cw_stream_accesses a = {0};

    (void)unused;
    assert_true(cw_stream_access_add(&a, &polled, 0, 1));
    assert_true(cw_stream_access_is_polled(&a, 7, over));
    assert_false(cw_stream_access_is_polled(&a, 8, over));
    assert_true(cw_stream_access_add(&a, &fill, 1, 2));
    assert_int_equal(a.n, 1);
    assert_true(cw_stream_access_is_polled(&a, 7, over));
    over[1] = 2;
    assert_false(cw_stream_access_is_polled(&a, 7, over));
    cw_stream_access_conflicts(&a, &fill, over, need);
    assert_int_equal(a.n, 0);
}

static void a_full_list_says_so(void **unused)
{
    static struct cw_stream_accesses a;

    (void)unused;
    for (uint32_t i = 0; i < CW_STREAM_ACCESSES; i++)
        assert_true(
            cw_stream_access_add(&a, &(struct cw_stream_bytes){i + 1, 0, 1, .write = true}, 0, i + 1));
    assert_false(cw_stream_access_add(&a, &(struct cw_stream_bytes){9999, 0, 1, .write = true}, 0, 9999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_conflicts_are_found),
        cmocka_unit_test(independent_ones_wait_for_none),
        cmocka_unit_test(those_that_commute_do_not_wait_for_each_other),
        cmocka_unit_test(what_is_over_is_forgotten),
        cmocka_unit_test(what_polls_is_known_until_it_is_over),
        cmocka_unit_test(a_full_list_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
