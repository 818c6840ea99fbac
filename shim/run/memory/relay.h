/* relay.h - copies between two devices' own memories, through pinned memory of the host (CW_VENDOR_PINNED):
 * contexts share no memory objects, and their events cannot wait for each other. */
#ifndef CW_RUN_RELAY_H
#define CW_RUN_RELAY_H

#include "../core/types.h"

/* One end: a place with its queue for copies, and its memory object for the buffer. */
struct cw_run_relay_end {
    const struct cw_run_context_device *place;
    cl_mem memory;
};

/* A copy of bytes [low, low + bytes) of the buffer. One end is a helper's. */
struct cw_run_relay_copy {
    struct cw_run_relay_end from, to;
    size_t low, bytes;
    /* out: CL_SUCCESS, or the vendor's first error and the end that had it; NULL: there is no room */
    cl_int err;
    const struct cw_run_relay_end *failed;
    uint64_t took_ns; /* without the room for the bytes, which the first copies make */
};

/* Makes `n` copies at the same time, and returns when all are over; pieces of each are read and written at
 * the same time. Copies in a row of the same bytes from the same end read each piece once, and write it to
 * all their ends. Any thread, lock not held. */
enum { CW_RUN_RELAY_COPIES = 16 }; /* at most */
void cw_run_relay_copies(struct cw_run_relay_copy *copy, uint32_t n);

/* In the child of a fork. */
void cw_run_relay_after_fork(void);

#endif
