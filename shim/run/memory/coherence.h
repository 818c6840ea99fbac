/* coherence.h - the protocol that keeps copies of a buffer in several memories equal. Pure; The files
 * shim/run/memory/spread*.c call it.
 *
 * Memory CW_MEMORY_HOST is the host's, in which the program's own devices work; the others belong to one
 * device each. A command runs at one memory:
 *
 *   before it runs   every byte that it may touch becomes valid there (cw_coherence_moves, copies,
 *                    cw_coherence_moved, until there is none)
 *   it has run       the bytes that it may have written are valid there only (cw_coherence_written)
 *   it has failed    they are not valid there (cw_coherence_failed); other memories keep the bytes of before
 *
 * Commands that touch the same bytes, one of them writing, must not overlap in time: memory/byte_range.h. So
 * no byte that a running command reads changes in any memory, and copies of it may be made beside it.
 *
 * Invariants: every byte is valid somewhere, unless a command that had its only copy failed, or the device
 * that had it did; such a byte is lost until a command surely writes it; memories in
 * which a byte is valid hold equal values of it, but for bytes that a running command may write. */
#ifndef CW_COHERENCE_H
#define CW_COHERENCE_H

#include "extents.h"

enum {
    CW_MEMORY_HOST = 0,
    CW_MEMORIES = 64,
    CW_MEMORY_STALE = 0xA5 /* under chaos: what bytes read as where they are not valid */
};

struct cw_coherence_move {
    uint64_t low, high; /* bytes of the buffer */
    uint32_t from, to;  /* memories */
};

/* The copies, from 1 to `most`, that are to be made next so that [low, high) becomes valid in `memory`: one
 * from or to the host's, or several at the same time between two of `direct` (or-ed bits). Returns their
 * number. 0: it is valid there, or, then *lost, some of it is valid nowhere. */
uint32_t cw_coherence_moves(const struct cw_extents *e, uint64_t low, uint64_t high, uint32_t memory,
                            uint64_t direct, struct cw_coherence_move *move, uint32_t most, bool *lost);

/* These use up one change of `e` that was promised (cw_extents_reserve). */
void cw_coherence_moved(struct cw_extents *e, const struct cw_coherence_move *move);
void cw_coherence_written(struct cw_extents *e, uint64_t low, uint64_t high, uint32_t memory);

/* True when the command may run again elsewhere: the bytes of before are still valid in another memory. */
bool cw_coherence_failed(struct cw_extents *e, uint64_t low, uint64_t high, uint32_t memory);

#endif
