/* Blocks of a farm's tasks on their way to another machine: the same commands there, damage at every byte,
 * another version; answers that are complete and not; the address of a manager. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/farm/farm_outside.h"
#include "../../analyzer/io/folders.h"

static void add_list(struct cw_farm_plan *p, const char *text)
{
    struct cw_farm_list *l = &p->list[p->lists++];

    l->name = strdup("list");
    l->text = strdup(text);
    l->bytes = strlen(text);
}

/* Nine tasks of two lists. */
static void make_plan(struct cw_farm_plan *p)
{
    static const char *const words[] = {"run", "{}", "x{2}y", "{3}"};
    struct cw_error err = {0};

    *p = (struct cw_farm_plan){.tries = 3, .timeout_s = 1.5, .folder = strdup("/"), .out = strdup("-")};
    p->argv = calloc(5, sizeof *p->argv);
    for (; p->argc < 4; p->argc++)
        p->argv[p->argc] = strdup(words[p->argc]);
    add_list(p, "a 'b c'\r\n\nd e\nf \"g'\"");
    add_list(p, "1\n2 3\n4 '5 6'");
    assert_int_equal(cw_farm_plan_check(p, &err), CW_OK);
    assert_int_equal(p->tasks, 9);
}

static void check_commands(const struct cw_farm_plan *p, const struct cw_farm_plan *block, uint32_t first)
{
    for (uint32_t t = 0; t < block->tasks; t++) {
        int argc, there;
        char **wanted = cw_farm_plan_command(p, first + t, &argc),
             **got = cw_farm_plan_command(block, t, &there);

        assert_int_equal(there, argc);
        for (int a = 0; a < argc; a++)
            assert_string_equal(got[a], wanted[a]);
        free(wanted);
        free(got);
    }
}

static void test_commands(void **state)
{
    struct cw_farm_plan p, block;
    struct cw_error err = {0};

    (void)state;
    make_plan(&p);
    for (uint32_t first = 0; first < p.tasks; first++)
        for (uint32_t n = 1; n <= p.tasks - first; n++) {
            size_t bytes;
            void *v = cw_farm_block_pack(&p, (struct cw_dispatch_range){first, n}, "1.2.3", &bytes);

            assert_non_null(v);
            assert_int_equal(cw_farm_block_unpack(&block, v, bytes, "1.2.3", &err), CW_OK);
            assert_true(block.tasks == n && block.tries == 1 && block.timeout_s == p.timeout_s);
            check_commands(&p, &block, first);
            cw_farm_plan_finish(&block);
            free(v);
        }
    cw_farm_plan_finish(&p);
}

static void test_damaged(void **state)
{
    struct cw_farm_plan p, block;
    struct cw_error err = {0};
    size_t bytes;
    char *v;

    (void)state;
    make_plan(&p);
    v = cw_farm_block_pack(&p, (struct cw_dispatch_range){2, 5}, "1.2.3", &bytes);
    assert_int_equal(cw_farm_block_unpack(&block, v, bytes, "1.2.4", &err), CW_ERR_VERSION);
    assert_non_null(strstr(err.text, "1.2.3"));
    assert_non_null(strstr(err.text, "1.2.4"));
    for (size_t k = 0; k < bytes; k++) {
        assert_int_equal(cw_farm_block_unpack(&block, v, k, "1.2.3", &err), CW_ERR_FORMAT);
        cw_farm_plan_finish(&block);
        v[k] ^= 1;
        assert_int_not_equal(cw_farm_block_unpack(&block, v, bytes, "1.2.3", &err), CW_OK);
        cw_farm_plan_finish(&block);
        v[k] ^= 1;
    }
    free(v);
    cw_farm_plan_finish(&p);
}

/* ---- answers */

static void answer(const char *path, const struct cw_farm_plan *p, uint32_t results)
{
    struct cw_farm_checkpoint c;
    struct cw_farm_bytes b = {0};
    struct cw_error err = {0};

    unlink(path);
    assert_int_equal(cw_farm_checkpoint_create(&c, path, p, &err), CW_OK);
    for (uint32_t t = results; t--;) {
        struct cw_farm_result r = {
            .task = t, .value = (int32_t)t, .out = "out", .out_bytes = t % 3, .ns = 10};
        assert_true(cw_farm_result_add(&b, &r));
    }
    assert_int_equal(cw_farm_checkpoint_append(&c, &b, &err), CW_OK);
    cw_farm_checkpoint_close(&c);
    free(b.v);
}

static void test_answers(void **state)
{
    struct cw_farm_plan p;
    struct cw_farm_bytes b = {0};
    struct cw_farm_result r;
    struct cw_error err = {0};
    uint64_t ns = 1;
    char path[PATH_MAX];
    const char *at;

    (void)state;
    snprintf(path, sizeof path, "%s/cw-block-%d", cw_temporary_folder(), (int)getpid());
    make_plan(&p);
    answer(path, &p, 8);
    assert_int_equal(cw_farm_block_results(path, (struct cw_dispatch_range){100, 9}, &b, &ns, &err),
                     CW_ERR_FORMAT);
    answer(path, &p, 9);
    assert_int_equal(cw_farm_block_results(path, (struct cw_dispatch_range){100, 8}, &b, &ns, &err),
                     CW_ERR_FORMAT);
    assert_true(b.used == 0 && ns == 1);
    assert_int_equal(cw_farm_block_results(path, (struct cw_dispatch_range){100, 9}, &b, &ns, &err), CW_OK);
    at = b.v;
    for (uint32_t t = 0; t < 9; t++) {
        assert_true(cw_farm_result_next(&at, b.v + b.used, &r));
        assert_true(r.task == 100 + t && r.value == (int32_t)t && r.out_bytes == t % 3);
    }
    assert_true(at == b.v + b.used && ns == 91);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_not_equal(cw_farm_block_results(path, (struct cw_dispatch_range){0, 9}, &b, &ns, &err), CW_OK);
    unlink(path);
    assert_int_equal(cw_farm_block_results(path, (struct cw_dispatch_range){0, 9}, &b, &ns, &err), CW_ERR_IO);
    free(b.v);
    cw_farm_plan_finish(&p);
}

/* ---- addresses */

static void test_addresses(void **state)
{
    static const char *const wrong[] = {"", ":", "here:", ":1", "x", "-1", "65536", "here:1x", "1 "};
    struct cw_error err = {0};
    uint32_t port;
    char *host;

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(cw_farm_outside_address(wrong[k], &host, &port, &err), CW_ERR_INVALID);
        assert_null(host);
    }
    assert_int_equal(cw_farm_outside_address("192.0.2.1:0", &host, &port, &err), CW_ERR_NOTFOUND);
    assert_int_equal(cw_farm_outside_address("127.0.0.1:0", &host, &port, &err), CW_OK);
    assert_string_equal(host, "127.0.0.1");
    assert_in_range(port, 1, 65535);
    free(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_answers), cmocka_unit_test(test_addresses)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
