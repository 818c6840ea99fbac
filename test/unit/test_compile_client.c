/* The asker's side of the isolated compiler (analyzer/compile/compile_client.h): where no compiler can be
 * started that is told, as a vendor's linker could not be started either; where the compiler closes the area
 * and ends between a look at the area and the look at the compiler another one is asked; when the process
 * ends no answer lets the vendor compile here. The compiler and the first look are played. */
#include "../../analyzer/compile/compile_area.h"

static uint32_t look_too_early(struct cw_compile_area *a, uint32_t state, unsigned ms);

#define cw_quiet_child_run   play_compiler
#define cw_compile_area_wait look_too_early
#define cw_helper_tool_find  find_tool
#include "../../analyzer/compile/compile_client.c"
#undef cw_compile_area_wait

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static _Atomic int compilers; /* that have begun */
static bool no_processes;

/* The first one closes the area instead of an answer, the second one answers. */
enum cw_status play_compiler(const struct cw_quiet_child *child, struct cw_quiet_output *out,
                             struct cw_error *err)
{
    struct cw_compile_area *a = child->shared;
    bool second;

    (void)err;
    *out = (struct cw_quiet_output){0};
    if (no_processes)
        return CW_ERR_IO;
    second = compilers++;
    mprotect(a, child->shared_bytes, PROT_READ | PROT_WRITE);
    a->version = CW_COMPILE_VERSION;
    atomic_store(&a->state, CW_COMPILE_IDLE);
    atomic_store(child->is_shared, 1);
    while (!cw_compile_area_change(a, CW_COMPILE_ASKED, second ? CW_COMPILE_COMPILED : CW_COMPILE_CLOSED))
        pause_ms();
    if (second)
        cw_compile_area_wait(a, CW_COMPILE_COMPILED, 10000);
    return CW_OK;
}

/* What was there when the call began, once the first compiler is over. */
static uint32_t look_too_early(struct cw_compile_area *a, uint32_t state, unsigned ms)
{
    static bool looked;

    if (state != CW_COMPILE_ASKED || looked)
        return cw_compile_area_wait(a, state, ms);
    looked = true;
    while (!atomic_load(&compiler.over))
        pause_ms();
    return state;
}

struct cw_helper_tool *find_tool(const char *name)
{
    (void)name;
    return calloc(1, sizeof(struct cw_helper_tool) + sizeof(char *));
}

static void cannot_be_started(void **unused)
{
    const struct cw_compile_question q = {.device = "d", .source = "s", .options = "", .kernel = "k"};
    char module[CW_COMPILE_MODULE];

    (void)unused;
    cw_compile_client_init();
    assert_false(cw_compile_client_has_failed());
    no_processes = true;
    assert_int_equal(cw_compile_client_ask(&q, module), CW_COMPILE_UNASKED);
    no_processes = false;
    assert_true(cw_compile_client_has_failed());
    assert_false(cw_compile_client_is_there());
    free(compiler.tool);
}

static void closed_after_the_look(void **unused)
{
    const struct cw_compile_question q = {.device = "d", .source = "s", .options = "", .kernel = "k"};
    char module[CW_COMPILE_MODULE];

    (void)unused;
    cw_compile_client_init();
    assert_int_equal(cw_compile_client_ask(&q, module), CW_COMPILE_GOOD);
    assert_int_equal(compilers, 2);
    cw_compile_client_stop(true);
    assert_int_equal(cw_compile_client_ask(&q, module), CW_COMPILE_BAD);
    free(compiler.tool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cannot_be_started),
                                       cmocka_unit_test(closed_after_the_look)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
