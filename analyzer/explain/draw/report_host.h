/* report_host.h - the part of a report (report.h) about the host: time by phase, calls by function. */
#ifndef CW_REPORT_HOST_H
#define CW_REPORT_HOST_H

#include <stdio.h>

#include "../../io/json_out.h"
#include "report_facts.h"

/* For a terminal: the time by phase, memory by kind, and a table of the functions that took most. */
void cw_report_host_print(const struct cw_report_facts *r, FILE *f);

/* The members of a spread, into the object that is open. */
void cw_report_host_put_spread(const struct cw_spread *s, struct cw_json_out *o);

/* For the page: members of the object that is open; at most `limit` calls of their own. */
void cw_report_host_put(const struct cw_report_facts *r, struct cw_json_out *o, size_t limit);

#endif
