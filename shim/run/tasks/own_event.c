/* own_event.c - see tasks/own_event.h. */
#include "own_event.h"

#include <stdlib.h>

#include "../core/global_lock.h"

#define FEW 4 /* own events that are looked at when there is another one */

struct own {
    struct own *next;
    cl_event event;
    const struct cw_run_context *context;
    const struct cw_run_queue *queue;
};
static struct own *owned, **owned_end = &owned;

static cl_uint references(cl_event event)
{
    cl_uint n = 0;

    cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

static void take_out(struct own **at)
{
    struct own *o = *at;

    *at = o->next;
    if (owned_end == &o->next)
        owned_end = at;
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, o->event);
    free(o);
}

/* Of the first `most` those go to which only run mode has a reference. */
static void prune(uint32_t most)
{
    struct own **at = &owned;

    while (*at && most--)
        if (references((*at)->event) <= 1)
            take_out(at);
        else
            at = &(*at)->next;
}

void cw_run_own_event_add(cl_event event, const struct cw_run_context *c, const struct cw_run_queue *q)
{
    struct own *o = malloc(sizeof *o);

    prune(FEW);
    if (!o) {
        cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, event);
        return;
    }
    *o = (struct own){.event = event, .context = c, .queue = q};
    *owned_end = o;
    owned_end = &o->next;
}

void cw_run_own_event_forget(const void *whose)
{
    struct own **at = &owned;

    while (*at)
        if ((*at)->queue == whose || (*at)->context == whose)
            take_out(at);
        else
            at = &(*at)->next;
}

uint32_t cw_run_own_event_count(const void *whose)
{
    uint32_t n = 0;

    for (const struct own *o = owned; o; o = o->next)
        n += o->queue == whose || o->context == whose;
    prune(UINT32_MAX);
    return n;
}
