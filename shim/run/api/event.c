/* event.c - queries of events (status, details, times), callbacks and waits. */
#include "hooks.h"
#include "../../door/door.h"
#include "../../door/dynamic_loader.h"
#include "../tasks/foreign.h"
#include "../core/clock.h"
#include "../tuning/tuning.h"
#include "event.h"
#include "../tasks/event.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/recount.h"
#include "../core/state.h"
#include "../staging/staging.h"
#include "../tasks/callback.h"
#include "../tasks/reference_counts.h"
#include "../tasks/task.h"
#include "../windows/window.h"
#include "../workers/worker.h"

#include <stdlib.h>

/* The record of an event that the shim answers for; lock held. */
static struct cw_run_event *managed(cl_event event)
{
    struct cw_run_event *e = cw_run_record_find(event, CW_RUN_EVENT);

    return e && e->what == CW_RUN_MANAGED ? e : NULL;
}

static bool retired(const void *what)
{
    const struct cw_run_event *e = what;

    return !e->task;
}

static cl_int count_references(cl_event event, size_t capacity, void *to, size_t *bytes)
{
    cl_int err = cw_native.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, capacity, to, bytes);
    const struct cw_run_event *e;
    struct cw_run_recount r;
    cl_uint count;

    if (err != CL_SUCCESS || !to)
        return err;
    cw_run_reference_counts_settle();
    for (cw_run_recount_read(&r); cw_run_recount_again(&r);) {
        cw_native.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL);
        e = managed(event);
        count = e ? cw_run_reference_counts_managed(e) : count + cw_run_reference_counts_of_event(event);
    }
    memcpy(to, &count, sizeof count);
    return err;
}

cl_int cw_run_hook_clGetEventInfo(cl_event event, cl_event_info name, size_t capacity, void *to,
                                  size_t *bytes)
{
    struct cw_run_event *e;
    cl_command_queue queue = NULL;
    cl_command_type type = 0;
    cl_int status = 0;
    bool shown;

    if (!cw_run_record_had_queue() && !cw_run_record_find(event, CW_RUN_EVENT))
        return cw_native.clGetEventInfo(event, name, capacity, to, bytes);
    if (name == CL_EVENT_REFERENCE_COUNT)
        return count_references(event, capacity, to, bytes);
    cw_run_global_lock_take();
    if (name == CL_EVENT_COMMAND_EXECUTION_STATUS)
        cw_run_window_close(); /* a program that polls waits for progress */
    e = cw_run_record_find(event, CW_RUN_EVENT);
    if (e && e->task && e->task->state <= CW_RUN_READY && name == CL_EVENT_COMMAND_EXECUTION_STATUS) {
        cw_run_record_pin(&e->r);
        cw_run_help_briefly(e->queue, e->task->order.sequence,
                            e->asked ? CW_RUN_WOKEN_NS : CW_RUN_SHORT_TASK_NS);
        e->asked = true;
        cw_run_object_unpin(&e->r);
        e = cw_run_record_find(event, CW_RUN_EVENT);
    }
    shown = e && (e->what == CW_RUN_MANAGED || e->type);
    if (shown) {
        if (e->what == CW_RUN_MANAGED)
            status = cw_run_event_status(e);
        type = e->type;
        queue = e->queue ? (cl_command_queue)(uintptr_t)e->queue->r.handle : NULL;
        if (e->what != CW_RUN_MANAGED && name != CL_EVENT_COMMAND_TYPE)
            shown = false;
    }
    cw_run_global_lock_give();
    if (name == CL_EVENT_COMMAND_EXECUTION_STATUS)
        cw_dynamic_loader_look(); /* it may ask in a loop, inside the loader */
    if (shown)
        switch (name) {
        case CL_EVENT_COMMAND_EXECUTION_STATUS:
            return cw_query_answer(&status, sizeof status, capacity, to, bytes);
        case CL_EVENT_COMMAND_TYPE:
            return cw_query_answer(&type, sizeof type, capacity, to, bytes);
        case CL_EVENT_COMMAND_QUEUE:
            return cw_query_answer(&queue, sizeof queue, capacity, to, bytes);
        default:
            break;
        }
    return cw_native.clGetEventInfo(event, name, capacity, to, bytes);
}

