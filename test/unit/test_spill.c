/* Arrays in files: they hold what arrays in the heap hold, whatever becomes of their pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/io/array.h"

enum { NUMBERS = 300000, ABOVE = 4096 };

struct numbers {
    uint64_t *v;
    size_t count, capacity;
};

static void append(struct numbers *a, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(cw_spill_reserve(&a->v, &a->capacity, a->count, 1, sizeof *a->v));
        assert_int_equal(a->v[a->count], 0);
        a->v[a->count++] = first + i;
    }
}

static void check(const struct numbers *a, uint64_t first, size_t from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(a->v[from + i], first + i);
}

static bool is_mapped_file(const void *v)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    bool found = false;

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= (uintptr_t)v && (uintptr_t)v < to)
            found = strstr(line, "(deleted)") != NULL;
    }
    fclose(f);
    return found;
}

static void heap_before_begin(void **state)
{
    struct numbers a = {0};

    (void)state;
    append(&a, 5, 2000);
    assert_false(is_mapped_file(a.v));
    cw_spill_free(a.v);
    cw_spill_free(NULL);
}

/* Two arrays grow in turn while all of their pages are handed back again and again; then one is shortened
 * and grows again. */
static void numbers_stay(void **state)
{
    struct numbers a = {0}, b = {0};

    (void)state;
    setenv("TMPDIR", "/tmp", 1);
    cw_spill_begin(ABOVE, 0);
    for (size_t i = 0; i < 3; i++) {
        append(&a, i * NUMBERS, NUMBERS);
        append(&b, 7 + i * NUMBERS, NUMBERS);
    }
    assert_true(is_mapped_file(a.v) && is_mapped_file(b.v));
    check(&a, 0, 0, 3 * NUMBERS);
    check(&b, 7, 0, 3 * NUMBERS);
    a.count = NUMBERS;
    cw_spill_free(b.v);
    append(&a, 1000, 100);
    check(&a, 0, 0, NUMBERS);
    check(&a, 1000, NUMBERS, 100);
    cw_spill_free(a.v);
}

/* An array that a plain function has made may spill later. */
static void heap_array_moves(void **state)
{
    struct numbers a = {malloc(2 * sizeof *a.v), 2, 2};

    (void)state;
    a.v[0] = 1;
    a.v[1] = 2;
    append(&a, 3, 10000);
    check(&a, 1, 0, 10002);
    cw_spill_free(a.v);
}

static void sizes_that_overflow(void **state)
{
    struct numbers a = {0};

    (void)state;
    append(&a, 0, 1000);
    assert_false(cw_spill_reserve(&a.v, &a.capacity, a.count, SIZE_MAX / 8, 8));
    assert_false(cw_spill_reserve(&a.v, &a.capacity, a.count, SIZE_MAX - 10, 8));
    check(&a, 0, 0, 1000);
    cw_spill_free(a.v);
}

/* The last test: it changes where arrays of this process go. */
static void no_folder(void **state)
{
    struct numbers a = {0};

    (void)state;
    append(&a, 0, 1000);
    setenv("TMPDIR", "/nowhere-at-all", 1);
    for (size_t i = 0; i < 2; i++) {
        struct numbers b = {0};
        append(&b, 3, 20000);
        check(&b, 3, 0, 20000);
        assert_false(is_mapped_file(b.v));
        cw_spill_free(b.v);
    }
    append(&a, 1000, 1000);
    check(&a, 0, 0, 2000);
    cw_spill_free(a.v);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_before_begin), cmocka_unit_test(numbers_stay),
        cmocka_unit_test(heap_array_moves),  cmocka_unit_test(sizes_that_overflow),
        cmocka_unit_test(no_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
