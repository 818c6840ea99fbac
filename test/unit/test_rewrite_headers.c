/* test_rewrite_headers.c - sources with #include: which headers take the place of the line, and when there is
 * doubt. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/io/folders.h"
#include "rewrite_text.h"

static const char *header(void *context, size_t unit, const char *name, const char *includer)
{
    static const char *const text[][2] = {
        {"ids.h",
         "#ifndef IDS\n#define IDS\n#include \"ids.h\"\n#define I get_global_id(0)\n#endif // IDS\n"},
        {"once.h", "#pragma once\n#include <once.h>\nint f(int i) { return get_group_id(0); }\n"},
        {"open.h", "#include \"open.h\"\nint x;\n"},
        {"unguarded.h", "#ifndef U\n#define U\n#endif\n#include \"unguarded.h\"\n"},
        {"twice.h", "#include \"deep1.h\"\n#include \"deep1.h\"\n"},
        {"deep1.h", "#include \"deep2.h\"\n#include \"deep2.h\"\n"},
    };

    (void)context;
    (void)unit;
    (void)includer;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (strcmp(text[i][0], name) == 0)
            return text[i][1];
    return NULL;
}

static void includes(void **state)
{
    static const struct {
        const char *source, *expect;
    } of[] = {
        {"#include \"ids.h\"\n#include <once.h>\nkernel void k(global int *a) { a[I] = f(1); }",
         "#define I get_global_id(0)|#ifndef __cwonce_|int (f)(int i, " P ")|void k(global int *a, " P ")"},
        {"#if 0\n#include \"missing.h\"\n#endif\nkernel void k() { int i = get_global_id(0); }",
         "void k(" P ")"},
        {"// #include \"missing.h\"\nkernel void k() { int i = get_global_id(0); }", "void k(" P ")"},
        {"#include \"missing.h\"\n", "!missing.h"},
        {"#include \"open.h\"\n", "!open.h includes itself"},
        {"#include \"unguarded.h\"\n", "!includes itself"},
        {"#include \"twice.h\"\n", "!deep2.h"},
        {"#define H \"ids.h\"\n#include H\n", "!not named"},
        {"#import \"ids.h\"\n", "!#include"},
        {"#include \"ids.h\"\nkernel void k(global int *a) { a[I] = __LINE__; }", "!__LINE__"},
        {"int __cwonce_1;\n#include \"once.h\"\n", "!our names"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct cw_rewrite_unit unit = {of[i].source, NULL};
        struct cw_rewrite_out out;
        assert_int_equal(
            cw_rewrite(&(struct cw_rewrite_in){.unit = &unit, .units = 1, .read_header = header}, &out, NULL),
            CW_OK);
        if ((of[i].expect[0] == '!') == (out.source != NULL))
            fail_msg("%s: %s", of[i].source, out.source ? "accepted" : out.reason);
        expect_text(of[i].source, out.source ? out.source[0] : out.reason,
                    of[i].expect + (of[i].expect[0] == '!'));
        cw_rewrite_finish(&out);
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Files of a name that differ are no answer; equal ones are. */
static void header_folders(void **state)
{
    char folder[128], path[200], options[400];
    struct cw_header_files h;
    const char *text;

    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-rewrite-XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%d", folder, i);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/%d/same.h", folder, i);
        write_text(path, "same");
        snprintf(path, sizeof path, "%s/%d/other.h", folder, i);
        write_text(path, i ? "one" : "another");
    }
    snprintf(path, sizeof path, "%s/1/beside.h", folder);
    write_text(path, "beside");
    snprintf(options, sizeof options, "-DX -I%s/0 -I %s/1 -I%s", folder, folder, folder);
    assert_true(cw_header_files_init(&h, options));
    assert_true(cw_header_files_add(&h, "given.h", "given"));
    text = cw_header_files_read(&h, "same.h", NULL);
    assert_string_equal(text, "same");
    assert_null(cw_header_files_read(&h, "other.h", NULL));
    assert_string_equal(cw_header_files_read(&h, "given.h", NULL), "given");
    assert_string_equal(cw_header_files_read(&h, "beside.h", "1/same.h"), "beside");
    assert_null(cw_header_files_read(&h, "1", NULL)); /* a folder */
    assert_null(cw_header_files_read(&h, "missing.h", NULL));
    assert_string_equal(text, "same");
    cw_header_files_finish(&h);
    snprintf(options, sizeof options, "-w -I\"%s/1\" -I '%s/0'", folder, folder);
    assert_true(cw_header_files_init(&h, options));
    assert_string_equal(cw_header_files_read(&h, "same.h", NULL), "same");
    assert_string_equal(cw_header_files_read(&h, "beside.h", NULL), "beside");
    assert_null(cw_header_files_read(&h, "other.h", NULL));
    cw_header_files_finish(&h);
    assert_false(cw_header_files_init(&h, "-I\"a b\""));
    cw_header_files_finish(&h);
    assert_false(cw_header_files_init(&h, "-Ia\"b\""));
    cw_header_files_finish(&h);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

/* Sources that stand for themselves, or are refused. */
static void joined(void **state)
{
    static const struct {
        const char *source, *words; /* NULL: refused */
    } cases[] = {{"#include \"a.h\"\nkernel void k(global int *x) { *x = A; }", "#define A 3"},
                 {"#include <a.h>\n#include <a.h>\n", "#define A 3"},
                 {"int include;", "int include;"},
                 {"#include \"gone.h\"\n", "!" CW_UNREAD_HEADER "!"},
                 {"#define F \"a.h\"\n#include F\n", NULL},
                 {"#include \"a.h\"\nconstant int l = __LINE__;", NULL},
                 {"#include \"line.h\"\n", NULL}};
    char folder[128], path[200], options[400], *text;
    struct cw_error err;

    (void)state;
    snprintf(folder, sizeof folder, "%s/clweave-rewrite-XXXXXX", cw_temporary_folder());
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.h", folder);
    write_text(path, "#define A 3\n");
    snprintf(path, sizeof path, "%s/line.h", folder);
    write_text(path, "#define L __FILE__\n");
    snprintf(options, sizeof options, "-I %s", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err = (struct cw_error){0};
        text = cw_joined_source(cases[i].source, options, &err);
        if (cases[i].words) {
            assert_non_null(text);
            assert_non_null(strstr(text, cases[i].words));
            assert_null(strstr(text, "#include"));
        } else {
            assert_null(text);
            assert_int_equal(err.status, CW_ERR_UNSUPPORTED);
        }
        free(text);
    }
    assert_int_equal(setenv("CPATH", folder, 1), 0);
    assert_null(cw_joined_source(cases[0].source, options, &err));
    unsetenv("CPATH");
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(includes), cmocka_unit_test(header_folders),
                                       cmocka_unit_test(joined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
