/* tile_merge.c - see tiles/tile.h. */
#include "tile.h"
#include "../../door/lock_order.h"

#include <stdlib.h>
#include <string.h>

#include "../core/context_device.h"
#include "../core/fault.h"
#include "../core/global_lock.h"
#include "../core/instruction.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../memory/quarantine.h"
#include "../memory/spread.h"

struct merge {
    const struct cw_run_memory *memory;
    struct cw_cut_merge as;
    uint64_t low, high; /* in its region: around all that the launch may touch */
    uint8_t *was;       /* these bytes before the launch */
};

/* What the blocks of a part work on. */
struct own {
    cl_mem memory;
    struct cw_run_context_device *place; /* a part may go home (tiles/tile.c) */
};

struct cw_run_tile_merges {
    struct merge of[CW_CUT_MAX_MERGES];
    uint32_t n;
    enum { UNKNOWN, COPYING, KNOWN, LOST } state; /* of `was` */
    pthread_mutex_t lock;                         /* of the results in the host's memory */
    struct own *own;                              /* by part and argument */
};

/* ---- which launches */

static bool can_combine(struct cw_cut_merge m)
{
    return (m.how == CW_MERGE_DIFF && m.bytes == 1) ||
           (m.how != CW_MERGE_NONE && (m.bytes == 4 || m.bytes == 8));
}

static bool is_alone(const struct cw_run_launch *l, uint32_t arg)
{
    for (uint32_t i = 0; i < l->kernel->count; i++)
        if (i != arg && l->args[i].memory && l->args[i].memory->region == l->args[arg].memory->region)
            return false;
    return true;
}

size_t cw_run_tile_merge_bytes(const struct cw_run_launch *l, const struct cw_cut_verdict *v)
{
    size_t bytes = 0;

    for (int i = 0; i < v->merges; i++)
        bytes += l->args[v->merge[i].arg].memory->bytes;
    return bytes;
}

bool cw_run_tile_merge_may(const struct cw_run_launch *l, const struct cw_cut_verdict *v)
{
    for (int i = 0; i < v->merges; i++) {
        const struct cw_run_memory *m = l->args[v->merge[i].arg].memory;

        if (!m || m->image || !m->region->root || !can_combine(v->merge[i]) ||
            !is_alone(l, (uint32_t)v->merge[i].arg))
            return false;
    }
    return v->cut == CW_CUT_MERGE && cw_run_tile_merge_bytes(l, v) <= CW_RUN_MERGE_BYTES;
}

/* ---- made */

/* The part of access `a` that lies in the buffer. False: none does. */
static bool within(const struct merge *m, const struct cw_run_access *a, uint64_t *low, uint64_t *high)
{
    uint64_t end = m->memory->offset + m->memory->bytes;

    *low = a->low > m->memory->offset ? a->low : m->memory->offset;
    *high = a->high < end ? a->high : end;
    return a->region == m->memory->region && *low < *high;
}

/* Whole elements. False: there are none, or memory is out. */
static bool find_bytes(struct merge *m, const struct cw_run_task *t)
{
    uint64_t low, high, begin = m->memory->offset, each = (uint64_t)m->as.bytes;

    m->low = UINT64_MAX;
    for (uint32_t i = 0; i < t->accesses.n; i++) {
        if (!within(m, &t->accesses.of[i], &low, &high))
            continue;
        m->low = low < m->low ? low : m->low;
        m->high = high > m->high ? high : m->high;
    }
    if (m->low >= m->high)
        return false;
    m->low -= (m->low - begin) % each;
    m->high += (each - (m->high - begin) % each) % each;
    return m->high <= begin + m->memory->bytes && (m->was = malloc(m->high - m->low));
}

