/* The reach of a launch: the remembered one equals a fresh evaluation, after every change from launch to
 * launch; arguments that are not the kernel's give nothing. The models are made by clweave-footprint. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/kernels/models/program_models.h"
#include "../../sched/random.h"

static const char source[] =
    "kernel void k(global int *a, uint first, global const int *b, ulong stride, float4 weight, local int "
    "*scratch, char c) {\n"
    "  uint i = first + get_global_id(0) * (uint)stride + get_global_id(1) * c;\n"
    "  scratch[get_local_id(0)] = b[get_group_id(0) * get_local_size(0) + get_local_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  a[i] = scratch[0] + (int)weight.x + (int)get_global_offset(0);\n"
    "}\n"
    "kernel void whole(global int *a, global int *b) { a[b[get_global_id(0)]] = 1; }\n"
    "kernel void bounded(global int *a, uint n) {\n"
    "  for (uint i = 0; i < n; i++) for (uint j = 0; j < 3; j++) a[get_global_id(0)] += i ^ j; }\n"
    "kernel void data(global int *a, uint n) { for (int i = 0; i < a[0]; i++) a[i + 1] = n; }\n"
    "kernel void until(global int *a, uint n) { while (a[0] != n) a[get_global_id(0)]++; }\n"
    "kernel void none(global int *a, global int *b) { if (get_global_id(0) > 1000000) a[0] = b[0]; }\n"
    "#define A(x) a[(i * n + x) % (m + x) * 3 + (i ^ x) % n] += a[(i * x) % (n + m)];\n"
    "#define B(x) A(x) A(x + 1) A(x + 2) A(x + 3) A(x + 4) A(x + 5) A(x + 6) A(x + 7)\n"
    "#define C(x) B(x) B(x + 8) B(x + 16) B(x + 24) B(x + 32) B(x + 40) B(x + 48) B(x + 56)\n"
    "kernel void slow(global int *a, uint n, uint m) { uint i = get_global_id(0); C(1) C(65) C(129) C(193) "
    "}\n";

/* By argument of kernel `atomics`: the class is that of one operation and size, without use of results. */
static const char atomics[] =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "kernel void atomics(global int *add, global uint *inc, global uint *smax, global int *umax, global long "
    "*wide,\n"
    "    global int *used, global int *read, global int *two, global float *swap, global int *exchange,\n"
    "    global int *any, global int *copy, global int *none) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i % 3 == 0) atomic_sub(add, i);\n"
    "  atomic_inc(inc + i);\n"
    "  atomic_max((global int *)smax, i);\n"
    "  atomic_max((global uint *)umax, (uint)i);\n"
    "  atom_add(wide, (long)i);\n"
    "  if (atomic_add(used, 1) == 3) atomic_add(used + 1, 1);\n"
    "  atomic_add(read, read[1]);\n"
    "  atomic_add(two, 1); atomic_or(two + 1, 1);\n"
    "  atomic_xchg(swap, 1.f);\n"
    "  atomic_cmpxchg(exchange, 1, 2);\n"
    "  atomic_add(any + add[0] - add[0] + copy[i], 1);\n"
    "}\n"
    "kernel void one(global int *a) { atomic_dec(a + get_global_id(0)); }\n";

static struct cw_program_reach *program, *other;

static int start(void **state)
{
    static struct cw_models_source s;
    struct cw_error err = {0};
    sigset_t all;

    (void)state;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    cw_program_models_init(&s, "");
    if (!*s.helper && getenv("B")) {
        snprintf(s.helper, sizeof s.helper, "%s/clweave-footprint", getenv("B"));
    }
    program = cw_program_reach_create(&s, source, "", NULL, &err);
    other = cw_program_reach_create(&s, atomics, "", NULL, &err);
    if (!program)
        print_message("%s\n", err.text);
    return 0;
}

static int end(void **state)
{
    (void)state;
    cw_program_reach_destroy(program);
    cw_program_reach_destroy(other);
    return 0;
}

struct values {
    uint32_t first;
    uint64_t stride;
    float weight[4];
    signed char c;
};

