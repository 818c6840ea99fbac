/* Options: defaults, parsing, the "not default" line, expansion of paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/settings/options.h"

static const struct cw_option_info *find(const char *name)
{
    for (const struct cw_option_info *i = cw_option_table; i->name; i++)
        if (!strcmp(i->name, name))
            return i;
    fail_msg("no option %s", name);
    return NULL;
}

static void clear_environment(void)
{
    for (const struct cw_option_info *i = cw_option_table; i->name; i++) {
        char variable[CW_OPTION_VARIABLE_BYTES];
        unsetenv(cw_options_variable(i, variable));
    }
}

static void test_defaults(void **state)
{
    (void)state;
    struct cw_options o;
    char text[256] = "x";
    assert_int_equal(cw_options_init(&o, NULL), CW_OK);
    assert_string_equal(o.mode, "off");
    assert_string_equal(o.out, "clweave-%e-%p.json");
    assert_string_equal(o.callsites, "leaf");
    assert_string_equal(o.device_times, "off");
    assert_int_equal(o.dsp, 0);
    assert_int_equal(cw_options_describe(&o, text, sizeof text), 0);
    assert_string_equal(text, "");
    cw_options_finish(&o);
    cw_options_finish(&o);
    cw_options_finish(NULL);
}

static void test_table(void **state)
{
    (void)state;
    char variable[CW_OPTION_VARIABLE_BYTES];
    assert_string_equal(cw_options_variable(find("device-times"), variable), "CLWEAVE_DEVICE_TIMES");
    assert_string_equal(cw_options_variable(find("mode"), variable), "CLWEAVE_MODE");
    assert_int_equal(find("capture-data")->kind, CW_OPTION_BOOL);
    assert_string_equal(find("capture-data")->default_value, "false");
    assert_string_equal(find("dsp")->default_value, "0");
    assert_int_equal(find("policy")->commands, CW_CMD_RUN);
    for (const struct cw_option_info *i = cw_option_table; i->name; i++) {
        assert_true(strlen(i->help) > 0);
        assert_true((i->kind == CW_OPTION_CHOICE) == (*i->choices != '\0'));
    }
}

static void test_environment(void **state)
{
    (void)state;
    struct cw_options o;
    char text[256];
    clear_environment();
    setenv("CLWEAVE_MODE", "trace", 1);
    setenv("CLWEAVE_DEVICE_TIMES", "every:16", 1);
    setenv("CLWEAVE_CAPTURE_DATA", "1", 1);
    setenv("CLWEAVE_DSP", "-4", 1);
    setenv("CLWEAVE_OUT", "", 1);
    setenv("CLWEAVE_CALLSITES", "12", 1);
    setenv("CLWEAVE_TOOL", "1", 1); /* internal: read, but not described */
    assert_int_equal(cw_options_init(&o, NULL), CW_OK);
    assert_int_equal(cw_options_from_environment(&o, NULL), CW_OK);
    assert_string_equal(o.mode, "trace");
    assert_true(o.capture_data);
    assert_string_equal(o.tool, "1");
    assert_int_equal(o.dsp, -4);
    assert_string_equal(o.out, "clweave-%e-%p.json"); /* empty counts as unset */
    const char *want = "mode=trace callsites=12 device-times=every:16 capture-data=true dsp=-4";
    assert_int_equal(cw_options_describe(&o, text, sizeof text), strlen(want));
    assert_string_equal(text, want);
    assert_int_equal(cw_options_describe(&o, text, 8), strlen(want));
    assert_string_equal(text, "mode=tr");
    assert_int_equal(cw_options_describe(&o, NULL, 0), strlen(want));
    cw_options_finish(&o);
    clear_environment();
}

static void test_bad_values(void **state)
{
    (void)state;
    static const char *const bad[][3] = {
        {"mode", "trcae", "is not one of off|trace|run"},
        {"mode", "tra", "is not one of"},
        {"mode", "off|trace", "is not one of"},
        {"mode", "", "is not one of"},
        {"dsp", "four", "is not a number"},
        {"dsp", "4x", "is not a number"},
        {"dsp", "99999999999", "is not a number"},
        {"dsp", "", "is not a number"},
        {"capture-data", "maybe", "neither true nor false"},
    };
    struct cw_options o;
    assert_int_equal(cw_options_init(&o, NULL), CW_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cw_error err = {0};
        assert_int_equal(cw_options_set(&o, find(bad[i][0]), bad[i][1], &err), CW_ERR_INVALID);
        assert_non_null(strstr(err.text, bad[i][0]));
        assert_non_null(strstr(err.text, bad[i][2]));
    }
    assert_string_equal(o.mode, "off"); /* old values stay */
    assert_int_equal(o.dsp, 0);
    assert_int_equal(cw_options_set(&o, find("capture-data"), "", NULL), CW_OK);
    assert_true(o.capture_data);
    assert_int_equal(cw_options_set(&o, find("capture-data"), "Off", NULL), CW_OK);
    assert_false(o.capture_data);
    cw_options_finish(&o);
}

static void test_device_times(void **state)
{
    static const struct {
        const char *text;
        bool good;
        struct cw_device_times_choice choice;
    } cases[] = {
        {"off", true, {0, false}},       {"0", true, {0, false}},
        {"1", true, {1, false}},         {"on", true, {1, false}},
        {"all", true, {1, true}},        {"every:1", true, {1, false}},
        {"every:16", true, {16, false}}, {"every:1000000", true, {1000000, false}},
        {"every:0", false, {0, false}},  {"every:1000001", false, {0, false}},
        {"every:", false, {0, false}},   {"every:x", false, {0, false}},
        {"every:-4", false, {0, false}}, {"every:4 ", false, {0, false}},
        {"every", false, {0, false}},    {"", false, {0, false}},
    };
    struct cw_device_times_choice choice;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(cw_options_device_times(cases[i].text, &choice) == cases[i].good);
        assert_int_equal(choice.every, cases[i].choice.every);
        assert_true(choice.all == cases[i].choice.all);
    }
}

static void test_expand(void **state)
{
    (void)state;
    char path[16];
    struct cw_error err = {0};
    assert_int_equal(cw_options_expand("a-%e-%p%%", "prog", 42, path, sizeof path, NULL), CW_OK);
    assert_string_equal(path, "a-prog-42%");
    assert_int_equal(cw_options_expand("/%e", "a/b", 1, path, sizeof path, NULL), CW_OK);
    assert_string_equal(path, "/a_b");
    assert_int_equal(cw_options_expand("", "x", 1, path, sizeof path, NULL), CW_OK);
    assert_string_equal(path, "");
    assert_int_equal(cw_options_expand("123456789012345", "x", 1, path, sizeof path, NULL), CW_OK);
    assert_int_equal(cw_options_expand("1234567890123456", "x", 1, path, sizeof path, NULL), CW_ERR_LIMIT);
    assert_int_equal(cw_options_expand("", "x", 1, path, 0, NULL), CW_ERR_LIMIT);
    assert_int_equal(cw_options_expand("a%q", "x", 1, path, sizeof path, &err), CW_ERR_INVALID);
    assert_non_null(strstr(err.text, "'%q'"));
    assert_int_equal(cw_options_expand("a%", "x", 1, path, sizeof path, NULL), CW_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),     cmocka_unit_test(test_table),
        cmocka_unit_test(test_environment),  cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_device_times), cmocka_unit_test(test_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
