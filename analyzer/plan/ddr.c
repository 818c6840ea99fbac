#include "ddr.h"
#include "../../sched/whole.h"

#include <math.h>
#include <string.h>

#define NOTHING 1e-9 /* a part of the memory that is left by rounding only */

static void drop(struct cw_ddr *d, size_t k)
{
    memmove(&d->at[k], &d->at[k + 1], (d->n - k - 1) * sizeof *d->at);
    memmove(&d->used[k], &d->used[k + 1], (d->n - k - 1) * sizeof *d->used);
    d->n--;
}

/* Room for two more. */
static void make_space(struct cw_ddr *d)
{
    for (size_t k = 1; k < d->n && d->n + 2 > CW_DDR_SPANS;) {
        if (d->used[k] == d->used[k - 1])
            drop(d, k);
        else
            k++;
    }
    while (d->n + 2 > CW_DDR_SPANS) {
        d->used[0] = d->used[0] > d->used[1] ? d->used[0] : d->used[1];
        drop(d, 1);
    }
}

/* Makes a span begin at `at`, of the use that is there; returns its number. */
static size_t cut(struct cw_ddr *d, uint64_t at)
{
    size_t k = d->n;

    while (k > 0 && d->at[k - 1] > at)
        k--;
    if (k > 0 && d->at[k - 1] == at)
        return k - 1;
    memmove(&d->at[k + 1], &d->at[k], (d->n - k) * sizeof *d->at);
    memmove(&d->used[k + 1], &d->used[k], (d->n - k) * sizeof *d->used);
    d->at[k] = at;
    d->used[k] = k > 0 ? d->used[k - 1] : 0;
    d->n++;
    return k;
}

/* How long all of it takes while the part `free` of the memory is there. */
static double takes(const struct cw_ddr_work *w, double free)
{
    double memory = free > NOTHING ? w->memory_ns / free : INFINITY;

    return !w->overlapped ? w->compute_ns + memory : memory > w->compute_ns ? memory : w->compute_ns;
}

uint64_t cw_ddr_run(struct cw_ddr *d, uint64_t start, const struct cw_ddr_work *w)
{
    double left = takes(w, 1), all = left, end;
    size_t k;

    if (!(w->memory_ns > 0) || !(all > .5))
        return cw_whole_later(start, w->compute_ns);
    make_space(d);
    for (k = cut(d, start);; k++) {
        double speed = all / takes(w, 1 - d->used[k]), use = w->memory_ns / all * speed;

        end = speed > 0 ? (double)(d->at[k] - start) + left / speed : INFINITY;
        if (k + 1 == d->n || end <= (double)(d->at[k + 1] - start)) {
            size_t behind = cut(d, cw_whole_later(start, end));
            d->used[k] += behind > k ? use : 0;
            return d->at[behind];
        }
        left -= (double)(d->at[k + 1] - d->at[k]) * speed;
        d->used[k] += use;
    }
}

uint64_t cw_ddr_take(struct cw_ddr *d, uint64_t start, uint64_t ns)
{
    return cw_ddr_run(d, start, &(struct cw_ddr_work){.memory_ns = (double)ns});
}
