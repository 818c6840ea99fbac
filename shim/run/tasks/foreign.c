/* foreign.c - events of the vendor that managed commands wait for. */
#include "foreign.h"

#include <errno.h>

#include "../core/global_lock.h"
#include "../core/record.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "task.h"

/* The commands behind `f` may go on. Lock held. */
static void over(struct cw_run_foreign *f, cl_int status)
{
    struct cw_run_task *t = f->task;

    if (!t)
        return;
    f->task = NULL;
    if (f->prev_open)
        f->prev_open->next_open = f->next_open;
    else
        cw_run.open = f->next_open;
    if (f->next_open)
        f->next_open->prev_open = f->prev_open;
    cw_run_global_lock_release_later(CW_RUN_DROP_EVENT, f->event);
    cw_run_task_done(t, status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE);
    cw_run.timer_wanted |= cw_run_record_ended != NULL; /* it frees them (tasks/object.h) */
}

void cw_run_foreign_look_at_failures(void)
{
    struct cw_run_foreign *f, *next;
    cl_int status;

    for (f = cw_run.open; f; f = next) {
        next = f->next_open;
        status = f->registered ? cw_query_status(f->event) : CL_COMPLETE;
        if (status < 0)
            over(f, status); /* `f` stays: another vendor might still call back */
    }
}

/* Runs on a thread of the vendor, or inside a vendor call of run mode. `status` is the one asked for, not
 * the event's. */
static void CL_CALLBACK foreign_over(cl_event event, cl_int status, void *data)
{
    struct cw_run_foreign *f = data;
    int saved = errno;

    (void)status;
    cw_run_global_lock_take();
    over(f, cw_query_status(event));
    cw_run_global_lock_release_later(CW_RUN_DROP_BLOCK, f);
    cw_run_global_lock_give_in_callback();
    errno = saved;
}

/* Has foreign_over called; `f` may be gone then. Lock not held. */
static void register_with_vendor(struct cw_run_foreign *f)
{
    cl_event event = f->event;

    cw_run_recount_begins();
    cw_next.clRetainEvent(event); /* over() lets go of the other reference */
    cw_run_global_lock_take();
    f->registered = true;
    cw_run_global_lock_give_only();
    if (cw_next.clSetEventCallback(event, CL_COMPLETE, foreign_over, f) != CL_SUCCESS) {
        cw_next.clWaitForEvents(1, &event);
        foreign_over(event, CL_COMPLETE, f);
    } else if (cw_query_status(event) < 0) { /* it may have failed just before */
        cw_run_global_lock_take();
        cw_run_foreign_look_at_failures();
        cw_run_global_lock_give_in_callback();
    }
    cw_next.clReleaseEvent(event);
    cw_run_recount_ends();
}

struct cw_run_foreign *cw_run_foreign_unknown;

void cw_run_foreign_give(void)
{
    struct cw_run_foreign *f = cw_run_foreign_is_due() ? cw_run_foreign_unknown : NULL, *next;

    if (f)
        cw_run_foreign_unknown = NULL;
    cw_run_global_lock_give();
    for (; f; f = next) {
        next = f->next;
        register_with_vendor(f);
    }
}

bool cw_run_foreign_give_and_take(void)
{
    bool any = cw_run_foreign_is_due() || cw_run_global_lock_has_releases();

    if (any) {
        cw_run_foreign_give();
        cw_run_global_lock_take();
    }
    return any;
}

void cw_run_foreign_follow(struct cw_run_foreign *f)
{
    f->next = cw_run_foreign_unknown;
    cw_run_foreign_unknown = f;
    f->next_open = cw_run.open;
    if (f->next_open)
        f->next_open->prev_open = f;
    cw_run.open = f;
}
