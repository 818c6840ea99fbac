/* spread_state.h - shared by the files spread*.c alone. Each calls those before it: record, beside, copy,
 * room and claim, ahead, spread.c; a claim that ends wakes the threads of spread_ahead.c. All functions
 * need the lock. */
#ifndef CW_RUN_SPREAD_STATE_H
#define CW_RUN_SPREAD_STATE_H

#include "../../../analyzer/record/trace.h"
#include "../core/state.h"
#include "../core/tile_types.h"
#include "coherence.h"
#include "spread.h"

struct cw_run_spread {
    struct cw_run_region *region;
    struct cw_run_spread *prev, *next; /* of all */
    struct cw_extents valid;
    struct cw_run_arrival *arrivals; /* copies that threads make: spread_copy.c */
    struct cw_run_access *covers;    /* writes of commands that run */
    struct cw_run_beside *besides;   /* memory/spread.h */
    uint64_t recorded;               /* the buffer's id in the recorded log + 1; 0: none */
};

static inline uint64_t cw_run_spread_bit(uint32_t memory)
{
    return UINT64_C(1) << memory;
}

static inline uint32_t cw_run_spread_memory_of(const struct cw_run_task *t)
{
    if (CW_UNLIKELY(cw_run_tile_fetches_itself(t)))
        return CW_MEMORIES; /* several */
    return t->work == CW_RUN_LAUNCH ? cw_run.workers[t->at.worker].memory
           : t->work == CW_RUN_HOME ? t->home.memory
                                    : CW_MEMORY_HOST;
}

/* The memory in which native commands find the bytes of a buffer: that of its context's first device. */
static inline uint32_t cw_run_spread_home_of(const struct cw_run_region *r)
{
    return r->root->context->places->device->memory;
}

static inline bool cw_run_spread_is_away(const struct cw_run_task *t)
{
    return t->work == CW_RUN_LAUNCH && cw_run_is_away(t);
}

/* ---- spread_record.c */

/* Of all; the list goes on with ->next, and may be another one where the lock was given up. */
struct cw_run_spread *cw_run_spread_first(void);

/* [low, high) is valid in memories of `keep` only. False: there is no room to say so. */
bool cw_run_spread_keep_only(struct cw_run_spread *s, uint64_t low, uint64_t high, uint64_t keep);

/* ---- spread_beside.c */

/* These bytes of the memory are overwritten, or leave it. */
void cw_run_spread_beside_spoil(struct cw_run_spread *s, uint64_t low, uint64_t high, uint32_t memory);

/* ---- spread_copy.c */

/* For which command this thread makes its next copies (number in the recorded log + 1; 0: none), and why. */
void cw_run_spread_copies_serve(uint64_t command);
void cw_run_spread_copies_are(enum cw_move_why why);

/* The memories between which copies are made directly now (memory/relay.h), or-ed bits. */
uint64_t cw_run_spread_direct(void);

/* Makes [low, high) valid in `memory`, where `t`, if not NULL, reads them. Other parts of its launch may get
 * them with it. A copy that does not come home is tried once more; then its device does not have these bytes.
 * False: some are lost, the device does not take them, or memory is out. The lock is given up meanwhile. */
bool cw_run_spread_bring(const struct cw_run_task *t, struct cw_run_region *r, uint64_t low, uint64_t high,
                         uint32_t memory);

/* A copy that no command waits for yet (spread_ahead.h) is under way on some of these bytes. */
bool cw_run_spread_copies_ahead(const struct cw_run_region *r, uint64_t low, uint64_t high);

/* The device can make the copy, and no other one is in its way. */
bool cw_run_spread_may_copy(const struct cw_run_region *r, const struct cw_coherence_move *m);

/* Makes it, which cw_run_spread_may_copy_ahead() has allowed. The lock is given up meanwhile. */
bool cw_run_spread_copy_ahead(struct cw_run_region *r, const struct cw_coherence_move *m);

/* Bytes that are valid in the memory m->from of a device go to `to`, memory of the program, which reads them
 * in `queue`; m->to is CW_MEMORIES. Returns the vendor's answer. The lock is given up meanwhile. */
cl_int cw_run_spread_copy_out(const struct cw_run_region *r, const struct cw_coherence_move *m,
                              const struct cw_run_queue *queue, void *to);

/* Ends what cw_run_spread_cover() has begun. */
void cw_run_spread_uncover(struct cw_run_task *t);

/* ---- spread_space.c */

/* The device of `t` has memory objects for all its arguments, and a queue for copies. Worker held; the lock
 * is given up meanwhile. */
bool cw_run_spread_make_replicas(struct cw_run_task *t);

/* ---- spread_claim.c */

/* No command writes bytes of the buffer, and neither the program nor native commands use them: bytes that are
 * valid in a memory stay so while they are copied to another one, and none is overwritten. */
bool cw_run_spread_may_copy_ahead(const struct cw_run_region *r, const struct cw_coherence_move *m);

/* Which cw_run_spread_may_claim() allows. */
void cw_run_spread_claim(struct cw_run_task *t);

/* No other command and no thread of the program works on the same bytes at home meanwhile. What begins to
 * later is ordered behind the command. */
bool cw_run_spread_may_be_here(const struct cw_run_task *t);

#endif
