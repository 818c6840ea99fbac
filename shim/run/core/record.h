/* record.h - records of the program's objects, found by handle. Lock held unless said.
 *
 * Lifetimes: a release by the program that would be the last one while commands still need the object is kept
 * back until they have retired; so nothing is retained per command and no reference count is off. */
#ifndef CW_RUN_RECORD_H
#define CW_RUN_RECORD_H

#include "types.h"

void *cw_run_record_find(const void *handle, enum cw_run_kind kind);
/* There is none of that handle, of any kind; false: there may be. Lock need not be held by who owns a
 * reference: whoever made the record did so before the program got the handle. */
bool cw_run_record_is_unknown(const void *handle);
/* For all records of a kind; `function` makes none, and does not free the one that it gets. Looks at every
 * bucket. */
void cw_run_record_each(enum cw_run_kind kind, void (*function)(void *record));
/* Makes a zeroed record of `bytes` with one reference, replacing a stale one. NULL: out of memory. */
void *cw_run_record_create(const void *handle, enum cw_run_kind kind, size_t bytes);
void cw_run_record_pin(struct cw_run_record *r);
void cw_run_record_unpin(struct cw_run_record *r);
/* The program's retain and release; lock not held. */
bool cw_run_record_take_back(const void *handle,
                             enum cw_run_kind kind); /* a release is undone: no vendor call */
void cw_run_record_retained(const void *handle, enum cw_run_kind kind);
bool cw_run_record_release(const void *handle,
                           enum cw_run_kind kind); /* true: the caller makes the vendor's call */
/* What the vendor counts too many for `r`: a release that is kept back. */
uint32_t cw_run_record_hidden_references(const struct cw_run_record *r);

#endif
