/* Damaged files of graphs, of all formats, and of platforms: a graph that is read without a message must
 * be one that every policy can plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "damage.h"
#include "graph_texts.h"

#include "../../analyzer/plan/graph_file.h"
#include "../../analyzer/plan/graph_format.h"
#include "../../analyzer/plan/plan_graph.h"
#include "../../analyzer/plan/platform_file.h"
#include "../../sched/metrics.h"
#include "../../sched/policy.h"

#define SIGNS "0123456789-.e{}[]\",:;>\n# "

enum { ROUNDS = 1500, FORMAT_ROUNDS = 30000, TEXT_MAX = 8192 };

static char path[200];
static int file;

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

/* Files of one kind after the other, damaged: what is read is planned, what is not is told. */
struct damaged {
    int rounds, kinds;
    int one_of; /* more than one of so many must still be a graph */
    uint64_t seed;
    size_t (*fill)(int kind, char *text); /* the whole file; returns its length */
    enum cw_status (*read)(int kind, struct cw_graph **g, struct cw_platform **p, struct cw_error *err);
    void (*plan)(const struct cw_graph *g, const struct cw_platform *p);
};

static void read_damaged(const struct damaged *d)
{
    uint64_t random = d->seed;
    int good = 0;

    for (int r = 0; r < d->rounds; r++) {
        char text[TEXT_MAX];
        struct cw_graph *g = NULL;
        struct cw_platform *p = NULL;
        struct cw_error err = {0};
        save(text, damage_text(text, d->fill(r % d->kinds, text), TEXT_MAX, SIGNS, &random));
        if (d->read(r % d->kinds, &g, &p, &err) != CW_OK) {
            assert_true(err.status != CW_OK && strstr(err.text, path) &&
                        strlen(err.text) > strlen(path) + 4 && !g && !p);
            continue;
        }
        d->plan(g, p);
        cw_graph_destroy(g);
        cw_platform_destroy(p);
        good++;
    }
    print_message("%d of %d damaged files were still graphs\n", good, d->rounds);
    assert_true(good > d->rounds / d->one_of && good < d->rounds);
}

static size_t fill_graph(int kind, char *text)
{
    static const char *const names[] = {"blockmatmul", "topcuoglu2002", "daoud", "heteropar"};
    char name[100];

    snprintf(name, sizeof name, "test/golden/graphs/%s.json", names[kind]);
    return load(name, text);
}

static enum cw_status read_graph(int kind, struct cw_graph **g, struct cw_platform **p, struct cw_error *err)
{
    (void)kind;
    return cw_graph_file_read(path, g, p, err);
}

static void test_graphs(void **state)
{
    (void)state;
    read_damaged(&(struct damaged){ROUNDS, 4, 100, 11, fill_graph, read_graph, plan});
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
        save(text, damage_text(text, strlen(text), TEXT_MAX, SIGNS, &random));
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

static void plan_by_heft(const struct cw_graph *g, const struct cw_platform *p)
{
    struct cw_policy_config config;
    struct cw_schedule *s;
    struct cw_error err = {0};

    if (g->tasks >= 100 || p->devices >= 100)
        return;
    cw_policy_config_init(&config, cw_policy_find("heft"));
    if (cw_policy_run(&config, g, p, &s, &err) != CW_OK) {
        assert_int_equal(err.status, CW_ERR_LIMIT);
        return;
    }
    assert_int_equal(cw_schedule_check(s, g, p, CW_SHARE_NEVER, 0, &err), CW_OK);
    cw_schedule_destroy(s);
}

static size_t fill_format(int kind, char *text)
{
    static const char *const texts[] = {
        STG,
        STG_TRANSFERS,
        WF15,
        WF14,
        WF12,
        ("digraph \"g\" { graph [classes=\"cpu,dsp\"] node [cost=1, groups=3]; "
         "a -> b:n -> { c d } [data=2.5]\nsubgraph x { a [cost=\"1,-\"] } }")};
    size_t n = strlen(texts[kind]);

    memcpy(text, texts[kind], n);
    return n;
}

static enum cw_status read_format(int kind, struct cw_graph **g, struct cw_platform **p, struct cw_error *err)
{
    static const struct cw_graph_format *const formats[] = {
        &cw_graph_format_stg,      &cw_graph_format_stg,      &cw_graph_format_wfformat,
        &cw_graph_format_wfformat, &cw_graph_format_wfformat, &cw_graph_format_dot};

    cw_graph_format_probe(path);
    return formats[kind]->read(path, 2, g, p, err);
}

static void test_formats(void **state)
{
    (void)state;
    read_damaged(&(struct damaged){FORMAT_ROUNDS, 6, 50, 5, fill_format, read_format, plan_by_heft});
}

/* Tens of thousands of files, in memory, each over the one before it. */
static int make_name(void **state)
{
    (void)state;
    file = memfd_create("test_sched_fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return file < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graphs), cmocka_unit_test(test_platforms),
                                       cmocka_unit_test(test_formats)};

    return cmocka_run_group_tests(tests, make_name, remove_file);
}
