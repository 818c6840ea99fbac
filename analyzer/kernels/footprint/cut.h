/* cut.h - whether a launch may be cut into tiles, along which dimension, and why not.
 *
 * A *slab* is all work-groups that have one group id in the cut dimension; a tile is any number of
 * neighbouring slabs. A launch may be cut along a dimension when no byte that one slab may write is read or
 * written by another slab (Bernstein, "Analysis of Programs for Parallel Processing", 1966). The test is made
 * for every pair of different slabs at once, so the answer holds for any cut positions, any order of the
 * tiles and tiles at the same time. Other ways in which tiles could meet, and the reasons why they cannot:
 *
 *  - Guards only narrow the bytes that an access touches; an access whose guards cannot all hold in the
 *    launch is left out.
 *  - Barriers, local memory, sub-groups and asynchronous copies stay inside of a work-group, and a work-group
 *    inside of a tile. Copies between local and global memory are accesses like others.
 *  - Work-item functions answer for the uncut launch: the code that runs a tile sees to that (hidden
 *    argument).
 *  - A loop that spins on global memory reads bytes that another work-group writes: that is a conflict. So is
 *    an atomic operation that learns the values of others (result used, exchange, compare-exchange).
 *  - Ragged launches: the last, smaller work-group is taken for a full one, which touches at least as much.
 *  - Two arguments may name one memory: cw_launch_arg says where each begins. Memory that no argument stands
 *    for (SVM behind loaded pointers, program scope), unknown calls, inline assembly: whole.
 *  - A pixel of an image is one by its coordinates. Two images that share memory, and an image and a buffer
 *    that do, are taken to meet, as are an image's reads with its writes.
 *  - The vendor's compiler may change the order in which a work-item touches neighbouring elements, in the
 *    launch and in its tiles differently: whole (cut_order.c).
 *  - PoCL 3.1 keeps a structure that is handed over by value once for all work-items of a work-group, so
 *    their changes in it show how large that is, and in which order they run: whole.
 *  - printf orders lines, pipes and device-side queues order packets and kernels: whole.
 *
 * Two kinds of meeting writes do no harm to one memory, and can be put together again from several: integer
 * atomics of one kind whose result is not used (the order of commuting operations does not show), and stores
 * of the same value.
 *
 * Nothing here knows LLVM. Reads and writes outside of buffers are undefined and not thought of. */
#ifndef CW_FOOTPRINT_CUT_H
#define CW_FOOTPRINT_CUT_H

#include "cut_verdict.h"
#include "eval.h"

/* A model with working memory and the verdicts of the last launches; the model must outlive it. NULL without
 * memory. Not thread-safe. */
struct cw_cutter;
struct cw_cutter *cw_cutter_create(const struct cw_model *m);
void cw_cutter_destroy(struct cw_cutter *c);

/* The verdict for `launch`: of the dimensions with several work-groups the one that allows most, then one
 * whose cuts are contiguous, then the highest. A shape (sizes, scalars, buffer sizes, aliasing) that was
 * asked for lately is answered from memory, in about a microsecond; others cost as much as evaluating a tile,
 * and time quadratic in the number of accesses. When memory runs out the verdict is WHOLE and says so. */
void cw_cutter_verdict(struct cw_cutter *c, const struct cw_launch *launch, struct cw_cut_verdict *v);

/* The launch, whose verdict is not WHOLE, may be cut along dimension `dim` into tiles on one memory, too.
 * Tiles that differ in any of several such dimensions do not meet, so that it may be cut along all of them at
 * once. Costs as much as a verdict, and is not remembered. */
bool cw_cutter_along(struct cw_cutter *c, const struct cw_launch *launch, int dim);

/* The verdict for every launch: false when it depends on the launch, else `v` is WHOLE with the reason. */
bool cw_cut_never(const struct cw_model *m, struct cw_cut_verdict *v);

/* In every launch, with any local size: each work-item's accesses come in their order, however a compiler
 * transforms the kernel (cut_order.c), as long as no two arguments share bytes; and it changes no structure
 * that it is given by value. */
bool cw_cut_ordered(const struct cw_model *m);

/* "whole", "one memory", "with merge", "any memory" */
const char *cw_cut_name(enum cw_cut c);
/* "add", "signed min" … */
const char *cw_cut_merge_name(enum cw_merge m);

/* An expected verdict on cutting before a launch is known: for people only. */

/* Statements about an access before any launch is known. */

struct cw_judgement {
    enum cw_answer answer; /* EXACT: launches exist where the tile's bytes are known exactly */
    const char *why;       /* static words when not EXACT */
};

struct cw_judgement cw_judge_access(const struct cw_model *m, const struct cw_access *a);

/* The worst judgement over the accesses of one argument of the given kind (READ or WRITE); NONE without
 * accesses. */
struct cw_judgement cw_judge_argument(const struct cw_model *m, int arg, unsigned kind);

#endif
