/* farm_table.h - the results as a table: one row per task, in the order of the tasks, in which workers
 * need not have done them. The columns hold neither times nor tries, so that the table of a disturbed farm
 * is that of a quiet one. */
#ifndef CW_FARM_TABLE_H
#define CW_FARM_TABLE_H

#include "farm_checkpoint.h"

/* Fails early: CW_ERR_INVALID for an ending other than .csv, .jsonl, .json and none ("-"); CW_ERR_IO for a
 * place where no file can be made. Makes nothing. */
enum cw_status cw_farm_table_check(const char *path, struct cw_error *err);

/* Writes `path` ("-": standard output) at once: it is complete or as it was. CSV, or JSON lines where the
 * name ends in .jsonl or .json: `task` (from 1), `input` (its lines), `status` ("ok" or how it failed),
 * `output` (its standard output, less one newline at the end) and `errors` (its standard error, of tasks that
 * failed). CW_ERR_IO, CW_ERR_NOMEM, and those of cw_farm_checkpoint_read(). */
enum cw_status cw_farm_table_write(const char *path, const struct cw_farm_plan *p,
                                   const struct cw_farm_checkpoint *c, struct cw_error *err);

#endif