cl_int cw_run_hook_clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t capacity, void *to,
                                           size_t *bytes)
{
    struct cw_run_event *e;
    uint64_t times[4];
    cl_ulong first;
    bool known, over, profiled;

    if (CW_UNLIKELY(cw_run_staging_notes_times_of(event, name, &first)) &&
        cw_native.clGetEventProfilingInfo(event, name, capacity, to, bytes) == CL_SUCCESS)
        return cw_query_answer(&first, sizeof first, capacity, to, bytes);
    /* its dependences are on their way: native commands close the window */
    if (!cw_run_record_find(event, CW_RUN_EVENT))
        return cw_native.clGetEventProfilingInfo(event, name, capacity, to, bytes);
    cw_run_global_lock_take();
    cw_run_window_close();
    e = managed(event);
    known = e;
    over = known && !e->task && e->status == CL_COMPLETE;
    profiled = known && e->queue->profiled;
    if (known)
        memcpy(times, e->times, sizeof times);
    cw_run_global_lock_give();
    if (!known)
        return cw_native.clGetEventProfilingInfo(event, name, capacity, to, bytes);
    if (!profiled || !over)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
        return cw_query_answer(&times[0], sizeof times[0], capacity, to, bytes);
    case CL_PROFILING_COMMAND_SUBMIT:
        return cw_query_answer(&times[1], sizeof times[1], capacity, to, bytes);
    case CL_PROFILING_COMMAND_START:
        return cw_query_answer(&times[2], sizeof times[2], capacity, to, bytes);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
        return cw_query_answer(&times[3], sizeof times[3], capacity, to, bytes);
    default: /* PoCL looks at the name when there is a place for the value */
        return to ? CL_INVALID_VALUE : cw_query_answer(&times[0], sizeof times[0], capacity, to, bytes);
    }
}

/* Waits for the managed commands among the events; lock not held. */
void cw_run_event_wait_list(cl_uint n, const cl_event *list)
{
    struct cw_run_event *e;

    cw_run_global_lock_take();
    cw_run_window_step();
    for (cl_uint i = 0; i < n && list; i++) {
        e = managed(list[i]);
        if (!e)
            continue;
        cw_run_record_pin(&e->r);
        if (e->task)
            cw_run_help(e->queue, e->task->order.sequence, retired, e);
        cw_run_hold_synchronised(e->queue);
        cw_run_bypass_synchronised(e->queue);
        cw_run_clock_reached(e->times[3]);
        cw_run_object_unpin(&e->r);
    }
    cw_run_global_lock_give();
}

static bool are_unknown(cl_uint n, const cl_event *list)
{
    cl_uint i = 0;

    while (list && i < n && !cw_run_record_find(list[i], CW_RUN_EVENT))
        i++;
    return !list || i == n;
}

static void wait_for_callbacks(cl_uint n, const cl_event *list)
{
    struct cw_run_event *e;

    if (are_unknown(n, list))
        return;
    cw_run_global_lock_take();
    for (cl_uint i = 0; i < n && list; i++) {
        e = cw_run_record_find(list[i], CW_RUN_EVENT);
        if (!e || e->task)
            continue;
        cw_run_record_pin(&e->r);
        cw_run_help_callbacks_on(e);
        cw_run_object_unpin(&e->r);
    }
    cw_run_global_lock_give();
}

cl_int cw_run_hook_clWaitForEvents(cl_uint n, const cl_event *list)
{
    uint64_t now = 0;
    cl_int err;

    if (!cw_run_record_had_queue())
        return cw_native.clWaitForEvents(n, list);
    cw_run_event_wait_list(n, list);
    err = cw_native.clWaitForEvents(n, list);
    wait_for_callbacks(n, list);
    cw_run_global_lock_take();
    cw_run_activation_waited(&now);
    cw_run_global_lock_give();
    return err;
}

cl_int cw_run_hook_clRetainEvent(cl_event event)
{
    cl_int err;

    if (cw_run_record_take_back(event, CW_RUN_EVENT))
        return CL_SUCCESS;
    err = cw_native.clRetainEvent(event);
    if (err == CL_SUCCESS)
        cw_run_record_retained(event, CW_RUN_EVENT);
    return err;
}

