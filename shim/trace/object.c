#include "object.h"

#include <stddef.h>
#include <sys/mman.h>

#include "../door/lock.h"
#include "log_write.h"

#define BUCKETS    65536u
#define SLAB_BYTES 65536u

struct bucket {
    _Atomic(struct cw_object *) head;
    cw_lock lock;
};

static struct bucket table[BUCKETS]; /* untouched pages cost nothing */
static _Atomic uint32_t next_id[CW_LOG_OBJECTS];
static cw_lock slab_lock;
static struct cw_object *slab, *slab_end;

static struct bucket *bucket_of(const void *handle)
{
    return &table[((uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u) >> 48];
}

struct cw_object *cw_object_find(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o;

    if (!handle)
        return NULL;
    o = atomic_load_explicit(&bucket_of(handle)->head, memory_order_acquire);
    while (o && (atomic_load_explicit(&o->handle, memory_order_acquire) != handle || o->kind != kind))
        o = o->next;
    return o;
}

struct cw_object *cw_object_find_any(const void *handle)
{
    struct cw_object *o;

    if (!handle)
        return NULL;
    o = atomic_load_explicit(&bucket_of(handle)->head, memory_order_acquire);
    while (o && atomic_load_explicit(&o->handle, memory_order_acquire) != handle)
        o = o->next;
    return o;
}

/* The entry of an object that had `handle` and was released; NULL: there is none. */
static struct cw_object *find_released(const void *handle)
{
    struct cw_object *o =
        handle ? atomic_load_explicit(&bucket_of(handle)->head, memory_order_acquire) : NULL;

    while (o && (atomic_load_explicit(&o->handle, memory_order_acquire) ||
                 atomic_load_explicit(&o->was, memory_order_relaxed) != handle))
        o = o->next;
    return o;
}

bool cw_object_take_released(const void *handle, enum cw_log_object kind, uint32_t *id, uint64_t *seq,
                             uint32_t *site)
{
    struct cw_object *o = find_released(handle);
    const void *expected = handle;

    if (!o || o->kind != kind ||
        atomic_load_explicit(&o->generation, memory_order_relaxed) != cw_log_generation)
        return false;
    *id = o->id;
    *seq = o->seq;
    *site = atomic_load_explicit(&o->refs, memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&o->was, &expected, NULL, memory_order_relaxed,
                                                   memory_order_relaxed);
}

static struct cw_object *take_from_slab(void)
{
    struct cw_object *o = NULL;

    cw_lock_take(&slab_lock);
    if (slab == slab_end) {
        void *p = mmap(NULL, SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p != MAP_FAILED) {
            slab = p;
            slab_end = slab + SLAB_BYTES / sizeof *slab;
        }
    }
    if (slab != slab_end)
        o = slab++;
    cw_lock_free(&slab_lock);
    return o;
}

struct cw_object *cw_object_insert(const void *handle, enum cw_log_object kind)
{
    struct bucket *b = bucket_of(handle);
    struct cw_object *o, *dead = NULL;
    const void *h;

    cw_lock_take(&b->lock);
    for (o = atomic_load_explicit(&b->head, memory_order_relaxed); o; o = o->next) {
        h = atomic_load_explicit(&o->handle, memory_order_acquire);
        if (h == handle)
            cw_object_remove(o);
        if (h == handle || !h)
            dead = o;
        if (!h &&
            atomic_load_explicit(&o->was, memory_order_relaxed) == handle) /* another object has it now */
            atomic_store_explicit(&o->was, NULL, memory_order_relaxed);
        if (h == handle)
            break;
    }
    o = dead ? dead : take_from_slab();
    if (o) {
        o->kind = (uint8_t)kind;
        o->flags = 0;
        o->refs = 1;
        o->id =
            kind == CW_LOG_O_EVENT ? 0 : atomic_fetch_add_explicit(&next_id[kind], 1, memory_order_relaxed);
        atomic_store_explicit(&o->generation, cw_log_generation, memory_order_relaxed);
        o->seq = 0;
        o->state = NULL;
        o->owner = NULL;
        atomic_store_explicit(&o->was, NULL, memory_order_relaxed);
        atomic_store_explicit(&o->handle, handle, memory_order_release);
        if (!dead) {
            o->next = atomic_load_explicit(&b->head, memory_order_relaxed);
            atomic_store_explicit(&b->head, o, memory_order_release);
        }
    }
    cw_lock_free(&b->lock);
    if (!o)
        cw_log_stop("out of memory");
    return o;
}

void cw_object_remove(struct cw_object *o)
{
    enum cw_log_object kind;
    void *state;

    if (!o)
        return;
    kind = (enum cw_log_object)o->kind; /* with the handle gone the entry is anybody's */
    state = o->state;
    o->state = NULL;
    atomic_store_explicit(&o->handle, NULL, memory_order_release);
    if (state)
        cw_define_object_dropped(kind, state);
}

void cw_object_remove_released(struct cw_object *o, uint32_t site)
{
    if (o) {
        atomic_store_explicit(&o->refs, site, memory_order_relaxed);
        atomic_store_explicit(&o->was, atomic_load_explicit(&o->handle, memory_order_relaxed),
                              memory_order_relaxed);
    }
    cw_object_remove(o);
}

void cw_object_retain(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o = cw_object_find(handle, kind);

    if (o)
        atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
    else if ((o = find_released(handle)))
        atomic_store_explicit(&o->was, NULL, memory_order_relaxed);
}

bool cw_object_release(struct cw_object *o)
{
    return atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1;
}

void cw_object_each(enum cw_log_object kind, void (*visit)(struct cw_object *o, void *context), void *context)
{
    struct cw_object *o;
    unsigned i;

    for (i = 0; i < BUCKETS; i++)
        for (o = atomic_load_explicit(&table[i].head, memory_order_acquire); o; o = o->next)
            if (atomic_load_explicit(&o->handle, memory_order_acquire) && o->kind == kind)
                visit(o, context);
}

void cw_object_after_fork(void)
{
    unsigned i;

    for (i = 0; i < BUCKETS; i++)
        if (atomic_load_explicit(&table[i].lock, memory_order_relaxed))
            cw_lock_free(&table[i].lock);
    cw_lock_free(&slab_lock);
}
