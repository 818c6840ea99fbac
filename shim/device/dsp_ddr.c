#include "dsp_ddr.h"

#include <string.h>

static void remove_span(struct cw_ddr *d, size_t k)
{
    memmove(&d->span[k], &d->span[k + 1], (d->n - k - 1) * sizeof *d->span);
    d->n--;
}

/* Makes [from, to) busy; with every gap between taken the spans that it meets become one. */
static void insert(struct cw_ddr *d, uint64_t from, uint64_t to)
{
    size_t k = 0;

    while (k < d->n && d->span[k].to < from)
        k++;
    while (k < d->n && d->span[k].from <= to) {
        from = d->span[k].from < from ? d->span[k].from : from;
        to = d->span[k].to > to ? d->span[k].to : to;
        remove_span(d, k);
    }
    if (d->n == CW_DDR_SPANS) { /* the earliest two become one; the new one may lie between them */
        d->span[1].from = d->span[0].from;
        remove_span(d, 0);
        insert(d, from, to);
        return;
    }
    memmove(&d->span[k + 1], &d->span[k], (d->n - k) * sizeof *d->span);
    d->span[k] = (struct cw_ddr_span){from, to};
    d->n++;
}

uint64_t cw_ddr_take(struct cw_ddr *d, uint64_t start, uint64_t ns)
{
    uint64_t at = start, left = ns;

    if (ns == 0)
        return start;
    for (size_t k = 0; k < d->n; k++) {
        const struct cw_ddr_span *s = &d->span[k];
        if (s->to <= at)
            continue;
        if (s->from > at && s->from - at >= left)
            break;
        left -= s->from > at ? s->from - at : 0;
        at = s->to;
    }
    insert(d, start, at + left);
    return at + left;
}
