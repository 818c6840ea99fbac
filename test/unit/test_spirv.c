/* SPIR-V modules (source/spirv.h): what is refused, specialisation constants, names; none that is damaged is
 * read past its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../analyzer/kernels/source/code_text.h"
#include "../../analyzer/kernels/source/spirv.h"

enum { WORDS = 200 };
enum { INT = 1, SHORT, LONG, BOOL, NUMBER, SHORT_NUMBER, LONG_NUMBER, TRUTH, KERNEL, HELPER, IMPORT, SIZE };

struct module {
    uint32_t word[WORDS];
    size_t n; /* words */
};

static void add(struct module *m, uint32_t op, size_t n, const uint32_t *operands)
{
    m->word[m->n++] = (uint32_t)(n + 1) << 16 | op;
    memcpy(m->word + m->n, operands, n * sizeof *operands);
    m->n += n;
}

#define ADD(m, op, ...)                                                                                      \
    add(m, op, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

#define WORD(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* `demand`: an execution mode, 0: none. */
static struct module make(uint32_t demand)
{
    struct module m = {{0x07230203, 0x00010000, 0, 20, 0}, 5};

    ADD(&m, 14, 2, 2);
    ADD(&m, 15, 6, KERNEL, WORD('_', 'Z', 'k', 0));
    if (demand)
        ADD(&m, 16, KERNEL, demand, 8, 1, 1);
    ADD(&m, 5, KERNEL, WORD('_', 'Z', 'k', 0));
    ADD(&m, 5, HELPER, WORD('_', 'Z', 'h', 0));
    ADD(&m, 5, IMPORT, WORD('_', 'Z', 'i', 0));
    ADD(&m, 5, NUMBER, WORD('_', 'n', 0, 0));
    ADD(&m, 71, NUMBER, 1, 7);
    ADD(&m, 71, SHORT_NUMBER, 1, 8);
    ADD(&m, 71, LONG_NUMBER, 1, 9);
    ADD(&m, 71, TRUTH, 1, 10);
    ADD(&m, 71, IMPORT, 41, WORD('_', 'Z', 'i', 0), 1);
    ADD(&m, 21, INT, 32, 0);
    ADD(&m, 21, SHORT, 16, 1);
    ADD(&m, 21, LONG, 64, 0);
    ADD(&m, 20, BOOL);
    ADD(&m, 50, INT, NUMBER, 1);
    ADD(&m, 50, SHORT, SHORT_NUMBER, 1);
    ADD(&m, 50, LONG, LONG_NUMBER, 1, 0);
    ADD(&m, 49, BOOL, TRUTH);
    ADD(&m, 54, 30, HELPER, 0, 31);
    ADD(&m, 54, 30, IMPORT, 0, 31);
    ADD(&m, 54, 30, KERNEL, 0, 31);
    return m;
}

static bool has(const struct module *m, uint32_t op, const uint32_t *operands, size_t n)
{
    for (size_t at = 5; at < m->n; at += m->word[at] >> 16)
        if ((m->word[at] & 0xffff) == op && m->word[at] >> 16 == n + 1 &&
            !memcmp(m->word + at + 1, operands, n * sizeof *operands))
            return true;
    return false;
}

#define HAS(m, op, ...)                                                                                      \
    has(m, op, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void constants_are_set(void **state)
{
    struct module m = make(0);
    size_t n = m.n * sizeof *m.word;
    uint32_t number = 77;
    int16_t negative = -2;
    uint64_t large = UINT64_C(0x123456789);
    uint8_t yes = 3;

    (void)state;
    assert_int_equal(cw_spirv_check(m.word, n, NULL), CW_OK);
    assert_true(cw_spirv_specialise(m.word, n, 7, &number, sizeof number));
    assert_true(cw_spirv_specialise(m.word, n, 8, &negative, sizeof negative));
    assert_true(cw_spirv_specialise(m.word, n, 9, &large, sizeof large));
    assert_true(cw_spirv_specialise(m.word, n, 10, &yes, sizeof yes));
    assert_true(HAS(&m, 50, INT, NUMBER, 77));
    assert_true(HAS(&m, 50, SHORT, SHORT_NUMBER, 0xfffffffe));
    assert_true(HAS(&m, 50, LONG, LONG_NUMBER, 0x23456789, 1));
    assert_true(HAS(&m, 48, BOOL, TRUTH));
    yes = 0;
    assert_true(cw_spirv_specialise(m.word, n, 10, &yes, sizeof yes));
    assert_true(HAS(&m, 49, BOOL, TRUTH));
    assert_false(cw_spirv_specialise(m.word, n, 11, &number, sizeof number));
    assert_false(cw_spirv_specialise(m.word, n, 7, &negative, sizeof negative));
    assert_false(cw_spirv_specialise(m.word, n, 10, &number, sizeof number));
}

static void names_of_functions_change(void **state)
{
    struct module m = make(0);
    size_t n = m.n * sizeof *m.word;

    (void)state;
    assert_true(cw_spirv_imports(m.word, n, "_Zi"));
    assert_false(cw_spirv_imports(m.word, n, "_Zh"));
    assert_true(cw_spirv_rename(m.word, n));
    assert_true(HAS(&m, 5, HELPER, WORD('u', 'Z', 'h', 0)));
    assert_true(HAS(&m, 5, KERNEL, WORD('_', 'Z', 'k', 0)));
    assert_true(HAS(&m, 5, IMPORT, WORD('_', 'Z', 'i', 0)));
    assert_true(HAS(&m, 5, NUMBER, WORD('_', 'n', 0, 0)));
}

static void demands_are_seen(void **state)
{
    struct module none = make(0), size = make(17), other = make(31), constant = make(0);

    (void)state;
    assert_false(cw_spirv_demands(none.word, none.n * sizeof *none.word));
    assert_true(cw_spirv_demands(size.word, size.n * sizeof *size.word));
    assert_false(cw_spirv_demands(other.word, other.n * sizeof *other.word));
    ADD(&constant, 71, SIZE, 11, 25);
    assert_false(cw_spirv_demands(constant.word, constant.n * sizeof *constant.word));
    ADD(&constant, 44, 32, SIZE, 33, 33, 33);
    assert_true(cw_spirv_demands(constant.word, constant.n * sizeof *constant.word));
}

static enum cw_status check(struct module m, size_t word, uint32_t value)
{
    m.word[word] = value;
    return cw_spirv_check(m.word, m.n * sizeof *m.word, NULL);
}

static void others_are_refused(void **state)
{
    struct module m = make(0);
    size_t n = m.n * sizeof *m.word;

    (void)state;
    assert_false(cw_spirv_is("kernel void k() {}", 18));
    assert_false(cw_spirv_is(m.word, 3));
    assert_int_equal(check(m, 0, 0x03022307), CW_ERR_UNSUPPORTED); /* the other byte order */
    assert_int_equal(check(m, 0, 0x03022308), CW_ERR_FORMAT);
    assert_int_equal(check(m, 1, 0x00010700), CW_ERR_UNSUPPORTED); /* a later version */
    assert_int_equal(check(m, 3, 0xffffffff), CW_ERR_FORMAT);      /* more ids than there may be */
    assert_int_equal(check(m, 6, 1), CW_ERR_UNSUPPORTED);          /* 32-bit addresses */
    assert_int_equal(check(m, 9, 5), CW_ERR_UNSUPPORTED);          /* a shader */
    assert_int_equal(check(m, 5, 0), CW_ERR_FORMAT);               /* an instruction without length */
    assert_int_equal(cw_spirv_check(m.word, n - 1, NULL), CW_ERR_FORMAT);
    assert_int_equal(cw_spirv_check(m.word, n - 4, NULL), CW_ERR_FORMAT);
    assert_int_equal(cw_spirv_check(m.word, (size_t)CW_SPIRV_BYTES_MAX + 4, NULL), CW_ERR_UNSUPPORTED);
}

/* In exactly its bytes, so that a sanitizer sees each one beyond them. */
static void use(const uint32_t *word, size_t bytes)
{
    uint32_t *exact = malloc(bytes), number = 5;

    memcpy(exact, word, bytes);
    if (cw_spirv_check(exact, bytes, NULL) == CW_OK) {
        for (uint32_t id = 6; id < 12; id++)
            cw_spirv_specialise(exact, bytes, id, &number, id == 10 ? 1 : 4);
        cw_spirv_demands(exact, bytes);
        cw_spirv_imports(exact, bytes, "_Zi");
        assert_true(cw_spirv_rename(exact, bytes));
    }
    free(exact);
}

static void damaged_ones_are_read_within_their_bytes(void **state)
{
    static const uint32_t values[] = {0, 1, 0x00010005, 0x00020047, 0x00030047, 0xffff0005, 0x0001003f, ~0u};
    struct module m = make(17);

    (void)state;
    for (size_t n = 1; n <= m.n * sizeof *m.word; n++)
        use(m.word, n);
    for (size_t i = 0; i < m.n; i++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            struct module changed = m;
            changed.word[i] = values[v];
            use(changed.word, m.n * sizeof *m.word);
        }
}

static void text_is_the_module(void **state)
{
    struct module m = make(0);
    size_t n = m.n * sizeof *m.word, bytes;
    char *text = cw_code_text((unsigned char *)m.word, n);
    unsigned char *again = cw_code_text_bytes(text, &bytes);

    (void)state;
    assert_true(cw_code_text_is(text));
    assert_int_equal(bytes, n);
    assert_memory_equal(again, m.word, n);
    free(again);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_set),
        cmocka_unit_test(names_of_functions_change),
        cmocka_unit_test(demands_are_seen),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(damaged_ones_are_read_within_their_bytes),
        cmocka_unit_test(text_is_the_module),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
