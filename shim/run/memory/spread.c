/* spread.c - see memory/spread.h: bytes come where a command runs, and what it has written is noted. */
#include "spread_state.h"

#include <stdio.h>
#include <string.h>

#include "../../../analyzer/io/quantity.h"
#include "../core/fault.h"
#include "native_use.h"
#include "spread_ahead.h"

enum { FEW_ROWS = 64 }; /* of a rectangle: each may be an extent of its own */

bool cw_run_spread_may(const struct cw_run_launch *l)
{
    for (uint32_t i = 0; i < l->kernel->count; i++) {
        const struct cw_run_arg *a = &l->args[i];
        const struct cw_run_memory *m = a->memory;

        if (a->sampler || a->kind == CW_RUN_ARG_POINTER ||
            (m && (m->image || !m->region->root || m->root->maps || m->misaligned)))
            return false;
    }
    return true;
}

/* ---- the bytes of an access */

/* The rows of a rectangle that the access is. Between them lie bytes that native commands may be writing, or
 * the program, where they are mapped. */
static uint32_t rows_of(const struct cw_run_task *t, const struct cw_run_access *a)
{
    size_t rows = t->work == CW_RUN_COPY ? t->copy.region[1] * t->copy.region[2] : 1;

    bool few = rows <= FEW_ROWS || a->region->root->was_mapped || !cw_run_native_use_is_over(a->region);

    return rows > 1 && few ? (uint32_t)rows : 0;
}

static uint64_t row_low(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t i)
{
    const struct cw_run_transfer *c = &t->copy;
    uint64_t y = i % c->region[1], z = i / c->region[1];

    return a->low + z * (a->write ? c->to_slice : c->from_slice) + y * (a->write ? c->to_row : c->from_row);
}

/* Range `i` of those that have to be there before: bytes that the access surely writes need not. False: there
 * are no more. */
static bool needed(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t i, uint64_t *low,
                   uint64_t *high)
{
    bool sure = a->sure < a->sure_end;

    if (CW_UNLIKELY(a->write && cw_run_fault_since(CW_RUN_FAULT_HASTY)))
        return false;
    if (a->rows) {
        *low = a->write ? 0 : row_low(t, a, i);
        *high = *low + t->copy.region[0];
        return !a->write && i < a->rows;
    }
    *low = i ? a->sure_end : a->low;
    *high = i || !sure ? a->high : a->sure;
    return i <= sure;
}

static bool fetch_needed(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t memory)
{
    uint64_t low, high;
    bool good = true;

    for (uint32_t i = 0; good && needed(t, a, i, &low, &high); i++)
        good = cw_run_spread_bring(t, a->region, low, high, memory);
    return good;
}

/* Makes room for the changes at the end of a write. A write that gets it only then: its buffer has left home
 * beside it, which has not changed where these bytes are valid, as commands on them come before or after this
 * one. False: it is none that is noted, or memory is out. */
static bool has_space(struct cw_run_access *a)
{
    uint32_t changes = a->rows ? a->rows : 1;

    if (!a->write || a->beside || !a->region->spread)
        return false;
    if (!a->promised && cw_extents_reserve(&a->region->spread->valid, changes))
        a->promised = changes;
    return a->promised;
}

/* ---- before a command runs */

static bool fetch_one(const struct cw_run_task *t, struct cw_run_access *a, uint32_t memory)
{
    struct cw_run_region *r = a->region;

    if (memory != cw_run_spread_home_of(r) && t->work == CW_RUN_LAUNCH && !cw_run_native_use_lets(r, t))
        return false;
    if (memory != CW_MEMORY_HOST && !cw_run_spread_of(r))
        return false;
    if (!r->spread)
        return true;
    a->rows = rows_of(t, a);
    if (!fetch_needed(t, a, memory))
        return false;
    r->root->used = cw_run.sequence;
    if (CW_UNLIKELY(cw_run.chaos) && cw_run.spreads % 4 == memory % 4 && !a->rows && !r->root->was_mapped &&
        cw_run_native_use_is_over(r))
        cw_run_spread_bring(NULL, r, a->low, a->high, CW_MEMORY_HOST); /* a copy that nothing needs */
    return !a->write || a->beside || has_space(a);
}

