/* The copies that make bytes valid in a memory, as a printed list: those of a line are made at the same time,
 * and the next line is what is left to do then. */
#include "../../shim/run/memory/coherence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1000, MOST = 4, HOST = CW_MEMORY_HOST };

#define AT(memory) (UINT64_C(1) << (memory))

static struct cw_extents valid;
static char printed[512];

/* All bytes are in the host's memory alone. */
static int setup(void **unused)
{
    (void)unused;
    assert_true(cw_extents_init(&valid, BYTES, AT(HOST)));
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    cw_extents_finish(&valid);
    return 0;
}

static void are(uint64_t low, uint64_t high, uint64_t where)
{
    assert_true(cw_extents_reserve(&valid, 1));
    cw_extents_change(&valid, low, high, 0, where);
}

static void add(const char *text)
{
    strncat(printed, text, sizeof printed - strlen(printed) - 1);
}

/* What is to be done for [low, high) in `memory`, and does it. */
static const char *list(uint64_t low, uint64_t high, uint32_t memory, uint64_t direct)
{
    struct cw_coherence_move move[MOST];
    char one[64];
    uint32_t n;
    bool lost;

    printed[0] = 0;
    while ((n = cw_coherence_moves(&valid, low, high, memory, direct, move, MOST, &lost))) {
        assert_true(cw_extents_reserve(&valid, n));
        for (uint32_t i = 0; i < n; i++) {
            snprintf(one, sizeof one, "%s%u>%u [%u, %u)", i ? ", " : "", move[i].from, move[i].to,
                     (unsigned)move[i].low, (unsigned)move[i].high);
            add(one);
            cw_coherence_moved(&valid, &move[i]);
        }
        add("\n");
    }
    add(lost ? "lost\n" : "");
    return printed;
}

static void what_is_there_needs_none(void **unused)
{
    (void)unused;
    assert_string_equal(list(0, BYTES, HOST, 0), "");
    assert_string_equal(list(500, 500, 1, 0), "");
    assert_string_equal(list(100, 200, 1, 0), "0>1 [100, 200)\n");
    assert_string_equal(list(100, 200, 1, 0), "");
    assert_string_equal(list(0, BYTES, 1, 0), "0>1 [0, 100)\n0>1 [200, 1000)\n");
}

/* By way of the host's memory: two copies, of which the second waits for the first. */
static void between_devices_the_host_relays(void **unused)
{
    (void)unused;
    are(0, 400, AT(1));
    assert_string_equal(list(0, BYTES, 2, 0), "1>0 [0, 400)\n0>2 [0, 400)\n0>2 [400, 1000)\n");
    are(0, 400, AT(1));
    assert_string_equal(list(0, BYTES, HOST, 0), "1>0 [0, 400)\n");
}

static void direct_ones_are_made_at_the_same_time(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 6; i++)
        are(100 * i, 100 * i + 100, AT(1 + i % 2));
    assert_string_equal(list(0, 600, 3, AT(1) | AT(2) | AT(3)),
                        "1>3 [0, 100), 2>3 [100, 200), 1>3 [200, 300), 2>3 [300, 400)\n"
                        "1>3 [400, 500), 2>3 [500, 600)\n");
    are(0, 600, AT(1));
    assert_string_equal(list(500, 700, 2, AT(1) | AT(2)), "1>2 [500, 600)\n0>2 [600, 700)\n");
    are(0, 300, AT(1));
    are(100, 200, AT(3));
    assert_string_equal(list(0, 300, 2, AT(1) | AT(2)),
                        "1>2 [0, 100)\n3>0 [100, 200)\n0>2 [100, 200)\n1>2 [200, 300)\n");
}

/* The last of those that are as quick as the host's memory; else the host's, as any other takes two. */
static void the_quickest_source_is_taken(void **unused)
{
    (void)unused;
    are(0, BYTES, AT(HOST) | AT(1) | AT(2));
    assert_string_equal(list(0, 10, 3, AT(1) | AT(2) | AT(3)), "2>3 [0, 10)\n");
    assert_string_equal(list(10, 20, 3, AT(1) | AT(2)), "0>3 [10, 20)\n");
    assert_string_equal(list(20, 30, 3, AT(1) | AT(3)), "1>3 [20, 30)\n");
    assert_string_equal(list(30, 40, 3, 0), "0>3 [30, 40)\n");
}

/* What comes before it is copied. */
static void lost_bytes_end_the_list(void **unused)
{
    (void)unused;
    are(0, 300, AT(1));
    are(100, 200, 0);
    assert_string_equal(list(0, 300, 2, AT(1) | AT(2)), "1>2 [0, 100)\nlost\n");
    assert_string_equal(list(200, 300, 2, AT(1) | AT(2)), "1>2 [200, 300)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_there_needs_none, setup, teardown),
        cmocka_unit_test_setup_teardown(between_devices_the_host_relays, setup, teardown),
        cmocka_unit_test_setup_teardown(direct_ones_are_made_at_the_same_time, setup, teardown),
        cmocka_unit_test_setup_teardown(the_quickest_source_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(lost_bytes_end_the_list, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
