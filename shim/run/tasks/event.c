/* event.c - see tasks/event.h. */
#include "event.h"

#include "callback.h"

cl_int cw_run_event_status(const struct cw_run_event *e)
{
    const struct cw_run_task *t = e->task;

    if (!t)
        return e->status;
    if (t->state >= CW_RUN_RUNNING && (!t->queue->in_order || t->queue->first == t))
        return CL_RUNNING;
    return t->state >= CW_RUN_RELEASED || t->work == CW_RUN_NOTHING ? CL_SUBMITTED : CL_QUEUED;
}

void cw_run_event_progress(struct cw_run_task *t)
{
    if (t->event && t->event->callbacks && cw_run_event_status(t->event) == CL_RUNNING)
        cw_run_callback_push(t->event, CL_RUNNING, CL_RUNNING);
}
