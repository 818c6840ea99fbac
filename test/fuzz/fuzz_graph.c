/* fuzz_graph.c - clweave-graph files: the reader, a policy, and every writer. */
#include "use_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_graph(&cw_graph_format_clweave, data, size);
}
