/* report.h - models and footprints as JSON. */
#ifndef CW_FOOTPRINT_REPORT_H
#define CW_FOOTPRINT_REPORT_H

#include "eval.h"

#include <jansson.h>

/* New references; NULL without memory. The keys are described in README.md beside this file. */
json_t *cw_report_kernel(const struct cw_model *m);
json_t *cw_report_footprint(const struct cw_model *m, const struct cw_arg_footprint *f);

#endif
