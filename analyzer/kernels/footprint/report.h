/* report.h - models and footprints as JSON. */
#ifndef CW_FOOTPRINT_REPORT_H
#define CW_FOOTPRINT_REPORT_H

#include "cut.h"
#include "ops.h"

#include <jansson.h>

/* New references; NULL without memory. The keys are described in README.md beside this file. */
json_t *cw_report_kernel(const struct cw_model *m);
json_t *cw_report_footprint(const struct cw_model *m, const struct cw_arg_footprint *f);

/* Guards as texts. */
json_t *cw_report_conditions(const struct cw_model *m, struct cw_guard_range r);
/* One access: formula, guards, and the statements before a launch. */
json_t *cw_report_access(const struct cw_model *m, const struct cw_access *a);

/* The verdict of a launch, and the one without a launch: {"verdict", "dimension", "contiguous", "reason",
 * "arg", "other_arg", "accesses", "merge"}; without a launch also "certain": whether it holds for every
 * launch. */
json_t *cw_report_cut(const struct cw_model *m, const struct cw_cut_verdict *v);
json_t *cw_report_cut_hope(const struct cw_model *m);

/* The operations of a work-item: in each part of the kernel ([{"guards", "loop", "doubt", "counts"}]), and on
 * the whole in a launch ({"per_item", "sure", "unknown_loops"}). Kinds of operations that do not occur are
 * left out. */
json_t *cw_report_parts(const struct cw_model *m);
json_t *cw_report_work(const struct cw_ops_counts *counts);

#endif
