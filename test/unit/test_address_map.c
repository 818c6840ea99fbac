/* The map of allocations by address (analyzer/io/address_map.h) against an array that holds the owner of each
 * byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/io/address_map.h"
#include "../../sched/random.h"

enum { BYTES = 6000, OPERATIONS = 200000, MOST = 40 };

static const uint64_t ends[] = {0, 1 << 20, UINT64_MAX - BYTES}; /* where the bytes begin: both ends, too */

struct range {
    uint32_t start, bytes;
};

static struct range range[BYTES], *owner[BYTES];

static struct range *first_of(uint32_t start, uint32_t bytes)
{
    for (uint32_t i = start; i < start + bytes && i < BYTES; i++)
        if (owner[i])
            return owner[i];
    return NULL;
}

static void step(struct cw_address_map *m, uint64_t base, uint64_t *seed, bool grows)
{
    uint32_t at = (uint32_t)cw_random_below(seed, BYTES), bytes = (uint32_t)cw_random_below(seed, MOST);
    struct range *found = first_of(at, bytes);
    uint64_t from;

    assert_ptr_equal(cw_address_map_find(m, base + at, bytes, &from), found);
    assert_true(!found || from == base + found->start);
    if (cw_random_below(seed, 4) ? grows : !grows) {
        bytes = bytes > BYTES - at ? BYTES - at : bytes;
        assert_int_equal(cw_address_map_add(m, base + at, bytes, &range[at]), bytes && !first_of(at, bytes));
        for (uint32_t i = at; !found && i < at + bytes; i++)
            owner[i] = &range[at];
        if (!found && bytes)
            range[at] = (struct range){at, bytes};
        return;
    }
    found = owner[at] && owner[at]->start == at ? owner[at] : NULL;
    assert_ptr_equal(cw_address_map_remove(m, base + at), found);
    for (uint32_t i = at; found && i < at + range[at].bytes; i++)
        owner[i] = NULL;
}

static void agrees_with_bytes(void **unused)
{
    uint64_t seed = 1;

    (void)unused;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        struct cw_address_map m = {0};
        memset(owner, 0, sizeof owner);
        for (int i = 0; i < OPERATIONS; i++)
            step(&m, ends[e], &seed, i / (OPERATIONS / 8) % 2 == 0);
        cw_address_map_finish(&m);
        assert_ptr_equal(cw_address_map_find(&m, 0, UINT64_MAX, NULL), NULL);
    }
}

/* In the order of their addresses, and against it. */
static void many(void **unused)
{
    (void)unused;
    for (int down = 0; down < 2; down++) {
        struct cw_address_map m = {0};
        for (uint64_t i = 0; i < 100000; i++) {
            uint64_t at = 1000 + 16 * (down ? 99999 - i : i);
            assert_true(cw_address_map_add(&m, at, 8, &range[at % BYTES]));
        }
        for (uint64_t i = 0; i < 100000; i++) {
            uint64_t at = 1000 + 16 * i;
            assert_ptr_equal(cw_address_map_find(&m, at + 7, 1, NULL), &range[at % BYTES]);
            assert_ptr_equal(cw_address_map_find(&m, at + 8, 8, NULL), NULL);
        }
        cw_address_map_finish(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_bytes), cmocka_unit_test(many)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
