/* Callbacks on native commands that the callback thread gets: it calls them before the callbacks that wait
 * for them, in the vendor's order, and not before an earlier callback that waits itself. The thread is not
 * started: the test takes callbacks as the thread would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/tasks/callback.c"

struct cw_run_state_all cw_run;
struct cw_dispatch cw_next, cw_native;
__thread unsigned cw_door_depth, cw_door_callback;

/* The vendor calls back with no lock held. */
cl_int cw_handoff_set(__typeof__(&clSetEventCallback) set, cl_event event, cl_int type,
                      cw_handoff_function function, void *data)
{
    return set(event, type, function, data);
}

/* Nothing else runs, and the test owns all records. */
void cw_run_global_lock_take(void)
{
}

void cw_run_global_lock_give(void)
{
}

void cw_run_global_lock_give_in_callback(void)
{
}

void cw_run_global_lock_tell(void)
{
}

bool cw_run_global_lock_has_releases(void)
{
    return false;
}

void *cw_run_object_create(const void *handle, enum cw_run_kind kind)
{
    (void)handle, (void)kind;
    return NULL;
}

void cw_run_record_pin(struct cw_run_record *r)
{
    r->busy++;
}

void cw_run_object_unpin(struct cw_run_record *r)
{
    r->busy--;
}

void cw_run_record_unpin(struct cw_run_record *r)
{
    r->busy--;
}

struct cw_run_record *cw_run_record_ended;

void cw_run_object_free_ended(void)
{
}

bool cw_run_thread_create(pthread_t *thread_, void *(*body_)(void *), void *data)
{
    (void)thread_, (void)body_, (void)data;
    return false;
}

enum { MANAGED = 2, NATIVE = 3 };

static struct cw_run_queue queue;
static struct cw_run_event managed[MANAGED], native[NATIVE];
static struct cw_run_callback *on_native[NATIVE];
static cl_int status_of[NATIVE];

/* Handles of native events are the addresses of their statuses. */
static cl_int CL_API_CALL status_info(cl_event event, cl_event_info name, size_t room, void *to,
                                      size_t *bytes)
{
    (void)name, (void)room, (void)bytes;
    memcpy(to, event, sizeof(cl_int));
    return CL_SUCCESS;
}

static struct cw_run_callback *callback_on(struct cw_run_event *e, enum cw_run_event_kind what)
{
    struct cw_run_callback *c = calloc(1, sizeof *c);

    assert_non_null(c);
    *c = (struct cw_run_callback){.type = CL_COMPLETE, .event = e, .queue = &queue};
    e->what = what;
    e->queue = &queue;
    return c;
}

static int start(void **state)
{
    (void)state;
    cw_next.clGetEventInfo = status_info;
    started = true;
    queue = (struct cw_run_queue){.in_order = false};
    for (int i = 0; i < MANAGED; i++)
        managed[i].callbacks = callback_on(&managed[i], CW_RUN_MANAGED);
    for (int i = NATIVE; i-- > 0;) {
        status_of[i] = CL_RUNNING;
        native[i].r.handle = &status_of[i];
        on_native[i] = callback_on(&native[i], CW_RUN_CALLED);
        on_native[i]->next = queue.natives;
        queue.natives = on_native[i];
    }
    return 0;
}

static void vendor_calls(int i)
{
    native_called((cl_event)(uintptr_t)&status_of[i], CL_COMPLETE, on_native[i]);
}

static void comes_next(const struct cw_run_event *e)
{
    struct cw_run_callback *c = take();

    assert_non_null(c);
    assert_ptr_equal(c->event, e);
    delivered(c);
}

/* The first managed command's callback waits for the first native one's, that of the second for all three. */
static void order(void **state)
{
    (void)state;
    status_of[0] = CL_COMPLETE;
    cw_run_callback_push(&managed[0], CL_COMPLETE, CL_COMPLETE);
    status_of[1] = status_of[2] = CL_COMPLETE;
    cw_run_callback_push(&managed[1], CL_COMPLETE, CL_COMPLETE);
    vendor_calls(1);
    assert_null(take());
    vendor_calls(2);
    assert_null(take());
    vendor_calls(0);
    comes_next(&native[0]);
    comes_next(&managed[0]);
    comes_next(&native[1]);
    comes_next(&native[2]);
    comes_next(&managed[1]);
    assert_null(take());
    assert_int_equal(queue.calls, MANAGED);
    assert_int_equal(queue.calls_over, MANAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(order, start)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
