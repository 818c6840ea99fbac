/* launch.h - runs a program under libclweave.so and turns its logs into traces, for `trace` and `run`.
 */
#ifndef CW_LAUNCH_H
#define CW_LAUNCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "frame/cli.h"
#include "traces.h"
#include "../settings/options.h"

/* One index per row of options.inc. */
enum cw_launch_setting {
#define CW_OPTION(field, kind, value, choices, name, argument, commands, help) CW_LAUNCH_##field,
#include "../settings/options.inc"
#include "../graph/selection.h"
#undef CW_OPTION
    CW_LAUNCH_SETTINGS
};

/* Values of a launching command's options. */
struct cw_launch_options {
    const char *setting[CW_LAUNCH_SETTINGS]; /* as given; NULL: not given */
    struct cw_cli_list set;                  /* words of --set, until cw_launch_check has read them */
    bool summary;
    struct cw_selection selection; /* the part that the traces shall have */
};

/* Runs argv[0] with CLWEAVE_MODE=mode and the settings, waits, converts every log of the run, unless it
 * stays, and says on stderr where the traces are. Returns the program's exit status, 128 + n when signal n
 * killed it, CW_EXIT_FAILURE when it or the library could not be found. A trace that cannot be converted is
 * complained about and does not change the status. */
int cw_launch(const char *mode, const struct cw_launch_options *o, char **argv);

/* ---- parts of it, for other commands that run programs */

/* Finds libclweave.so: $CLWEAVE_LIB, beside the tool, in ../lib of it or that
 * of its machine. Errors: CW_ERR_NOTFOUND;
 * CW_ERR_UNSUPPORTED (a name that cannot be preloaded). */
enum cw_status cw_launch_library(char path[PATH_MAX], struct cw_error *err);

/* Reads the words of --set into the settings, and checks all values, of options and of the environment, that
 * otherwise only the library would refuse, in the running program. False: it has complained. command:
 * CW_CMD_TRACE or CW_CMD_RUN. */
bool cw_launch_check(unsigned command, struct cw_launch_options *o);

/* In the child, before exec: the environment that makes the library work. pattern: of the traces; NULL: none.
 * run: the id in the logs' headers. */
void cw_launch_environment(const char *mode, const struct cw_launch_options *o, const char *library,
                           const char *pattern, uint64_t run);

/* The logs that one run of a program left, and their conversion. */

struct cw_run_logs {
    const char *pattern; /* of the traces' names: absolute, %e, %p and %% as in the option `out`; one of logs
                            (cw_log_is_name): these stay */
    const char *file;    /* the file that the pattern names in every process; NULL: it has %e or %p */
    uint64_t run;        /* the id in the logs' headers */
    const char *program; /* as the user named it */
    uint64_t program_pid;
    bool killed;                          /* the program ended by a signal */
    bool footprints;                      /* the graphs tell bytes of buffers apart (traces.h) */
    const struct cw_selection *selection; /* the part that the traces shall have */
    bool summary;                         /* with the tables of `clweave graph` */
};

/* Converts every log of the run, unless it stays, and removes those that it has converted. Where all
 * processes have one name for their traces, the program that was named gets it or, where that has enqueued
 * nothing, the process that has enqueued most; the others' names have their process ids inserted before the
 * extension. Prints a line for each trace on stderr, in the former case one for `file` and one that lists the
 * others. Says so when there is no log, or no enqueue that has returned. */
void cw_run_logs_convert(const struct cw_run_logs *logs);

/* The tool as the process that asks a vendor's compiler for its macros
 * (source/vendor_macros.h). */

#endif