/* The command works where others of its context may not: native ones and the program's own threads do
 * elsewhere. */
static bool is_elsewhere(const struct cw_run_task *t, uint32_t memory)
{
    return memory != CW_MEMORY_HOST ||
           (t->work == CW_RUN_LAUNCH && cw_run.workers[t->queue->home_worker].memory != CW_MEMORY_HOST);
}

/* The program's command that `t` works for: its number in the recorded log + 1; 0: it is not recorded. */
static uint64_t recorded(const struct cw_run_task *t)
{
    const struct cw_run_tiles *x = cw_run_cut_launch_of(t);

    if (x)
        return x->whole->order.recorded;
    return t->work == CW_RUN_HOME && t->home.n ? t->home.serves : t->order.recorded;
}

cl_int cw_run_spread_gather(struct cw_run_task *t)
{
    uint32_t memory = cw_run_spread_memory_of(t);
    bool good = true;

    cw_run_spread_copies_serve(recorded(t));
    cw_run_spread_copies_are(t->work == CW_RUN_HOME && t->home.n ? CW_MOVE_NATIVE : CW_MOVE_NEEDED);
    cw_run_spread_claim(t);
    if (cw_run_tile_fetches_itself(t))
        return CL_SUCCESS;
    if (is_elsewhere(t, memory))
        good = cw_run_spread_may_be_here(t);
    if (memory != CW_MEMORY_HOST)
        good = good && cw_run_spread_make_replicas(t);
    for (uint32_t i = 0; i < t->accesses.n && good; i++)
        if (t->accesses.of[i].region->root)
            good = fetch_one(t, &t->accesses.of[i], memory);
    /* also of native commands that came meanwhile, on buffers that had not left home then */
    good = good && (!is_elsewhere(t, memory) || cw_run_spread_may_be_here(t));
    return good ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

cl_int cw_run_spread_fetch(struct cw_run_task *t)
{
    cl_int err = cw_run_spread_gather(t);

    if (!cw_run_tile_fetches_itself(t))
        cw_run_spread_cover(t);
    return err;
}

bool cw_run_spread_come_to_host(const struct cw_run_task *t, struct cw_run_region *r, uint64_t low,
                                uint64_t high)
{
    if (cw_run_spread_home_of(r) != CW_MEMORY_HOST && !cw_run_native_use_lets(r, t))
        return false;
    if (!r->spread)
        return true;
    cw_run_spread_copies_are(CW_MOVE_NEEDED);
    if (!cw_run_spread_bring(NULL, r, low, high, CW_MEMORY_HOST))
        return false;
    while (r->spread->arrivals) /* from there, perhaps */
        cw_run_spread_wait();
    return cw_run_spread_keep_only(r->spread, low, high, cw_run_spread_bit(CW_MEMORY_HOST));
}

static bool has_needed(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t memory)
{
    const struct cw_run_spread *s = a->region->spread;
    uint64_t low, high;
    struct cw_extent piece;

    for (uint32_t i = 0; s && needed(t, a, i, &low, &high); i++)
        if (cw_extents_missing(&s->valid, low, high, cw_run_spread_bit(memory), &piece))
            return false;
    if (s && a->write && !a->covers && s->arrivals) /* copies of bytes that it writes have to be over first */
        return false;
    if (s && a->write && !a->covers) /* the others have to be covered first */
        return !cw_extents_missing(&s->valid, a->low, a->high, cw_run_spread_bit(memory), &piece);
    return s || memory == CW_MEMORY_HOST;
}

static bool has_elsewhere(const struct cw_run_task *t, const struct cw_run_access *a, uint64_t where)
{
    const struct cw_run_spread *s = a->region->spread;
    uint64_t low, high;
    struct cw_extent piece;

    for (uint32_t i = 0; s && needed(t, a, i, &low, &high); i++)
        for (; cw_extents_missing(&s->valid, low, high, UINT64_MAX, &piece); low = piece.high)
            if (!(piece.valid & ~where))
                return false;
    return true;
}

bool cw_run_spread_lacks(const struct cw_run_task *t)
{
    uint64_t where = cw_run_spread_bit(cw_run_spread_memory_of(t)), low, high;
    struct cw_extent piece;

    for (uint32_t k = 0; k < t->accesses.n; k++) {
        const struct cw_run_access *a = &t->accesses.of[k];
        const struct cw_run_spread *s = a->region->spread;

        if (!a->region->root) /* the program's own memory */
            continue;
        if (!s && where != cw_run_spread_bit(cw_run_spread_home_of(a->region)))
            return true;
        for (uint32_t i = 0; s && needed(t, a, i, &low, &high); i++)
            if (cw_extents_missing(&s->valid, low, high, where, &piece))
                return true;
    }
    return false;
}

bool cw_run_spread_is_with_others(const struct cw_run_task *t, uint32_t memory)
{
    uint64_t near = cw_run_spread_bit(memory) | cw_run_spread_bit(CW_MEMORY_HOST), low, high;
    struct cw_extent piece;

    for (uint32_t k = 0; k < t->accesses.n; k++) {
        const struct cw_run_access *a = &t->accesses.of[k];
        const struct cw_run_spread *s = a->region->spread;

        for (uint32_t i = 0; s && needed(t, a, i, &low, &high); i++)
            for (; cw_extents_missing(&s->valid, low, high, UINT64_MAX, &piece); low = piece.high)
                if (piece.valid && !(piece.valid & near))
                    return true;
    }
    return false;
}

bool cw_run_spread_is_elsewhere(const struct cw_run_task *t)
{
    uint64_t where = cw_run_spread_bit(cw_run_spread_memory_of(t));

    for (uint32_t i = 0; i < t->accesses.n; i++)
        if (!has_elsewhere(t, &t->accesses.of[i], where))
            return false;
    return true;
}

/* A buffer that the launch surely writes has no bytes to fetch, but has to be there. */
static bool has_replicas(const struct cw_run_task *t)
{
    bool all = true;

    for (uint32_t i = 0; all && i < t->launch.kernel->count; i++)
        all = !t->launch.args[i].memory || t->launch.args[i].memory->mirrors[t->at.worker];
    return all;
}

bool cw_run_spread_is_here(const struct cw_run_task *t)
{
    uint32_t memory = cw_run_spread_memory_of(t);

    if (cw_run_tile_fetches_itself(t))
        return true;
    if (memory != CW_MEMORY_HOST && cw_run_spread_is_away(t) && !has_replicas(t))
        return false;
    for (uint32_t i = 0; i < t->accesses.n; i++)
        if (t->accesses.of[i].region->root && !has_needed(t, &t->accesses.of[i], memory))
            return false;
    return true;
}

bool cw_run_spread_claims(struct cw_run_task *t)
{
    bool may = cw_run_spread_is_here(t) && cw_run_spread_may_claim(t);

    if (may)
        cw_run_spread_claim(t);
    return may;
}

/* ---- the end of a command */

static void note(const struct cw_run_task *t, const struct cw_run_access *a, uint32_t memory)
{
    struct cw_extents *valid = &a->region->spread->valid;
    uint64_t low;

    for (uint32_t i = 0; i < a->rows; i++) {
        low = row_low(t, a, i);
        cw_coherence_written(valid, low, low + t->copy.region[0], memory);
    }
    if (!a->rows)
        cw_coherence_written(valid, a->low, a->high, memory);
    if (CW_UNLIKELY(cw_run.chaos) && memory != CW_MEMORY_HOST && !a->region->root->was_mapped && !a->twice)
        memset(a->region->root->address + a->low, CW_MEMORY_STALE, a->high - a->low);
}

static void written(struct cw_run_task *t)
{
    uint32_t memory = cw_run_spread_memory_of(t);

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!has_space(a))
            continue;
        if (CW_UNLIKELY(memory != cw_run_spread_home_of(a->region) && cw_run_fault_now(CW_RUN_FAULT_UNNOTED)))
            cw_extents_return(&a->region->spread->valid, a->promised);
        else
            note(t, a, memory);
        a->promised = 0;
    }
}

