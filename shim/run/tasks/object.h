/* object.h - records of the program's objects (core/record.h) for the layers above: a record that has ended
 * is freed with all that belongs to it. Lock held unless said. */
#ifndef CW_RUN_OBJECT_H
#define CW_RUN_OBJECT_H

#include "../core/record.h"

/* Frees the records that have ended (core/record.h). */
void cw_run_object_free_ended(void);
static inline void cw_run_object_sweep(void)
{
    if (CW_UNLIKELY(cw_run_record_ended != NULL))
        cw_run_object_free_ended();
}

/* cw_run_record_create and cw_run_record_unpin, and then that. */
void *cw_run_object_create(const void *handle, enum cw_run_kind kind);
void cw_run_object_unpin(struct cw_run_record *r);
/* The program's release; lock not held. True: the caller makes the vendor's call. */
bool cw_run_object_release(const void *handle, enum cw_run_kind kind);

/* The helper programs of `p`, which is built anew or gone. No thread uses them. */
void cw_run_object_forget_copies(struct cw_run_program *p);
/* The state of `k` for running in tiles; NULL is ignored. */
void cw_run_object_free_tiled(struct cw_run_kernel *k);
void cw_run_object_free_match(struct cw_run_match *m); /* NULL is ignored; lock not needed */

#endif
