/* farm_report.h - parts of `clweave farm`: the progress line, the state of a checkpoint, the tasks that
 * failed. */
#ifndef CW_FARM_REPORT_H
#define CW_FARM_REPORT_H

#include "farm_run.h"

/* Draws the progress on standard error where that is a terminal; for cw_farm_run.tick. And wipes it. */
void cw_farm_report_tick(void *context, const struct cw_farm_figures *f);
void cw_farm_report_wipe(void);

/* Tells the user `text`, above the progress; for cw_farm_run.note. */
void cw_farm_report_note(const char *text);

/* Names the tasks that failed on standard error, ten at most. */
void cw_farm_report_failures(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c);

/* `clweave farm status`: prints to standard output. */
void cw_farm_report_status(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c, bool json);

/* The same for a farm that is finished: `path` is its checkpoint or its table. */
void cw_farm_report_finished(const char *path, uint32_t tasks, uint32_t failed, bool json);

#endif
