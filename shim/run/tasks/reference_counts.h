/* reference_counts.h - reference counts that the program asks for, as bare.
 *
 * PoCL counts commands: one that is under way has a reference to its kernel, its memory objects and, by its
 * event, to its queue. Each memory object keeps the event of the last command that was enqueued on it, and
 * that event its queue, until another command is enqueued on it or it goes. The vendor knows nothing of
 * managed commands, so run mode counts for them; and it takes off events of its own that are in the program's
 * queues and contexts.
 *
 * Lock held, unless a function says otherwise. Counts are differences to the vendor's answer, modulo 2^32. A
 * caller that reads one reads again while run mode's own objects come and go (core/recount.h). */
#ifndef CW_RUN_REFERENCE_COUNTS_H
#define CW_RUN_REFERENCE_COUNTS_H

#include "../core/types.h"

/* `m`, not a part of another memory object, has its last command in another queue, or (NULL) one that the
 * vendor knows of. The queue is kept for as long. */
void cw_run_reference_counts_moves(struct cw_run_memory *m, struct cw_run_queue *q);

/* The managed command number `sequence` of `q` is the last one on `m`. */
static inline void cw_run_reference_counts_last(struct cw_run_memory *m, struct cw_run_queue *q,
                                                uint64_t sequence)
{
    struct cw_run_memory *root = m->root;

    if (CW_UNLIKELY(root->last != q))
        cw_run_reference_counts_moves(root, q);
    root->last_sequence = sequence;
}

/* A native command on `memory`, or one that launches `kernel`, is the last one; its event, or NULL, stays the
 * caller's. Unknown handles are ignored. */
void cw_run_reference_counts_native(cl_mem memory, cl_event event);
void cw_run_reference_counts_launched(cl_kernel kernel, cl_event event);

/* The memory object goes, and nothing is its last command. */
void cw_run_reference_counts_forget(struct cw_run_memory *m);

/* The program may use memory unseen from now on: the vendor knows of all last commands. */
void cw_run_reference_counts_forget_lasts(void);

/* Takes over a reference to an event of run mode: in the program's queue `q`, or else a user event in its
 * context `c`. Events that the vendor itself needs no more are let go of sooner or later. */
void cw_run_reference_counts_own(cl_event event, const struct cw_run_context *c,
                                 const struct cw_run_queue *q);

/* Lets go of the events of `c`, or of `q`, which is freed. */
void cw_run_reference_counts_disown(const void *context_or_queue);

/* Lets go of events of native commands that are over, and makes the vendor let go of those that are no longer
 * the last ones on their memory. Call before the vendor is asked for the count of a queue or an event. Lock
 * not held; takes some microseconds, at most a tenth of a second. */
void cw_run_reference_counts_settle(void);

uint32_t cw_run_reference_counts_of_context(const struct cw_run_context *c);
uint32_t cw_run_reference_counts_of_queue(const struct cw_run_queue *q);
uint32_t cw_run_reference_counts_of_memory(const struct cw_run_memory *m);
uint32_t cw_run_reference_counts_of_kernel(const struct cw_run_kernel *k);
uint32_t cw_run_reference_counts_of_event(cl_event event);              /* one that is not managed */
uint32_t cw_run_reference_counts_managed(const struct cw_run_event *e); /* the whole count */

#endif