void cw_run_spread_lost(struct cw_run_task *t)
{
    cw_run.counts.deprived++;
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (!a->write || a->beside || !a->region->root || !cw_run_spread_of(a->region))
            continue;
        for (uint32_t row = 0; row < a->rows; row++)
            cw_run_spread_keep_only(a->region->spread, row_low(t, a, row),
                                    row_low(t, a, row) + t->copy.region[0], 0);
        if (!a->rows)
            cw_run_spread_keep_only(a->region->spread, a->low, a->high, 0);
        cw_extents_return(&a->region->spread->valid, a->promised);
        a->promised = 0;
    }
}

/* [low, high) is not valid in `memory`. True: it is elsewhere. */
static bool remains(struct cw_run_spread *s, uint64_t low, uint64_t high, uint32_t memory)
{
    return low >= high ||
           (cw_run_spread_keep_only(s, low, high, ~cw_run_spread_bit(memory)) &&
            cw_extents_reserve(&s->valid, 1) && cw_coherence_failed(&s->valid, low, high, memory));
}

/* Another part of the launch writes these bytes, or has: what is in `memory` does not count. False: memory is
 * out. */
static bool is_forgotten(const struct cw_run_access *a, uint32_t memory)
{
    struct cw_run_spread *s = a->region->spread;

    if (!s || !cw_extents_reserve(&s->valid, 1))
        return !s;
    cw_coherence_failed(&s->valid, a->low, a->high, memory);
    return true;
}

