/* test_stream_binary.c - which binaries are PTX all of whose effects arguments show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "../../shim/run/streams/stream_binary.h"

#define HEAD "//\n// Generated\n//\n.version 7.8\n.target sm_90, texmode_independent\n.address_size 64\n"
#define BODY                                                                                                 \
    ".entry add(\n.param .u64 .ptr .global .align 4 add_param_0\n)\n{\nld.param.u64 %rd1, [add_param_0];\n"  \
    "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
#define PLAIN                                                                                                \
    ".entry add(\n.param .u64 add_param_0\n)\n{\nld.param.u64 %rd1, [add_param_0];\n"                        \
    "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"

static bool shows(const char *text)
{
    return cw_stream_binary_shows((const unsigned char *)text, strlen(text));
}

static void plain_kernels_show(void **unused)
{
    (void)unused;
    assert_true(shows(HEAD PLAIN));
    assert_true(shows(HEAD BODY)); /* a parameter's address space is no variable */
    assert_true(
        cw_stream_binary_shows((const unsigned char *)HEAD PLAIN, sizeof HEAD PLAIN)); /* with a NUL */
}

static void hidden_effects_do_not(void **unused)
{
    (void)unused;
    assert_false(shows(HEAD ".global .align 4 .u32 counter;\n" PLAIN));
    assert_false(shows(HEAD ".visible .global .align 4 .u32 counter;\n" PLAIN));
    assert_false(shows(HEAD ".visible\t.global\t.align 4 .u32 counter;\n" BODY));
    assert_false(shows(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a);\n" PLAIN));
    assert_false(shows(HEAD ".extern .func other;\n" PLAIN));
    assert_false(shows(HEAD ".global .texref image;\n" PLAIN));
    assert_false(shows(HEAD PLAIN ".entry b()\n{\nld.global.u64 %rd2, [%rd1];\nret;\n}\n"));
    assert_false(
        shows(HEAD PLAIN ".entry b()\n{\n@%p1 ld.global.nc.v2.u64 {%rd2, %rd3}, [%rd1];\nret;\n}\n"));
    assert_true(shows(HEAD PLAIN ".entry b()\n{\nld.shared.f64 %fd2, [%rd1];\nret;\n}\n"));
}

static void other_binaries_do_not(void **unused)
{
    static const unsigned char elf[] = "\177ELF\2\1\1\0 .version .target";

    (void)unused;
    assert_false(cw_stream_binary_shows(elf, sizeof elf));
    assert_false(cw_stream_binary_shows(elf, 0));
    assert_false(shows(""));
    assert_false(shows(PLAIN));
    assert_false(shows("kernel void add(global int *x) {}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_kernels_show),
        cmocka_unit_test(hidden_effects_do_not),
        cmocka_unit_test(other_binaries_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
