#include "tuning.h"

static bool same(const struct cw_run_warm_what *a, const struct cw_run_warm_what *b)
{
    return cw_key_same(a->kernel, b->kernel) && a->form == b->form && a->size[0] == b->size[0] &&
           a->size[1] == b->size[1] && a->size[2] == b->size[2];
}

static uint64_t row_of(const struct cw_run_warm_what *what)
{
    uint64_t sizes = what->size[0] ^ what->size[1] << 11 ^ what->size[2] << 22 ^ what->form << 33;

    return (what->kernel.half[0] ^ sizes * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (CW_RUN_KINDS / 4);
}

bool cw_run_first_launch_is(struct cw_run_first_launch *w, const struct cw_run_warm_what *what, uint64_t wide)
{
    uint64_t row = row_of(what);
    struct cw_run_warm_kind *k = w->of[row], *end = k + 4;
    bool first;

    while (k < end && !same(&k->what, what))
        k++;
    if (k == end) {
        k = &w->of[row][w->next[row]++ % 4];
        *k = (struct cw_run_warm_kind){.what = *what, .wide = wide};
        return true;
    }
    first = wide > k->wide;
    k->wide = first ? wide : k->wide;
    return first;
}
