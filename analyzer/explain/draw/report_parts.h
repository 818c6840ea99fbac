/* report_parts.h - the parts that a report (report.h) is made of. */
#ifndef CW_REPORT_PARTS_H
#define CW_REPORT_PARTS_H

#include <stdio.h>
#include <stddef.h>

#include "../../history/device_roofs.h"
#include "../../io/json_out.h"
#include "../command_times.h"
#include "../figures.h"
#include "../kernel_times.h"

/* ---- report_text.c: the facts that both forms of a report are made from. */

struct cw_report_facts {
    const struct cw_trace *t;
    struct cw_graph_summary summary;
    struct cw_figures figures;
    struct cw_critical_path path;
    struct cw_kernel_times kernels;
    struct cw_command_times commands;
    bool timed; /* the path is of device times, else of commands */
    struct cw_finding findings[CW_FINDINGS_MAX];
    size_t finding_count;
};

/* Fills `r` from `t`, which must outlive it; finish it in any case. work: as cw_kernel_times_init has them;
 * outside: of its launches, NULL: not looked for.
 * Errors: those of cw_graph_summary_init, cw_figures_init, cw_critical_path_init, cw_kernel_times_init,
 * cw_command_times_init. */
enum cw_status cw_report_facts_init(struct cw_report_facts *r, const struct cw_trace *t,
                                    const struct cw_launch_work *work, const struct cw_outside *outside,
                                    struct cw_error *err);
void cw_report_facts_finish(struct cw_report_facts *r);

/* ---- report_host.c: the host: time by phase, calls by function. */

/* For a terminal: the time by phase, memory by kind, and a table of the functions that took most. */
void cw_report_host_print(const struct cw_report_facts *r, FILE *f);

/* The members of a spread, into the object that is open. */
void cw_report_host_put_spread(const struct cw_spread *s, struct cw_json_out *o);

/* For the page: members of the object that is open; at most `limit` calls of their own. */
void cw_report_host_put(const struct cw_report_facts *r, struct cw_json_out *o, size_t limit);

/* ---- report_kernels.c: kernels: times by kernel and by NDRange, rates. */

/* For a terminal: a table of the kernels that took most device time; nothing without device times. */
void cw_report_kernels_print(const struct cw_report_facts *r, FILE *f);

/* For the page: members of the object that is open. */
void cw_report_kernels_put(const struct cw_report_facts *r, struct cw_json_out *o);

/* ---- report_roofs.c: kernels beside the roofs of their devices: the roofline of Williams, Waterman and
 * Patterson (2009). */

/* A kernel, or one of its NDRanges, by its work (kernel_times.h). A rate that is not known is 0. */
struct cw_roof_point {
    double gflops, gbps, intensity; /* operations, of which there may be none, per byte */
    double roof;                    /* what its device could at best: GFLOP/s, or GB/s without operations */
    double share;                   /* of that; 0: not known */
    bool by_memory;                 /* memory bounds it, else multiply-adds */
};

/* roofs: of the device that the row's launch ran on; NULL: none are kept. */
struct cw_roof_point cw_report_roofs_point(const struct cw_kernel_row *row,
                                           const struct cw_device_roofs *roofs);

/* For a terminal: a table, and why something is not known; nothing without known work. roofs: of each device
 * of the trace, when_s 0: none is kept; NULL: of none. */
void cw_report_roofs_print(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f);

/* For the page: a section with a picture for each device that has roofs, and the table. */
void cw_report_roofs_page(const struct cw_report_facts *r, const struct cw_device_roofs *roofs, FILE *f);

/* ---- report_shares.c: launches that run mode cut over devices, or did
 * not. The page draws the shares, too (page/plots.js). */

/* A table of the kernels with most cut launches: which share each device had of them, in how many blocks, and
 * at which work-groups the last one was cut, for some stretches of the run one after the other. Another
 * table of the launches that run mode did not cut, by kernel and reason. Each only where there are any.
 * Errors: CW_ERR_NOMEM. */
enum cw_status cw_report_shares_print(const struct cw_trace *t, FILE *f, struct cw_error *err);

/* The same as a section of the page. */
enum cw_status cw_report_shares_page(const struct cw_trace *t, FILE *f, struct cw_error *err);

/* ---- report_commands.c: the way of commands: call, queue, device, run. */

/* For a terminal: a table; nothing without times of devices, whose stages it is about. */
void cw_report_commands_print(const struct cw_report_facts *r, FILE *f);

/* The same of a trace of every:N: what all commands of each kind took, estimated. Else nothing. */
void cw_report_commands_estimates_print(const struct cw_report_facts *r, FILE *f);

/* For the page: a section, and members of the object of its data that is open. */
void cw_report_commands_page(const struct cw_report_facts *r, FILE *f);
void cw_report_commands_put(const struct cw_report_facts *r, struct cw_json_out *o);

/* ---- report_kernels.c: what the vendor's compiler made and said. */

/* For the page: a section with the kernels that were launched, and what was said about builds that succeeded;
 * nothing where nothing of it is recorded. */
void cw_report_compiled_page(const struct cw_report_facts *r, FILE *f);

/* ---- report.c: the page, as it stands in page/: markup, style, script. */

/* The files in one, a NUL behind them; in it are @GRAPH@ and, behind that, @DATA@. */
extern const char cw_report_page[];

/* A roofline as SVG: operations per second over operations per byte, both logarithmic. */

struct cw_roofline_mark {
    const char *name;         /* of a kernel; any text */
    const char *fill;         /* its colour, as in other pictures (palette.h) */
    double intensity, gflops; /* both above 0 */
    double share;             /* of the roof; 0: not known */
    double weight;            /* of the kernels' time, 0 to 1: the mark's size */
};

/* Draws the roofs that are known and the marks. */
void cw_roofline_draw(const struct cw_device_roofs *roofs, const struct cw_roofline_mark *mark, size_t n,
                      FILE *f);

#endif
