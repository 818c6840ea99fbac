/* report_shares.h - the part of a report (report.h) about launches that run mode cut over devices, or did
 * not. The page draws the shares, too (page/plots.js). */
#ifndef CW_REPORT_SHARES_H
#define CW_REPORT_SHARES_H

#include <stdio.h>

#include "../../record/trace.h"

/* A table of the kernels with most cut launches: which share each device had of them, in how many blocks, and
 * at which work-groups the last one was cut, for some stretches of the run one after the other. Another
 * table of the launches that run mode did not cut, by kernel and reason. Each only where there are any.
 * Errors: CW_ERR_NOMEM. */
enum cw_status cw_report_shares_print(const struct cw_trace *t, FILE *f, struct cw_error *err);

/* The same as a section of the page. */
enum cw_status cw_report_shares_page(const struct cw_trace *t, FILE *f, struct cw_error *err);

#endif
