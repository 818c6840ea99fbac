/* Outputs of tasks as rows: CSV and JSON, columns and their types; inputs that are cut and damaged at random;
 * types of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/farm/farm_rows.h"
#include "../../sched/random.h"

struct reader {
    struct cw_farm_columns columns;
    struct cw_farm_rows rows;
    struct cw_error err;
};

static enum cw_status read_text(struct reader *r, enum cw_farm_rows_form form, const char *text, size_t n)
{
    char *copy = malloc(n ? n : 1); /* so that a byte behind its end is one too many */
    enum cw_status status;

    memcpy(copy, text, n);
    r->err = (struct cw_error){0};
    status = cw_farm_rows_read(&r->rows, form, copy, n, &r->columns, &r->err);
    free(copy);
    return status;
}

static void finish(struct reader *r)
{
    cw_farm_rows_finish(&r->rows);
    cw_farm_columns_finish(&r->columns);
}

/* "a:1 b:x;a:2" and "a=INTEGER b=TEXT" */
static void check(struct reader *r, const char *rows, const char *columns)
{
    static const char *const types[] = {"null", "integer", "real", "text"};
    char text[500] = "", head[500] = "";
    size_t k = 0;

    for (size_t row = 0; row < r->rows.rows; row++) {
        if (row)
            strcat(text, ";");
        for (bool first = true; k < r->rows.end[row]; k++, first = false) {
            const struct cw_farm_cell *c = &r->rows.cell[k];
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%.*s", first ? "" : " ",
                     r->columns.v[c->column].name, (int)c->n, c->n ? r->rows.text.v + c->at : "");
        }
    }
    for (size_t c = 0; c < r->columns.count; c++)
        snprintf(head + strlen(head), sizeof head - strlen(head), "%s%s=%s", c ? " " : "",
                 r->columns.v[c].name, types[r->columns.v[c].type]);
    assert_string_equal(text, rows);
    assert_string_equal(head, columns);
}

static void test_types(void **state)
{
    static const struct {
        const char *text;
        enum cw_table_type type;
    } cases[] = {{"", CW_TABLE_NULL},     {"0", CW_TABLE_INTEGER},  {"-7", CW_TABLE_INTEGER},
                 {"007", CW_TABLE_TEXT},  {"+1", CW_TABLE_TEXT},    {"999999999999999999", CW_TABLE_INTEGER},
                 {"1.", CW_TABLE_TEXT},   {".5", CW_TABLE_TEXT},    {"1000000000000000000", CW_TABLE_REAL},
                 {"1.50", CW_TABLE_REAL}, {"-1e-9", CW_TABLE_REAL}, {"1e", CW_TABLE_TEXT},
                 {"1e+", CW_TABLE_TEXT},  {"nan", CW_TABLE_TEXT},   {"0x10", CW_TABLE_TEXT},
                 {"-", CW_TABLE_TEXT},    {"1 ", CW_TABLE_TEXT},    {"1E5", CW_TABLE_REAL}};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(cw_table_type_of(cases[k].text, strlen(cases[k].text)), cases[k].type);
}

#define CSV(text)  read_text(&r, CW_FARM_ROWS_CSV, text, sizeof(text) - 1)
#define JSON(text) read_text(&r, CW_FARM_ROWS_JSON, text, sizeof(text) - 1)

static void test_csv(void **state)
{
    struct reader r = {0};

    (void)state;
    assert_int_equal(CSV(""), CW_OK);
    check(&r, "", "");
    assert_int_equal(CSV("a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n2.5,\r\n"), CW_OK);
    check(&r, "a:1 b:x, \"y\"\nz;a:2.5 b:", "a=real b=text");
    assert_int_equal(CSV("c,a,a\n\"1\",2,3"), CW_OK); /* a quoted number is text; a second `a` is a column */
    check(&r, "c:1 a:2 a:3", "a=real b=text c=text a=integer");
    assert_int_equal(CSV("b"), CW_OK);
    check(&r, "", "a=real b=text c=text a=integer");
    assert_int_equal(CSV("a,b\n1\n"), CW_ERR_FORMAT);
    assert_string_equal(r.err.text, "line 2 has 1 field, the header 2");
    assert_int_equal(CSV("a\n\"1"), CW_ERR_FORMAT);
    assert_string_equal(r.err.text, "line 2: a quote is not closed");
    assert_int_equal(CSV("a\n\"1\"2"), CW_ERR_FORMAT);
    assert_int_equal(r.columns.count, 4);
    assert_int_equal(CSV("n\0x,n\0y\n1,2\n"), CW_OK);
    assert_int_equal(CSV("n\0x,n\0y\n1,2\n"), CW_OK);
    assert_int_equal(r.columns.count, 5);
    finish(&r);
}

