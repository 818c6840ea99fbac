/* quarantine.c - see memory/quarantine.h. */
#include "quarantine.h"

#include <stdio.h>

#include "../core/state.h"
#include "spread.h"

bool cw_run_quarantine_is_due(cl_int status)
{
    return status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY ||
           status == CL_DEVICE_NOT_AVAILABLE || status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

void cw_run_quarantine_begin(struct cw_run_worker *l, cl_int error, bool copy)
{
    if (l->quarantine.error || l->home)
        return;
    l->quarantine.error = error;
    l->quarantine.copy = copy;
    cw_run.quarantines++;
}

void cw_run_quarantine_leave(struct cw_run_worker *l)
{
    if (!l->quarantine.error || l->quarantine.left)
        return;
    l->quarantine.left = true;
    cw_run_spread_leave(l);
}

int cw_run_quarantine_describe(char *text, unsigned size)
{
    int used = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < cw_run.num_lanes && used + 128 < (int)size; i++) {
        const struct cw_run_worker *l = &cw_run.lanes[i];

        if (l->quarantine.error)
            used += snprintf(text + used, size - (unsigned)used,
                             "run: %s gets no more launches: a %s failed there with %d\n", l->name,
                             l->quarantine.copy ? "copy" : "launch", l->quarantine.error);
    }
    if ((cw_run.counts.lost || cw_run.counts.deprived) && used + 128 < (int)size)
        used += snprintf(text + used, size - (unsigned)used,
                         "run: %llu bytes were lost with devices; %llu commands needed lost bytes\n",
                         (unsigned long long)cw_run.counts.lost, (unsigned long long)cw_run.counts.deprived);
    if (cw_run.counts.relieved && used + 128 < (int)size)
        used += snprintf(text + used, size - (unsigned)used,
                         "run: %llu launches went home from behind late ones\n",
                         (unsigned long long)cw_run.counts.relieved);
    return used;
}
