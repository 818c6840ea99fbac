/* farm_command.h - the parts of `clweave farm`. */
#ifndef CW_FARM_COMMAND_H
#define CW_FARM_COMMAND_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "../cli/frame/cli.h"
#include "farm_master.h"
#include "farm_checkpoint.h"

/* ---- cmd_farm.c: the farm as a means of other commands: their tasks on the processors of this machine, kept
 * in a checkpoint, with the progress and the messages of `clweave farm`. */

struct cw_farm_use {
    const char *checkpoint; /* NULL: beside the plan's table, none for "-" */
    bool resume;            /* go on with the checkpoint when it is there */
    int64_t workers;        /* 0: as many as processors */
    /* Called when each task has a result, failed ones included. Returns an exit status. */
    int (*finish)(void *context, const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c);
    void *context;
};

/* Runs the tasks of a plan that was checked. A table's own checkpoint is removed when `finish` returns 0.
 * Returns an exit status, after a message where it is not 0. */
int cw_cmd_farm_use(const struct cw_farm_plan *p, const struct cw_farm_use *use);

/* Whether --workers can be that many. */
bool cw_cmd_farm_workers(int64_t workers);

/* ---- farm_report.c: the progress line, the state of a checkpoint, the tasks that failed. */

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

/* ---- farm_machines.c, farm_join.c: several machines: --manager, `farm worker` and `farm block`. */

/* The options of a farm that has workers on other machines; zeroed: it has none. */
struct cw_farm_machines {
    struct cw_farm_outside outside;
    char program[PATH_MAX], folder[PATH_MAX]; /* folder: of answers; "": not there */
    char join[PATH_MAX];
    char *host; /* owned; NULL: no other machines */
};

/* Checks what can be checked before a farm begins. manager: HOST:PORT, PORT, or NULL; `with` and
 * `password` (NULL: none) are borrowed until cw_farm_machines_close(). CW_ERR_NOTFOUND: the program, a
 * file or the address is not there; CW_ERR_INVALID, CW_ERR_IO, CW_ERR_NOMEM. Then nothing is open. */
enum cw_status cw_farm_machines_open(struct cw_farm_machines *m, const char *manager,
                                     const struct cw_cli_list *with, const char *password,
                                     struct cw_error *err);

/* Hands the plan over, and the text that says how workers join; for cw_farm_run.outside. *outside NULL: no
 * other machines. CW_ERR_IO, CW_ERR_NOMEM. */
enum cw_status cw_farm_machines_begin(struct cw_farm_machines *m, const struct cw_farm_plan *p,
                                      uint32_t block, const struct cw_farm_outside **outside,
                                      struct cw_error *err);

void cw_farm_machines_close(struct cw_farm_machines *m);

/* `clweave farm worker ...`, argv[0] is "worker": serves a farm of another machine. Returns an exit
 * status. */
int cw_farm_machines_join(int argc, char **argv);

/* `clweave farm block IN OUT`: runs the tasks of the block IN and puts the answer into OUT (farm_outside.h).
 * Returns an exit status. */
int cw_farm_machines_block(const struct cw_farm_jobs *jobs, const char *in, const char *out);

/* The variable that names the file for the reason why this worker can serve no farm. */
#define CW_FARM_MACHINES_NOTE "CLWV_FARM_NOTE"

/* ---- farm_join.c: `clweave farm worker` watches work_queue_worker. */

/* How many tasks a finished table has, and how many of them failed: a table is written
 * when all is done, and its checkpoint may be gone by then. */

struct cw_farm_summary {
    uint32_t tasks, failed;
};

/* Reads the table `path`: CSV with the columns `task` (the first) and `status`, JSON with these keys, or a
 * database with a table `farm`.
 * Several rows with the same number in a row are one task. False: it is no such table, or cannot be read.
 * Thread-safe. */
bool cw_farm_summary_read(const char *path, struct cw_farm_summary *s);

/* The results as a table: in the order of the tasks, in which workers need not have done
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

/* Fails early: CW_ERR_INVALID for a form that cannot be, CW_ERR_IO for a place where no file can be made.
 * Makes nothing. */
enum cw_status cw_farm_table_check(const struct cw_farm_plan *p, struct cw_error *err);

/* Writes p->out at once: it is complete or as it was. *odd: tasks that ended well with an output that is not
 * the rows that it should be; their status says so, `errors` where. CW_ERR_IO, CW_ERR_NOMEM, and those of
 * cw_farm_checkpoint_read(). */
enum cw_status cw_farm_table_write(const struct cw_farm_plan *p, const struct cw_farm_checkpoint *c,
                                   uint32_t *odd, struct cw_error *err);

/* clweave's own commands, run inside a worker (farm_report.c). */
extern const struct cw_farm_jobs cw_farm_own_jobs;

#endif
