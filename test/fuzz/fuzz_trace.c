/* fuzz_trace.c - JSON traces (analyzer/FORMAT.md): the reader, and everything that is drawn and computed from
 * a trace. */
#include "../../analyzer/graph/trace_read.h"
#include "use_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct cw_error err = {0};
    struct cw_trace t;

    cw_trace_init(&t);
    if (cw_trace_load_text(&t, "fuzz", text, size, &err) == CW_OK)
        fuzz_use_trace(&t);
    else
        FUZZ_PROMISE(err.status != CW_OK && strncmp(err.text, "fuzz:", 5) == 0,
                     "no position: status %d, \"%s\"", (int)err.status, err.text);
    cw_trace_finish(&t);
    free(text);
    return 0;
}
