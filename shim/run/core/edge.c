/* edge.c - see core/edge.h. */
#include "edge.h"

#include <stdlib.h>

#include "../../door/log.h"

/* There is room for 4 of them, 8, 16 ... */
static bool is_full(uint32_t n)
{
    return n % 4 == 0 && !(n & (n - 1));
}

bool cw_run_edge_add(struct cw_run_task *before, struct cw_run_task *after, enum cw_run_edge edge)
{
    uint32_t n = before->edges.n;
    uintptr_t *grown;

    if (before->state >= (edge & CW_RUN_AT_RETIRE ? CW_RUN_RETIRED : CW_RUN_DONE))
        return true;
    /* all edges into a command are made in one go, so a second one from here is the latest */
    if (n && (before->edges.to[n - 1] & ~(uintptr_t)CW_RUN_EDGE_BITS) == (uintptr_t)after) {
        before->edges.to[n - 1] |= edge;
        return true;
    }
    if (is_full(n)) {
        grown = realloc(before->edges.to, (n ? 2 * n : 4) * sizeof *grown);
        if (!grown) {
            cw_log_error("out of memory: a command is refused because its order could not be kept");
            after->outcome.failed = CL_OUT_OF_HOST_MEMORY;
            return false;
        }
        before->edges.to = grown;
    }
    before->edges.to[before->edges.n++] = (uintptr_t)after | edge;
    after->waits++;
    return true;
}