bool cw_run_tile_merge_make(struct cw_run_tiles *x)
{
    const struct cw_cut_verdict *v = &x->cut.verdict;
    struct cw_run_tile_merges *m;

    if (v->cut != CW_CUT_MERGE)
        return true;
    m = x->merges = calloc(1, sizeof *m);
    if (!m)
        return false;
    pthread_mutex_init(&m->lock, NULL);
    cw_lock_order_add(&m->lock, CW_LOCK_MERGE);
    m->own = calloc((size_t)x->parts * CW_CUT_MAX_MERGES, sizeof *m->own);
    for (int i = 0; i < v->merges && m->own; i++, m->n++) {
        m->of[i].memory = x->whole->launch.args[v->merge[i].arg].memory;
        m->of[i].as = v->merge[i];
        if (!find_bytes(&m->of[i], x->whole))
            return false;
    }
    return m->own;
}

static struct cw_run_context_device *place_of(const struct cw_run_task *part)
{
    return &part->queue->context->places[part->at.place];
}

/* Of the part, or of the copy of it that a worker runs, for merge `i`. */
static struct own *own_of(const struct cw_run_task *part, uint32_t i)
{
    const struct cw_run_tiles *x = part->launch.part.of;
    size_t p = 0;

    while (p + 1 < x->parts && x->part[p].at.place != part->at.place)
        p++;
    return &x->merges->own[p * CW_CUT_MAX_MERGES + i];
}

void cw_run_tile_merge_free(struct cw_run_tiles *x)
{
    struct cw_run_tile_merges *m = x->merges;

    if (!m)
        return;
    for (uint32_t p = 0; m->own && p < x->parts; p++)
        for (uint32_t i = 0; i < m->n; i++) {
            const struct own *own = &m->own[p * CW_CUT_MAX_MERGES + i];

            x->whole->queue->context->own_objects -= own->memory && own->place->device->home;
            cw_run_global_lock_release_later(CW_RUN_DROP_MEMORY, own->memory);
        }
    for (uint32_t i = 0; i < CW_CUT_MAX_MERGES; i++)
        free(m->of[i].was);
    pthread_mutex_destroy(&m->lock);
    free(m->own);
    free(m);
    x->merges = NULL;
}

bool cw_run_tile_merge_is(const struct cw_run_tiles *x, uint32_t arg)
{
    for (uint32_t i = 0; x->merges && i < x->merges->n; i++)
        if ((uint32_t)x->merges->of[i].as.arg == arg)
            return true;
    return false;
}

/* ---- before a block */

static uint8_t *host_of(const struct merge *m, uint64_t at)
{
    return m->memory->region->root->address + at;
}

/* What the launch may touch comes; between that lie bytes that others may use. Lock held, given up meanwhile.
 */
static bool bring(const struct cw_run_task *part, const struct merge *m)
{
    const struct cw_run_task *whole = part->launch.part.of->whole;
    uint64_t low, high;

    for (uint32_t i = 0; i < whole->accesses.n; i++)
        if (within(m, &whole->accesses.of[i], &low, &high) &&
            !cw_run_spread_come_to_host(part, m->memory->region, low, high))
            return false;
    return true;
}

static bool copy_all(const struct cw_run_task *part)
{
    struct cw_run_tile_merges *m = part->launch.part.of->merges;

    for (uint32_t i = 0; i < m->n; i++) {
        if (!bring(part, &m->of[i]))
            return false;
        cw_run_global_lock_give();
        memcpy(m->of[i].was, host_of(&m->of[i], m->of[i].low), m->of[i].high - m->of[i].low);
        cw_run_global_lock_take();
    }
    return true;
}

/* What was there is known; the first part to come here copies it. */
static bool knows(const struct cw_run_task *part)
{
    struct cw_run_tile_merges *m = part->launch.part.of->merges;

    while (m->state == COPYING)
        cw_run_spread_wait();
    if (m->state == UNKNOWN) {
        m->state = COPYING;
        m->state = copy_all(part) ? KNOWN : LOST;
        cw_run.counts.merged += m->state == KNOWN;
        cw_run_global_lock_tell();
    }
    return m->state == KNOWN;
}

