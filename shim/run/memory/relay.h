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

/* Copies bytes [low, low + bytes) of the buffer, one end of which is a helper's, and returns when they are
 * there: pieces of it are read and written at the same time. *took_ns: without the room for them, which the
 * first copies make. Any thread, lock not held. Returns the vendor's first error, and in *failed the end that
 * had it; NULL: there is no room. */
cl_int cw_run_relay_copy(const struct cw_run_relay_end *from, const struct cw_run_relay_end *to, size_t low,
                         size_t bytes, uint64_t *took_ns, const struct cw_run_relay_end **failed);

/* In the child of a fork. */
void cw_run_relay_after_fork(void);

#endif
