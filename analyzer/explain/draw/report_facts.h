/* report_facts.h - the facts that both forms of a report (report.h) are made from. */
#ifndef CW_REPORT_FACTS_H
#define CW_REPORT_FACTS_H

#include "../command_times.h"
#include "../figures.h"
#include "../kernel_times.h"

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

#endif
