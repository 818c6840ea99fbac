/* Damaged graph and platform files: whatever is read without a message must be a graph that every policy can
 * plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/plan/graph_file.h"
#include "../../analyzer/plan/plan_graph.h"
#include "../../analyzer/plan/platform_file.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"
#include "../../sched/random.h"

enum { ROUNDS = 1500, TEXT_MAX = 8192 };

static char path[200];

static size_t load(const char *name, char *text)
{
    FILE *f = fopen(name, "r");
    size_t n;

    assert_non_null(f);
    n = fread(text, 1, TEXT_MAX / 2, f);
    fclose(f);
    return n;
}

static void save(const char *text, size_t n)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* One to four of: a byte changed, a piece removed, a piece doubled, a number replaced, the end cut off. */
static size_t damage(char *text, size_t n, uint64_t *random)
{
    static const char *const values[] = {
        "0",    "-1", "1e308", "1e-308", "4294967295", "18446744073709551615",
        "null", "[]", "\"\"",  "0.1",    "true",       "{}"};

    for (uint64_t k = 1 + cw_random_below(random, 4); k > 0 && n > 8; k--) {
        size_t at = cw_random_below(random, n - 4), piece = 1 + cw_random_below(random, 8), digits;
        const char *value = values[cw_random_below(random, sizeof values / sizeof *values)];
        piece = piece < n - at ? piece : n - at;
        switch (cw_random_below(random, 6)) {
        case 0:
            text[at] = (char)(32 + cw_random_below(random, 95));
            break;
        case 1:
            memmove(text + at, text + at + piece, n - at - piece);
            n -= piece;
            break;
        case 2:
            if (n + piece < TEXT_MAX) {
                memmove(text + at + piece, text + at, n - at);
                n += piece;
            }
            break;
        case 3:
            if (cw_random_below(random, 8) == 0)
                n = at;
            break;
        default:
            while (at < n && !strchr("0123456789", text[at]))
                at++;
            for (digits = 0; at + digits < n && strchr("0123456789.", text[at + digits]);)
                digits++;
            if (digits == 0 || n + strlen(value) >= TEXT_MAX)
                break;
            memmove(text + at + strlen(value), text + at + digits, n - at - digits);
            memcpy(text + at, value, strlen(value));
            n += strlen(value) - digits;
        }
    }
    return n;
}

static void plan(const struct cw_graph *g, const struct cw_platform *p)
{
    for (size_t k = 0; cw_policies[k]; k++) {
        struct cw_policy_config config;
        struct cw_schedule *s;
        struct cw_metrics m;
        struct cw_error err = {0};
        enum cw_status status;
        cw_policy_config_init(&config, cw_policies[k]);
        config.options.nodes = 300; /* exact would take seconds for each of thousands of files */
        config.options.effort = 3000;
        status = cw_policy_run(&config, g, p, &s, &err);
        if (status == CW_ERR_LIMIT) /* 1e308 bytes over the slowest link, said so */
            return;
        if (status != CW_OK)
            fail_msg("%s: %s", cw_policies[k]->name, err.text);
        assert_int_equal(cw_metrics_init(&m, g, p, s, cw_policy_sharing(&config), &err), CW_OK);
        if (cw_schedule_check(s, g, p, cw_policy_sharing(&config), m.bounds.best, &err) != CW_OK)
            fail_msg("%s: %s", cw_policies[k]->name, err.text);
        cw_metrics_finish(&m);
        cw_schedule_destroy(s);
    }
}

static void test_graphs(void **state)
{
    static const char *const names[] = {"blockmatmul", "topcuoglu2002", "daoud", "heteropar"};
    uint64_t random = 11;
    int good = 0;

    (void)state;
    for (int r = 0; r < ROUNDS; r++) {
        char name[100], text[TEXT_MAX];
        struct cw_graph *g;
        struct cw_platform *p;
        struct cw_error err = {0};
        snprintf(name, sizeof name, "test/golden/graphs/%s.json", names[r % 4]);
        save(text, damage(text, load(name, text), &random));
        if (cw_graph_file_read(path, &g, &p, &err) != CW_OK) {
            assert_true(err.text[0] && strlen(err.text) > strlen(path) + 4);
            continue;
        }
        plan(g, p);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
        good++;
    }
    print_message("%d of %d damaged graphs were still graphs\n", good, ROUNDS);
    assert_true(good > ROUNDS / 100 && good < ROUNDS);
}

static void test_platforms(void **state)
{
    const char *builtin = cw_platform_builtin("hxdsp");
    struct cw_graph *g, *moved;
    struct cw_platform *p;
    struct cw_error err = {0};
    uint64_t random = 12;
    int good = 0;

    (void)state;
    assert_int_equal(cw_graph_file_read("test/golden/graphs/blockmatmul.json", &g, &p, &err), CW_OK);
    for (int r = 0; r < ROUNDS; r++) {
        char text[TEXT_MAX];
        struct cw_platform_model *m;
        struct cw_error why = {0};
        strcpy(text, builtin);
        save(text, damage(text, strlen(text), &random));
        if (cw_platform_model_load(path, -1, &m, &why) != CW_OK) {
            assert_true(why.text[0]);
            continue;
        }
        if (cw_platform_model_platform(m)->devices < 20 &&
            cw_plan_graph_retarget(g, p, m, &moved, &why) == CW_OK) {
            plan(moved, cw_platform_model_platform(m));
            cw_graph_destroy(moved);
            good++;
        }
        cw_platform_model_destroy(m);
    }
    cw_graph_destroy(g);
    cw_platform_destroy(p);
    print_message("%d of %d damaged platforms could still be planned for\n", good, ROUNDS);
    assert_true(good > ROUNDS / 100 && good < ROUNDS);
}

static int make_name(void **state)
{
    const char *folder = getenv("T");

    (void)state;
    snprintf(path, sizeof path, "%s/test_sched_fuzz-%d.json", folder ? folder : "/tmp", (int)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graphs), cmocka_unit_test(test_platforms)};

    return cmocka_run_group_tests(tests, make_name, remove_file);
}
