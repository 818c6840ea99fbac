/* test_rewrite_nomem.c - the rewriter when each of its allocations fails in turn: an error, nothing leaked.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "failing_alloc.h"

#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"

static const char *header(void *context, size_t unit, const char *name, const char *includer)
{
    (void)context;
    (void)unit;
    (void)includer;
    return strcmp(name, "a.h") == 0 ? "#pragma once\n#define I get_global_id(0)\nint f(int i) { return I; }\n"
                                    : NULL;
}

static void each_allocation(void **state)
{
    const char *names[] = {"k", "l"};
    struct cw_rewrite_unit unit[] = {
        {"#include \"a.h\"\nkernel void k(global int *a) { a[I] = f(1); }\n", "-DN=1 -I."},
        {"kernel void m(global int *a, int n) { int x = get_global_id(0); if (x < n || n < 3) a[x] = 1; }\n",
         "-DB=2"},
        {"int g(void);\nkernel void l(global int *a) { a[get_group_id(0)] = 1; }\n", NULL}};
    struct cw_rewrite_in in = {.forms = &cw_rewrite_rows_forms,
                               .unit = unit,
                               .units = 3,
                               .kernel = names,
                               .kernels = 2,
                               .read_header = header};
    long failures = 0;

    (void)state;
    if (!REPLACED)
        skip();
    for (long which = 0;; which++) {
        struct cw_rewrite_out out;
        struct cw_error err = {0};
        enum cw_status status;
        countdown = which;
        live = 0;
        counting = true;
        status = cw_rewrite(&in, &out, &err);
        if (status == CW_OK)
            assert_non_null(out.source);
        cw_rewrite_finish(&out);
        counting = false;
        assert_int_equal(live, 0);
        if (countdown >= 0 || status == CW_OK)
            break;
        assert_int_equal(status, CW_ERR_NOMEM);
        failures++;
    }
    assert_true(failures > 20);
}

static void headers(void **state)
{
    (void)state;
    if (!REPLACED)
        skip();
    for (long which = 0; which < 64; which++) {
        struct cw_header_files h;
        countdown = which;
        live = 0;
        counting = true;
        if (cw_header_files_init(&h, "-I a -Ib") && cw_header_files_add(&h, "x.h", "x"))
            cw_header_files_read(&h, "missing.h", "sub/x.h");
        cw_header_files_finish(&h);
        counting = false;
        assert_int_equal(live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation), cmocka_unit_test(headers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
