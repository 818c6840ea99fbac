/* The file that the record of a program's runs is kept in: the written record is read again, a damaged one
 * does no harm. */
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
#include "../../analyzer/history/history_runs.h"
#include "../../analyzer/io/folders.h"

#define MS 1e6

static char above[200], folder[220], name[260];
static struct cw_identity id;

/* The name of its file. */
static void name_file(const struct cw_identity *of)
{
    struct cw_key key = cw_identity_key(of);

    snprintf(name, sizeof name, "%s/%016llx%016llx", folder, (unsigned long long)key.half[0],
             (unsigned long long)key.half[1]);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(above, sizeof above, "%s/clweave-runs.XXXXXX", cw_temporary_folder());
    if (!mkdtemp(above))
        return -1;
    snprintf(folder, sizeof folder, "%s/programs", above);
    cw_identity_begin(&id, "a program");
    name_file(&id);
    return mkdir(folder, 0700);
}

static int drop_folder(void **state)
{
    (void)state;
    cw_identity_one_key = false;
    unlink(name);
    cw_identity_finish(&id);
    return rmdir(folder) || rmdir(above);
}

static void add(struct cw_runs *r, uint64_t arguments, bool at_once, double work_ns, double cost_ns)
{
    cw_history_runs_add(r, arguments,
                        &(struct cw_runs_run){.at_once = at_once, .work_ns = work_ns, .cost_ns = cost_ns});
}

static void test_file(void **state)
{
    struct cw_runs r = {0}, again;
    struct cw_file_store store;
    struct stat st;

    (void)state;
    cw_file_store_init(&store, folder);
    assert_false(cw_history_runs_read(&again, &store, &id));
    for (int i = 0; i < 7; i++)
        add(&r, 1, i > 3, i > 3 ? 100 * MS : 500 * MS, i > 3 ? 2 * MS : 0);
    cw_history_runs_write(&r, &store, &id);
    assert_true(cw_history_runs_read(&again, &store, &id));
    assert_memory_equal(&r, &again, offsetof(struct cw_runs, text));
    cw_history_runs_finish(&again);
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
    double ns, before;

    (void)state;
    cw_file_store_init(&store, folder);
    for (int round = 0; round < 2000; round++) {
        uint32_t count = (uint32_t)(cw_random_next(&random) % 40); /* a likely one */
        size_t fitting = offsetof(struct cw_runs, entry) + count * sizeof(struct cw_runs_entry);
        size_t n =
            round % 3 && fitting <= sizeof bytes ? fitting : 1 + cw_random_next(&random) % sizeof bytes;

        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)(round % 2 || i > 16 ? cw_random_next(&random) : 0);
        if (round % 2)
            memcpy(bytes + offsetof(struct cw_runs, count), &count, sizeof count);
        cw_file_store_write(&store, &id, bytes, n);
        cw_history_runs_read(&r, &store, &id);
        assert_in_range(r.count, 0, CW_RUNS_ARGUMENTS);
        for (uint32_t i = 0; i <= r.count; i++) {
            uint64_t arguments = i < r.count ? r.entry[i].arguments : 1;
            cw_history_runs_start(&r, arguments, false);
            ns = cw_history_runs_price(&r, arguments, &before);
            assert_true(ns > 0 && ns < 1e15);
            add(&r, arguments, i % 2, 5 * MS, 1 * MS);
        }
        cw_history_runs_finish(&r);
    }
}

/* The number of `text`, which one run more has. */
static uint64_t run_with(struct cw_runs *r, const char *text)
{
    uint64_t number = cw_history_runs_number(r, text, strlen(text));

    add(r, number, false, 500 * MS, 0);
    return number;
}

/* Arguments are known by all of them, in this process and in later ones, and as many as an entry is kept of.
 */
static void test_arguments(void **state)
{
    struct cw_runs r = {0}, again;
    struct cw_file_store store;
    uint64_t a, ab;
    char text[16];

    (void)state;
    cw_file_store_init(&store, folder);
    a = run_with(&r, "app a");
    ab = run_with(&r, "app a b");
    assert_int_not_equal(a, ab);
    assert_int_equal(cw_history_runs_number(&r, "app a", 5), a);
    cw_history_runs_write(&r, &store, &id);
    cw_history_runs_finish(&r);
    assert_true(cw_history_runs_read(&again, &store, &id));
    assert_int_equal(cw_history_runs_number(&again, "app a", 5), a);
    assert_int_equal(cw_history_runs_number(&again, "app a b", 7), ab);
    assert_null(cw_history_runs_find(&again, cw_history_runs_number(&again, "app", 3)));
    for (int i = 0; i < CW_RUNS_ARGUMENTS; i++) {
        snprintf(text, sizeof text, "app %d", i);
        run_with(&again, text);
    }
    assert_null(cw_history_runs_find(&again, cw_history_runs_number(&again, "app a", 5)));
    assert_non_null(cw_history_runs_find(&again, cw_history_runs_number(&again, "app 0", 5)));
    cw_history_runs_write(&again, &store, &id);
    cw_history_runs_finish(&again);
    assert_true(cw_history_runs_read(&again, &store, &id));
    assert_non_null(cw_history_runs_find(&again, cw_history_runs_number(&again, "app 31", 6)));
    cw_history_runs_finish(&again);
}

/* Two programs whose keys are the same: neither has the other's record. */
static void test_one_key(void **state)
{
    struct cw_runs r = {0}, again;
    struct cw_identity other;
    struct cw_file_store store;

    (void)state;
    cw_identity_one_key = true;
    cw_identity_begin(&other, "another program");
    name_file(&id);
    cw_file_store_init(&store, folder);
    run_with(&r, "app");
    cw_history_runs_write(&r, &store, &id);
    assert_false(cw_history_runs_read(&again, &store, &other));
    assert_int_equal(again.number, 0);
    assert_true(cw_history_runs_read(&again, &store, &id));
    cw_history_runs_finish(&again);
    cw_history_runs_finish(&r);
    cw_identity_finish(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_file, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_garbage, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_arguments, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(test_one_key, make_folder, drop_folder)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
