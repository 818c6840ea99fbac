/* groups_pack.h - plans of priority groups as bytes: a run need not plan again what an earlier run planned.
 *
 * The bytes are for the program that wrote them, on the same kind of machine: unpacking refuses all others.
 * The inputs of a plan are not in it: the caller keeps them beside the plan, and compares them. Pure. */
#ifndef CW_GROUPS_PACK_H
#define CW_GROUPS_PACK_H

#include <stddef.h>

#include "groups.h"

/* All that cw_groups_make() makes a plan of, as *n numbers: other steps or options have others. Malloc'ed for
 * the caller; NULL: memory is out. O(accesses). */
uint64_t *cw_groups_words(const struct cw_groups_step *step, uint32_t steps,
                          const struct cw_groups_options *options, size_t *n);

/* Malloc'ed for the caller; NULL: memory is out. */
void *cw_groups_pack(const struct cw_groups *g, size_t *bytes);

/* *out is the caller's, for cw_groups_finish; empty where the bytes are not such a plan, or memory is out
 * (false). Successors lie within their arrays and behind the tiles that have them; whether all tiles of all
 * steps are there, and each counts its predecessors, is for the caller to check. */
bool cw_groups_unpack(const void *data, size_t bytes, struct cw_groups *out);

#endif
