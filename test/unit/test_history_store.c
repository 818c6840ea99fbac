/* The history of launches on disk: round trips, runs that add up, many writers at once, old records that are
 * forgotten. */
#include "history_keys.h"
#include "history_folder.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_round_trip(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu"), dsp = cw_history_device(h, "it's a \"DSP\" (emulated)");
    struct cw_history_estimate before, after;
    struct stat st;

    (void)state;
    for (int n = 0; n < 50; n++) {
        cw_history_add(h, K(UINT64_MAX), UINT64_MAX - 1, cpu, 1e6, 1000 + n);
        cw_history_add(h, K(UINT64_MAX), UINT64_MAX - 1, dsp, 1e6, 7000.5);
    }
    before = predict(h, UINT64_MAX, UINT64_MAX - 1);
    assert_int_equal(cw_history_save(h, path, NULL), CW_OK);
    cw_history_destroy(h);
    h = loaded();
    after = predict(h, UINT64_MAX, UINT64_MAX - 1);
    assert_int_equal(after.source, CW_HISTORY_EXACT);
    assert_true(before.mean_ns == after.mean_ns && before.error_ns == after.error_ns &&
                before.count == after.count);
    dsp = cw_history_device(h, "it's a \"DSP\" (emulated)");
    cw_history_predict(h, K(UINT64_MAX), UINT64_MAX - 1, 0, &dsp, NULL, 1, &after);
    assert_float_equal(after.mean_ns, 7000.5, 1e-9);
    cw_history_destroy(h);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    snprintf(path + strlen(path), 20, "-journal");
    assert_int_not_equal(stat(path, &st), 0);
    path[strlen(path) - 8] = '\0';
}

static void test_runs_add_up(void **state)
{
    struct cw_history *h;

    (void)state;
    for (int n = 0; n < 10; n++)
        saved(1, 3, n < 5 ? 1000 : 3000);
    h = loaded();
    assert_float_equal(predict(h, 1, 2).count, 10, 0);
    assert_float_equal(predict(h, 1, 2).mean_ns, 2000, 1e-6);
    assert_float_equal(predict(h, 1, 2).error_ns, sqrt((1e7 + 600 * 600) / 100),
                       1e-6); /* squares 10 x 1000^2 */
    cw_history_destroy(h);
}

/* Both halves of a key are its kernel's. */
static void test_keys(void **state)
{
    const struct cw_key key[3] = {{{1, 1}}, {{1, 2}}, {{2, 1}}};
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_estimate e;

    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        for (int k = 0; k < 3; k++) {
            if (!stored)
                cw_history_add(h, key[k], 5, cpu, 100, 1000 * (k + 1));
            cw_history_predict(h, key[k], 5, 100, &cpu, NULL, 1, &e);
            assert_int_equal(e.source, CW_HISTORY_EXACT);
            assert_float_equal(e.mean_ns, 1000 * (k + 1), 1e-6);
        }
        assert_int_equal(cw_history_entries(h), 3);
        if (stored)
            break;
        assert_int_equal(save(h, NULL), CW_OK);
        h = loaded();
        cpu = cw_history_device(h, "cpu");
    }
    cw_history_destroy(h);
}

/* What a first run paid for a compiler is forgotten by the next one. */
static void test_a_compilers_time_is_forgotten(void **state)
{
    struct cw_history *h;

    (void)state;
    saved(1, 3, 84e6);
    saved(1, 3, 1000);
    h = loaded();
    assert_float_equal(predict(h, 1, 2).mean_ns, 1000, 1e-6);
    assert_float_equal(predict(h, 1, 2).count, 1, 0);
    cw_history_destroy(h);
}

