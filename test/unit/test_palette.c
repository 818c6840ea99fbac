/* test_palette.c - colours of kernels: each name has its own while there are enough, the same wherever it is
 * asked for; all can be told from the page and read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../analyzer/explain/draw/palette.h"

static void no_colour_twice(void **state)
{
    struct cw_palette p = {0};
    unsigned seen = 0;
    char name[16];

    (void)state;
    for (int i = 0; i < CW_PALETTE_COLOURS; i++) {
        snprintf(name, sizeof name, "kernel%d", i);
        cw_palette_add(&p, name);
        cw_palette_add(&p, name);
        seen |= 1u << cw_palette_find(&p, name);
    }
    assert_int_equal(seen, (1u << CW_PALETTE_COLOURS) - 1);
    cw_palette_finish(&p);
}

/* A name has the colour of its choice whether it is known or not, unless that is taken. */
static void same_in_other_traces(void **state)
{
    struct cw_palette p = {0}, q = {0};

    (void)state;
    cw_palette_add(&p, "advance");
    cw_palette_add(&q, "some_other_kernel");
    cw_palette_add(&q, "advance");
    assert_int_equal(cw_palette_find(&p, "advance"), cw_palette_find(&q, "advance"));
    cw_palette_finish(&p);
    assert_int_equal(cw_palette_find(&p, "advance"), cw_palette_find(&q, "advance"));
    cw_palette_finish(&q);
}

static void more_names_than_colours(void **state)
{
    struct cw_palette p = {0};
    int names[CW_PALETTE_COLOURS] = {0};
    char name[16];

    (void)state;
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "k%d", i);
        cw_palette_add(&p, name);
        assert_true(cw_palette_find(&p, name) < CW_PALETTE_COLOURS);
        if (i < 5 * CW_PALETTE_COLOURS)
            names[cw_palette_find(&p, name)]++;
    }
    for (int k = 0; k < CW_PALETTE_COLOURS; k++)
        assert_int_equal(names[k], 5);
    cw_palette_finish(&p);
}

static double luminance(const char *hex)
{
    static const double weight[] = {.0722, .7152, .2126};
    unsigned long rgb = strtoul(hex + 1, NULL, 16);
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double v = (double)(rgb >> 8 * i & 255) / 255;
        sum += weight[i] * (v <= .04045 ? v / 12.92 : pow((v + .055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double x = luminance(a) + .05, y = luminance(b) + .05;

    return x > y ? x / y : y / x;
}

static void check_colour(const struct cw_palette_colour *c)
{
    assert_true(contrast(c->fill, "#ffffff") >= 2.95); /* the pages' grounds: page.css */
    assert_true(contrast(c->fill, "#1b222c") >= 3);
    assert_true(contrast(c->fill, c->text) >= 4.5);
    assert_true(contrast(c->tint, "#000000") >= 10);
}

static void readable(void **state)
{
    (void)state;
    for (int i = 0; i < CW_PALETTE_COLOURS; i++)
        check_colour(&cw_palette_colours[i]);
    for (int i = 0; i < CW_PALETTE_KINDS; i++)
        check_colour(&cw_palette_kinds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_colour_twice),
                                       cmocka_unit_test(same_in_other_traces),
                                       cmocka_unit_test(more_names_than_colours), cmocka_unit_test(readable)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
