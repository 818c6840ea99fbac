/* record.c - records of the program's objects, and releases that have to wait. */
#include "global_lock.h"
#include "passing.h"
#include "record.h"
#include "state.h"

#include <stdatomic.h>
#include <stdlib.h>

struct cw_run_record *cw_run_record_ended;
atomic_ullong cw_run_record_kernels_freed;

static const size_t bytes_of[] = {
    [CW_RUN_CONTEXT] = sizeof(struct cw_run_context), [CW_RUN_QUEUE] = sizeof(struct cw_run_queue),
    [CW_RUN_MEMORY] = sizeof(struct cw_run_memory),   [CW_RUN_PROGRAM] = sizeof(struct cw_run_program),
    [CW_RUN_KERNEL] = sizeof(struct cw_run_kernel),   [CW_RUN_EVENT] = sizeof(struct cw_run_event),
    [CW_RUN_SAMPLER] = sizeof(struct cw_run_sampler), [CW_RUN_OPAQUE] = sizeof(struct cw_run_opaque),
};

atomic_bool cw_run_record_any_queue;
atomic_uint cw_run_passing_held;

void cw_run_record_end(struct cw_run_record *r)
{
    if (r->entry)
        cw_registry_end(r->entry, CW_REGISTRY_RUN + r->kind);
    cw_run.records += r->kind != CW_RUN_EVENT;
    r->ended = true;
    r->next = cw_run_record_ended;
    cw_run_record_ended = r;
}

void *cw_run_record_next(enum cw_run_kind kind, const void *record)
{
    const struct cw_run_record *r = record;
    struct cw_registry_entry *e = cw_registry_next(CW_REGISTRY_RUN + kind, r ? r->entry : NULL);

    return e ? cw_registry_record(e) : NULL;
}

/* The vendor has freed the object unseen, and given its address to another. */
static void replace(struct cw_run_record *r)
{
    cw_registry_end(r->entry, CW_REGISTRY_RUN + r->kind);
    r->entry = NULL;
    r->held_back = true; /* the last pin ends it, too */
    if (!r->busy)
        cw_run_record_end(r);
}

void *cw_run_record_create(const void *handle, enum cw_run_kind kind)
{
    struct cw_run_record *r = calloc(1, bytes_of[kind]);
    struct cw_registry_entry *stale,
        *e = r ? cw_registry_claim(handle, CW_REGISTRY_RUN + kind, 0, &stale) : NULL;

    if (!e) {
        free(r);
        return NULL;
    }
    if (stale && ((struct cw_run_record *)cw_registry_record(stale))->kind == kind)
        replace(cw_registry_record(stale));
    cw_run.records += kind != CW_RUN_EVENT;
    if (kind == CW_RUN_QUEUE)
        atomic_store(&cw_run_record_any_queue, true);
    *r = (struct cw_run_record){.handle = handle, .entry = e, .kind = kind, .refs = 1};
    cw_registry_publish(e, CW_REGISTRY_RUN + kind, r);
    return r;
}

void *cw_run_record_create_unnamed(enum cw_run_kind kind)
{
    struct cw_run_record *r = calloc(1, bytes_of[kind]);

    if (!r)
        return NULL;
    cw_run.records++;
    *r = (struct cw_run_record){.kind = kind, .refs = 1};
    return r;
}

void cw_run_record_pin(struct cw_run_record *r)
{
    r->busy++;
}

void cw_run_record_unpin(struct cw_run_record *r)
{
    if (!--r->busy && r->held_back && !r->ended)
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

    if (!cw_run_record_find(handle, kind))
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

    if (!cw_run_record_find(handle, kind))
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
