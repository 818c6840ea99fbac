/* cut_verdict.h - whether a launch may be cut, and on which memories its tiles may run: the verdict of cut.h.
 *
 * Plain data that knows nothing of models, so that it may be kept with a launch. */
#ifndef CW_FOOTPRINT_CUT_VERDICT_H
#define CW_FOOTPRINT_CUT_VERDICT_H

#include <stdbool.h>

/* How the results of several tiles for one element of an argument become one value again. All are integer
 * operations that commute and associate; sub, inc and dec are additions. */
enum cw_merge {
    CW_MERGE_NONE, /* no such operation: floating point, exchange, compare-exchange, store */
    CW_MERGE_ADD,
    CW_MERGE_AND,
    CW_MERGE_OR,
    CW_MERGE_XOR,
    CW_MERGE_SMIN,
    CW_MERGE_SMAX,
    CW_MERGE_UMIN,
    CW_MERGE_UMAX,
    CW_MERGE_DIFF /* a changed byte wins: no other tile changes it to another value (cut.h) */
};

enum cw_cut {
    CW_CUT_WHOLE,      /* not at all */
    CW_CUT_ONE_MEMORY, /* devices that share the memory of the buffers */
    CW_CUT_MERGE,      /* the same; on separate memories the arguments in `merge` are merged afterwards */
    CW_CUT_ANY         /* on separate memories too: no two tiles write the same byte */
};

/* On separate memories run mode copies the bytes that a tile writes exactly (cw_eval_tile) back as they are,
 * and the rest of those that it may write by difference from the pristine copy: the intervals of two tiles
 * may mesh where their bytes do not. */

/* Each memory starts with the same bytes of argument `arg`, runs its tile, and then for every element of
 * `bytes` bytes (DIFF: every byte) with `was` before and v1, v2 … after: ADD: was + the sum of (vi - was);
 * AND, OR, MIN, MAX: that operation over all vi; XOR: was ^ all (vi ^ was); DIFF: the vi that differs from
 * `was`, if any. */
struct cw_cut_merge {
    int arg, bytes;
    enum cw_merge how;
};

enum { CW_CUT_MAX_MERGES = 8 };

struct cw_cut_verdict {
    enum cw_cut cut;
    int dim;         /* to cut along, 0 .. 2; -1 when WHOLE */
    bool contiguous; /* a tile's written bytes lie together in each argument that is not merged */
    const char *why; /* static words, for everything below ANY; NULL for ANY */
    int arg, other;  /* the arguments that `why` speaks of, -1: none */
    int access[2];   /* the accesses (of cw_model.access) that meet, -1: none in particular */
    int merges;
    struct cw_cut_merge merge[CW_CUT_MAX_MERGES];
};

#endif
