/* run_logs.h - the logs that one run of a program left, and their conversion. */
#ifndef CW_RUN_LOGS_H
#define CW_RUN_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../graph/selection.h"

struct cw_run_logs {
    const char *pattern; /* of the traces' names: absolute, %e, %p and %% as in the option `out`; one of logs
                            (cw_log_is_name): these stay */
    const char *file;    /* the file that the pattern names in every process; NULL: it has %e or %p */
    uint64_t run;        /* the id in the logs' headers */
    const char *program; /* as the user named it */
    uint64_t program_pid;
    bool killed;                          /* the program ended by a signal */
    bool footprints;                      /* the graphs tell bytes of buffers apart (footprints.h) */
    const struct cw_selection *selection; /* the part that the traces shall have */
    bool summary;                         /* with the tables of `clweave graph` */
};

/* Converts every log of the run, unless it stays, and removes those that it has converted. Where all
 * processes have one name for their traces, the program that was named gets it or, where that has enqueued
 * nothing, the process that has enqueued most; the others' names have their process ids inserted before the
 * extension. Prints a line for each trace on stderr, in the former case one for `file` and one that lists the
 * others. Says so when there is no log, or no enqueue that has returned. */
void cw_run_logs_convert(const struct cw_run_logs *logs);

#endif
