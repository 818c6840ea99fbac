/* pinned.c - see tiler.h. */
#include "tiler.h"

#define PINNED_ITEMS 256  /* in a work-group */
#define PINNED_MOST  1024 /* the same where the range has no better divisor */
#define PINNED_LEAST 8
#define RAGGED_ITEMS 64 /* where it has none: all but the last */

static size_t divisor(size_t n, size_t most)
{
    size_t best = 1;

    for (size_t i = 2; i <= most && i <= n; i++)
        if (n % i == 0)
            best = i;
    return best;
}

void cw_pinned_local(unsigned dims, const size_t *global, size_t local[3])
{
    size_t room = PINNED_ITEMS;

    for (unsigned d = 0; d < dims; d++) {
        local[d] = divisor(global[d], room);
        if (d == 0 && local[0] < PINNED_LEAST && global[0] > RAGGED_ITEMS)
            local[0] = RAGGED_ITEMS;
        room /= local[d];
    }
}

bool cw_pinned_settle(unsigned dim, const size_t *global, size_t local[3])
{
    if (global[0] % local[0] == 0)
        return false;
    if (dim == 0)
        return true;
    local[0] = divisor(global[0], PINNED_MOST);
    return false;
}
