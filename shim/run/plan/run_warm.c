#include "run_warm.h"

bool cw_run_warm_is_first(struct cw_run_warm *w, uint64_t kind, uint64_t wide)
{
    uint64_t row = (kind ^ kind >> 32) % (CW_RUN_WARM_KINDS / 4);
    struct cw_run_warm_kind *k = w->of[row], *end = k + 4;
    bool first;

    while (k < end && k->kind != kind)
        k++;
    if (k == end) {
        k = &w->of[row][w->next[row]++ % 4];
        *k = (struct cw_run_warm_kind){.kind = kind, .wide = wide};
        return true;
    }
    first = wide > k->wide;
    k->wide = first ? wide : k->wide;
    return first;
}
