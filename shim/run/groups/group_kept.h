/* group_kept.h - plans of chains, kept between runs beside the rewritten programs: planning takes about a
 * microsecond a tile.
 *
 * A plan says nothing of addresses, and is the same wherever a chain's memory lies: so before it is made,
 * memory moves to places that depend on the chain alone. Plans are kept once such a chain was measured; not
 * under chaos. */
#ifndef CW_RUN_GROUP_KEPT_H
#define CW_RUN_GROUP_KEPT_H

#include "group.h"

/* Moves `step`'s accesses to such places. False: it stays where it is, as memory of the chain overlaps, or
 * something lies outside of it; a plan of it cannot be kept. */
bool cw_run_group_kept_settle(const struct cw_run_group *g, struct cw_groups_step *step);

/* The identity of a plan's input; the caller's to finish. */
struct cw_identity cw_run_group_name(const struct cw_groups_step *step, uint32_t steps,
                                     const struct cw_groups_options *options);

/* The plan of that which an earlier run has kept: *out is as cw_groups_make() has made it there, and not
 * checked. */
bool cw_run_group_kept_recall(const struct cw_identity *id, struct cw_groups *out);
void cw_run_group_kept_keep(const struct cw_identity *id, const struct cw_groups *plan);

#endif
