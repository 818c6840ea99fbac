/* registry.h - the records of the program's objects, by handle: one table for all of shim/.
 *
 * A hash table from (handle, kind) to a record. No function takes a lock, any thread may call each. An entry
 * is never freed: one that has ended stays in its chain for a later handle of its bucket and its kind, so
 * that a look-up may pass it meanwhile. An entry ends before the vendor hears of the program's last release,
 * because the vendor may give the same address to another thread at once. A look-up of a handle that another
 * thread releases is the program's error; it finds that record, or none. The child of a fork finds the
 * records of its parent. Records belong to the caller. */
#ifndef CW_REGISTRY_H
#define CW_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first kind of each owner of records, which adds its own number of a kind, below 16. */
enum cw_registry_owner {
    CW_REGISTRY_TRACE = 0,
    CW_REGISTRY_RUN = 16,
    CW_REGISTRY_STREAM = 32,
    CW_REGISTRY_STAGING = 48,
    CW_REGISTRY_DEVICE = 64,
    CW_REGISTRY_KINDS = 80
};
#define CW_REGISTRY_ENDED 128 /* added to the kind: the object is gone, no other has taken its entry */

struct cw_registry_entry {
    struct cw_registry_entry *next; /* same bucket */
    struct cw_registry_entry *made; /* before this one, of its kind */
    _Atomic(const void *) handle;
    _Atomic(void *) record; /* of an entry that has ended: the one that it had */
    atomic_uint pins;       /* the owner's: the entry is not used again before it is 0 */
    _Atomic uint8_t kind;
};

/* The entry of `handle`, of that kind (+ CW_REGISTRY_ENDED), or NULL. NULL has none. */
struct cw_registry_entry *cw_registry_entry(const void *handle, unsigned kind);

static inline const void *cw_registry_handle(const struct cw_registry_entry *e)
{
    return atomic_load_explicit(&e->handle, memory_order_relaxed);
}

static inline void *cw_registry_record(const struct cw_registry_entry *e)
{
    return atomic_load_explicit(&e->record, memory_order_relaxed);
}

/* The record of cw_registry_entry(), or NULL. */
void *cw_registry_find(const void *handle, unsigned kind);
/* The record of a live entry of `handle` of any kind of that owner, or NULL. */
void *cw_registry_find_any(const void *handle, enum cw_registry_owner owner);

/* An entry that the caller publishes. Its record is that of its earlier use, NULL at first; `bytes`, unless
 * 0: a record of that size, zeroed at first, stays the entry's for ever. *stale: a live entry of that handle
 * and owner, of that kind if there is one, which the caller ends if two objects cannot have that handle;
 * NULL: none. Returns NULL when memory is out. */
struct cw_registry_entry *cw_registry_claim(const void *handle, unsigned kind, size_t bytes,
                                            struct cw_registry_entry **stale);
/* From here on the entry is found. */
static inline void cw_registry_publish(struct cw_registry_entry *e, unsigned kind, void *record)
{
    atomic_store_explicit(&e->record, record, memory_order_relaxed);
    atomic_store_explicit(&e->kind, (uint8_t)kind, memory_order_release);
}

/* The handle is unknown from here on; the entry may be another's at once, but for its pins. One thread at a
 * time for each entry. */
static inline void cw_registry_end(struct cw_registry_entry *e, unsigned kind)
{
    atomic_store_explicit(&e->kind, (uint8_t)(kind + CW_REGISTRY_ENDED), memory_order_release);
}

/* The live entry of that kind that was made before `e` (NULL: the last one), or NULL. Others come and go
 * meanwhile. */
struct cw_registry_entry *cw_registry_next(unsigned kind, const struct cw_registry_entry *e);

/* For owners that give an entry a pin of its own once it is published, which goes when it has ended. False:
 * its pins are gone, and so may be its record. */
static inline bool cw_registry_pin(struct cw_registry_entry *e)
{
    unsigned n = atomic_load_explicit(&e->pins, memory_order_relaxed);

    while (n && !atomic_compare_exchange_weak(&e->pins, &n, n + 1))
        ;
    return n;
}

/* True: that was the last pin, the caller frees the record that it has read before. */
static inline bool cw_registry_unpin(struct cw_registry_entry *e)
{
    return atomic_fetch_sub(&e->pins, 1) == 1;
}

#endif
