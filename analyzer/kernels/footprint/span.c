/* span.c - see eval.h. */
#include "eval.h"

#include <stdlib.h>
#include <string.h>

void cw_spans_finish(struct cw_spans *s)
{
    free(s->v);
    memset(s, 0, sizeof *s);
}

bool cw_spans_append(struct cw_spans *s, int64_t begin, int64_t end)
{
    if (begin >= end)
        return true;
    if (s->n == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 8;
        struct cw_span *v = realloc(s->v, capacity * sizeof *v);
        if (!v)
            return false;
        s->v = v;
        s->capacity = capacity;
    }
    s->v[s->n++] = (struct cw_span){begin, end};
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const struct cw_span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void cw_spans_normalise(struct cw_spans *s)
{
    bool sorted = true;
    for (size_t i = 1; i < s->n && sorted; i++)
        sorted = s->v[i - 1].begin <= s->v[i].begin;
    if (!sorted)
        qsort(s->v, s->n, sizeof *s->v, by_begin);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (n && s->v[i].begin <= s->v[n - 1].end) {
            if (s->v[i].end > s->v[n - 1].end)
                s->v[n - 1].end = s->v[i].end;
        } else {
            s->v[n++] = s->v[i];
        }
    }
    s->n = n;
}

bool cw_spans_union(struct cw_spans *s, const struct cw_spans *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!cw_spans_append(s, from->v[i].begin, from->v[i].end))
            return false;
    cw_spans_normalise(s);
    return true;
}

void cw_spans_clip(struct cw_spans *s, int64_t begin, int64_t end)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct cw_span x = s->v[i];
        x.begin = x.begin < begin ? begin : x.begin;
        x.end = x.end > end ? end : x.end;
        if (x.begin < x.end)
            s->v[n++] = x;
    }
    s->n = n;
}

bool cw_spans_limit(struct cw_spans *s, size_t max)
{
    if (s->n <= max)
        return false;
    s->v[0].end = s->v[s->n - 1].end;
    s->n = 1;
    return true;
}

bool cw_spans_equal(const struct cw_spans *a, const struct cw_spans *b)
{
    return a->n == b->n && (a->n == 0 || !memcmp(a->v, b->v, a->n * sizeof *a->v));
}
