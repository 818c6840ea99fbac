/* report_facts.c - see report_parts.h. */
#include "report_parts.h"
#include "../../record/command_facts.h"

#include <string.h>

enum cw_status cw_report_facts_init(struct cw_report_facts *r, const struct cw_trace *t,
                                    const struct cw_launch_work *work, const struct cw_outside *outside,
                                    struct cw_error *err)
{
    enum cw_status status;

    memset(r, 0, sizeof *r);
    r->t = t;
    r->timed = cw_command_times_exist(t);
    status = cw_graph_summary_init(&r->summary, t, err);
    if (!status)
        status = cw_figures_init(&r->figures, t, err);
    if (!status && outside)
        r->figures.outside = *outside;
    if (!status)
        status = cw_critical_path_init(&r->path, t, r->timed ? CW_WEIGHT_TIME : CW_WEIGHT_COUNT, err);
    if (!status)
        status = cw_kernel_times_init(&r->kernels, t, work, err);
    if (!status)
        status = cw_command_times_init(&r->commands, t, err);
    if (!status)
        r->finding_count = cw_findings(r->findings, t, &r->summary, &r->figures, &r->path);
    return status;
}

void cw_report_facts_finish(struct cw_report_facts *r)
{
    cw_graph_summary_finish(&r->summary);
    cw_figures_finish(&r->figures);
    cw_critical_path_finish(&r->path);
    cw_kernel_times_finish(&r->kernels);
    cw_command_times_finish(&r->commands);
}
