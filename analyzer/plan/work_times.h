/* work_times.h - how long each command of a trace took, measured or estimated. */
#ifndef CW_WORK_TIMES_H
#define CW_WORK_TIMES_H

#include "platform_file.h"
#include "../record/trace.h"

/* Measured time and the work done in it. */
struct cw_rate {
    double ns, amount; /* amount: work-items or bytes */
};

struct cw_work_times {
    const struct cw_trace *trace;
    uint32_t *name_of; /* kernel id -> number of its name; kernel objects of one name count as one */
    uint32_t names;
    struct cw_rate *kernel;     /* names x devices */
    struct cw_rate *any_device; /* names */
    struct cw_rate any_kernel, transfer;
};

/* Collects the device times of all commands of `t`, which must outlive it. O(commands + kernels log kernels).
 * Errors: CW_ERR_NOMEM. */
enum cw_status cw_work_times_init(struct cw_work_times *w, const struct cw_trace *t, struct cw_error *err);
void cw_work_times_finish(struct cw_work_times *w); /* safe on a zeroed struct */

/* True for commands that launch a kernel; and for those that move, fill or map memory. Both false: no cost.
 */
bool cw_work_is_kernel(const struct cw_command *c);
bool cw_work_is_transfer(const struct cw_command *c);

/* Describes `c`, a kernel or transfer. Returns false when work->traced_ns is an estimate (plan_graph.h says
 * how). */
bool cw_work_times_get(const struct cw_work_times *w, const struct cw_command *c, struct cw_work *work);

/* The time on device `d` of the trace of `c`, which took work->traced_ns on its own device. *measured: false
 * when that is scaled by compute units x clock. Transfers take the same everywhere. */
double cw_work_times_elsewhere(const struct cw_work_times *w, const struct cw_command *c,
                               const struct cw_work *work, uint32_t d, bool *measured);

#endif
