/* spread_record.c - the records of memory/spread.h: in which memories the bytes of each buffer are valid. */
#include "spread_state.h"

#include <stdlib.h>

#include "../../trace/recorder.h"

static struct cw_run_spread *first_spread; /* lock held */

struct cw_run_spread *cw_run_spread_first(void)
{
    return first_spread;
}

static uint64_t recorded_memory(const struct cw_run_region *r)
{
    const struct cw_object *o = cw_run.recording ? cw_object_find(r->root->r.handle, CW_LOG_O_MEMORY) : NULL;

    return o ? (uint64_t)o->id + 1 : 0;
}

struct cw_run_spread *cw_run_spread_of(struct cw_run_region *r)
{
    struct cw_run_spread *s = r->spread ? NULL : calloc(1, sizeof *s);

    if (r->spread && !r->spread->recorded) /* a GPU's, made within the call that the log has at its end */
        r->spread->recorded = recorded_memory(r);
    if (r->spread || !s)
        return r->spread;
    if (!cw_extents_init(&s->valid, r->high - r->low, cw_run_spread_bit(cw_run_spread_home_of(r)))) {
        free(s);
        return NULL;
    }
    s->region = r;
    s->recorded = recorded_memory(r);
    s->next = first_spread;
    if (first_spread)
        first_spread->prev = s;
    first_spread = s;
    cw_run.spreads++;
    return r->spread = s;
}

void cw_run_spread_free(struct cw_run_spread *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < cw_run.num_workers; i++)
        if (cw_run.workers[i].memory != CW_MEMORY_HOST && s->region->root->mirrors[i])
            cw_run.workers[i].far_bytes -= s->valid.bytes;
    if (s->prev)
        s->prev->next = s->next;
    else
        first_spread = s->next;
    if (s->next)
        s->next->prev = s->prev;
    cw_extents_finish(&s->valid);
    free(s);
    cw_run.spreads--;
}

bool cw_run_spread_part(const struct cw_run_region *r, uint64_t low, uint64_t high, struct cw_extent *part)
{
    if (r->spread)
        return cw_extents_missing(&r->spread->valid, low, high, UINT64_MAX, part);
    *part = (struct cw_extent){low, high, cw_run_spread_bit(CW_MEMORY_HOST)};
    return low < high;
}

struct cw_run_region *cw_run_spread_after(const struct cw_run_region *r)
{
    const struct cw_run_spread *s = r ? r->spread->next : first_spread;

    return s ? s->region : NULL;
}

bool cw_run_spread_keep_only(struct cw_run_spread *s, uint64_t low, uint64_t high, uint64_t keep)
{
    struct cw_extent piece;

    if (!cw_extents_reserve(&s->valid, 1))
        return false;
    for (uint64_t at = low; cw_extents_missing(&s->valid, at, high, UINT64_MAX, &piece); at = piece.high)
        if (piece.valid && !(piece.valid & keep))
            cw_run.counts.lost += piece.high - piece.low;
    cw_extents_change(&s->valid, low, high, keep, 0);
    return true;
}
