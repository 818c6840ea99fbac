/* legal.h - where a command may run without any difference that the program could see. Lock held. */
#ifndef CW_RUN_LEGAL_H
#define CW_RUN_LEGAL_H

#include "../core/types.h"

/* Why a command, or tiles of a launch, must not run at a place. */
enum cw_run_illegal {
    CW_RUN_LEGAL,              /* the program could see no difference; its own home always is */
    CW_RUN_ILLEGAL_DEVICE,     /* the place is another device of the program's, or cannot do such work */
    CW_RUN_ILLEGAL_MEMORY,     /* its device does not work on the memory that the bytes are in */
    CW_RUN_ILLEGAL_CODE,       /* its code may round otherwise (--set numerics) */
    CW_RUN_ILLEGAL_OFFSET,     /* the launch has an offset */
    CW_RUN_ILLEGAL_LOCAL_SIZE, /* the device chooses the local size, and results may depend on it */
    CW_RUN_ILLEGAL_HELD,       /* a native command may occupy its thread, or a launch takes long */
    CW_RUN_ILLEGAL_BROKEN,     /* such a launch has failed there, or the device has */
    CW_RUN_ILLEGAL_UNSURE      /* an argument may be a memory object or a number */
};
enum cw_run_legal_scope {
    CW_RUN_LEGAL_WHOLE,
    CW_RUN_LEGAL_TILE, /* in the host's memory */
    CW_RUN_LEGAL_ALONE /* in any memory: tiles/tile_memory.c */
};
/* Whether `t` may run at `p`, a place of its context: all of it, or tiles of a launch that cw_run_cut_of()
 * has looked at. */
enum cw_run_illegal cw_run_legal(const struct cw_run_task *t, const struct cw_run_context_device *p,
                                 enum cw_run_legal_scope scope);
/* True when some other device may run launches of `k` from `q`, or tiles of them. */
bool cw_run_legal_may_leave(const struct cw_run_queue *q, struct cw_run_kernel *k, bool has_local);
extern bool cw_run_relaxed; /* --set numerics=relaxed; constant after start() */

#endif
