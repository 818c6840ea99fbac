/* test_footprint_depth.c - launches are evaluated on threads of the host, whose stacks may be small:
 * expressions of any depth fit into 384 KiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/kernels/footprint/form.h"

enum { DEPTH = 5000, STACK_KIB = 384 };

/* out[f(f(f(... gid ...)))] with the operations that take most room, read as numbers (32 bits, extended). */
static void deep_model(struct cw_model *m)
{
    static const enum cw_expr_op ops[] = {CW_EXPR_OR,   CW_EXPR_XOR,  CW_EXPR_AND,
                                          CW_EXPR_UMIN, CW_EXPR_UREM, CW_EXPR_SMAX};
    struct cw_expr_pool *p = &m->pool;
    cw_model_init(m);
    m->kernel = strdup("deep");
    m->arg = calloc(1, sizeof *m->arg);
    m->args = 1;
    m->arg[0] = (struct cw_arg){.name = strdup("out"), .type = strdup("int*"), .kind = CW_ARG_GLOBAL};
    int x = cw_expr_unary(p, CW_EXPR_TRUNC, 32, cw_expr_leaf(p, CW_EXPR_GLOBAL_ID, 64, 0));
    for (int i = 0; i < DEPTH; i++) {
        x = cw_expr_binary(p, ops[i % 6], 32, x, cw_expr_const(p, 32, 7 + i));
        if (i % 7 == 0) {
            int less = cw_expr_compare(p, CW_CMP_SLT, x, cw_expr_const(p, 32, i));
            x = cw_expr_select(p, 32, less, x, cw_expr_const(p, 32, 3));
        }
    }
    struct cw_access a = {.kind = CW_ACCESS_WRITE,
                          .offset = cw_expr_unary(p, CW_EXPR_ZEXT, 64, x),
                          .bytes_may = 4,
                          .bytes_must = 4,
                          .count = -1,
                          .stride = -1,
                          .loop = -1,
                          .atomic = "",
                          .value = -1};
    int below = cw_expr_compare(p, CW_CMP_ULT, x, cw_expr_const(p, 32, 1000));
    assert_true(cw_model_add_guard(m, below, true));
    a.guards.n = 1;
    assert_true(cw_model_add_access(m, &a));
}

static void *evaluate(void *data)
{
    const struct cw_model *m = data;
    struct cw_launch_arg arg = {.buffer_bytes = 4096};
    struct cw_launch l = {.work_dim = 1, .global = {64, 1, 1}, .local = {8, 1, 1}, .arg = &arg};
    struct cw_tile t = {.count = {4, 1, 1}};
    struct cw_eval *e = cw_eval_create(m);
    struct cw_form *c = cw_form_create(m);
    struct cw_arg_footprint f = {0};
    struct cw_arg_hulls h;
    bool ok = e && c && cw_eval_tile(e, &l, &t, &f) && cw_form_launch(c, &l) && cw_form_tile(c, &t, &h);
    ok = ok && f.writes.answer >= CW_ANSWER_AT_MOST && h.writes.answer >= CW_ANSWER_AT_MOST;
    cw_eval_result_finish(&f, 1);
    cw_eval_destroy(e);
    cw_form_destroy(c);
    return ok ? data : NULL;
}

static void deep_expressions_fit_a_small_stack(void **state)
{
    struct cw_model m;
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    (void)state;
    deep_model(&m);
    assert_false(m.pool.failed);
    pthread_attr_init(&attributes);
#ifdef __SANITIZE_ADDRESS__ /* frames with red zones */
    pthread_attr_setstacksize(&attributes, 8 * STACK_KIB * 1024);
#else
    pthread_attr_setstacksize(&attributes, STACK_KIB * 1024);
#endif
    assert_int_equal(pthread_create(&thread, &attributes, evaluate, &m), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, &m);
    pthread_attr_destroy(&attributes);
    cw_model_finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(deep_expressions_fit_a_small_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