static void test_nothing_fresh_touches_nothing(void **state)
{
    struct cw_history *h = cw_history_create();

    (void)state;
    assert_int_equal(cw_history_load(h, path, NULL), CW_OK);
    assert_int_equal(cw_history_save(h, path, NULL), CW_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    cw_history_destroy(h);
}

/* Processes save at once: nobody's samples are lost, nobody is told that the file is busy. */
static void test_concurrent_writers(void **state)
{
    enum { WRITERS = 8, ROUNDS = 5 };
    struct cw_history *h;
    pid_t child[WRITERS];
    int status;

    (void)state;
    for (int k = 0; k < WRITERS; k++) {
        child[k] = fork();
        if (child[k] == 0) {
            for (int n = 0; n < ROUNDS; n++) {
                enum cw_status answer = CW_ERR_IO;
                /* a save that had to give up says so; on a machine as loaded as this it may */
                for (int tries = 0; tries < 20 && answer == CW_ERR_IO; tries++)
                    answer = save(with_samples(1, 100, 1000), NULL);
                if (answer != CW_OK)
                    _exit(1);
            }
            _exit(0);
        }
    }
    for (int k = 0; k < WRITERS; k++) {
        assert_int_equal(waitpid(child[k], &status, 0), child[k]);
        assert_int_equal(status, 0);
    }
    h = loaded();
    for (uint64_t shape = 0; shape < 100; shape++) {
        assert_float_equal(predict(h, 1, shape).count, WRITERS * ROUNDS, 0);
        assert_float_equal(predict(h, 1, shape).mean_ns, 1000, 1e-6);
    }
    cw_history_destroy(h);
}

static void test_old_rows_go(void **state)
{
    struct cw_history *h;

    (void)state;
    saved(1, 15000, 1000);
    saved(2, 15000, 1000);
    saved(3, 15000, 1000);
    h = loaded();
    assert_int_equal(predict(h, 1, 5).source, CW_HISTORY_NONE);
    assert_int_equal(predict(h, 3, 5).source, CW_HISTORY_EXACT);
    assert_true(cw_history_entries(h) >= CW_HISTORY_ROWS && cw_history_entries(h) <= 30000);
    cw_history_destroy(h);
}

/* XDG_CACHE_HOME may be a link, the folder in it may not: neither a link nor one that others may write to. */
static void refused_link(char *clweave)
{
    char linked[300], name[300];
    struct cw_error err = {0};

    snprintf(linked, sizeof linked, "%s/linked", folder);
    *strrchr(clweave, '/') = '\0';
    assert_int_equal(symlink(clweave, linked), 0);
    setenv("XDG_CACHE_HOME", linked, 1);
    assert_int_equal(cw_history_path(name, sizeof name, &err), CW_OK);
    strcat(clweave, "/clweave");
    assert_int_equal(strncmp(name, clweave, strlen(clweave)), 0);
    assert_int_equal(chmod(clweave, 0770), 0);
    assert_int_equal(cw_history_path(name, sizeof name, &err), CW_ERR_INVALID);
    strcat(clweave, "/machine"); /* which binds it */
    assert_int_equal(unlink(clweave), 0);
    *strrchr(clweave, '/') = '\0';
    assert_int_equal(rmdir(clweave), 0);
    assert_int_equal(symlink(folder, clweave), 0);
    err = (struct cw_error){0};
    assert_int_equal(cw_history_path(name, sizeof name, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "not a link"));
    setenv("XDG_CACHE_HOME", folder, 1);
}

static void test_default_path(void **state)
{
    char name[300], expected[300];
    struct cw_error err = {0};
    struct stat st;

    (void)state;
    setenv("XDG_CACHE_HOME", "relative", 1); /* to be ignored, says the XDG specification */
    setenv("HOME", folder, 1);
    assert_int_equal(cw_history_path(name, sizeof name, &err), CW_OK);
    snprintf(expected, sizeof expected, "%s/.cache/clweave/history.db", folder);
    assert_string_equal(name, expected);
    snprintf(expected, sizeof expected, "%s/.cache/clweave", folder);
    assert_int_equal(stat(expected, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    snprintf(expected, sizeof expected, "%s/xdg", folder);
    setenv("XDG_CACHE_HOME", expected, 1);
    assert_int_equal(cw_history_path(name, sizeof name, &err), CW_OK);
    strcat(expected, "/clweave/history.db");
    assert_string_equal(name, expected);
    assert_int_equal(cw_history_path(name, 30, &err), CW_ERR_LIMIT);
    *strrchr(expected, '/') = '\0';
    refused_link(expected);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    err = (struct cw_error){0};
    assert_int_equal(cw_history_path(name, sizeof name, &err), CW_ERR_NOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_round_trip),
        EACH(test_runs_add_up),
        EACH(test_nothing_fresh_touches_nothing),
        EACH(test_concurrent_writers),
        EACH(test_old_rows_go),
        EACH(test_default_path),
        EACH(test_a_compilers_time_is_forgotten),
        EACH(test_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