static void test_json(void **state)
{
    struct reader r = {0};

    (void)state;
    assert_int_equal(JSON(" "), CW_OK);
    assert_int_equal(JSON("{\"a\": 1, \"b\": \"x\\ny\"}\n{\"a\": null, \"c\": [1, {}]} [{\"a\": true}, {}]"),
                     CW_OK);
    check(&r, "a:1 b:x\ny;a: c:[1, {}];a:true;", "a=text b=text c=text");
    assert_int_equal(JSON("{\"n\": 1, \"results\": [{\"b\": 2}, {\"d\": \"3\"}], \"m\": 2}"), CW_OK);
    check(&r, "b:2;d:3", "a=text b=text c=text d=text");
    assert_int_equal(JSON("{\"results\": 5}"), CW_OK);
    check(&r, "results:5", "a=text b=text c=text d=text results=integer");
    assert_int_equal(JSON("{\"a\": 1} x"), CW_ERR_FORMAT);
    assert_int_equal(JSON("7"), CW_ERR_FORMAT);
    assert_int_equal(JSON("[1]"), CW_ERR_FORMAT);
    finish(&r);
}

static void test_many_columns(void **state)
{
    struct reader r = {0};
    char text[8 * (CW_FARM_COLUMNS_MAX + 1)];
    size_t n = 0;

    (void)state;
    for (int k = 0; k <= CW_FARM_COLUMNS_MAX; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sc%d", k ? "," : "", k);
    assert_int_equal(read_text(&r, CW_FARM_ROWS_CSV, text, n), CW_ERR_LIMIT);
    finish(&r);
}

/* Reading twice what is cut or damaged gives the same, and no column that the first reading has not. */
static void test_damaged(void **state)
{
    static const char csv[] = "a,\"b\"\"\",a,\n1,\"x,\n\",,7\r\n\"\",2.5e3,-0,\"\"\n";
    static const char json[] =
        "{\"a\":[1,{\"b\":\"\\u00e4\"}],\"results\":[{\"x\":-1.5,\"y\":null},{\"results\":[]}]}\n[{}]";
    uint64_t random = 7;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        struct reader r = {0};
        char text[sizeof json];
        bool is_csv = k % 2;
        size_t n = is_csv ? sizeof csv - 1 : sizeof json - 1, columns, rows;

        memcpy(text, is_csv ? csv : json, n);
        for (uint64_t times = cw_random_below(&random, 4); times; times--)
            text[cw_random_below(&random, n)] = ",\"\n[]{}:ax\\\r0"[cw_random_below(&random, 14)];
        n = cw_random_below(&random, 3) ? n : cw_random_below(&random, n + 1);
        enum cw_farm_rows_form form = is_csv ? CW_FARM_ROWS_CSV : CW_FARM_ROWS_JSON;
        enum cw_status first = read_text(&r, form, text, n);
        columns = r.columns.count;
        rows = r.rows.rows;
        assert_int_equal(read_text(&r, form, text, n), first);
        assert_true(r.columns.count == columns);
        assert_int_equal(r.rows.rows, rows);
        for (size_t c = 0; first == CW_OK && c < r.rows.cells; c++)
            assert_true(r.rows.cell[c].column < columns &&
                        r.rows.cell[c].at + r.rows.cell[c].n <= r.rows.text.used);
        finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_csv),
                                       cmocka_unit_test(test_json), cmocka_unit_test(test_many_columns),
                                       cmocka_unit_test(test_damaged)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
