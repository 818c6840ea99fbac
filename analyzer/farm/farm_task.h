/* farm_task.h - runs one task in a worker: a program in a process of its own, or a job, a function inside the
 * worker. */
#ifndef CW_FARM_TASK_H
#define CW_FARM_TASK_H

#include <signal.h>
#include <stdatomic.h>

#include "farm_plan.h"
#include "farm_result.h"

/* Jobs: a command whose first word is `name` is run as a call. `fits` tells whether its words may be run
 * inside a worker; the others are a process of the program `program`. A job that crashes, or runs out of its
 * time, ends the worker. */
struct cw_farm_jobs {
    const char *name, *program;
    bool (*fits)(int argc, char **argv);
    int (*call)(int argc, char **argv); /* its standard output is the result; returns an exit status */
    void (*before_exec)(void);          /* in the child, before a program starts */
};

/* What a worker is at, in memory that it shares with the master, which reads it when the worker dies. */
struct cw_farm_now {
    _Atomic uint32_t task; /* CW_DISPATCH_NOBODY: none */
    _Atomic int32_t group; /* the process group of the program that runs; 0: none */
};

/* Nonzero once the worker is to end: the program that runs is ended, with its process group. */
extern volatile sig_atomic_t cw_farm_task_stop;

/* Called about ten times a second while a program runs; NULL: not. */
extern void (*cw_farm_task_watch)(void);

/* Runs task `task` of the plan. `stream`: files for the standard output and standard error of jobs, which the
 * master can read when a job ends the worker; empty while a program runs. r->out and r->errors point into
 * `bytes`. False: the worker is to end (a stop, or memory is out); there is no result. */
bool cw_farm_task_run(const struct cw_farm_plan *p, uint32_t task, const struct cw_farm_jobs *jobs,
                      const int stream[2], struct cw_farm_now *now, struct cw_farm_bytes *bytes,
                      struct cw_farm_result *r);

/* Reads both files into `bytes` and sets r->out and r->errors to it. False: memory is out. */
bool cw_farm_task_output(const int stream[2], struct cw_farm_bytes *bytes, struct cw_farm_result *r);

/* Whether execvp() in `folder` would find the program `name`; CW_ERR_NOTFOUND: there is none. */
enum cw_status cw_farm_task_check_program(const char *name, const char *folder, struct cw_error *err);

#endif
