/* report_commands.h - the part of a report (report.h) about the way of commands: call, queue, device, run. */
#ifndef CW_REPORT_COMMANDS_H
#define CW_REPORT_COMMANDS_H

#include <stdio.h>

#include "../../io/json_out.h"
#include "report_facts.h"

/* For a terminal: a table; nothing without times of devices, whose stages it is about. */
void cw_report_commands_print(const struct cw_report_facts *r, FILE *f);

/* For the page: a section, and members of the object of its data that is open. */
void cw_report_commands_page(const struct cw_report_facts *r, FILE *f);
void cw_report_commands_put(const struct cw_report_facts *r, struct cw_json_out *o);

#endif
