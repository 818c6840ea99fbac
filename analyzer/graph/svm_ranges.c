/* svm_ranges.c - see graph_parts.h. */
#include "graph_parts.h"

#include <stdlib.h>

static uint64_t end_of(const struct cw_t_memory *m)
{
    return m->size > UINT64_MAX - m->host_ptr ? UINT64_MAX : m->host_ptr + m->size;
}

/* By start; of equal starts the longest first, of equal ranges the newest. */
static int by_range(const void *a, const void *b, void *context)
{
    const struct cw_trace *t = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct cw_t_memory *x = &t->memory.v[i], *y = &t->memory.v[k];

    if (x->host_ptr != y->host_ptr)
        return x->host_ptr < y->host_ptr ? -1 : 1;
    if (end_of(x) != end_of(y))
        return end_of(x) > end_of(y) ? -1 : 1;
    return i > k ? -1 : i < k;
}

bool cw_svm_ranges_init(struct cw_svm_ranges *ranges, const struct cw_trace *t)
{
    size_t n = 0;
    uint64_t end = 0;

    *ranges = (struct cw_svm_ranges){.memory = malloc((t->memory.count + 1) * sizeof *ranges->memory)};
    if (!ranges->memory)
        return false;
    for (uint32_t m = 0; m < t->memory.count; m++)
        if (t->memory.v[m].kind == CW_MEM_SVM && t->memory.v[m].size)
            ranges->memory[n++] = m;
    qsort_r(ranges->memory, n, sizeof *ranges->memory, by_range, (void *)t);
    for (size_t i = 0; i < n; i++)
        if (end_of(&t->memory.v[ranges->memory[i]]) > end) {
            end = end_of(&t->memory.v[ranges->memory[i]]);
            ranges->memory[ranges->count++] = ranges->memory[i];
        }
    return true;
}

void cw_svm_ranges_finish(struct cw_svm_ranges *ranges)
{
    free(ranges->memory);
    *ranges = (struct cw_svm_ranges){0};
}

size_t cw_svm_ranges_find(const struct cw_svm_ranges *ranges, const struct cw_trace *t, uint64_t address,
                          size_t *first)
{
    size_t lo = 0, hi = ranges->count, n = 0;

    while (lo < hi) { /* the first that ends behind the address */
        size_t middle = lo + (hi - lo) / 2;
        if (end_of(&t->memory.v[ranges->memory[middle]]) > address)
            hi = middle;
        else
            lo = middle + 1;
    }
    *first = lo;
    while (lo + n < ranges->count && t->memory.v[ranges->memory[lo + n]].host_ptr <= address)
        n++;
    return n;
}
