/* launch_parts.h - facts about a trace's launches from models of kernels, for plans and reports: into how
 * many work-groups each may be cut, as run mode does it, how many operations it has, what it does in all.
 * Belongs to one thread. */
#ifndef CW_LAUNCH_PARTS_H
#define CW_LAUNCH_PARTS_H

#include "../kernels/footprint/op_kinds.h"
#include "../graph/trace_reach.h"

struct cw_launch_parts;

/* For the launches of `t`; both must outlive it. NULL: out of memory. */
struct cw_launch_parts *cw_launch_parts_create(const struct cw_trace *t, struct cw_trace_reach *reach);
void cw_launch_parts_destroy(struct cw_launch_parts *p); /* NULL allowed */

/* Work-groups along the dimension that it is cut along; 1: it stays whole, as does a launch without a
 * model. */
uint64_t cw_launch_parts_groups(struct cw_launch_parts *p, const struct cw_command *launch);

/* False: not known. */
bool cw_launch_parts_ops(struct cw_launch_parts *p, const struct cw_command *launch, struct cw_work_ops *ops);

/* What the launch does; `without`: the reason where its kernel has no model. */
void cw_launch_parts_work(struct cw_launch_parts *p, const struct cw_command *launch, const char *without,
                          struct cw_launch_work *work);

#endif
