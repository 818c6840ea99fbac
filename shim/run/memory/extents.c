/* extents.c - see memory/extents.h. */
#include "extents.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 8, ADDED = 2 /* ranges by one change */ };

bool cw_extents_init(struct cw_extents *e, uint64_t bytes, uint64_t valid)
{
    *e = (struct cw_extents){.bytes = bytes, .n = 1, .capacity = FIRST};
    e->of = malloc(FIRST * sizeof *e->of);
    if (!e->of)
        return false;
    e->of[0] = (struct cw_extent){0, bytes, valid};
    return true;
}

void cw_extents_finish(struct cw_extents *e)
{
    free(e->of);
    *e = (struct cw_extents){0};
}

bool cw_extents_reserve(struct cw_extents *e, uint32_t changes)
{
    uint32_t wanted = e->n + e->promised + ADDED * changes, capacity = e->capacity;
    struct cw_extent *grown;

    while (capacity < wanted)
        capacity *= 2;
    if (capacity > e->capacity) {
        grown = realloc(e->of, capacity * sizeof *grown);
        if (!grown)
            return false;
        e->of = grown;
        e->capacity = capacity;
    }
    e->promised += ADDED * changes;
    return true;
}

void cw_extents_return(struct cw_extents *e, uint32_t changes)
{
    e->promised -= ADDED * changes;
}

/* The range that byte `at` of the buffer lies in. */
static uint32_t find(const struct cw_extents *e, uint64_t at)
{
    uint32_t low = 0, high = e->n;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (e->of[middle].low <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A range begins at `at`, which is not behind the buffer. Returns its index, or e->n for its end. */
static uint32_t split(struct cw_extents *e, uint64_t at)
{
    uint32_t i;

    if (at == e->bytes)
        return e->n;
    i = find(e, at);
    if (e->of[i].low == at)
        return i;
    memmove(&e->of[i + 1], &e->of[i], (e->n - i) * sizeof *e->of);
    e->n++;
    e->of[i].high = e->of[i + 1].low = at;
    return i + 1;
}

/* Joins equal neighbours among the ranges from `first` to `last` and their neighbours. */
static void join(struct cw_extents *e, uint32_t first, uint32_t last)
{
    uint32_t to = first ? first - 1 : 0, from = to + 1, end = last + 1 < e->n ? last + 1 : e->n;

    for (; from < end; from++) {
        if (e->of[from].valid == e->of[to].valid)
            e->of[to].high = e->of[from].high;
        else
            e->of[++to] = e->of[from];
    }
    to++;
    memmove(&e->of[to], &e->of[from], (e->n - from) * sizeof *e->of);
    e->n -= from - to;
}

void cw_extents_change(struct cw_extents *e, uint64_t low, uint64_t high, uint64_t keep, uint64_t set)
{
    uint32_t first, last;

    e->promised -= ADDED;
    high = high < e->bytes ? high : e->bytes;
    if (low >= high)
        return;
    first = split(e, low);
    last = split(e, high);
    for (uint32_t i = first; i < last; i++)
        e->of[i].valid = (e->of[i].valid & keep) | set;
    join(e, first, last);
}

bool cw_extents_missing(const struct cw_extents *e, uint64_t low, uint64_t high, uint64_t where,
                        struct cw_extent *piece)
{
    high = high < e->bytes ? high : e->bytes;
    if (low >= high)
        return false;
    for (uint32_t i = find(e, low); i < e->n && e->of[i].low < high; i++) {
        if ((e->of[i].valid & where) == where)
            continue;
        *piece = e->of[i];
        piece->low = piece->low > low ? piece->low : low;
        piece->high = piece->high < high ? piece->high : high;
        return true;
    }
    return false;
}