/* A launch of `k` of a few thousand work-items at most. */
static void choose(uint64_t *random, struct values *v, struct cw_reach_arg arg[7], struct cw_reach_launch *l)
{
    *v = (struct values){.first = (uint32_t)cw_random_below(random, 3) * 64,
                         .stride = cw_random_below(random, 3),
                         .weight = {(float)cw_random_below(random, 4)},
                         .c = (signed char)(cw_random_below(random, 5))};
    arg[0] = (struct cw_reach_arg){CW_REACH_BUFFER, 4096 + 4096 * cw_random_below(random, 2), NULL, 0};
    arg[1] = (struct cw_reach_arg){CW_REACH_SCALAR, 4, (const unsigned char *)&v->first, 0};
    arg[2] = (struct cw_reach_arg){CW_REACH_BUFFER, 2048, NULL, 0};
    arg[3] = (struct cw_reach_arg){CW_REACH_SCALAR, 8, (const unsigned char *)&v->stride, 0};
    arg[4] = (struct cw_reach_arg){CW_REACH_SCALAR, 16, (const unsigned char *)v->weight, 0};
    arg[5] = (struct cw_reach_arg){CW_REACH_LOCAL, 0, NULL, 0};
    arg[6] = (struct cw_reach_arg){CW_REACH_SCALAR, 1, (const unsigned char *)&v->c, 0};
    *l = (struct cw_reach_launch){.work_dim = 1 + (unsigned)cw_random_below(random, 2),
                                  .global = {64 << cw_random_below(random, 2), 2},
                                  .local = {8 << cw_random_below(random, 2), 1},
                                  .offset = {cw_random_below(random, 2) * 16, 0},
                                  .arg = arg,
                                  .args = 7};
}

static void same(const struct cw_reach *a, const struct cw_reach *b)
{
    assert_int_equal(!a, !b);
    if (!a)
        return;
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        assert_int_equal(a->piece[i].arg, b->piece[i].arg);
        assert_int_equal(a->piece[i].write, b->piece[i].write);
        assert_int_equal(a->piece[i].begin, b->piece[i].begin);
        assert_int_equal(a->piece[i].end, b->piece[i].end);
        assert_int_equal(a->piece[i].sure, b->piece[i].sure);
        assert_int_equal(a->piece[i].sure_end, b->piece[i].sure_end);
    }
}

static void test_remembered(void **state)
{
    struct cw_reacher *r;
    struct cw_reach_arg arg[7];
    struct cw_reach_launch l;
    struct values v;
    uint64_t random = 5;

    (void)state;
    if (!program)
        skip();
    r = cw_program_reach_kernel(program, "k", 4);
    assert_non_null(r);
    for (int i = 0; i < 3000; i++) {
        struct cw_reacher *fresh = cw_program_reach_kernel(program, "k", 4);
        choose(&random, &v, arg, &l);
        same(cw_reacher_launch(r, &l, 0), cw_reacher_launch(fresh, &l, 0));
        cw_reacher_destroy(fresh);
    }
    cw_reacher_destroy(r);
}

/* Bytes [begin, end) of an argument lie in one piece. */
static bool is_in(const struct cw_reach *reach, const struct cw_reach_piece *p)
{
    bool found = false;

    for (uint32_t i = 0; i < reach->n && !found; i++) {
        const struct cw_reach_piece *q = &reach->piece[i];

        found = q->arg == p->arg && q->write == p->write && q->begin <= p->begin && p->end <= q->end;
    }
    return found;
}

/* Launches whose evaluation is too dear: all that they reach is said. */
static void test_dear(void **state)
{
    struct cw_reacher *r, *dear;
    struct cw_reach_arg arg[7];
    struct cw_reach_launch l;
    struct values v;
    uint64_t random = 5;
    uint32_t pieces = 0;

    (void)state;
    if (!program)
        skip();
    r = cw_program_reach_kernel(program, "k", 4);
    dear = cw_program_reach_kernel(program, "k", 4);
    assert_true(r && dear);
    for (int i = 0; i < 1000; i++) {
        const struct cw_reach *exact, *most;

        choose(&random, &v, arg, &l);
        exact = cw_reacher_launch(r, &l, 0);
        most = cw_reacher_launch(dear, &l, 1);
        if (exact && !most) { /* the kernel counts as slow to compile */
            printf("this machine was too busy to compile launches in their time\n");
            exit(75);
        }
        assert_int_equal(!exact, !most);
        for (uint32_t k = 0; exact && k < exact->n; k++)
            assert_true(is_in(most, &exact->piece[k]));
        for (uint32_t k = 0; most && k < most->n; k++)
            assert_true(most->piece[k].end <= arg[most->piece[k].arg].bytes &&
                        most->piece[k].sure <= most->piece[k].sure_end &&
                        most->piece[k].sure_end <= most->piece[k].end);
        pieces += most ? most->n : 0;
    }
    assert_true(pieces > 1000);
    cw_reacher_destroy(r);
    cw_reacher_destroy(dear);
}

