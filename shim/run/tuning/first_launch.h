/* first_launch.h - which kinds of launches a device has run: the first of a kind pays for the vendor's
 * compiler, which says nothing of the later ones.
 *
 * Vendors compile a kernel for a local size; PoCL 3.1 does so again when a one-dimensional launch is wider
 * than any before. Exact: a kind that is said to have run has run. It may be forgotten when there are many,
 * and then counts as new. */
#ifndef CW_RUN_FIRST_LAUNCH_H
#define CW_RUN_FIRST_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../analyzer/io/identity.h"

#define CW_RUN_KINDS 64 /* of launches, remembered of one device */

/* A kind of launch for which a vendor compiles code. */
struct cw_run_warm_what {
    struct cw_key kernel;
    uint64_t form, size[3]; /* form: not 0; dimensions, and whether the sizes are local ones */
};

/* On one device; all zero: none yet. */
struct cw_run_first_launch {
    struct cw_run_warm_kind {
        struct cw_run_warm_what what; /* form 0: unused */
        uint64_t wide;
    } of[CW_RUN_KINDS / 4][4];
    uint8_t next[CW_RUN_KINDS / 4]; /* to be forgotten */
};

/* True when no launch of that kind, at least `wide` wide, was told of; from now on one was. */
bool cw_run_first_launch_is(struct cw_run_first_launch *w, const struct cw_run_warm_what *what,
                            uint64_t wide);

#endif
