/* report_kernels.h - the part of a report (report.h) about kernels: times by kernel and by NDRange, rates. */
#ifndef CW_REPORT_KERNELS_H
#define CW_REPORT_KERNELS_H

#include <stdio.h>

#include "../../io/json_out.h"
#include "report_facts.h"

/* For a terminal: a table of the kernels that took most device time; nothing without device times. */
void cw_report_kernels_print(const struct cw_report_facts *r, FILE *f);

/* For the page: members of the object that is open. */
void cw_report_kernels_put(const struct cw_report_facts *r, struct cw_json_out *o);

#endif