/* Where compiling takes long as well, launches are left without an answer. */
static void test_slow(void **state)
{
    struct cw_reacher *r;
    uint32_t answers = 0, n, m = 9;
    struct cw_reach_arg arg[] = {{.kind = CW_REACH_BUFFER, .bytes = 1 << 20},
                                 {.kind = CW_REACH_SCALAR, .bytes = sizeof n, .value = (const void *)&n},
                                 {.kind = CW_REACH_SCALAR, .bytes = sizeof m, .value = (const void *)&m}};
    const struct cw_reach_launch l = {.work_dim = 1, .global = {1024}, .local = {64}, .args = 3, .arg = arg};

    (void)state;
    if (!program)
        skip();
    r = cw_program_reach_kernel(program, "slow", 4);
    assert_non_null(r);
    for (n = 100; n < 200; n++)
        answers += cw_reacher_launch(r, &l, 1) != NULL;
    assert_in_range(answers, 1, 50);
    cw_reacher_destroy(r);
}

static void test_pieces(void **state)
{
    struct cw_reacher *r;
    const struct cw_reach *reach;
    struct cw_reach_arg arg[7];
    struct cw_reach_launch l;
    struct values v;
    uint64_t random = 1;

    (void)state;
    if (!program)
        skip();
    r = cw_program_reach_kernel(program, "k", 4);
    choose(&random, &v, arg, &l);
    v = (struct values){.first = 64, .stride = 1};
    l.work_dim = 1, l.global[0] = 128, l.local[0] = 16, l.offset[0] = 0;
    reach = cw_reacher_launch(r, &l, 0);
    assert_non_null(reach);
    assert_int_equal(reach->n, 2); /* reads of b, then writes of a */
    assert_int_equal(reach->piece[0].arg, 2);
    assert_false(reach->piece[0].write);
    assert_int_equal(reach->piece[0].end, 512);
    assert_int_equal(reach->piece[1].arg, 0);
    assert_true(reach->piece[1].write);
    assert_int_equal(reach->piece[1].begin, 256);
    assert_int_equal(reach->piece[1].end, 768);
    assert_int_equal(reach->piece[1].sure, 256); /* every work-item stores */
    assert_int_equal(reach->piece[1].sure_end, 768);
    assert_true(cw_reacher_is_buffer(r, 0) && cw_reacher_is_buffer(r, 2));
    assert_false(cw_reacher_is_buffer(r, 1) || cw_reacher_is_buffer(r, 5) || cw_reacher_is_buffer(r, 7));
    cw_reacher_destroy(r);
    assert_null(cw_program_reach_kernel(program, "other", 4));
}

/* What is not as the model takes it is not followed. */
static void test_refused(void **state)
{
    struct cw_reacher *r;
    struct cw_reach_arg arg[8], kept;
    struct cw_reach_launch l, good;
    struct values v;
    uint64_t random = 1;

    (void)state;
    if (!program)
        skip();
    r = cw_program_reach_kernel(program, "k", 4);
    choose(&random, &v, arg, &good);
    assert_non_null(cw_reacher_launch(r, &good, 0));
    for (int i = 0; i < 7; i++) {
        kept = arg[i];
        arg[i].kind = CW_REACH_OTHER;
        assert_null(cw_reacher_launch(r, &good, 0));
        arg[i] = kept;
        if (kept.kind != CW_REACH_SCALAR)
            continue;
        arg[i].bytes++;
        assert_null(cw_reacher_launch(r, &good, 0));
        arg[i] = kept;
    }
    l = good, l.args = 6;
    assert_null(cw_reacher_launch(r, &l, 0));
    l = good, l.work_dim = 0;
    assert_null(cw_reacher_launch(r, &l, 0));
    l = good, l.work_dim = 4;
    assert_null(cw_reacher_launch(r, &l, 0));
    l = good, l.local[0] = 0; /* not known, and it matters */
    assert_null(cw_reacher_launch(r, &l, 0));
    l = good, l.local[0] = 7;
    assert_null(cw_reacher_launch(r, &l, 0));
    l = good, l.global[0] = UINT64_MAX;
    assert_null(cw_reacher_launch(r, &l, 0));
    cw_reacher_destroy(r);
}