/* At `p`, where it is not there yet. Lock not held. */
static bool make_own(struct own *own, struct cw_run_context *c, struct cw_run_context_device *p, size_t bytes)
{
    cl_int err;

    if (own->memory && own->place == p)
        return true;
    cw_run_recount_begins();
    if (own->memory) {
        c->own_objects -= own->place->device->home;
        cw_next.clReleaseMemObject(own->memory);
    }
    own->memory = cw_next.clCreateBuffer(p->context, CL_MEM_READ_WRITE, bytes, NULL, &err);
    own->place = p;
    c->own_objects += own->memory && p->device->home;
    cw_run_recount_ends();
    return own->memory;
}

/* A device that has failed may still give its bytes back. */
static cl_int fetch_own(const struct cw_run_instruction *merge)
{
    cl_int err = cw_run_instruction_transfer(merge, 1, NULL);

    return err == CL_SUCCESS || merge->place->device->home ? err : cw_run_quarantine_read(merge);
}

/* What the blocks of the part work on comes to v[], by merge; no `v`: it becomes what was there before. */
static cl_int transfer_own(const struct cw_run_task *part, uint8_t *const *v)
{
    const struct cw_run_tile_merges *x = part->launch.part.of->merges;
    struct cw_run_instruction list[CW_CUT_MAX_MERGES];
    cl_int err = CL_SUCCESS;

    for (uint32_t i = 0; i < x->n; i++) {
        const struct merge *m = &x->of[i];

        list[i] = (struct cw_run_instruction){
            v ? CW_RUN_I_MERGE : CW_RUN_I_GIVE,
            false,
            place_of(part),
            {{own_of(part, i)->memory, m->low - m->memory->offset, m->high - m->low, v ? v[i] : m->was}}};
    }
    for (uint32_t i = 0; v && i < x->n && err == CL_SUCCESS; i++)
        err = fetch_own(&list[i]);
    return v ? err : cw_run_instruction_transfer(list, x->n, NULL);
}

/* Lock not held. */
static bool fill_own(const struct cw_run_task *part)
{
    const struct cw_run_tile_merges *m = part->launch.part.of->merges;
    struct cw_run_context *c = part->queue->context;
    bool good = cw_run_context_device_queue(c, place_of(part));

    for (uint32_t i = 0; i < m->n && good; i++)
        good = make_own(own_of(part, i), c, place_of(part), m->of[i].memory->bytes);
    return good && transfer_own(part, NULL) == CL_SUCCESS;
}

bool cw_run_tile_merge_begin(struct cw_run_task *part)
{
    bool good;

    if (!part->launch.part.of->merges)
        return true;
    if (!knows(part))
        return false;
    cw_run_global_lock_give();
    good = fill_own(part);
    cw_run_global_lock_take();
    return good;
}

cl_int cw_run_tile_merge_set(const struct cw_run_task *part, cl_kernel kernel, struct cw_run_set *set)
{
    const struct cw_run_tiles *x = part->launch.part.of;
    cl_int err = CL_SUCCESS;

    for (uint32_t i = 0; x->merges && i < x->merges->n && err == CL_SUCCESS; i++) {
        uint32_t arg = (uint32_t)x->merges->of[i].as.arg;

        err = cw_next.clSetKernelArg(kernel, arg, sizeof(cl_mem), &own_of(part, i)->memory);
        set[arg] = (struct cw_run_set){.kind = CW_RUN_ARG_UNSET};
    }
    return err;
}

/* ---- behind a block */

