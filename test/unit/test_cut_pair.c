/* test_cut_pair.c - cw_cut_disjoint against counting: random pairs of small accesses, every value of every
 * variable. An answer "disjoint" must be true, and often enough it must be given. CW_FUZZ_ROUNDS: how many
 * pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../analyzer/kernels/footprint/cut_form.h"

enum { REACH = 8192, MAX_X = 4 };

static uint64_t state = 88172645463325252u;

static int64_t pick(int64_t lo, int64_t hi)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return lo + (int64_t)(state % (uint64_t)(hi - lo + 1));
}

/* An access and what it touches: bit s of touch[REACH + byte] for slab s. `tie`: the sum of tie[k] * x[k] +
 * tie_slab * i stays below `limit`. */
struct sample {
    struct cut_form form;
    int tie[MAX_X], tie_slab;
    int64_t limit;
    uint8_t visit[2 * REACH];
};

/* Visits all values; keeps the bounds of the partial sums and of the whole. */
static void count(struct sample *s)
{
    struct cut_form *f = &s->form;
    struct cut_way *w = &f->way[0];
    int64_t x[MAX_X];
    bool seen = false;
    memset(s->visit, 0, sizeof s->visit);
    for (int64_t i = (int64_t)f->slabs.lo; i <= (int64_t)f->slabs.hi; i++) {
        for (int k = 0; k < w->n; k++)
            x[k] = (int64_t)w->digit[k].lo;
        for (int k = 0; k < w->n || w->n == 0;) {
            int64_t tie = s->tie_slab * i, at = (int64_t)w->slab * i;
            for (int n = 0; n < w->n; n++)
                tie += s->tie[n] * x[n];
            if (tie < s->limit) {
                for (int n = 0; n <= w->n; n++) {
                    struct cw_range *b = &w->below[n];
                    cw_wide lo = at + w->slack.lo, hi = at + w->slack.hi;
                    b->lo = !seen || lo < b->lo ? lo : b->lo;
                    b->hi = !seen || hi > b->hi ? hi : b->hi;
                    at += n < w->n ? (int64_t)w->digit[n].stride * x[n] : 0;
                }
                for (int64_t byte = at + (int64_t)w->slack.lo; byte < at + (int64_t)w->slack.hi + f->bytes;
                     byte++)
                    s->visit[REACH + byte] |= (uint8_t)(1u << i);
                seen = true;
            }
            for (k = 0; k < w->n && ++x[k] > (int64_t)w->digit[k].hi; k++)
                x[k] = (int64_t)w->digit[k].lo;
            if (w->n == 0)
                break;
        }
    }
    f->never = !seen;
    w->total = w->below[w->n];
}

static void invent(struct sample *s, const struct sample *like)
{
    static const int64_t strides[] = {1, 2, 3, 4, 4, 4, 8, 12, 16, 16, 20, 32, 36, 40, 64, 80, 100, 128};
    struct cut_form *f = &s->form;
    struct cut_way *w = &f->way[0];
    memset(s, 0, sizeof *s);
    f->ways = 1;
    f->bytes = pick(0, 2) ? 4 : pick(1, 8);
    f->slabs.lo = pick(0, 3) ? 0 : pick(0, 2);
    f->slabs.hi = f->slabs.lo + pick(0, 4);
    w->n = (int)pick(0, 3);
    for (int k = 0; k < w->n; k++) {
        cw_wide stride = strides[pick(0, 17)];
        if (k && stride <= w->digit[k - 1].stride)
            stride = w->digit[k - 1].stride + strides[pick(0, 17)];
        w->digit[k].stride = stride;
        w->digit[k].lo = pick(0, 2) ? 0 : pick(-3, 2);
        w->digit[k].hi = w->digit[k].lo + pick(1, 4);
        s->tie[k] = (int)pick(-1, 1);
    }
    w->slab = pick(0, 5) ? strides[pick(0, 17)] * (pick(0, 3) ? 1 : pick(-3, 3)) : 0;
    s->tie_slab = (int)pick(-1, 2);
    s->limit = pick(0, 1) ? 1000 : pick(0, 6);
    w->slack.lo = pick(0, 1) ? 0 : pick(-40, 40);
    w->slack.hi = w->slack.lo + (pick(0, 5) ? 0 : pick(0, 3));
    if (like && pick(0, 2)) { /* mostly the other one, a little changed */
        f->slabs = like->form.slabs;
        *w = like->form.way[0];
        w->slack.lo = w->slack.hi = like->form.way[0].slack.lo +
                                    pick(-2, 2) * (w->n ? (int64_t)w->digit[pick(0, w->n - 1)].stride : 4);
        memcpy(s->tie, like->tie, sizeof s->tie);
        s->tie_slab = like->tie_slab;
        s->limit = like->limit;
    }
    w->linear = w->slack.lo == w->slack.hi;
    count(s);
}

static bool meet(const struct sample *a, const struct sample *b, int64_t shift)
{
    for (int64_t byte = 0; byte < 2 * REACH; byte++) {
        unsigned x = a->visit[byte],
                 y = byte - shift >= 0 && byte - shift < 2 * REACH ? b->visit[byte - shift] : 0u;
        if (x && y && !(x == y && (x & (x - 1)) == 0))
            return true;
    }
    return false;
}

static void what_is_called_disjoint_is(void **unused)
{
    long rounds = getenv("CW_FUZZ_ROUNDS") ? atol(getenv("CW_FUZZ_ROUNDS")) : 20000;
    static struct sample a, b;
    long proven = 0, apart = 0;
    (void)unused;
    for (long r = 0; r < rounds; r++) {
        invent(&a, NULL);
        invent(&b, pick(0, 3) ? &a : NULL);
        int64_t shift = pick(0, 3) ? 0 : pick(-64, 64);
        bool claim = cw_cut_disjoint(&a.form, &b.form, shift), truth = !meet(&a, &b, shift);
        if (claim && !truth)
            fail_msg("pair %ld is called disjoint, and is not: slabs %lld and %lld, shift %lld", r,
                     (long long)a.form.way[0].slab, (long long)b.form.way[0].slab, (long long)shift);
        proven += claim;
        apart += truth;
    }
    print_message("%ld of %ld pairs are disjoint, %ld were found to be\n", apart, rounds, proven);
    assert_true(proven > rounds / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_called_disjoint_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
