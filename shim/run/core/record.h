/* record.h - records of the program's objects, found by handle. Lock held unless said.
 *
 * Lifetimes: a release by the program that would be the last one while commands still need the object is kept
 * back until they have retired; so nothing is retained per command and no reference count is off. */
#ifndef CW_RUN_RECORD_H
#define CW_RUN_RECORD_H

#include <stdatomic.h>

#include "global_lock.h"

/* Records that neither the program nor a command needs any more, linked by `next`: no handle leads to them.
 * tasks/object.h frees them, within the same critical section where it can, with what belongs to them; one
 * that another thread finds in a list of buffers before, and pins, after that. */
extern struct cw_run_record *cw_run_record_ended;
/* Records of kernels freed so far; read without the lock. */
extern atomic_ullong cw_run_record_kernels_freed;

/* The record of that kind, or NULL. Whether there is one takes no lock, if the caller owns a reference: the
 * record was made before the program got the handle. */
static inline void *cw_run_record_find(const void *handle, enum cw_run_kind kind)
{
    return cw_registry_find(handle, CW_REGISTRY_RUN + kind);
}
/* A queue had a record: else run mode manages nothing, and the vendor gets every command as it comes. False
 * holds for the queues that the caller has got so far; no lock needed. */
extern atomic_bool cw_run_record_any_queue;
static inline bool cw_run_record_had_queue(void)
{
    return atomic_load_explicit(&cw_run_record_any_queue, memory_order_relaxed);
}
/* The record of that kind that was made before `record` (NULL: the last one), or NULL. The caller does not
 * free `record` before. */
void *cw_run_record_next(enum cw_run_kind kind, const void *record);
/* Makes a zeroed record with one reference; a stale one ends. NULL: out of memory. */
void *cw_run_record_create(const void *handle, enum cw_run_kind kind);
void *cw_run_record_create_unnamed(enum cw_run_kind kind); /* the same, to which no handle leads */
void cw_run_record_end(struct cw_run_record *r);           /* adds it to those */
void cw_run_record_pin(struct cw_run_record *r);
/* The last one ends a record whose release was kept back, or whose handle is another object's. */
void cw_run_record_unpin(struct cw_run_record *r);
/* The same in folders below tasks/: the timer frees it if no other thread does before. */
void cw_run_record_unpin_for_timer(struct cw_run_record *r);
/* The program's retain; lock not held. */
bool cw_run_record_take_back(const void *handle,
                             enum cw_run_kind kind); /* a release is undone: no vendor call */
void cw_run_record_retained(const void *handle, enum cw_run_kind kind);
/* References that the vendor counts too many for `r`: a release that is kept back. */
uint32_t cw_run_record_hidden_references(const struct cw_run_record *r);

#endif
