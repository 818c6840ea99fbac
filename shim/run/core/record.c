/* record.c - records of the program's objects, and releases that have to wait. */
#include "global_lock.h"
#include "record.h"
#include "state.h"

#include <stdatomic.h>
#include <stdlib.h>

#define BUCKETS 65536u

typedef struct cw_run_record *_Atomic bucket; /* written with the lock held */

struct cw_run_record *cw_run_record_ended;
atomic_ullong cw_run_record_kernels_freed;

static const size_t bytes_of[] = {
    [CW_RUN_CONTEXT] = sizeof(struct cw_run_context), [CW_RUN_QUEUE] = sizeof(struct cw_run_queue),
    [CW_RUN_MEMORY] = sizeof(struct cw_run_memory),   [CW_RUN_PROGRAM] = sizeof(struct cw_run_program),
    [CW_RUN_KERNEL] = sizeof(struct cw_run_kernel),   [CW_RUN_EVENT] = sizeof(struct cw_run_event),
    [CW_RUN_SAMPLER] = sizeof(struct cw_run_sampler), [CW_RUN_OPAQUE] = sizeof(struct cw_run_opaque),
};

static bucket table[BUCKETS]; /* untouched pages cost nothing */
static atomic_bool had_queue;

/* Objects that lie side by side have buckets that do, so that many objects touch few pages of the table. The
 * address bits above a megabyte scatter the others. */
static bucket *bucket_of(const void *handle)
{
    uint64_t at = (uint64_t)(uintptr_t)handle, far = (at >> 20) * 0x9e3779b97f4a7c15u;

    return &table[(at >> 4 ^ far >> 48) % BUCKETS];
}

static struct cw_run_record *first(bucket *b)
{
    return atomic_load_explicit(b, memory_order_relaxed);
}

static void set_first(bucket *b, struct cw_run_record *r)
{
    atomic_store_explicit(b, r, memory_order_relaxed);
}

bool cw_run_record_is_unknown(const void *handle)
{
    return !first(bucket_of(handle));
}

void *cw_run_record_find(const void *handle, enum cw_run_kind kind)
{
    struct cw_run_record *r = handle ? first(bucket_of(handle)) : NULL;

    while (r && (r->handle != handle || r->kind != kind))
        r = r->next;
    return r;
}

static void take_out(struct cw_run_record *r)
{
    bucket *b = bucket_of(r->handle);
    struct cw_run_record *at = first(b);

    if (at == r) {
        set_first(b, r->next);
        return;
    }
    while (at && at->next != r)
        at = at->next;
    if (at)
        at->next = r->next;
}

void cw_run_record_end(struct cw_run_record *r)
{
    take_out(r);
    cw_run.records += r->kind != CW_RUN_EVENT;
    r->next = cw_run_record_ended;
    cw_run_record_ended = r;
}

bool cw_run_record_had_queue(void)
{
    return atomic_load_explicit(&had_queue, memory_order_relaxed);
}

void cw_run_record_each(enum cw_run_kind kind, void (*function)(void *record))
{
    for (uint32_t i = 0; i < BUCKETS; i++)
        for (struct cw_run_record *r = first(&table[i]); r; r = r->next)
            if (r->kind == kind)
                function(r);
}

void *cw_run_record_create(const void *handle, enum cw_run_kind kind)
{
    struct cw_run_record *r = cw_run_record_find(handle, kind);

    if (r && !r->busy)
        cw_run_record_end(r); /* the vendor freed it unseen, and gave its address to another */
    r = calloc(1, bytes_of[kind]);
    if (!r)
        return NULL;
    cw_run.records += kind != CW_RUN_EVENT;
    if (kind == CW_RUN_QUEUE)
        atomic_store(&had_queue, true);
    *r = (struct cw_run_record){.handle = handle, .next = first(bucket_of(handle)), .kind = kind, .refs = 1};
    set_first(bucket_of(handle), r);
    return r;
}

void cw_run_record_pin(struct cw_run_record *r)
{
    r->busy++;
}

void cw_run_record_unpin(struct cw_run_record *r)
{
    if (--r->busy || !r->held_back)
        return;
    cw_run_record_end(r);
}

void cw_run_record_unpin_for_timer(struct cw_run_record *r)
{
    cw_run_record_unpin(r);
    if (cw_run_record_ended && cw_run.timer_asleep)
        cw_run.timer_wanted = true;
}

bool cw_run_record_take_back(const void *handle, enum cw_run_kind kind)
{
    struct cw_run_record *r;
    bool back;

    if (cw_run_record_is_unknown(handle))
        return false;
    cw_run_global_lock_take();
    r = cw_run_record_find(handle, kind);
    back = r && r->held_back;
    if (back) {
        r->held_back = false;
        r->refs = 1;
    }
    cw_run_global_lock_give();
    return back;
}

void cw_run_record_retained(const void *handle, enum cw_run_kind kind)
{
    struct cw_run_record *r;

    if (cw_run_record_is_unknown(handle))
        return;
    cw_run_global_lock_take();
    r = cw_run_record_find(handle, kind);
    if (r)
        r->refs++;
    cw_run_global_lock_give();
}

uint32_t cw_run_record_hidden_references(const struct cw_run_record *r)
{
    return r->held_back;
}
