#include "disjunctive.h"

#include <stdlib.h>

enum cw_status cw_release_init(struct cw_release *r, const struct cw_plan *plan, struct cw_error *err)
{
    uint32_t n = plan->graph->tasks, q = plan->graph->devices;

    *r = (struct cw_release){.devices = q, .avail = malloc(q * sizeof *r->avail)};
    if (plan->schedule->placed)
        r->ready = malloc((size_t)n * q * sizeof *r->ready);
    if (!r->avail || (plan->schedule->placed && !r->ready)) {
        cw_release_finish(r);
        return cw_error_set(err, CW_ERR_NOMEM, "out of memory for %u devices", q);
    }
    for (uint32_t p = 0; p < q; p++)
        r->avail[p] = plan->timeline[p].avail;
    for (uint32_t i = 0; r->ready && i < n; i++)
        for (uint32_t p = 0; p < q; p++)
            r->ready[(size_t)i * q + p] = cw_plan_ready(plan, i, p);
    r->latest = cw_schedule_makespan(plan->schedule);
    return CW_OK;
}

void cw_release_finish(struct cw_release *r)
{
    free(r->ready);
    free(r->avail);
    *r = (struct cw_release){0};
}
