/* Which launches of emulated DSPs are late, on the real clock: those of a slow one; not those that wait for
 * others at the DDR, which take four times as long here and are not late. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../shim/device/device.h"
#include "../../shim/device/dsp_clock.h"
#include "../../analyzer/io/folders.h"

enum { DSPS = 5 };

/* Nearly all of an item's time is the memory's: 12 bytes at .3 bytes/ns. */
static const char board[] =
    "{\"format\": \"clweave-platform\", \"version\": 1, \"ddr_bytes_per_ns\": 0.3, \"devices\": ["
    "{\"class\": \"cpu\", \"memory\": \"ddr\", \"ns_per_item\": 100},"
    "{\"class\": \"dsp\", \"memory\": \"ddr\", \"count\": 5, \"ns_per_item\": 41, \"bytes_per_item\": 12}]}";

static _Atomic int running;
static struct cw_hold hold[DSPS];

static void *end(void *data)
{
    unsigned k = (unsigned)(uintptr_t)data;

    cw_dsp_end(cw_dsp_at(k), &hold[k]);
    atomic_fetch_sub(&running, 1);
    return NULL;
}

static pthread_t launch(uintptr_t k, double items)
{
    pthread_t thread;

    cw_dsp_begin(cw_dsp_at((unsigned)k), &(struct cw_work){.kernel = "k", .items = items}, 0, &hold[k]);
    assert_false(hold[k].failed);
    atomic_fetch_add(&running, 1);
    assert_int_equal(pthread_create(&thread, NULL, end, (void *)k), 0);
    return thread;
}

/* The longest of four launches at once, as a multiple of what each takes alone. */
static double meet_at_the_ddr(void)
{
    pthread_t thread[DSPS];
    double longest = 0;

    for (uintptr_t k = 1; k < DSPS; k++)
        thread[k] = launch(k, 200000);
    while (atomic_load(&running))
        for (unsigned k = 1; k < DSPS; k++)
            assert_false(cw_dsp_stop(cw_dsp_at(k)));
    for (int k = 1; k < DSPS; k++) {
        double ratio = (double)(hold[k].end_ns - hold[k].submit_ns) / hold[k].cost_ns;
        pthread_join(thread[k], NULL);
        assert_false(hold[k].failed);
        longest = ratio > longest ? ratio : longest;
    }
    return longest;
}

/* On a busy machine some begin when others have ended. */
static void test_others_at_the_ddr(void **state)
{
    int rounds = 0;

    (void)state;
    while (meet_at_the_ddr() <= 3)
        assert_true(++rounds < 200);
}

static void test_slow(void **state)
{
    pthread_t thread = launch(0, 5e6); /* .2 s, and 4 s here */

    (void)state;
    while (!cw_dsp_stop(cw_dsp_at(0)))
        assert_true(atomic_load(&running));
    pthread_join(thread, NULL);
    assert_true(hold[0].failed);
    assert_true(hold[0].end_ns - hold[0].submit_ns < 4000000000u);
}

static int start_board(void **state)
{
    struct cw_error err = {0};
    char path[PATH_MAX];
    bool good;
    int fd;

    (void)state;
    snprintf(path, sizeof path, "%s/clweave-board.XXXXXX", cw_temporary_folder());
    fd = mkstemp(path);
    if (fd < 0 || write(fd, board, sizeof board - 1) != sizeof board - 1)
        return -1;
    close(fd);
    good = cw_dsp_board_start(&(struct cw_dsp_settings){DSPS, path, false, false, "0:slow@0*20"}, &err);
    unlink(path);
    return good ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_others_at_the_ddr), cmocka_unit_test(test_slow)};

    return cmocka_run_group_tests(tests, start_board, NULL);
}
