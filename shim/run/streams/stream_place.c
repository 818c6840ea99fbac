/* stream_place.c - see streams/stream_place.h. */
#include "stream_place.h"

#include "../core/fault.h"
#include "stream_settings.h"
#include "stream_worth.h"

static void over_of(const struct cw_stream_queue *q, uint64_t over[CW_STREAM_MAX])
{
    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        over[s] = q->of[s].over;
}

void cw_stream_place_needs(struct cw_stream_queue *q, const struct cw_stream_use *t, bool closes,
                           uint64_t need[CW_STREAM_MAX])
{
    uint64_t over[CW_STREAM_MAX];

    for (uint32_t s = 0; s < CW_STREAM_MAX; s++)
        need[s] = closes ? q->of[s].last : 0;
    if (closes)
        return;
    over_of(q, over);
    for (uint32_t i = 0; i < t->n; i++)
        cw_stream_access_conflicts(&q->accesses, &t->of[i], over, need);
}

static bool is_idle(const struct cw_stream *t)
{
    return t->last <= t->over;
}

/* The stream whose latest command is the latest that the command waits for: it continues a chain. */
static uint32_t chain_of(const struct cw_stream_queue *q, const uint64_t need[CW_STREAM_MAX])
{
    uint32_t best = CW_STREAM_MAX;

    for (uint32_t s = 0; s < q->n; s++)
        if (need[s] > q->of[s].over && need[s] == q->of[s].last &&
            (best == CW_STREAM_MAX || need[s] > need[best]))
            best = s;
    return best;
}

/* One that is idle, else the one that got its latest command first. */
static uint32_t free_of(struct cw_stream_queue *q)
{
    uint32_t best = 0;

    for (uint32_t s = 0; s < q->n; s++) {
        if (is_idle(&q->of[s]))
            return s;
        if (q->of[s].last < q->of[best].last)
            best = s;
    }
    if (q->n < q->most && cw_stream_queue_has(q, q->n))
        return q->n - 1;
    return best;
}

static uint32_t by_lot(struct cw_stream_queue *q)
{
    uint32_t s = cw_stream_queue_lot(q, q->most);

    while (q->n <= s && cw_stream_queue_has(q, q->n))
        ;
    return s < q->n ? s : 0;
}

uint32_t cw_stream_place_choose(struct cw_stream_queue *q, const struct cw_stream_use *t,
                                const uint64_t need[CW_STREAM_MAX])
{
    uint32_t s;

    if (cw_stream_settings.chaos)
        return by_lot(q);
    s = chain_of(q, need);
    if (s == CW_STREAM_MAX)
        return cw_stream_worth_fans_out(q, t) ? free_of(q) : 0;
    return s;
}

/* A planted fault: the command does not wait. */
static bool is_lost(const struct cw_stream_use *t)
{
    return CW_UNLIKELY(cw_run_fault_planted != CW_RUN_FAULT_NONE) &&
           (cw_run_fault_asks_since(CW_RUN_FAULT_LOOSE) ||
            (t->reads && cw_run_fault_asks_since(CW_RUN_FAULT_SOON)));
}

void cw_stream_place_waits(struct cw_stream_queue *q, const struct cw_stream_use *t, uint32_t stream,
                           uint64_t need[CW_STREAM_MAX], struct cw_stream_waits *w)
{
    cl_event mark;

    if (stream && need[0] < q->floor)
        need[0] = q->floor;
    for (uint32_t s = 0; s < q->n; s++) {
        if (s == stream || need[s] <= q->of[s].over || is_lost(t))
            continue;
        mark = cw_stream_queue_mark(q, s, need[s]);
        if (!mark)
            continue;
        cw_stream_waits_add(w, mark);
        cw_stream_counts.waits++;
    }
}

uint64_t cw_stream_place_note(struct cw_stream_queue *q, const struct cw_stream_use *t, bool closes,
                              uint32_t stream)
{
    uint64_t number = ++q->number;
    bool full = false;

    q->of[stream].last = number;
    q->of[stream].dirty = true;
    for (uint32_t i = 0; !closes && i < t->n; i++)
        full |= !cw_stream_access_add(&q->accesses, &t->of[i], stream, number);
    if (closes) {
        q->floor = number;
        q->accesses.n = 0;
    }
    q->crowded = !closes && (full || q->crowded);
    return number;
}
