/* report_compiled.h - the part of a report (report.h) about what the vendor's compiler made and said. */
#ifndef CW_REPORT_COMPILED_H
#define CW_REPORT_COMPILED_H

#include <stdio.h>

#include "report_facts.h"

/* For the page: a section with the kernels that were launched, and what was said about builds that succeeded;
 * nothing where nothing of it is recorded. */
void cw_report_compiled_page(const struct cw_report_facts *r, FILE *f);

#endif
