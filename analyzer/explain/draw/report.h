/* report.h - one self-contained HTML page about a traced run: findings, a timeline, the critical path, the
 * graph, every command.
 *
 * The page needs nothing but a browser: no network, no other file. Everything that comes from the program
 * (names, command line, sources' names) is data in it, never markup. */
#ifndef CW_REPORT_H
#define CW_REPORT_H

#include <stdio.h>

#include "../kernel_times.h"
#include "../figures.h"
#include "../../history/device_roofs.h"

struct cw_report_options {
    int64_t limit; /* commands in the timeline and the table; 0: CW_REPORT_COMMANDS */
    bool graph;    /* draw the graph (by graphviz's dot; the page says so where that is missing) */
    /* of each command, NULL: of none; of each device, when_s 0 where none are kept. Borrowed */
    const struct cw_launch_work *work;
    const struct cw_outside *outside; /* NULL: not looked for. Borrowed */
    const struct cw_device_roofs *roofs;
};
enum { CW_REPORT_COMMANDS = 50000, CW_REPORT_GRAPH_NODES = 150 };

/* Writes the page of `t`, whose edges and accesses are built, to `f`; the caller looks at its error flag
 * afterwards. Returns CW_OK, CW_ERR_NOMEM, CW_ERR_CYCLE, CW_ERR_IO (no temporary file). */
enum cw_status cw_report_write(const struct cw_trace *t, const struct cw_report_options *o, FILE *f,
                               struct cw_error *err);

/* Prints the same in short for a terminal: figures and findings. Errors as above. */
enum cw_status cw_report_print(const struct cw_trace *t, const struct cw_report_options *o, FILE *f,
                               struct cw_error *err);

#endif
