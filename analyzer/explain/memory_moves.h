/* memory_moves.h - the copies between memories that run mode made (struct cw_t_move): how many bytes went
 * where, and for how long commands waited for them. */
#ifndef CW_MEMORY_MOVES_H
#define CW_MEMORY_MOVES_H

#include "../record/trace.h"

/* Of one device: [0] from the host's memory to its own, [1] back. */
struct cw_device_moves {
    uint64_t copies[2], bytes[2];
};

struct cw_memory_moves {
    struct cw_device_moves *devices; /* per device of the trace; owned */
    uint64_t bytes[CW_MOVE_KINDS];   /* by enum cw_move_why */
    uint64_t run_ns;    /* from the start of the first command or copy to the end of the last one */
    uint64_t waited_ns; /* of these, some command's bytes were on their way, and it began later */
};

/* The device whose memory is not the host's, and in *home whether the bytes went to the host's. CW_NONE: the
 * trace names no device. */
uint32_t cw_memory_moves_device(const struct cw_t_move *m, bool *home);

/* Fills `to`; finish it in any case. CW_ERR_NOMEM. O(moves log moves + commands). Thread-safety: reads `t`
 * only. */
enum cw_status cw_memory_moves_measure(struct cw_memory_moves *to, const struct cw_trace *t,
                                       struct cw_error *err);
void cw_memory_moves_finish(struct cw_memory_moves *m); /* safe on a zeroed struct */

#endif