/* Elements that the block has not changed stay: others may use bytes beside those of the launch. */
#define COMBINE(type, stype)                                                                                 \
    for (size_t i = 0; i < bytes / sizeof(type); i++) {                                                      \
        type a, b, w;                                                                                        \
        memcpy(&b, v + i * sizeof b, sizeof b);                                                              \
        memcpy(&w, was + i * sizeof w, sizeof w);                                                            \
        if (b == w)                                                                                          \
            continue;                                                                                        \
        memcpy(&a, to + i * sizeof a, sizeof a);                                                             \
        switch (how) {                                                                                       \
        case CW_MERGE_ADD:                                                                                   \
            a = (type)(a + (b - w));                                                                         \
            break;                                                                                           \
        case CW_MERGE_XOR:                                                                                   \
            a ^= b ^ w;                                                                                      \
            break;                                                                                           \
        case CW_MERGE_AND:                                                                                   \
            a &= b;                                                                                          \
            break;                                                                                           \
        case CW_MERGE_OR:                                                                                    \
            a |= b;                                                                                          \
            break;                                                                                           \
        case CW_MERGE_SMIN:                                                                                  \
            a = (stype)b < (stype)a ? b : a;                                                                 \
            break;                                                                                           \
        case CW_MERGE_SMAX:                                                                                  \
            a = (stype)b > (stype)a ? b : a;                                                                 \
            break;                                                                                           \
        case CW_MERGE_UMIN:                                                                                  \
            a = b < a ? b : a;                                                                               \
            break;                                                                                           \
        case CW_MERGE_UMAX:                                                                                  \
            a = b > a ? b : a;                                                                               \
            break;                                                                                           \
        default: /* DIFF */                                                                                  \
            a = b;                                                                                           \
        }                                                                                                    \
        memcpy(to + i * sizeof a, &a, sizeof a);                                                             \
    }

static void combine_bytes(enum cw_merge how, uint8_t *to, const uint8_t *was, const uint8_t *v, size_t bytes)
{
    COMBINE(uint8_t, int8_t)
}

static void combine_words(enum cw_merge how, uint8_t *to, const uint8_t *was, const uint8_t *v, size_t bytes)
{
    COMBINE(uint32_t, int32_t)
}

static void combine_longs(enum cw_merge how, uint8_t *to, const uint8_t *was, const uint8_t *v, size_t bytes)
{
    COMBINE(uint64_t, int64_t)
}

/* `v`: the block's bytes from m->low on. */
static void join(const struct merge *m, const uint8_t *v)
{
    (m->as.bytes == 4   ? combine_words
     : m->as.bytes == 8 ? combine_longs
                        : combine_bytes)(m->as.how, host_of(m, m->low), m->was, v, m->high - m->low);
}

/* Lock not held. */
static cl_int read_own(const struct cw_run_task *part, uint8_t *v[CW_CUT_MAX_MERGES])
{
    const struct cw_run_tile_merges *m = part->launch.part.of->merges;

    for (uint32_t i = 0; i < m->n; i++) {
        size_t bytes = m->of[i].high - m->of[i].low;

        if (!(v[i] = malloc(bytes)))
            return CL_OUT_OF_RESOURCES;
        if (CW_UNLIKELY(cw_run_fault_planted)) /* a merge that is left out brings nothing */
            memcpy(v[i], m->of[i].was, bytes);
    }
    return transfer_own(part, v);
}

cl_int cw_run_tile_merge_collect(struct cw_run_task *part)
{
    const struct cw_run_tiles *x = part->launch.part.of;
    uint8_t *v[CW_CUT_MAX_MERGES] = {0};
    cl_int err;

    if (!x->merges)
        return CL_COMPLETE;
    cw_run_global_lock_give();
    err = read_own(part, v);
    pthread_mutex_lock(&x->merges->lock);
    for (uint32_t i = 0; i < x->merges->n && err == CL_SUCCESS; i++)
        join(&x->merges->of[i], v[i]);
    pthread_mutex_unlock(&x->merges->lock);
    for (uint32_t i = 0; i < CW_CUT_MAX_MERGES; i++)
        free(v[i]);
    cw_run_global_lock_take();
    return err;
}