/* How many operations a launch does at most is known when it comes again, and follows the scalars. */
static void test_most(void **state)
{
    static const char *const names[] = {"bounded", "data", "until"};
    uint32_t n = 10;
    struct cw_reach_arg arg[2] = {{CW_REACH_BUFFER, 4096, NULL, 0},
                                  {CW_REACH_SCALAR, 4, (const unsigned char *)&n, 0}};
    struct cw_reach_launch l = {.work_dim = 1, .global = {64}, .arg = arg, .args = 2};
    double most[3];
    uint64_t id;

    (void)state;
    if (!program)
        skip();
    for (int i = 0; i < 3; i++) {
        struct cw_reacher *r = cw_program_reach_kernel(program, names[i], 4);
        n = 10;
        assert_true(isinf(cw_reacher_launch(r, &l, 0)->most));
        id = cw_reacher_launch(r, &l, 0)->id;
        most[i] = cw_reacher_launch(r, &l, 0)->most;
        assert_true(id && cw_reacher_launch(r, &l, 0)->id == id);
        n = 1000;
        assert_true(cw_reacher_launch(r, &l, 0)->id != id);
        if (i == 0)
            assert_true(cw_reacher_launch(r, &l, 0)->most >= 64 * 3000 &&
                        cw_reacher_launch(r, &l, 0)->most < 64 * 3000 * 20);
        cw_reacher_destroy(r);
    }
    assert_true(most[0] >= 64 * 30 && most[0] < 64 * 30 * 20);
    assert_true(most[1] > 1e9 && most[2] > 1e9);
}

static void test_unknown(void **state)
{
    struct cw_reacher *r;
    const struct cw_reach *reach;
    struct cw_reach_arg arg[2] = {{CW_REACH_BUFFER, 4096, NULL, 0}, {CW_REACH_BUFFER, 8192, NULL, 0}};
    struct cw_reach_launch l = {.work_dim = 1, .global = {64}, .arg = arg, .args = 2};
    bool found = false;

    (void)state;
    if (!program)
        skip();
    r = cw_program_reach_kernel(program, "whole", 4);
    reach = cw_reacher_launch(r, &l, 0); /* the local size is not known and does not matter */
    assert_non_null(reach);
    for (uint32_t i = 0; i < reach->n; i++)
        if (reach->piece[i].write) {
            found = true;
            assert_true(reach->piece[i].unknown);
            assert_int_equal(reach->piece[i].end - reach->piece[i].begin, 4096);
            assert_int_equal(reach->piece[i].sure_end, 0); /* any of them, or none */
        }
    assert_true(found);
    cw_reacher_destroy(r);
    r = cw_program_reach_kernel(program, "none", 4);
    reach = cw_reacher_launch(r, &l, 0);
    assert_non_null(reach);
    assert_int_equal(reach->n, 0);
    cw_reacher_destroy(r);
}

/* Atomic operations of one kind and size, whose results nothing uses, commute; nothing else does. The kernel
 * reads `add` as well. */
static void test_commutes(void **state)
{
    struct cw_reacher *r, *one;
    struct cw_reach_arg arg = {CW_REACH_BUFFER, 4096, NULL, 0};
    struct cw_reach_launch l = {.work_dim = 1, .global = {64}, .arg = &arg, .args = 1};

    (void)state;
    if (!other)
        skip();
    r = cw_program_reach_kernel(other, "atomics", 4);
    one = cw_program_reach_kernel(other, "one", 4);
    assert_true(r && one);
    for (uint32_t i = 0; i < 13; i++)
        assert_int_equal(cw_reacher_commutes(r, i) != 0, (i >= 1 && i <= 4) || i == 10);
    assert_true(cw_reach_commute(cw_reacher_commutes(one, 0), cw_reacher_commutes(r, 1)));
    assert_true(cw_reach_commute(cw_reacher_commutes(one, 0), cw_reacher_commutes(r, 10)));
    for (uint32_t i = 1; i <= 4; i++)
        for (uint32_t k = 1; k <= 4; k++)
            assert_int_equal(cw_reach_commute(cw_reacher_commutes(r, i), cw_reacher_commutes(r, k)), i == k);
    assert_int_equal(cw_reacher_commutes(one, 1), 0);
    for (uint32_t n = 1; n <= 40; n++) { /* evaluated, then compiled */
        const struct cw_reach *reach;

        l.global[0] = n;
        reach = cw_reacher_launch(one, &l, 1);
        for (uint32_t i = 0; reach && i < reach->n; i++)
            assert_int_equal(reach->piece[i].commutes, cw_reacher_commutes(one, 0));
    }
    cw_reacher_destroy(r);
    cw_reacher_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remembered), cmocka_unit_test(test_dear),     cmocka_unit_test(test_slow),
        cmocka_unit_test(test_pieces),     cmocka_unit_test(test_refused),  cmocka_unit_test(test_most),
        cmocka_unit_test(test_unknown),    cmocka_unit_test(test_commutes),
    };

    return cmocka_run_group_tests(tests, start, end);
}
