/* test_graph_file_edges.c - edges of a large clweave-graph read on their own: the same as in a small one;
 * all that is not as simple as clweave writes it is left to the reader of the whole file. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/plan/graph_file.h"
#include "../../analyzer/io/folders.h"

enum { TASKS = 30000 };

static char path[PATH_MAX];

/* A graph whose edge 5 is `odd`, and whose members end with `last`. */
static void write_graph(const char *odd, const char *last)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"format\": \"clweave-graph\", \"version\": 1, \"devices\": "
          "[{\"name\":\"p\",\"class\":\"cpu\"}],\n\"tasks\": [",
          f);
    for (int i = 0; i < TASKS; i++)
        fprintf(f, "%s{\"cost\": [%d]}", i ? ",\n" : "", i % 7 + 1);
    fputs("],\n\"edges\": [", f);
    for (int i = 1; i < TASKS; i++)
        if (i == 5)
            fprintf(f, ",%s", odd);
        else
            fprintf(f, "%s\n{\"from\":%d,\"to\":%d,\"data\":%.17g}", i == 1 ? "" : ",", i / 2, i, i * .1);
    fprintf(f, "]%s}\n", last);
    assert_int_equal(fclose(f), 0);
}

static enum cw_status read_graph(struct cw_graph **g)
{
    struct cw_platform *p;
    struct cw_error err = {0};
    enum cw_status status = cw_graph_file_read(path, g, &p, &err);
    cw_platform_destroy(p);
    return status;
}

static void large_files_read_the_same(void **state)
{
    struct cw_graph *fast, *slow;
    struct cw_graph_file_edges edges;
    (void)state;
    write_graph("{\"data\":.5e0,\"to\":5,\"from\":2}", "");
    free(cw_graph_file_edges_take(path, &edges));
    assert_null(edges.v); /* .5 is no number of JSON */
    write_graph("{ \"data\" : -0.5e0 , \"to\":5,\"from\":2}", "");
    char *text = cw_graph_file_edges_take(path, &edges);
    assert_non_null(text);
    assert_int_equal(edges.count, TASKS - 1);
    assert_int_equal(edges.v[4].from, 2);
    assert_true(edges.v[4].data == -.5 && edges.v[5].data == 6 * .1);
    free(text);
    free(edges.v);
    write_graph("{\"data\":0.5,\"to\":5,\"from\":2}", "");
    assert_int_equal(read_graph(&fast), CW_OK);
    write_graph("{\"data\":0.5,\"to\":5,\"from\":2,\"why\":null}", ""); /* read as a tree */
    text = cw_graph_file_edges_take(path, &edges);
    assert_null(text);
    assert_int_equal(read_graph(&slow), CW_OK);
    assert_int_equal(fast->edges, slow->edges);
    assert_memory_equal(fast->succ.start, slow->succ.start, (TASKS + 1) * sizeof *fast->succ.start);
    assert_memory_equal(fast->succ.task, slow->succ.task, fast->edges * sizeof *fast->succ.task);
    assert_memory_equal(fast->succ.data, slow->succ.data, fast->edges * sizeof *fast->succ.data);
    cw_graph_destroy(fast);
    cw_graph_destroy(slow);
}

static void others_are_left_to_the_whole_reader(void **state)
{
    static const char *const odd[][2] = {{"{\"from\":2}", ""},
                                         {"{\"from\":2,\"to\":5,\"to\":5}", ""},
                                         {"{\"from\":2,\"to\":5.0}", ""},
                                         {"{\"from\":2,\"to\":-5}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":0x10}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":1.}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":1.e3}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":1e999}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":01}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":inf}", ""},
                                         {"{\"from\":2,\"to\":5,\"data\":\"1\"}", ""},
                                         {"{\"from\":2,\"to\":4294967295}", ""},
                                         {"[2,5]", ""},
                                         {"{\"from\":2,\"to\":5}", ",\"edges\":[]"},
                                         {"{\"from\":2,\"to\":5}", ",\"x\":[}"},
                                         {"{\"from\":2,\"to\":5", ""}};
    struct cw_graph_file_edges edges;
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        write_graph(odd[i][0], odd[i][1]);
        char *text = cw_graph_file_edges_take(path, &edges);
        if (text || edges.v)
            fail_msg("case %zu was taken", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_files_read_the_same),
                                       cmocka_unit_test(others_are_left_to_the_whole_reader)};
    int fd, failed;

    snprintf(path, sizeof path, "%s/clweave-edges-XXXXXX", cw_temporary_folder());
    fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
