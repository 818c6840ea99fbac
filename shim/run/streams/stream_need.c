/* stream_need.c - see streams/stream_need.h. */
#include "stream_need.h"

#include "../core/fault.h"
#include "stream_model.h"

/* False: no room. */
static bool add(struct cw_stream_picks *p, uint64_t low, uint64_t high, bool write)
{
    if (low >= high)
        return true;
    if (p->num_spans >= CW_STREAM_SPANS_FEW)
        return false;
    p->span[p->num_spans++] = (struct cw_stream_span){low, high, write};
    return true;
}

/* Bytes that it may write, of which it surely writes [sure, sure_end). */
static bool add_write(struct cw_stream_picks *p, uint64_t low, uint64_t high, uint64_t sure,
                      uint64_t sure_end)
{
    if (sure >= sure_end)
        sure = sure_end = low;
    if (CW_UNLIKELY(cw_run_fault_planted == CW_RUN_FAULT_HASTY) &&
        cw_run_fault_asks_since(CW_RUN_FAULT_HASTY))
        return add(p, low, high, true);
    return add(p, low, sure, false) && add(p, sure_end, high, false) && add(p, low, high, true);
}

static bool add_reach(struct cw_stream_picks *p, const struct cw_reach *reach, uint32_t arg, uint64_t bytes)
{
    for (uint32_t i = 0; i < reach->n; i++) {
        const struct cw_reach_piece *x = &reach->piece[i];
        uint64_t low = x->unknown ? 0 : x->begin, high = x->unknown ? bytes : x->end;

        if (x->arg != arg)
            continue;
        if (!(x->write ? add_write(p, low, high, x->unknown ? 0 : x->sure, x->unknown ? 0 : x->sure_end)
                       : add(p, low, high, false)))
            return false;
    }
    return true;
}

/* What the launch reaches; NULL: no launch, or not known. */
static const struct cw_reach *reach_of(const struct cw_stream_use *t, struct cw_stream_picks *p)
{
    if (!p->asked)
        p->reach = t->kernel && t->launch ? cw_stream_model_reach(t->kernel, t->launch) : NULL;
    p->asked = true;
    return p->reach;
}

void cw_stream_need_find(struct cw_stream_picks *p, const struct cw_stream_use *t,
                         const struct cw_stream_memory *m)
{
    const struct cw_reach *reach = reach_of(t, p);
    uint32_t first = p->num_spans;
    bool fits = true;

    for (uint32_t i = 0; i < t->n && fits; i++) {
        const struct cw_stream_bytes *b = &t->of[i];

        if (b->region != (uintptr_t)m->o.handle)
            continue;
        if (reach)
            fits = add_reach(p, reach, t->arg[i], m->bytes.high);
        else if (b->write)
            fits = add_write(p, b->low, b->high, b->sure ? b->low : 0, b->sure ? b->high : 0);
        else
            fits = add(p, b->low, b->high, false);
    }
    if (fits)
        return;
    p->num_spans = first;
    for (int write = 0; write <= 1; write++)
        p->span[p->num_spans++] = (struct cw_stream_span){0, m->bytes.high, write};
}

bool cw_stream_need_none(const struct cw_stream_picks *p, uint32_t first)
{
    bool needs = false;

    for (uint32_t i = first; i < p->num_spans; i++)
        needs |= !p->span[i].write;
    return p->num_spans > first && !needs;
}