cl_int cw_run_hook_clReleaseEvent(cl_event event)
{
    cl_int err = CL_SUCCESS;

    cw_run_staging_notes_release(event);
    if (!cw_run_record_find(event, CW_RUN_EVENT))
        return cw_native.clReleaseEvent(event);
    cw_run_recount_begins(); /* a managed command's event retains the context until the vendor has released it
                              */
    if (cw_run_object_release(event, CW_RUN_EVENT))
        err = cw_native.clReleaseEvent(event);
    cw_run_recount_ends();
    return err;
}

cl_event cw_run_hook_clCreateUserEvent(cl_context context, cl_int *err)
{
    cl_event event = cw_native.clCreateUserEvent(context, err);
    struct cw_run_event *e;

    if (!event)
        return NULL;
    cw_run_staging_notes_new(event);
    cw_run_global_lock_take();
    e = cw_run_object_create(event, CW_RUN_EVENT);
    if (e) {
        e->what = CW_RUN_USER;
        e->status = CL_SUBMITTED;
        atomic_fetch_add(&cw_run_passing_held, 1);
    } else {
        cw_run.off = true; /* the commands that it holds would be unknown */
    }
    cw_run_global_lock_give();
    return event;
}

cl_int cw_run_hook_clSetUserEventStatus(cl_event event, cl_int status)
{
    struct cw_run_event *e;
    cl_int err;

    cw_run_global_lock_take();
    cw_run_window_close();
    e = cw_run_record_find(event, CW_RUN_EVENT);
    if (e && e->what != CW_RUN_USER) { /* the vendor would take it for one */
        cw_run_global_lock_give();
        return status > CL_COMPLETE ? CL_INVALID_VALUE : CL_INVALID_EVENT; /* the status is checked first */
    }
    if (e)
        cw_run_record_pin(&e->r); /* another thread may release it before the vendor's call returns */
    cw_run_global_lock_give();
    err = cw_native.clSetUserEventStatus(event, status);
    cw_run_global_lock_take();
    if (e && err == CL_SUCCESS) {
        e->status = status;
        atomic_fetch_sub(&cw_run_passing_held, 1);
    }
    if (e)
        cw_run_object_unpin(&e->r);
    if (err == CL_SUCCESS && status < 0) {
        cw_run_foreign_look_at_failures();
        cw_run_worker_retire();
    }
    cw_run_global_lock_give();
    return err;
}

/* The state is there already: as the vendor does, on this thread. Lock held, given up meanwhile. */
static void call_at_once(struct cw_run_callback *c, cl_int status)
{
    cw_run_global_lock_give();
    c->function((cl_event)(uintptr_t)c->event->r.handle, status < 0 ? status : c->type, c->data);
    cw_run_global_lock_take();
    cw_run_object_unpin(&c->event->r);
    free(c);
}

cl_int cw_run_hook_clSetEventCallback(cl_event event, cl_int type,
                                      void(CL_CALLBACK *function)(cl_event, cl_int, void *), void *data)
{
    struct cw_run_callback *c = NULL, **end;
    struct cw_run_event *e;
    cl_int status, err = CL_SUCCESS;

    cw_run_global_lock_take();
    e = managed(event);
    if (!e) {
        cw_run_global_lock_give();
        return cw_run_callbacks_set_native(event, type, function, data);
    }
    if (!function || (type != CL_SUBMITTED && type != CL_RUNNING && type != CL_COMPLETE))
        err = CL_INVALID_VALUE;
    else if ((e->task && !cw_run_callback_start()) || !(c = calloc(1, sizeof *c)))
        err = CL_OUT_OF_HOST_MEMORY;
    if (c) {
        *c = (struct cw_run_callback){
            .function = function, .data = data, .type = type, .event = e, .queue = e->queue};
        cw_run_record_pin(&e->r);
        cw_run_window_close();
        status = cw_run_event_status(e);
        if (status <= type && cw_run_callbacks_turn(e)) {
            call_at_once(c, status);
        } else {
            for (end = &e->callbacks; *end;)
                end = &(*end)->next;
            *end = c;
            if (status <= type)
                cw_run_callback_push(e, status < 0 ? CL_COMPLETE : status, status);
        }
    }
    cw_run_global_lock_give();
    return err;
}
