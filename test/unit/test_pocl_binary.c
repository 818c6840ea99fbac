/* Binaries of PoCL (source/pocl_binary.h): a small one is read, none that is damaged is read past its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/kernels/source/code_text.h"
#include "../../analyzer/kernels/source/pocl_binary.h"

#define PTHREAD                                                                                              \
    UINT64_C(0x02ee5be95d307b0c) /* of pthread-x86_64-pc-linux-gnu-skylake-avx512, as PoCL 3.1 says */

struct file {
    unsigned char bytes[400];
    size_t n;
};

static void add(struct file *f, const void *bytes, size_t n)
{
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
}

static void number(struct file *f, uint64_t value, size_t bytes)
{
    add(f, &value, bytes);
}

/* One kernel, which demands a local size of `size`. */
static struct file make(uint64_t version, uint64_t size)
{
    struct file f = {.n = 0};

    add(&f, "poclbin", 8);
    number(&f, PTHREAD, 8);
    number(&f, version, 4);
    number(&f, 1, 4);
    number(&f, UINT64_C(4) << 32, 8);
    number(&f, 1, 4);
    add(&f, "FF/JNPLNGDILKBNIEEGABOJBHFIJMFNJHLHALNLP", 41);
    number(&f, 4 + 11 + 4 + 6, 8);
    number(&f, 11, 4);
    add(&f, "/program.bc", 11);
    number(&f, 6, 4);
    add(&f, "BCcode", 6);
    number(&f, 8 + 8 + 4 + 4 + 1 + 4 + 4 + 24 + 5, 8);
    number(&f, 0, 8);
    number(&f, 0, 4);
    number(&f, 1, 4);
    add(&f, "k", 1);
    number(&f, 0, 4);
    number(&f, 0, 4);
    for (int d = 0; d < 3; d++)
        number(&f, size, 8);
    add(&f, "rest.", 5);
    return f;
}

/* In memory of its own, so that a sanitizer sees what is read behind it. */
static bool reads(const struct file *f, size_t n, struct cw_pocl_binary *b)
{
    unsigned char *bytes = malloc(n + 1), *exact = realloc(bytes, n ? n : 1);
    bool good;

    memcpy(exact, f->bytes, n);
    good = cw_pocl_binary_read(b, exact, n);
    if (good) {
        b->bitcode = f->bytes + (b->bitcode - exact);
        b->build = f->bytes + (b->build - exact);
    }
    free(exact);
    return good;
}

static void is_read(void **state)
{
    struct file f = make(9, 0), sized = make(9, 16);
    struct cw_pocl_binary b;

    (void)state;
    assert_true(reads(&f, f.n, &b));
    assert_int_equal(b.bitcode_bytes, 6);
    assert_memory_equal(b.bitcode, "BCcode", 6);
    assert_string_equal((const char *)b.build, "FF/JNPLNGDILKBNIEEGABOJBHFIJMFNJHLHALNLP");
    assert_false(b.demands);
    assert_true(reads(&sized, sized.n, &b));
    assert_true(b.demands);
}

static void others_are_refused(void **state)
{
    struct file f = make(9, 0), newer = make(10, 0);
    struct cw_pocl_binary b;

    (void)state;
    assert_false(reads(&newer, newer.n, &b));
    for (size_t n = 0; n < f.n; n++)
        assert_false(reads(&f, n, &b));
    f.n++;
    assert_false(reads(&f, f.n, &b)); /* something behind the last kernel */
}

static void damage_reads_nothing_behind_it(void **state)
{
    static const unsigned char values[] = {0, 1, 127, 128, 255};
    struct cw_pocl_binary b;

    (void)state;
    for (size_t i = 0; i < make(9, 0).n; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            struct file f = make(9, 0);

            f.bytes[i] = values[v];
            if (reads(&f, f.n, &b))
                assert_true(b.bitcode + b.bitcode_bytes <= f.bytes + f.n);
        }
}

static void text_is_the_binary(void **state)
{
    struct file f = make(9, 0);
    char *text = cw_code_text(f.bytes, f.n);
    unsigned char *bytes;
    size_t n;

    (void)state;
    assert_true(cw_code_text_is(text));
    bytes = cw_code_text_bytes(text, &n);
    assert_int_equal(n, f.n);
    assert_memory_equal(bytes, f.bytes, n);
    free(bytes);
    text[strlen(text) - 2] = 'x';
    assert_null(cw_code_text_bytes(text, &n));
    assert_null(cw_code_text_bytes("kernel void k() {}", &n));
    free(text);
}

static void only_the_driver_may_be_another(void **state)
{
    struct file f = make(9, 0), before = f;

    (void)state;
    assert_false(
        cw_pocl_binary_readdress(f.bytes, f.n, "OpenCL 3.0 PoCL HSTR: basic-x86_64-pc-linux-gnu-znver3"));
    assert_false(cw_pocl_binary_readdress(f.bytes, f.n,
                                          "OpenCL 3.0 PoCL HSTR: cuda-x86_64-pc-linux-gnu-skylake-avx512"));
    assert_false(cw_pocl_binary_readdress(f.bytes, f.n, "OpenCL 3.0"));
    assert_false(cw_pocl_binary_readdress(f.bytes, f.n, "HSTR: "));
    assert_memory_equal(f.bytes, before.bytes, f.n);
    assert_true(cw_pocl_binary_readdress(f.bytes, f.n,
                                         "OpenCL 3.0 PoCL HSTR: basic-x86_64-pc-linux-gnu-skylake-avx512"));
    assert_memory_not_equal(f.bytes, before.bytes, f.n);
    assert_true(cw_pocl_binary_readdress(f.bytes, f.n,
                                         "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512"));
    assert_memory_equal(f.bytes, before.bytes, f.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(damage_reads_nothing_behind_it),
        cmocka_unit_test(text_is_the_binary),
        cmocka_unit_test(only_the_driver_may_be_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
