/* The history of launches in memory: statistics, estimates, regression, trials. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "history_keys.h"
#include "../../sched/random.h"
#include "../../analyzer/history/history.h"

#include "failing_alloc.h"

static struct cw_history_estimate predict(struct cw_history *h, uint64_t kernel, uint64_t shape, double size,
                                          uint32_t device)
{
    struct cw_history_estimate e;

    cw_history_predict(h, K(kernel), shape, size, &device, NULL, 1, &e);
    return e;
}

static void test_mean_and_error(void **state)
{
    static const double ns[] = {1000, 1200, 900, 1100, 800};
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_estimate e;

    (void)state;
    assert_int_equal(predict(h, 1, 2, 64, cpu).source, CW_HISTORY_NONE);
    cw_history_add(h, K(1), 2, cpu, 64, ns[0]);
    e = predict(h, 1, 2, 64, cpu);
    assert_int_equal(e.source, CW_HISTORY_EXACT);
    assert_float_equal(e.mean_ns, 1000, 0);
    assert_float_equal(e.error_ns, 300, 1e-9); /* one sample: 30 % */
    for (size_t k = 1; k < 5; k++)
        cw_history_add(h, K(1), 2, cpu, 64, ns[k]);
    e = predict(h, 1, 2, 64, cpu);
    assert_float_equal(e.count, 5, 0);
    assert_float_equal(e.mean_ns, 1000, 1e-9);
    assert_float_equal(e.error_ns, sqrt((100000 + 90000) / 25.0), 1e-9); /* squares 100,000 */
    assert_int_equal(predict(h, 2, 2, 64, cpu).source, CW_HISTORY_NONE);
    cw_history_destroy(h);
}

static void test_compilation_and_outliers(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");

    (void)state;
    cw_history_add(h, K(1), 1, cpu, 1, 60e6); /* compiled meanwhile */
    cw_history_add(h, K(1), 1, cpu, 1, 1000);
    assert_float_equal(predict(h, 1, 1, 1, cpu).mean_ns, 1000, 0);
    assert_float_equal(predict(h, 1, 1, 1, cpu).count, 1, 0);
    cw_history_add(h, K(1), 1, cpu, 1, 1000);
    cw_history_add(h, K(1), 1, cpu, 1, 1e9); /* counts as 8000 */
    assert_float_equal(predict(h, 1, 1, 1, cpu).mean_ns, 10000 / 3.0, 1e-6);
    cw_history_destroy(h);
}

static void test_a_changed_machine_is_learnt_anew(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");

    (void)state;
    for (int n = 0; n < 100000; n++)
        cw_history_add(h, K(1), 1, cpu, 1, 1000);
    for (int n = 0; n < 5000; n++)
        cw_history_add(h, K(1), 1, cpu, 1, 2000);
    assert_true(predict(h, 1, 1, 1, cpu).mean_ns > 1980);
    cw_history_destroy(h);
}

static void test_regression(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_estimate near, far;

    (void)state;
    cw_history_add(h, K(7), 1, cpu, 1000, 5000);
    near = predict(h, 7, 99, 2000, cpu); /* one size: in proportion, and not far away */
    assert_int_equal(near.source, CW_HISTORY_REGRESSION);
    assert_float_equal(near.mean_ns, 10000, 1e-6);
    assert_true(near.error_ns > 0.5 * near.mean_ns);
    assert_int_equal(predict(h, 7, 99, 100000, cpu).source, CW_HISTORY_NONE);
    for (uint64_t k = 1; k < 8; k++) /* time = 5 size^1.5 / sqrt(1000) */
        cw_history_add(h, K(7), 1 + k, cpu, 1000 * exp2(k), 5000 * exp2(1.5 * k));
    near = predict(h, 7, 99, 24000, cpu);
    far = predict(h, 7, 99, 1e7, cpu);
    assert_float_equal(near.mean_ns, 5000 * pow(24, 1.5), 1);
    assert_float_equal(far.mean_ns, 5000 * pow(1e4, 1.5), 1e4);
    assert_true(near.error_ns < 0.15 * near.mean_ns);
    assert_true(far.error_ns / far.mean_ns > near.error_ns / near.mean_ns);
    assert_int_equal(predict(h, 7, 3, 4000, cpu).source, CW_HISTORY_EXACT);
    cw_history_destroy(h);
}

