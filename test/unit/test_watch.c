/* Workers that watch for tiles before they sleep: ever less often where none have come in time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../shim/run/workers/watch.c"

struct cw_run_state_all cw_run;

static struct cw_run_worker worker;
static uint64_t now;
static bool comes; /* something becomes ready while it watches */

uint64_t cw_run_global_lock_now_ns(void)
{
    worker.watch.pushed += comes;
    return now += 1000;
}

void cw_run_global_lock_take(void)
{
}

void cw_run_global_lock_give(void)
{
}

uint32_t cw_thread_processors(void)
{
    return 2;
}

static int setup(void **state)
{
    (void)state;
    memset(&cw_run, 0, sizeof cw_run);
    memset(&worker, 0, sizeof worker);
    comes = false;
    return 0;
}

/* It has run tiles, and has nothing to do. */
static bool watches(void)
{
    cw_run_watch_begins(&worker);
    return cw_run_watch_worker(&worker);
}

static void it_watches_as_long_as_something_comes(void **state)
{
    (void)state;
    comes = true;
    for (int i = 0; i < 1000; i++)
        assert_true(watches());
}

static void it_watches_seldom_where_nothing_does(void **state)
{
    uint32_t since = 0, most = 0, times = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(watches());
    for (int i = 0; i < 10000; i++) {
        bool again = watches();

        times += again;
        since = again ? 0 : since + 1;
        most = since > most ? since : most;
    }
    assert_in_range(times, 10000 / 100, 10000 / 30);
    assert_in_range(most, 31, 64);
}

static void it_watches_again_when_something_has_come(void **state)
{
    uint32_t n = 0;

    (void)state;
    for (int i = 0; i < 10000; i++)
        watches();
    comes = true;
    for (; !watches(); n++)
        assert_true(n < 64);
    for (int i = 0; i < 100; i++)
        assert_true(watches());
}

static void it_sleeps_where_others_need_the_processor(void **state)
{
    (void)state;
    cw_run.running = 2;
    assert_false(watches());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_watches_as_long_as_something_comes, setup),
        cmocka_unit_test_setup(it_watches_seldom_where_nothing_does, setup),
        cmocka_unit_test_setup(it_watches_again_when_something_has_come, setup),
        cmocka_unit_test_setup(it_sleeps_where_others_need_the_processor, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
