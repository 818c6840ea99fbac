/* test_report_roofs.c - kernels beside the roofs of a device: shares and bounds with figures by hand, what is
 * not known, and what is kept between processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../analyzer/explain/draw/report_parts.h"
#include "../../analyzer/io/folders.h"

#define NEAR(a, b) assert_true((a) > (b)-1e-9 && (a) < (b) + 1e-9)

/* Memory of 10 GB/s, 100 GFLOP/s single, 25 double. */
static struct cw_device_roofs roofs(void)
{
    struct cw_device_roofs r = {.when_s = 1};

    r.v[CW_ROOF_READ] = (struct cw_roof_value){.median = 8, .n = 3};
    r.v[CW_ROOF_COPY] = (struct cw_roof_value){.median = 10, .n = 3};
    r.v[CW_ROOF_SINGLE] = (struct cw_roof_value){.median = 100, .n = 3};
    r.v[CW_ROOF_DOUBLE] = (struct cw_roof_value){.median = 25, .n = 3};
    return r;
}

static struct cw_kernel_row row(double single, double twice, uint64_t bytes, uint64_t ns)
{
    return (struct cw_kernel_row){
        .single = single, .twice = twice, .work_bytes = bytes, .flops_ns = ns, .bytes_ns = ns};
}

static void a_kernel_is_bound_by_the_lower_roof(void **state)
{
    struct cw_device_roofs r = roofs();
    struct cw_kernel_row axpy = row(1000, 0, 6000, 1000), product = row(50000, 0, 600, 1000),
                         twice = row(0, 5000, 100, 1000), copy = row(0, 0, 5000, 1000);
    struct cw_roof_point p;

    (void)state;
    p = cw_report_roofs_point(&axpy, &r); /* 1 GFLOP/s, 6 GB/s */
    assert_true(p.by_memory);
    NEAR(p.roof, 10. / 6);
    NEAR(p.share, .6);
    p = cw_report_roofs_point(&product, &r);
    assert_false(p.by_memory);
    NEAR(p.share, .5);
    p = cw_report_roofs_point(&twice, &r);
    assert_false(p.by_memory);
    NEAR(p.share, .2);
    p = cw_report_roofs_point(&copy, &r); /* no operations: the roof is memory's */
    assert_true(p.by_memory);
    NEAR(p.share, .5);
}

/* A time for each: 50 operations of 100 a ns, 50 of 25 a ns. */
static void a_mix_of_operations_has_a_roof_between(void **state)
{
    struct cw_device_roofs r = roofs();

    (void)state;
    NEAR(cw_device_roofs_compute(&r, 50, 50), 100 / 2.5);
    NEAR(cw_device_roofs_compute(&r, 7, 0), 100);
    NEAR(cw_device_roofs_compute(&r, 0, 0), 0);
    r.v[CW_ROOF_DOUBLE] = (struct cw_roof_value){0};
    NEAR(cw_device_roofs_compute(&r, 7, 1), 0);
}

static void without_a_figure_there_is_no_share(void **state)
{
    struct cw_device_roofs r = roofs(), none = {0};
    struct cw_kernel_row k = row(1000, 0, 6000, 1000), no_bytes = k, no_flops = k;

    (void)state;
    no_bytes.bytes_ns = no_bytes.work_bytes = 0;
    no_flops.flops_ns = 0;
    NEAR(cw_report_roofs_point(&k, NULL).share, 0);
    NEAR(cw_report_roofs_point(&k, &none).share, 0);
    NEAR(cw_report_roofs_point(&no_bytes, &r).share, 0);
    NEAR(cw_report_roofs_point(&no_flops, &r).share, 0);
    NEAR(cw_report_roofs_point(&no_flops, &r).gbps, 6);
}

static void values_are_the_median_and_the_quartiles(void **state)
{
    double nine[] = {9, 1, 8, 2, 7, 3, 6, 4, 5}, two[] = {3, 1};
    struct cw_roof_value v = cw_device_roofs_value(nine, 9), w = cw_device_roofs_value(two, 2);

    (void)state;
    assert_true(v.median == 5 && v.low == 3 && v.high == 7 && v.n == 9);
    assert_true(w.median == 2 && w.low == 1 && w.high == 3);
    assert_int_equal(cw_device_roofs_value(nine, 0).n, 0);
}

static void roofs_are_kept_by_device_and_driver(void **state)
{
    char cache[256], command[300];
    struct cw_roofs_device d = {"a device", "OpenCL 3.0", "1.0", 8},
                           other = {"a device", "OpenCL 3.0", "1.1", 8};
    struct cw_device_roofs r = roofs(), got;

    (void)state;
    snprintf(cache, sizeof cache, "%s/clweave-roofs-XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(cache));
    assert_false(cw_device_roofs_read(cache, &d, &got));
    cw_device_roofs_write(cache, &d, &r);
    assert_true(cw_device_roofs_read(cache, &d, &got));
    assert_memory_equal(&r, &got, sizeof r);
    assert_false(cw_device_roofs_read(cache, &other, &got));
    snprintf(command, sizeof command, "rm -rf %s", cache);
    assert_int_equal(system(command), 0);
}

static void a_picture_has_each_mark_and_no_markup_of_a_name(void **state)
{
    struct cw_device_roofs r = roofs();
    struct cw_roofline_mark mark[] = {{"<b>k", "#0c72cb", .5, 4, .8, .5},
                                      {"far", "#db7929", 1e6, 1e-5, 0, .5}};
    size_t length = 0, marks = 0;
    char *text = NULL;
    FILE *f = open_memstream(&text, &length);

    (void)state;
    cw_roofline_draw(&r, mark, 2, f);
    fclose(f);
    for (const char *p = text; (p = strstr(p, "<circle")); p++)
        marks++;
    assert_int_equal(marks, 2);
    assert_non_null(strstr(text, "fill=\"#0c72cb\""));
    assert_non_null(strstr(text, "fill=\"#db7929\""));
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_bound_by_the_lower_roof),
        cmocka_unit_test(a_mix_of_operations_has_a_roof_between),
        cmocka_unit_test(without_a_figure_there_is_no_share),
        cmocka_unit_test(values_are_the_median_and_the_quartiles),
        cmocka_unit_test(roofs_are_kept_by_device_and_driver),
        cmocka_unit_test(a_picture_has_each_mark_and_no_markup_of_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
