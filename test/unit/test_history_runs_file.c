/* The file that the record of a program's runs is kept in: what is written is read again, a damaged one does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../sched/random.h"
#include "../../shim/history/history_runs.h"

#define KEY 99
#define MS  1e6

static char folder[200], name[260];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-runs.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    snprintf(name, sizeof name, "%s", mkdtemp(folder) ? folder : "");
    snprintf(name + strlen(name), sizeof name - strlen(name), "/%016x", KEY);
    return *name == '/' ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    unlink(name);
    return rmdir(folder);
}

static void add(struct cw_runs *r, uint64_t arguments, bool at_once, double work_ns, double cost_ns)
{
    cw_runs_add(r, arguments, &(struct cw_runs_run){.at_once = at_once, .work_ns = work_ns, .cost_ns = cost_ns});
}

static void test_file(void **state)
{
    struct cw_runs r = {0}, again;
    struct cw_file_store store;
    struct stat st;

    (void)state;
    cw_file_store_init(&store, folder);
    assert_false(cw_runs_read(&again, &store, KEY));
    for (int i = 0; i < 7; i++)
        add(&r, 1, i > 3, i > 3 ? 100 * MS : 500 * MS, i > 3 ? 2 * MS : 0);
    cw_runs_write(&r, &store, KEY);
    assert_true(cw_runs_read(&again, &store, KEY));
    assert_memory_equal(&r, &again, sizeof r);
    assert_int_equal(stat(name, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_in_range(st.st_size, 1, 4096);
}

/* Bytes that are no record, under a good checksum: whatever is read can be used. */
static void test_garbage(void **state)
{
    unsigned char bytes[sizeof(struct cw_runs) + 64];
    struct cw_file_store store;
    uint64_t random = 5;
    struct cw_runs r;
    double ns;

    (void)state;
    cw_file_store_init(&store, folder);
    for (int round = 0; round < 2000; round++) {
        size_t n = round % 3 ? sizeof r : 1 + cw_random_next(&random) % sizeof bytes;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)(round % 2 || i > 16 ? cw_random_next(&random) : 0);
        if (round % 2) /* a likely count */
            bytes[8] = (unsigned char)(cw_random_next(&random) % 40), memset(bytes + 9, 0, 3);
        cw_file_store_write(&store, KEY, bytes, n);
        cw_runs_read(&r, &store, KEY);
        assert_in_range(r.count, 0, CW_RUNS_ARGUMENTS);
        for (uint32_t i = 0; i <= r.count; i++) {
            uint64_t arguments = i < r.count ? r.entry[i].arguments : 1;
            cw_runs_start(&r, arguments, false, &ns);
            assert_true(ns > 0 && ns < 1e15);
            add(&r, arguments, i % 2, 5 * MS, 1 * MS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_file, make_folder, drop_folder),
                                       cmocka_unit_test_setup_teardown(test_garbage, make_folder, drop_folder)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
