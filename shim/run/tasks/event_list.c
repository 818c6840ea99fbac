/* event_list.c - see tasks/event_list.h. */
#include "event_list.h"

#include <stdlib.h>

#include "../../../analyzer/io/array.h"
#include "../core/global_lock.h"

#define FEW 4 /* own events that are looked at when there is another one */

bool cw_run_event_list_add(struct cw_run_event_list *l, cl_event event)
{
    if (!cw_array_reserve(&l->of, &l->capacity, l->n, 1, sizeof *l->of))
        return false;
    l->of[l->n++] = event;
    return true;
}

void cw_run_event_list_prune(struct cw_run_event_list *l, size_t most, bool (*done)(cl_event))
{
    for (size_t i = most < l->n ? most : l->n; i-- > 0;)
        if (done(l->of[i])) {
            cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, l->of[i]);
            l->of[i] = l->of[--l->n];
        }
}

void cw_run_event_list_free(struct cw_run_event_list *l)
{
    while (l->n)
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, l->of[--l->n]);
    free(l->of);
}

static bool is_ours_alone(cl_event event)
{
    cl_uint n = 0;

    cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n <= 1;
}

void cw_run_event_list_own(struct cw_run_event_list *l, cl_event event)
{
    cw_run_event_list_prune(l, FEW, is_ours_alone);
    if (!cw_run_event_list_add(l, event))
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, event);
}

uint32_t cw_run_event_list_count(struct cw_run_event_list *l)
{
    uint32_t n = (uint32_t)l->n;

    cw_run_event_list_prune(l, l->n, is_ours_alone);
    return n;
}
