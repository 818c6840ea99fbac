/* report.h - models and footprints as JSON. */
#ifndef CW_FOOTPRINT_REPORT_H
#define CW_FOOTPRINT_REPORT_H

#include "cut.h"

#include <jansson.h>

/* New references; NULL without memory. The keys are described in README.md beside this file. */
json_t *cw_report_kernel(const struct cw_model *m);
json_t *cw_report_footprint(const struct cw_model *m, const struct cw_arg_footprint *f);

/* One access: formula, guards, what can be said before a launch. */
json_t *cw_report_access(const struct cw_model *m, const struct cw_access *a);

/* The verdict of a launch, and what can be said without one: {"verdict", "dimension", "contiguous", "reason",
 * "arg", "other_arg", "accesses", "merge"}; without a launch also "certain": whether it holds for every
 * launch. */
json_t *cw_report_cut(const struct cw_model *m, const struct cw_cut_verdict *v);
json_t *cw_report_cut_hope(const struct cw_model *m);

#endif