/* Points enter and leave: the sums are those of the points that are left. */
static void test_fit_in_and_out(void **state)
{
    struct cw_history_fit f = {0}, plain = {0};
    double a, b, error;
    uint64_t random = 1;

    (void)state;
    for (int n = 0; n < 1000; n++) {
        double size = cw_random_uniform(&random, 1, 1e6), ns = cw_random_uniform(&random, 1, 1e9);
        cw_history_fit_point(&f, size, ns, 1);
        cw_history_fit_point(&f, size, ns, -1);
    }
    assert_false(cw_history_fit_predict(&f, 10, &a, &error));
    for (int n = 0; n < 20; n++) {
        cw_history_fit_point(&f, 100 << n, 1000 << n, 1);
        cw_history_fit_point(&plain, 100 << n, 1000 << n, 1);
        cw_history_fit_point(&f, 50 << n, 1e9, 1);
        cw_history_fit_point(&f, 50 << n, 1e9, -1);
    }
    assert_true(cw_history_fit_predict(&f, 5000, &a, &error));
    assert_true(cw_history_fit_predict(&plain, 5000, &b, &error));
    assert_float_equal(a, 50000, 1);
    assert_float_equal(b, 50000, 1);
    f = (struct cw_history_fit){0};
    cw_history_fit_point(&f, 1, 1000, 1); /* faster when larger: not believed */
    cw_history_fit_point(&f, 100, 10, 1);
    assert_true(!cw_history_fit_predict(&f, 10, &a, &error) || a == 100 || fabs(a - 100) < 1);
}

static void test_guess(void **state)
{
    static const double slowness[] = {1, 2, 3};
    struct cw_history *h = cw_history_create();
    uint32_t device[] = {cw_history_device(h, "cpu"), cw_history_device(h, "basic"),
                         cw_history_device(h, "dsp")};
    struct cw_history_estimate e[3];

    (void)state;
    assert_int_equal(cw_history_device(h, "basic"), device[1]);
    assert_string_equal(cw_history_device_name(h, device[2]), "dsp");
    cw_history_predict(h, K(5), 5, 10, device, slowness, 3, e);
    assert_int_equal(e[0].source, CW_HISTORY_NONE);
    assert_int_equal(e[2].source, CW_HISTORY_NONE);
    cw_history_add(h, K(5), 5, device[1], 10, 2000);
    cw_history_predict(h, K(5), 5, 10, device, slowness, 3, e);
    assert_int_equal(e[1].source, CW_HISTORY_EXACT);
    assert_int_equal(e[0].source, CW_HISTORY_GUESS);
    assert_float_equal(e[0].mean_ns, 1000, 1e-9);
    assert_float_equal(e[2].mean_ns, 3000, 1e-9);
    assert_float_equal(e[2].error_ns, 3000, 1e-9);
    cw_history_destroy(h);
}

/* The same size and another loop: the helper, twice as fast as home before, is taken to be so again. */
static void test_scaled_to_exact(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t device[] = {cw_history_device(h, "cpu"), cw_history_device(h, "basic")};
    struct cw_history_estimate e[2];

    (void)state;
    for (int n = 0; n < 10; n++) {
        cw_history_add(h, K(5), 1, device[0], 64, 2000);
        cw_history_add(h, K(5), 1, device[1], 64, 1000);
    }
    for (int n = 0; n < 10; n++)
        cw_history_add(h, K(5), 2, device[0], 64, 8e6);
    cw_history_predict(h, K(5), 2, 64, device, NULL, 2, e);
    assert_int_equal(e[0].source, CW_HISTORY_EXACT);
    assert_int_equal(e[1].source, CW_HISTORY_REGRESSION);
    assert_float_equal(e[1].mean_ns, 4e6, 1);
    assert_true(e[1].error_ns >= 0.3 * e[1].mean_ns);
    cw_history_destroy(h);
}

static void test_trials_within_budget(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");

    (void)state;
    assert_float_equal(cw_history_trial_budget_ns(h), 5e6, 0);
    cw_history_tried(h, 6e6);
    assert_float_equal(cw_history_trial_budget_ns(h), -1e6, 0);
    for (int n = 0; n < 100; n++)
        cw_history_add(h, K(1), 1, cpu, 1, 2e6); /* 200 ms: 10 ms may be spent */
    assert_float_equal(cw_history_trial_budget_ns(h), 4e6, 1);
    cw_history_destroy(h);
}

static void test_nonsense_is_dropped(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_entry bad = {
        .kernel = {{1, 1}}, .shape = 1, .device = cpu, .size = 1, .stored = {1, 100, 0}};
    char name[32];

    (void)state;
    cw_history_add(h, K(1), 1, cpu, 1, -1);
    cw_history_add(h, K(1), 1, cpu, 1, NAN);
    cw_history_add(h, K(1), 1, cpu, 1, INFINITY);
    cw_history_add(h, K(1), 1, cpu + 1, 1, 5);
    cw_history_add(h, K(1), 1, CW_HISTORY_NO_DEVICE, 1, 5);
    assert_int_equal(cw_history_entries(h), 0);
    bad.stored.mean_ns = NAN;
    assert_false(cw_history_merge(h, &bad));
    bad.stored = (struct cw_history_stat){0, 1, 1};
    assert_false(cw_history_merge(h, &bad));
    bad.stored = (struct cw_history_stat){1, 1, 1};
    bad.size = INFINITY;
    assert_false(cw_history_merge(h, &bad));
    assert_int_equal(predict(h, 1, 1, 1, CW_HISTORY_NO_DEVICE).source, CW_HISTORY_NONE);
    for (int n = 0; n < CW_HISTORY_DEVICES + 5; n++) {
        snprintf(name, sizeof name, "device %d", n);
        assert_int_equal(cw_history_device(h, name),
                         n < CW_HISTORY_DEVICES - 1 ? (uint32_t)n + 1 : CW_HISTORY_NO_DEVICE);
    }
    cw_history_destroy(h);
}

