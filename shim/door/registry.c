/* registry.c - see door/registry.h. */
#include "registry.h"

#include <stdlib.h>

#define BUCKETS 65536u
#define CLAIMED 0xff /* kind of an entry that is being filled */

typedef _Atomic(struct cw_registry_entry *) chain;

static chain table[BUCKETS]; /* untouched pages cost nothing */
static chain made[CW_REGISTRY_KINDS];

/* Objects that lie side by side have buckets that do, so that many objects touch few pages of the table;
 * each megabyte between two moves their buckets apart by 2533. */
static chain *bucket_of(const void *handle)
{
    return &table[((uint64_t)(uintptr_t)handle * 0x109e50000000u) >> 48];
}

static struct cw_registry_entry *first(chain *c)
{
    return atomic_load_explicit(c, memory_order_acquire);
}

/* The first member to be read: a publisher writes it last. */
static unsigned kind_of(const struct cw_registry_entry *e)
{
    return atomic_load_explicit(&e->kind, memory_order_acquire);
}

static bool is_of(const struct cw_registry_entry *e, const void *handle)
{
    return atomic_load_explicit(&e->handle, memory_order_relaxed) == handle;
}

static inline struct cw_registry_entry *look_up(const void *handle, unsigned kind)
{
    struct cw_registry_entry *e = first(bucket_of(handle));

    while (e && (kind_of(e) != kind || !is_of(e, handle)))
        e = e->next;
    return e;
}

struct cw_registry_entry *cw_registry_entry(const void *handle, unsigned kind)
{
    return look_up(handle, kind);
}

void *cw_registry_find(const void *handle, unsigned kind)
{
    struct cw_registry_entry *e = look_up(handle, kind);

    return e ? cw_registry_record(e) : NULL;
}

void *cw_registry_find_any(const void *handle, enum cw_registry_owner owner)
{
    struct cw_registry_entry *e = first(bucket_of(handle));

    while (e && (kind_of(e) - owner >= 16 || !is_of(e, handle)))
        e = e->next;
    return e ? cw_registry_record(e) : NULL;
}

static void push(chain *c, struct cw_registry_entry *e, struct cw_registry_entry **next)
{
    *next = first(c);
    while (!atomic_compare_exchange_weak(c, next, e))
        ;
}

/* A claimed entry more. NULL: memory is out. */
static __attribute__((noinline)) struct cw_registry_entry *make(const void *handle, unsigned kind)
{
    struct cw_registry_entry *e = calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->kind = CLAIMED;
    e->handle = handle;
    push(bucket_of(handle), e, &e->next);
    push(&made[kind], e, &e->made);
    return e;
}

/* False: another thread has been quicker, or another handle has had it since, and has ended pinned. */
static inline bool take(struct cw_registry_entry *e, uint8_t ended, const void *handle)
{
    if (!atomic_compare_exchange_strong(&e->kind, &ended, CLAIMED))
        return false;
    if (atomic_load(&e->pins)) {
        atomic_store_explicit(&e->kind, ended, memory_order_release);
        return false;
    }
    atomic_store_explicit(&e->handle, handle, memory_order_relaxed);
    return true;
}

static __attribute__((noinline)) struct cw_registry_entry *give_record(struct cw_registry_entry *e,
                                                                       unsigned kind, size_t bytes)
{
    e->record = calloc(1, bytes);
    if (e->record)
        return e;
    cw_registry_end(e, kind); /* for another one */
    return NULL;
}

struct cw_registry_entry *cw_registry_claim(const void *handle, unsigned kind, size_t bytes,
                                            struct cw_registry_entry **stale)
{
    struct cw_registry_entry *e, *unused = NULL;
    const uint8_t ended = (uint8_t)(kind + CW_REGISTRY_ENDED);

    *stale = NULL;
    for (e = first(bucket_of(handle)); e; e = e->next)
        if (kind_of(e) == ended && (!unused || is_of(e, handle)) && !atomic_load(&e->pins))
            unused = e;
        else if (kind_of(e) / 16 == kind / 16 && is_of(e, handle) && (!*stale || kind_of(e) == kind))
            *stale = e;
    e = unused && take(unused, ended, handle) ? unused : make(handle, kind);
    return bytes && e && !cw_registry_record(e) ? give_record(e, kind, bytes) : e;
}

struct cw_registry_entry *cw_registry_next(unsigned kind, const struct cw_registry_entry *e)
{
    struct cw_registry_entry *next = e ? e->made : first(&made[kind]);

    while (next && kind_of(next) != kind)
        next = next->made;
    return next;
}
