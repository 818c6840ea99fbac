/* flow.h - which bytes a command gets from each earlier command of its window, and which lie somewhere
 * before the window.
 *
 * First everything that the command reads (and bytes that it may or may not write: a memory must hold what
 * lies beneath) is a need. Then the earlier commands that it waits for, the latest first, are asked for what
 * they write: these bytes travel along the edge from there and are a need no more. The rest comes from before
 * the window. An estimate: beyond CW_RUN_FLOW_RANGES ranges some bytes count twice, or not at all. Pure;
 * thread-safety: a flow belongs to one thread. */
#ifndef CW_RUN_FLOW_H
#define CW_RUN_FLOW_H

#include <stdint.h>

#define CW_RUN_FLOW_RANGES 256

struct cw_run_flow_range {
    const void *region; /* to be compared only */
    uint64_t low, high; /* offsets there */
};

struct cw_run_flow {
    uint32_t n;                                        /* 0: an empty flow */
    struct cw_run_flow_range need[CW_RUN_FLOW_RANGES]; /* disjoint, in no order */
};

/* The command needs bytes [low, high) of `region`; those that are a need already count once. */
void cw_run_flow_need(struct cw_run_flow *f, const void *region, uint64_t low, uint64_t high);

/* An earlier command writes these bytes. Returns how many of them were needed; they are no more. */
uint64_t cw_run_flow_take(struct cw_run_flow *f, const void *region, uint64_t low, uint64_t high);

#endif
