/* shared_contexts.h - contexts of several devices: whether these ever work at once, and the buffers that
 * go to and fro between them.
 *
 * Times of different devices are compared on the host's clock (device_clock.h). */
#ifndef CW_SHARED_CONTEXTS_H
#define CW_SHARED_CONTEXTS_H

#include "../record/trace.h"

struct cw_shared_contexts {
    /* The context whose devices never work at once, and lose most by that; CW_NONE: there is none. */
    uint32_t apart;
    uint32_t devices; /* of it that have run commands */
    uint64_t busy_ns; /* of them, one after the other */
    uint64_t lost_ns; /* by so much all would be over earlier, had each command begun as soon as it could */
    bool by_host;     /* only if they had been handed over earlier, too; else the vendor kept them waiting */

    /* Uses of a buffer by another device than the one before, where one of the two has a memory of its own:
     * the vendor moves all of the buffer. */
    uint64_t moves, moved_bytes, moved_objects;
    uint32_t most_moved; /* the memory object with the most moves; CW_NONE: there is none */
};

/* From so much lost time on, devices that never work at once are named: of the time that they work, 1 in
 * this many; and ns. */
enum { CW_APART_SHARE = 20, CW_APART_NS = 100000 };

/* Fills `s`. Uses t->edges and t->accesses. CW_ERR_NOMEM. O(commands log commands + edges + accesses).
 * Thread-safety: reads `t` only. */
enum cw_status cw_shared_contexts_find(struct cw_shared_contexts *s, const struct cw_trace *t,
                                       struct cw_error *err);

#endif