void cw_run_spread_over(struct cw_run_task *t)
{
    if (cw_run.spreads && t->queue && !cw_run_tile_fetches_itself(t) &&
        (t->outcome.status >= 0 || (t->work == CW_RUN_LAUNCH && t->launch.begun)))
        written(t);
    cw_run_spread_release(t);
    cw_run_spread_ahead_forget(t);
    if (!cw_run.spreads)
        return;
    cw_run_spread_uncover(t);
    cw_run_spread_ahead_behind(t);
}

void cw_run_spread_abandon(struct cw_run_task *t)
{
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];

        if (a->promised)
            cw_extents_return(&a->region->spread->valid, a->promised);
        a->promised = 0;
    }
    cw_run_spread_release(t);
    cw_run_spread_ahead_forget(t);
    cw_run_spread_uncover(t);
}

bool cw_run_spread_failed(struct cw_run_task *t)
{
    uint32_t memory = cw_run_spread_memory_of(t);
    bool all = true;

    for (uint32_t i = 0; i < t->accesses.n; i++) {
        struct cw_run_access *a = &t->accesses.of[i];
        bool partly = a->sure < a->sure_end;

        if (a->beside)
            all &= is_forgotten(a, memory);
        if (!has_space(a))
            continue;
        a->promised = 0;
        all &= remains(a->region->spread, a->low, partly ? a->sure : a->high, memory);
        all &= !partly || remains(a->region->spread, a->sure_end, a->high, memory);
        cw_coherence_failed(&a->region->spread->valid, a->low, a->high, memory);
    }
    if (!all)
        cw_run_spread_lost(t);
    return all;
}

/* ---- the summary */

int cw_run_spread_describe(char *text, unsigned size)
{
    const struct cw_run_counts *c = &cw_run.counts;
    char a[16], b[16], needed[16], native[16], made[16], read[16], shared[16];

    if (!c->far_copies[0] && !c->far_copies[1])
        return 0;
    return snprintf(text, size,
                    "run: memories: %s in %llu copies to devices, %s in %llu back: %s for managed commands, "
                    "%s for native ones, %s to make room (%llu buffers), %s read by the program; "
                    "%llu copies ahead; "
                    "%s written with what another copy read; %llu launches merged\n",
                    cw_quantity_bytes(c->far_bytes[0], a), (unsigned long long)c->far_copies[0],
                    cw_quantity_bytes(c->far_bytes[1], b), (unsigned long long)c->far_copies[1],
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_NEEDED], needed),
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_NATIVE], native),
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_SPACE], made), (unsigned long long)c->evicted,
                    cw_quantity_bytes(c->far_bytes_for[CW_MOVE_READ], read), (unsigned long long)c->far_ahead,
                    cw_quantity_bytes(c->far_shared, shared), (unsigned long long)c->merged);
}
