/* credulous.c - a clweave-footprint whose rewriter believes that nothing is written, and that all signs stay:
 * what clang's reading of kernels then still refuses, it refuses by itself (proof.sh). Linked before the
 * rewriter. */
#include "../../analyzer/kernels/rows/rewrite_rows.h"

bool cw_rewrite_steady(const struct cw_rw_rows *r, uint32_t name, uint32_t declared)
{
    (void)r, (void)name, (void)declared;
    return true;
}

bool cw_rewrite_only_read(const struct cw_rw_rows *r, uint32_t i)
{
    (void)r, (void)i;
    return true;
}

bool cw_rewrite_signs_stay(const struct cw_rw_rows *r, bool (*is_kernel)(const struct cw_rw_rows *r))
{
    (void)r, (void)is_kernel;
    return true;
}

bool cw_rewrite_own_clamp(const struct cw_rw *s)
{
    (void)s;
    return false;
}
