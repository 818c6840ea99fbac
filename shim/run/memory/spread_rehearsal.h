/* spread_rehearsal.h - what commands will do to where bytes are valid, played before they run, and taken
 * back. The lock is held from the first to the end, and not given up meanwhile. */
#ifndef CW_RUN_SPREAD_REHEARSAL_H
#define CW_RUN_SPREAD_REHEARSAL_H

#include "../core/types.h"

enum { CW_RUN_REHEARSAL_BUFFERS = 8 };

struct cw_run_rehearsal { /* all zero at first */
    struct cw_run_rehearsed {
        struct cw_run_region *region;
        struct cw_extent *of; /* as it was */
        uint32_t n;
        struct cw_run_series series;
    } buffer[CW_RUN_REHEARSAL_BUFFERS];
    uint32_t n;
};

/* The part of a launch, with its first `accesses` accesses, has run; `beside`: the launch has, and what was
 * written beside others counts. False: memory is out, or it uses too many buffers. */
bool cw_run_spread_rehearsal_play(struct cw_run_rehearsal *r, const struct cw_run_task *part,
                                  uint32_t accesses, bool beside);

/* All is as before. */
void cw_run_spread_rehearsal_end(struct cw_run_rehearsal *r);

#endif
