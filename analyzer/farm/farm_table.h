/* farm_table.h - the results as a table: in the order of the tasks, in which workers need not have done
 * them. The columns hold neither times nor tries, so that the table of a disturbed farm is that of a quiet
 * one.
 *
 *     task     the task's number, from 1
 *     input    its line; of several lists one column each, named after the list
 *     status   "ok", or how it failed
 *     output   its standard output, less one newline at the end; where tasks print rows (farm_rows.h), the
 *              columns of those instead: one row per row, or one with nulls for a task that has none
 *     errors   its standard error, of tasks that failed
 *
 * A column is INTEGER or REAL where all its values are, else TEXT. */
#ifndef CW_FARM_TABLE_H
#define CW_FARM_TABLE_H

#include "farm_checkpoint.h"

/* Fails early: CW_ERR_INVALID for a form that cannot be, CW_ERR_IO for a place where no file can be made.
 * Makes nothing. */
enum cw_status cw_farm_table_check(const struct cw_farm_plan *p, struct cw_error *err);

/* Writes p->out at once: it is complete or as it was. *odd: tasks that ended well with an output that is not
 * the rows that it should be; their status says so, `errors` where. CW_ERR_IO, CW_ERR_NOMEM, and those of
 * cw_farm_checkpoint_read(). */
enum cw_status cw_farm_table_write(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c,
                                   uint32_t *odd, struct cw_error *err);

#endif
