/* stream_object.c - see streams/stream_object.h. */
#include "stream_object.h"

#include <stdlib.h>

void (*cw_stream_object_free[CW_STREAM_KINDS])(void *object);

static atomic_bool some;
atomic_uint cw_stream_object_num[CW_STREAM_KINDS];
static atomic_uint *const num = cw_stream_object_num;

bool cw_stream_object_any(void)
{
    return atomic_load_explicit(&some, memory_order_relaxed);
}

/* `o` is pinned. */
static void take_out(struct cw_stream_object *o)
{
    if (!atomic_exchange(&o->found, false))
        return;
    cw_registry_end(o->entry, CW_REGISTRY_STREAM + o->kind);
    num[o->kind]--;
    cw_registry_unpin(o->entry);
}

void *cw_stream_object_create(const void *handle, enum cw_stream_kind kind, size_t bytes)
{
    return cw_stream_object_add(calloc(1, bytes), handle, kind);
}

void *cw_stream_object_add(struct cw_stream_object *o, const void *handle, enum cw_stream_kind kind)
{
    struct cw_registry_entry *stale,
        *e = o ? cw_registry_claim(handle, CW_REGISTRY_STREAM + kind, 0, &stale) : NULL;

    if (!e) {
        free(o);
        return NULL;
    }
    if (stale)
        cw_stream_object_forget(handle, kind);
    *o = (struct cw_stream_object){.handle = handle, .entry = e, .kind = kind, .found = true, .refs = 1};
    num[kind]++;
    cw_registry_publish(e, CW_REGISTRY_STREAM + kind, o);
    /* That of being found. Last: who pins it may have looked it up for an earlier handle, whose record it
     * had until now. */
    atomic_store(&e->pins, 1);
    if (kind == CW_STREAM_CONTEXT)
        atomic_store(&some, true);
    return o;
}

void cw_stream_object_pin_again(void *object)
{
    atomic_fetch_add(&((struct cw_stream_object *)object)->entry->pins, 1);
}

void cw_stream_object_finish(struct cw_stream_object *o)
{
    if (cw_stream_object_free[o->kind])
        cw_stream_object_free[o->kind](o);
    free(o);
}

void cw_stream_object_retained(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o = cw_stream_object_pin(handle, kind);

    if (!o)
        return;
    o->refs++;
    cw_stream_object_unpin(o);
}

void cw_stream_object_forget(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o = cw_stream_object_pin(handle, kind);

    if (!o)
        return;
    take_out(o);
    cw_stream_object_unpin(o);
}

bool cw_stream_object_released(const void *handle, enum cw_stream_kind kind)
{
    struct cw_stream_object *o = cw_stream_object_pin(handle, kind);
    bool last = o && --o->refs == 0;

    if (last)
        take_out(o);
    if (o)
        cw_stream_object_unpin(o);
    return last;
}

void cw_stream_object_each(enum cw_stream_kind kind, void (*function)(void *object, void *data), void *data)
{
    struct cw_registry_entry *e = NULL;
    struct cw_stream_object *o;

    while ((e = cw_registry_next(CW_REGISTRY_STREAM + kind, e)))
        if (cw_registry_pin(e)) {
            o = cw_registry_record(e);
            function(o, data);
            cw_stream_object_unpin(o);
        }
}

void cw_stream_object_forget_all(void)
{
    struct cw_registry_entry *e = NULL;

    for (unsigned kind = 0; kind < CW_STREAM_KINDS; kind++) {
        while ((e = cw_registry_next(CW_REGISTRY_STREAM + kind, e)))
            cw_registry_end(e, CW_REGISTRY_STREAM + kind);
        num[kind] = 0;
    }
    atomic_store(&some, false);
}
