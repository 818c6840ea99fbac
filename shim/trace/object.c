#include "object.h"
#include "recorder.h"

#include <stdlib.h>

#include "log_write.h"

static _Atomic uint32_t next_id[CW_LOG_OBJECTS];

/* The object that had `handle` last, and has ended; NULL: there is none. */
static struct cw_object *find_ended(const void *handle, enum cw_log_object kind)
{
    return cw_registry_find(handle, CW_REGISTRY_TRACE + kind + CW_REGISTRY_ENDED);
}

bool cw_object_take_released(const void *handle, enum cw_log_object kind, uint32_t *id, uint64_t *seq,
                             uint32_t *site)
{
    struct cw_object *o = find_ended(handle, kind);

    if (!o || atomic_load_explicit(&o->generation, memory_order_relaxed) != cw_log_generation ||
        cw_object_find_any(handle))
        return false;
    *id = o->id;
    *seq = o->seq;
    *site = atomic_load_explicit(&o->refs, memory_order_relaxed);
    return atomic_exchange_explicit(&o->released, false, memory_order_relaxed);
}

struct cw_object *cw_object_insert(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o;
    struct cw_registry_entry *stale,
        *e = cw_registry_claim(handle, CW_REGISTRY_TRACE + kind, sizeof *o, &stale);

    if (stale)
        cw_object_remove(cw_registry_record(stale));
    if (!e) {
        cw_log_stop("out of memory");
        return NULL;
    }
    o = cw_registry_record(e);
    o->entry = e;
    o->kind = (uint8_t)kind;
    atomic_store_explicit(&o->released, false, memory_order_relaxed);
    o->flags = 0;
    o->refs = 1;
    o->id = kind == CW_LOG_O_EVENT ? 0 : atomic_fetch_add_explicit(&next_id[kind], 1, memory_order_relaxed);
    atomic_store_explicit(&o->generation, cw_log_generation, memory_order_relaxed);
    o->seq = 0;
    o->state = NULL;
    o->tracked = NULL;
    o->owner = NULL;
    cw_registry_publish(e, CW_REGISTRY_TRACE + kind, o);
    return o;
}

void cw_object_remove(struct cw_object *o)
{
    void *state;

    if (!o)
        return;
    if (o->kind == CW_LOG_O_MEMORY)
        cw_maps_free(o); /* its state */
    state = o->state;    /* once it has ended, the object may be another handle's */
    o->state = NULL;
    cw_registry_end(o->entry, CW_REGISTRY_TRACE + o->kind);
    if (state)
        cw_define_object_dropped((enum cw_log_object)o->kind, state);
}

void cw_object_remove_released(struct cw_object *o, uint32_t site)
{
    if (o) {
        atomic_store_explicit(&o->refs, site, memory_order_relaxed);
        atomic_store_explicit(&o->released, true, memory_order_relaxed);
    }
    cw_object_remove(o);
}

void cw_object_retain(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o = cw_object_find(handle, kind);

    if (o)
        atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    else if ((o = find_ended(handle, kind)))
        atomic_store_explicit(&o->released, false, memory_order_relaxed);
}

bool cw_object_release(struct cw_object *o)
{
    return atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1;
}

void cw_object_each(enum cw_log_object kind, void (*visit)(struct cw_object *o, void *context), void *context)
{
    struct cw_registry_entry *e = NULL;

    while ((e = cw_registry_next(CW_REGISTRY_TRACE + kind, e)))
        visit(cw_registry_record(e), context);
}
