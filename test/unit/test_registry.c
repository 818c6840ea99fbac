/* The registry of handles: kinds and owners beside each other, ended entries and their reuse, pins, growth,
 * and threads that insert and end while others look up. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../shim/door/registry.h"

enum {
    TRACED = CW_REGISTRY_TRACE + 3,
    EVENT = CW_REGISTRY_RUN + 5,
    MEMORY,
    STREAM = CW_REGISTRY_STREAM + 5,
    QUEUE
};

static const void *handle_of(uintptr_t n)
{
    return (const void *)(0x7f5500000000u + 48 * n);
}

static struct cw_registry_entry *insert(const void *handle, unsigned kind, void *record)
{
    struct cw_registry_entry *stale, *e = cw_registry_claim(handle, kind, 0, &stale);

    assert_non_null(e);
    assert_null(stale);
    cw_registry_publish(e, kind, record);
    return e;
}

static uint32_t count(unsigned kind)
{
    uint32_t n = 0;

    for (struct cw_registry_entry *e = NULL; (e = cw_registry_next(kind, e));)
        n++;
    return n;
}

static void test_kinds(void **state)
{
    const void *h = handle_of(1), *other = handle_of(2);
    int event, memory, traced;
    struct cw_registry_entry *e, *t;

    (void)state;
    assert_null(cw_registry_find(h, EVENT));
    assert_null(cw_registry_find(NULL, EVENT));
    e = insert(h, EVENT, &event);
    insert(other, MEMORY, &memory);
    t = insert(h, TRACED, &traced);
    assert_ptr_equal(cw_registry_find(h, EVENT), &event);
    assert_ptr_equal(cw_registry_entry(h, EVENT), e);
    assert_ptr_equal(cw_registry_find(h, TRACED), &traced);
    assert_null(cw_registry_find(h, MEMORY));
    assert_ptr_equal(cw_registry_find_any(h, CW_REGISTRY_RUN), &event);
    assert_ptr_equal(cw_registry_find_any(h, CW_REGISTRY_TRACE), &traced);
    assert_null(cw_registry_find_any(h, CW_REGISTRY_STREAM));
    assert_ptr_equal(cw_registry_next(EVENT, NULL), e);
    assert_int_equal(count(EVENT), 1);
    cw_registry_end(e, EVENT);
    cw_registry_end(t, TRACED);
    cw_registry_end(cw_registry_entry(other, MEMORY), MEMORY);
    assert_null(cw_registry_find(h, EVENT));
    assert_null(cw_registry_find_any(h, CW_REGISTRY_RUN));
    assert_ptr_equal(cw_registry_find(h, EVENT + CW_REGISTRY_ENDED), &event);
    assert_int_equal(count(EVENT), 0);
}

static void test_reuse(void **state)
{
    const void *h = handle_of(10);
    struct cw_registry_entry *first, *second, *stale;
    int a, b, c;

    (void)state;
    first = insert(h, EVENT, &a);
    second = cw_registry_claim(h, EVENT, 0, &stale);
    assert_ptr_equal(stale, first);
    assert_ptr_not_equal(second, first);
    assert_ptr_equal(cw_registry_find(h, EVENT), &a); /* the claimed one is not found yet */
    cw_registry_end(stale, EVENT);
    cw_registry_publish(second, EVENT, &b);
    assert_ptr_equal(cw_registry_find(h, EVENT), &b);
    cw_registry_claim(h, MEMORY, 0, &stale); /* another kind, the same owner: the caller decides */
    assert_ptr_equal(stale, second);
    cw_registry_claim(h, STREAM, 0, &stale);
    assert_null(stale);
    cw_registry_end(second, EVENT);
    second = cw_registry_claim(h, EVENT, 0, &stale);
    assert_null(stale);
    assert_non_null(cw_registry_record(second)); /* that of its earlier use */
    cw_registry_publish(second, EVENT, &c);
    assert_ptr_equal(cw_registry_find(h, EVENT), &c);
    cw_registry_end(second, EVENT);
}

static void test_pins(void **state)
{
    const void *h = handle_of(20);
    struct cw_registry_entry *e, *stale, *other;
    int a;

    (void)state;
    e = cw_registry_claim(h, STREAM, 0, &stale);
    e->pins = 1;
    cw_registry_publish(e, STREAM, &a);
    assert_true(cw_registry_pin(e));
    cw_registry_end(e, STREAM);
    assert_false(cw_registry_unpin(e));
    other = insert(h, STREAM, &a);
    assert_ptr_not_equal(other, e); /* the pinned one is not used again */
    cw_registry_end(other, STREAM);
    assert_true(cw_registry_unpin(e));
    assert_false(cw_registry_pin(e));
}

#define MANY 200000

static void test_growth(void **state)
{
    static int records[MANY];
    static struct cw_registry_entry *entries[MANY];

    (void)state;
    for (uintptr_t i = 0; i < MANY; i++)
        entries[i] = insert(handle_of(1000 + i), QUEUE, &records[i]);
    assert_int_equal(count(QUEUE), MANY);
    for (uintptr_t i = 0; i < MANY; i++)
        assert_ptr_equal(cw_registry_find(handle_of(1000 + i), QUEUE), &records[i]);
    for (uintptr_t i = 0; i < MANY; i++)
        cw_registry_end(entries[i], QUEUE);
    assert_int_equal(count(QUEUE), 0);
    for (uintptr_t i = 0; i < MANY; i++) /* nothing is made anew */
        assert_ptr_equal(insert(handle_of(1000 + i), QUEUE, &records[i]), entries[i]);
    for (uintptr_t i = 0; i < MANY; i++)
        cw_registry_end(entries[i], QUEUE);
}

enum { THREADS = 4, ROUNDS = 20000, STABLE = 64 };

static int stable[STABLE];

/* Handles of its own come and go; those of all stay. */
static void *churn(void *of)
{
    uintptr_t n = *(uintptr_t *)of;
    struct cw_registry_entry *e, *stale;
    uintptr_t failed = 0;

    for (uintptr_t i = 0; i < ROUNDS; i++) {
        const void *h = handle_of(300000 + n + THREADS * (i % 7));

        e = cw_registry_claim(h, EVENT, 0, &stale);
        if (!e || stale)
            return of;
        cw_registry_publish(e, EVENT, (void *)(uintptr_t)h);
        failed += cw_registry_find(h, EVENT) != h;
        failed += cw_registry_find(handle_of(400000 + i % STABLE), EVENT) != &stable[i % STABLE];
        cw_registry_end(e, EVENT);
        failed += cw_registry_find(h, EVENT) != NULL;
    }
    return failed ? of : NULL;
}

static void test_threads(void **state)
{
    struct cw_registry_entry *entries[STABLE];
    pthread_t thread[THREADS];
    uintptr_t number[THREADS];
    void *failed;

    (void)state;
    for (uintptr_t i = 0; i < STABLE; i++)
        entries[i] = insert(handle_of(400000 + i), EVENT, &stable[i]);
    for (uintptr_t t = 0; t < THREADS; t++) {
        number[t] = t;
        assert_int_equal(pthread_create(&thread[t], NULL, churn, &number[t]), 0);
    }
    for (int i = 0; i < 1000; i++)
        assert_true(count(EVENT) >= STABLE);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], &failed);
        assert_null(failed);
    }
    assert_int_equal(count(EVENT), STABLE);
    for (int i = 0; i < STABLE; i++)
        cw_registry_end(entries[i], EVENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),  cmocka_unit_test(test_reuse),   cmocka_unit_test(test_pins),
        cmocka_unit_test(test_growth), cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