/* Many entries: every one is found again, and the number is bounded. */
static void test_many(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu"), dsp = cw_history_device(h, "dsp");

    (void)state;
    for (uint64_t k = 0; k < 60000; k++)
        cw_history_add(h, K(k % 100), k, k % 2 ? cpu : dsp, (double)k, (double)k);
    for (uint64_t k = 0; k < 50000; k++) {
        struct cw_history_estimate e = predict(h, k % 100, k, (double)k, k % 2 ? cpu : dsp);
        assert_int_equal(e.source, CW_HISTORY_EXACT);
        assert_float_equal(e.mean_ns, (double)k, 0);
    }
    assert_int_equal(cw_history_entries(h), 50000);
    cw_history_destroy(h);
}

static void test_fresh_once(void **state)
{
    struct cw_history *h = cw_history_create();
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_entry *entry;

    (void)state;
    assert_int_equal(cw_history_take_fresh(h, &entry), 0);
    assert_null(entry);
    cw_history_add(h, K(1), 1, cpu, 1, 100);
    cw_history_add(h, K(1), 1, cpu, 1, 200);
    assert_int_equal(cw_history_take_fresh(h, &entry), 1);
    assert_float_equal(entry[0].fresh.count, 2, 0);
    assert_float_equal(entry[0].fresh.mean_ns, 150, 0);
    free(entry);
    assert_int_equal(cw_history_take_fresh(h, &entry), 0);
    assert_float_equal(predict(h, 1, 1, 1, cpu).count, 2, 0);
    cw_history_destroy(h);
}

static void *hammer(void *argument)
{
    struct cw_history *h = argument;
    uint32_t cpu = cw_history_device(h, "cpu");
    struct cw_history_estimate e;

    for (uint64_t k = 0; k < 20000; k++) {
        cw_history_add(h, K(k % 7), k % 500, cpu, 10, 1000);
        cw_history_predict(h, K(k % 7), k % 500, 10, &cpu, NULL, 1, &e);
        if (e.source != CW_HISTORY_EXACT || e.mean_ns != 1000)
            return h;
    }
    return NULL;
}

/* Threads add and ask while the process forks: no child hangs, none has anything to save. */
static void test_threads_and_forks(void **state)
{
    struct cw_history *h = cw_history_create();
    pthread_t thread[4];
    void *wrong;
    int status;

    (void)state;
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, hammer, h), 0);
    for (int n = 0; n < 20; n++) {
        pid_t child = fork();
        if (child == 0) {
            struct cw_history_entry *entry;
            alarm(200);
            _exit(cw_history_take_fresh(h, &entry) != 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    for (int k = 0; k < 4; k++) {
        pthread_join(thread[k], &wrong);
        assert_null(wrong);
    }
    assert_float_equal(predict(h, 3, 3, 10, cw_history_device(h, "cpu")).mean_ns, 1000, 0);
    cw_history_destroy(h);
}

/* Every allocation fails in turn: samples may be lost, nothing else. */
static void test_every_allocation(void **state)
{
    (void)state;
    for (long n = 0; REPLACED && n < 40; n++) {
        struct cw_history *h;
        struct cw_history_entry *entry = NULL;
        uint32_t cpu;
        live = 0;
        countdown = n;
        counting = true;
        h = cw_history_create();
        cpu = h ? cw_history_device(h, "cpu") : 0;
        for (uint64_t k = 0; h && k < 500; k++)
            cw_history_add(h, K(k), k, cpu, 1, 5);
        for (uint64_t k = 0; h && k < 500; k++) {
            struct cw_history_estimate e = predict(h, k, k, 1, cpu);
            assert_true(e.source == CW_HISTORY_NONE || e.mean_ns == 5);
        }
        if (h)
            cw_history_take_fresh(h, &entry);
        free(entry);
        cw_history_destroy(h);
        counting = false;
        assert_int_equal(live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_and_error),
        cmocka_unit_test(test_compilation_and_outliers),
        cmocka_unit_test(test_a_changed_machine_is_learnt_anew),
        cmocka_unit_test(test_regression),
        cmocka_unit_test(test_fit_in_and_out),
        cmocka_unit_test(test_guess),
        cmocka_unit_test(test_scaled_to_exact),
        cmocka_unit_test(test_trials_within_budget),
        cmocka_unit_test(test_nonsense_is_dropped),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_fresh_once),
        cmocka_unit_test(test_threads_and_forks),
        cmocka_unit_test(test_every_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
