/* run_warm.h - which kinds of launches a device has run: the first of a kind pays for the vendor's compiler, which says
 * nothing of the later ones.
 *
 * Vendors compile a kernel for a local size; PoCL 3.1 does so again when a one-dimensional launch is wider than any before.
 * Exact: a kind that is said to have run has run. It may be forgotten when there are many, and then counts as new. */
#ifndef CW_RUN_WARM_H
#define CW_RUN_WARM_H

#include <stdbool.h>
#include <stdint.h>

#define CW_RUN_WARM_KINDS 64

/* On one device; all zero: none yet. */
struct cw_run_warm {
    struct cw_run_warm_kind {
        uint64_t kind, wide; /* kind 0: unused */
    } of[CW_RUN_WARM_KINDS / 4][4];
    uint8_t next[CW_RUN_WARM_KINDS / 4]; /* to be forgotten */
};

/* True when no launch of `kind` (a hash, not 0), at least `wide` wide, was told of; from now on one was. */
bool cw_run_warm_is_first(struct cw_run_warm *w, uint64_t kind, uint64_t wide);

#endif
