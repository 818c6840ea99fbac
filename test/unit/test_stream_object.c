/* Records of streamed objects: references, pins that outlive the handle, an address that comes back, and
 * threads that pin a handle while another thread lets go of it and its address comes back. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../shim/run/streams/stream_object.h"

struct record {
    struct cw_stream_object o;
    atomic_bool gone;
};

static atomic_uint freed;

static void free_record(void *object)
{
    ((struct record *)object)->gone = true;
    freed++;
}

static struct record *create(const void *handle)
{
    struct record *r = cw_stream_object_create(handle, CW_STREAM_EVENT, sizeof *r);

    assert_non_null(r);
    return r;
}

static void test_references(void **state)
{
    const void *h = (const void *)0x1000;
    struct record *r = create(h);

    (void)state;
    freed = 0;
    assert_ptr_equal(cw_stream_object_find(h, CW_STREAM_EVENT), r);
    assert_null(cw_stream_object_find(h, CW_STREAM_QUEUE));
    cw_stream_object_retained(h, CW_STREAM_EVENT);
    assert_false(cw_stream_object_released(h, CW_STREAM_EVENT));
    assert_ptr_equal(cw_stream_object_pin(h, CW_STREAM_EVENT), r);
    assert_true(cw_stream_object_in_use());
    assert_true(cw_stream_object_released(h, CW_STREAM_EVENT));
    assert_false(cw_stream_object_in_use());
    assert_null(cw_stream_object_find(h, CW_STREAM_EVENT));
    assert_false(cw_stream_object_released(h, CW_STREAM_EVENT));
    assert_int_equal(freed, 0);
    cw_stream_object_unpin(r);
    assert_int_equal(freed, 1);
}

static void test_stale(void **state)
{
    const void *h = (const void *)0x2000;
    struct record *first = create(h), *second;

    (void)state;
    freed = 0;
    cw_stream_object_pin(h, CW_STREAM_EVENT);
    second = create(h);
    assert_ptr_equal(cw_stream_object_find(h, CW_STREAM_EVENT), second);
    assert_int_equal(freed, 0); /* the first one is pinned */
    cw_stream_object_unpin(first);
    assert_int_equal(freed, 1);
    create(h);
    assert_int_equal(freed, 2);
    cw_stream_object_forget(h, CW_STREAM_EVENT);
    assert_int_equal(freed, 3);
    assert_null(cw_stream_object_pin(h, CW_STREAM_EVENT));
}

static atomic_bool over;

static void look(void *object, void *unused)
{
    (void)unused;
    assert_int_equal(((struct record *)object)->o.kind, CW_STREAM_EVENT);
}

static void *pin(void *handle)
{
    struct record *r;
    uintptr_t wrong = 0;

    while (!over) {
        r = cw_stream_object_pin(handle, CW_STREAM_EVENT);
        wrong += r && (r->o.handle != handle || r->gone);
        if (r)
            cw_stream_object_unpin(r);
        cw_stream_object_each(CW_STREAM_EVENT, look, NULL);
    }
    return (void *)wrong;
}

static void test_threads(void **state)
{
    void *h = (void *)0x3000, *wrong;
    pthread_t thread[3];

    (void)state;
    over = false;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, pin, h), 0);
    freed = 0;
    for (int i = 0; i < 20000; i++) {
        create(h);
        cw_stream_object_released(h, CW_STREAM_EVENT);
    }
    over = true;
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(freed, 20000);
}

static void test_fork(void **state)
{
    const void *h = (const void *)0x4000;
    struct record *r;

    (void)state;
    create(h);
    cw_stream_object_forget_all();
    assert_null(cw_stream_object_pin(h, CW_STREAM_EVENT));
    assert_false(cw_stream_object_any());
    r = create(h);
    assert_ptr_equal(cw_stream_object_find(h, CW_STREAM_EVENT), r);
    assert_true(cw_stream_object_released(h, CW_STREAM_EVENT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
    };

    cw_stream_object_free[CW_STREAM_EVENT] = free_record;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
