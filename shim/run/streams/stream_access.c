/* stream_access.c - see streams/stream_access.h. */
#include "stream_access.h"

static bool meet(const struct cw_stream_bytes *a, const struct cw_stream_bytes *b)
{
    return a->region == b->region && a->low < b->high && b->low < a->high;
}

static bool covers(const struct cw_stream_bytes *a, const struct cw_stream_bytes *b)
{
    return a->region == b->region && a->low <= b->low && b->high <= a->high;
}

/* One has to wait for the other, where they meet. */
static bool have_order(const struct cw_stream_bytes *a, const struct cw_stream_bytes *b)
{
    return (a->write || b->write) && !(a->commutes && a->commutes == b->commutes);
}

void cw_stream_access_conflicts(struct cw_stream_accesses *a, const struct cw_stream_bytes *bytes,
                                const uint64_t over[CW_STREAM_MAX], uint64_t need[CW_STREAM_MAX])
{
    for (uint32_t i = 0; i < a->n;) {
        const struct cw_stream_access *x = &a->of[i];

        if (x->number <= over[x->stream]) {
            a->of[i] = a->of[--a->n];
            continue;
        }
        if (have_order(bytes, &x->bytes) && meet(&x->bytes, bytes) && need[x->stream] < x->number)
            need[x->stream] = x->number;
        i++;
    }
}

bool cw_stream_access_add(struct cw_stream_accesses *a, const struct cw_stream_bytes *bytes, uint32_t stream,
                          uint64_t number)
{
    struct cw_stream_bytes all = *bytes;

    for (uint32_t i = 0; i < a->n;) {
        const struct cw_stream_access *x = &a->of[i];
        /* a later command that conflicts with it conflicts with the new one, too, which waits for it */
        bool implied = covers(bytes, &x->bytes) &&
                       (bytes->commutes ? x->stream == stream && x->bytes.commutes == bytes->commutes
                                        : bytes->write || (x->stream == stream && !x->bytes.write));

        if (!implied || x->number >= number) {
            i++;
            continue;
        }
        all.polled |= x->bytes.polled;
        a->of[i] = a->of[--a->n];
    }
    if (a->n == CW_STREAM_ACCESSES)
        return false;
    a->of[a->n++] = (struct cw_stream_access){all, number, stream};
    return true;
}

bool cw_stream_access_is_polled(const struct cw_stream_accesses *a, uintptr_t region,
                                const uint64_t over[CW_STREAM_MAX])
{
    bool polled = false;

    for (uint32_t i = 0; i < a->n; i++)
        polled |= a->of[i].bytes.polled && a->of[i].bytes.region == region &&
                  a->of[i].number > over[a->of[i].stream];
    return polled;
}
