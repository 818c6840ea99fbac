/* span.h - sets of bytes of one buffer as sorted lists of half-open intervals. */
#ifndef CW_FOOTPRINT_SPAN_H
#define CW_FOOTPRINT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cw_span {
    int64_t begin, end; /* bytes [begin, end) */
};

/* A list is normal when it is sorted and its intervals neither meet nor touch. All of these functions but
 * cw_spans_append keep a normal list normal. */
struct cw_spans {
    struct cw_span *v;
    size_t n, capacity;
};

void cw_spans_finish(struct cw_spans *s);
/* Adds an interval at the end, without normalising; empty intervals are ignored. False without memory. */
bool cw_spans_append(struct cw_spans *s, int64_t begin, int64_t end);
/* Sorts and merges. */
void cw_spans_normalise(struct cw_spans *s);
/* Adds all of `from` to `s` and normalises. False without memory. */
bool cw_spans_union(struct cw_spans *s, const struct cw_spans *from);
/* Keeps only the spans within [begin, end). */
void cw_spans_clip(struct cw_spans *s, int64_t begin, int64_t end);
/* Replaces a normal list of more than `max` intervals by the one interval around it; true when it did. */
bool cw_spans_limit(struct cw_spans *s, size_t max);
bool cw_spans_equal(const struct cw_spans *a, const struct cw_spans *b);

#endif
