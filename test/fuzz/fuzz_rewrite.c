/* fuzz_rewrite.c - the rewriter: any bytes as OpenCL C, of one unit or of two, with options and headers.
 *
 * Zero bytes separate the parts: options, source, source of a second unit, header "x". Fewer are allowed. */
#include "../../analyzer/kernels/rewrite/rewrite.h"
#include "../../analyzer/kernels/rows/rewrite_rows.h"
#include "harness.h"

enum { PARTS = 4 };

static const char *header(void *context, size_t unit, const char *name, const char *includer)
{
    (void)unit;
    (void)includer;
    return name[0] == 'x' ? context : name[0] == 'y' ? "#pragma once\nint y(int);\n" : NULL;
}

/* What is rewritten is no longer than a kernel's forms can make it. */
static void check(const struct cw_rewrite_out *out, size_t size)
{
    FUZZ_PROMISE(out->kernels == 3 && (out->source || out->reason[0]), "neither a source nor a reason");
    for (size_t k = 0; k < out->kernels; k++)
        FUZZ_PROMISE(out->kernel[k].verdict != CW_REWRITE_REFUSED || out->kernel[k].reason,
                     "refused without a reason");
    for (size_t u = 0; out->source && u < out->units; u++)
        FUZZ_PROMISE(out->source[u] && strlen(out->source[u]) < 65536 + 2000 * size, "%zu bytes became %zu",
                     size, strlen(out->source[u]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"k", "a", "kernel_1"};
    char *text = fuzz_text(data, size), *part[PARTS] = {text, NULL, NULL, NULL};
    struct cw_rewrite_unit unit[2];
    struct cw_rewrite_in in = {
        .forms = &cw_rewrite_rows_forms, .unit = unit, .kernel = name, .kernels = 3, .read_header = header};
    struct cw_rewrite_out out;
    size_t parts = 1;

    for (size_t i = 0; i < size && parts < PARTS; i++)
        if (!text[i])
            part[parts++] = text + i + 1;
    unit[0] = (struct cw_rewrite_unit){parts > 1 ? part[1] : part[0], parts > 1 ? part[0] : NULL};
    unit[1] = (struct cw_rewrite_unit){part[2], NULL};
    in.units = part[2] && part[2][0] ? 2 : 1;
    in.context = part[3] ? part[3] : text;
    FUZZ_PROMISE(cw_rewrite(&in, &out, NULL) == CW_OK, "out of memory");
    check(&out, size);
    cw_rewrite_finish(&out);
    free(text);
    return 0;
}
