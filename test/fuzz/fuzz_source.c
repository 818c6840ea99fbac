/* fuzz_source.c - what the library reads in the programs' OpenCL C and build options, beside the rewriter.
 * Zero bytes separate options, source, second source. */
#include "../../analyzer/kernels/footprint/builtin.h"
#include "../../analyzer/history/history.h"
#include "../../analyzer/kernels/source/cl_source.h"
#include "../../analyzer/kernels/source/cl_language.h"
#include "../../analyzer/kernels/source/header_files.h"
#include "../../analyzer/kernels/source/kernel_params.h"
#include "../../analyzer/kernels/source/linked_source.h"
#include "../../analyzer/kernels/source/vendor_macros.h"
#include "harness.h"

enum { PARAMETERS = 6 };

static void read_source(const char *source, const char *options)
{
    struct cw_cl_source s;
    struct cw_tested_names names;

    FUZZ_PROMISE(cw_cl_source_init(&s, source, options), "out of memory");
    (void)cw_cl_has_variables(&s, options, CW_CL_LANGUAGE_3);
    (void)cw_cl_may_hold_addresses(&s);
    for (uint32_t count = 0; count <= PARAMETERS; count++) {
        uint8_t modes[PARAMETERS + 1];
        cw_kernel_params(&s, "k", count, count & 1, count & 2, modes);
    }
    cw_cl_source_finish(&s);
    FUZZ_PROMISE(cw_tested_names_init(&names, source, options), "out of memory");
    cw_tested_names_finish(&names);
    (void)cw_joined_source_is_needed(source, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"x"}, *const header[] = {"#define X 1\nint x;\n"};
    char *text = fuzz_text(data, size), *joined, *linked;
    const char *options = text, *source = memchr(text, 0, size + 1), *second;
    struct cw_error err = {0};

    source = source < text + size ? source + 1 : source;
    second = memchr(source, 0, (size_t)(text + size + 1 - source));
    second = second < text + size ? second + 1 : second;
    read_source(source, options);
    joined = cw_joined_source_given(source, options, name, header, 1, &err);
    FUZZ_PROMISE(joined || err.status, "neither a joined source nor a reason");
    err = (struct cw_error){0};
    linked = cw_linked_source((const char *const[]){source, second}, 2, options, &err);
    FUZZ_PROMISE(linked || err.status, "neither a linked source nor a reason");
    (void)cw_builtin_find(source);
    (void)cw_builtin_pointee_bytes(source);
    (void)cw_history_kernel(cw_history_program(source, options), second);
    free(joined);
    free(linked);
    free(text);
    return 0;
}
