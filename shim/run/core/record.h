/* record.h - records of the program's objects, found by handle. Lock held unless said.
 *
 * Lifetimes: a release by the program that would be the last one while commands still need the object is kept
 * back until they have retired; so nothing is retained per command and no reference count is off. */
#ifndef CW_RUN_RECORD_H
#define CW_RUN_RECORD_H

#include "global_lock.h"

/* The operations of a kind of record. Lock held in all members. */
struct cw_run_object_ops {
    size_t bytes;                /* of the record */
    enum cw_run_garbage release; /* lets go of the handle after a release that was kept back */
    /* Neither the program nor a command needs the record any more, which is freed next: frees the members
     * that it owns. NULL: nothing. */
    void (*free)(void *record);
    /* The program's last release is kept back. NULL: nothing to do. */
    void (*kept_back)(void *record);
};
/* By enum cw_run_kind; api/objects.c has the table, which run mode's start sets. */
extern const struct cw_run_object_ops *cw_run_record_ops;

/* The record of that kind, or NULL. Whether there is one takes no lock, if the caller owns a reference: the
 * record was made before the program got the handle. */
static inline void *cw_run_record_find(const void *handle, enum cw_run_kind kind)
{
    return cw_registry_find(handle, CW_REGISTRY_RUN + kind);
}
/* A queue had a record: else run mode manages nothing, and the vendor gets every command as it comes. False
 * holds for the queues that the caller has got so far; no lock needed. */
bool cw_run_record_had_queue(void);
/* The record of that kind that was made before `record` (NULL: the last one), or NULL. The caller does not
 * free `record` before. */
void *cw_run_record_next(enum cw_run_kind kind, const void *record);
/* Makes a zeroed record with one reference, replacing a stale one. NULL: out of memory. */
void *cw_run_record_create(const void *handle, enum cw_run_kind kind);
void cw_run_record_pin(struct cw_run_record *r);
void cw_run_record_unpin(struct cw_run_record *r);
/* The program's retain and release; lock not held. */
bool cw_run_record_take_back(const void *handle,
                             enum cw_run_kind kind); /* a release is undone: no vendor call */
void cw_run_record_retained(const void *handle, enum cw_run_kind kind);
bool cw_run_record_release(const void *handle,
                           enum cw_run_kind kind); /* true: the caller makes the vendor's call */
/* References that the vendor counts too many for `r`: a release that is kept back. */
uint32_t cw_run_record_hidden_references(const struct cw_run_record *r);

#endif
