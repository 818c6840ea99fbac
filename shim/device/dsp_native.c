#include "dsp_native.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device_board.h"
#include "dsp_clock.h"
#include "../door/lock.h"
#include "../door/registry.h"

struct cw_dispatch cw_native;

/* ---- the times that events of modelled commands report */

enum { TIMES = CW_REGISTRY_DEVICE };
static cw_lock lock; /* of what the records hold, and of which are there */

bool cw_dsp_native_copy(cl_event e, struct cw_dsp_native_times *out)
{
    struct cw_dsp_native_times *t;

    if (!cw_registry_find(e, TIMES))
        return false;
    cw_lock_take(&lock);
    t = cw_registry_find(e, TIMES);
    if (t)
        *out = *t;
    cw_lock_free(&lock);
    return t != NULL;
}

/* Lock held. */
static void end(cl_event event)
{
    struct cw_registry_entry *e = cw_registry_entry(event, TIMES);

    if (e)
        cw_registry_end(e, TIMES);
}

bool cw_dsp_native_remember(const struct cw_dsp_native_times *what)
{
    struct cw_registry_entry *stale, *e = cw_registry_claim(what->event, TIMES, sizeof *what, &stale);

    if (!e)
        return false; /* its profiling information stays the vendor's */
    cw_lock_take(&lock);
    end(what->event);
    *(struct cw_dsp_native_times *)cw_registry_record(e) = *what;
    cw_registry_publish(e, TIMES, cw_registry_record(e));
    cw_lock_free(&lock);
    return true;
}

void cw_dsp_native_replace(const struct cw_dsp_native_times *what)
{
    struct cw_dsp_native_times *t;

    cw_lock_take(&lock);
    t = cw_registry_find(what->event, TIMES);
    if (t)
        *t = *what;
    cw_lock_free(&lock);
}

/* ---- one command */

static _Thread_local cl_event closed __attribute__((tls_model("initial-exec"))); /* of cw_dsp_native_close */

static uint64_t ready_time(cl_uint n, const cl_event *wait_list)
{
    uint64_t ready = cw_device_now_ns();
    struct cw_dsp_native_times t;

    for (cl_uint i = 0; i < n; i++)
        if (cw_dsp_native_copy(wait_list[i], &t) && t.end_ns > ready)
            ready = t.end_ns;
    return ready;
}

bool cw_dsp_native_open(struct cw_native_span *s, cl_command_queue queue, cl_uint n,
                        const cl_event *wait_list)
{
    cl_device_id device;
    struct timespec now;
    int dsp;

    if (cw_next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS)
        return false;
    dsp = cw_device_board_dsp(device);
    if (dsp < 0 && !cw_dsp_clock_is_virtual())
        return false;
    cw_dsp_native_host_settle();
    clock_gettime(CLOCK_MONOTONIC, &now);
    *s = (struct cw_native_span){
        .queue = queue, .dsp = dsp < 0 ? NULL : cw_dsp_at((unsigned)dsp), .waits = wait_list};
    s->queued_ns = cw_device_now_ns();
    s->ready_ns = wait_list ? ready_time(n, wait_list) : s->queued_ns;
    if (s->dsp && s->ready_ns < cw_dsp_shown_ns(s->dsp))
        s->ready_ns = cw_dsp_shown_ns(s->dsp);
    s->real_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return true;
}

/* A command that had to wait ran just now, in the call that completed the event that it waited for. */
static void CL_CALLBACK ran(cl_event event, cl_int status, void *user_data)
{
    struct cw_hold h;
    struct cw_dsp_native_times t;

    (void)user_data;
    if (status != CL_COMPLETE || !cw_dsp_native_copy(event, &t) || t.end_ns)
        return;
    cw_dsp_begin(t.dsp, &t.work, 0, &h);
    t.submit_ns = h.submit_ns;
    t.start_ns = h.start_ns;
    t.end_ns = h.end_ns ? h.end_ns : h.start_ns;
    cw_dsp_native_remember(&t);
}

cl_int cw_dsp_native_close(struct cw_native_span *s, cl_int error, const struct cw_work *work,
                           const cl_event *event, bool blocking)
{
    struct cw_dsp_native_times t = {.queue = s->queue,
                                    .queued_ns = s->queued_ns,
                                    .offset_ns = cw_device_profiling_offset_ns(),
                                    .dsp = s->dsp,
                                    .work = *work};
    struct cw_hold h;

    if (error != CL_SUCCESS)
        return error;
    closed = event ? *event : NULL;
    if (!s->dsp || (event && cw_dsp_clock_is_virtual() && cw_query_status(*event) > CL_COMPLETE)) {
        cw_dsp_native_host_add(s, work, event, blocking);
        return error;
    }
    if (event && cw_query_status(*event) > CL_COMPLETE) {
        t.event = *event;
        t.work.kernel = work->kernel ? "" : NULL; /* the name is gone by then: the device's own rule */
        t.work.ops = NULL;
        cw_dsp_native_remember(&t);
        cw_next.clSetEventCallback(*event, CL_COMPLETE, ran, NULL);
        return error;
    }
    cw_dsp_begin(s->dsp, work, s->ready_ns, &h);
    h.real_ns = s->real_ns;
    cw_dsp_end(s->dsp, &h);
    cw_dsp_native_host_ended(s->queue, h.end_ns);
    if (blocking)
        cw_dsp_reached(h.end_ns);
    if (event) {
        t.event = *event;
        t.submit_ns = h.submit_ns;
        t.start_ns = h.start_ns;
        t.end_ns = h.end_ns;
        cw_dsp_native_remember(&t);
    }
    return error;
}

/* ---- questions about events, and waiting */

static bool belongs(const struct cw_dsp_native_times *t)
{
    cl_command_queue queue = NULL;

    cw_next.clGetEventInfo(t->event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
    return queue == t->queue && t->end_ns;
}

static cl_int native_clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void *value,
                                             size_t *size_ret)
{
    cl_int error = cw_next.clGetEventProfilingInfo(event, name, size, value, size_ret);
    struct cw_dsp_native_times t;
    uint64_t ns;

    if (error != CL_SUCCESS || !value)
        return error;
    cw_dsp_native_host_settle();
    if (!cw_dsp_native_copy(event, &t) || !belongs(&t))
        return error;
    ns = name == CL_PROFILING_COMMAND_QUEUED   ? t.queued_ns
         : name == CL_PROFILING_COMMAND_SUBMIT ? t.submit_ns
         : name == CL_PROFILING_COMMAND_START  ? t.start_ns
                                               : t.end_ns;
    ns += (uint64_t)t.offset_ns;
    memcpy(value, &ns, sizeof ns);
    return error;
}

/* The times of one that is pending are placed all the same: later commands start behind it. */
static cl_int native_clReleaseEvent(cl_event event)
{
    struct cw_dsp_native_times t;
    cl_uint references = 0;

    if (cw_dsp_native_copy(event, &t) &&
        cw_next.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL) ==
            CL_SUCCESS &&
        references == 1u + t.pending) {
        cw_lock_take(&lock);
        end(event);
        cw_lock_free(&lock);
    }
    return cw_next.clReleaseEvent(event);
}

static cl_int native_clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                                    size_t *size_ret)
{
    cl_int error = cw_next.clGetEventInfo(event, name, size, value, size_ret);
    struct cw_dsp_native_times t;
    cl_uint references;

    if (error != CL_SUCCESS || name != CL_EVENT_REFERENCE_COUNT || !value || !cw_dsp_native_copy(event, &t))
        return error;
    memcpy(&references, value, sizeof references);
    references -= t.pending;
    memcpy(value, &references, sizeof references);
    return error;
}

static cl_int native_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    cl_int error = cw_next.clWaitForEvents(num_events, event_list);
    struct cw_dsp_native_times t;

    cw_dsp_native_host_settle();
    for (cl_uint i = 0; error == CL_SUCCESS && i < num_events; i++)
        if (cw_dsp_native_copy(event_list[i], &t))
            cw_dsp_reached(t.end_ns);
    return error;
}

static cl_int native_clFinish(cl_command_queue queue)
{
    struct cw_native_span s;
    cl_int error = cw_next.clFinish(queue);

    if (error == CL_SUCCESS && cw_dsp_native_open(&s, queue, 0, NULL))
        cw_dsp_reached(s.dsp ? cw_dsp_busy_until_ns(s.dsp) : cw_dsp_native_host_end_ns(queue));
    return error;
}

/* Whether `devices` names a dressed DSP that the program is not for. PoCL 3.1 does not look, reads beyond
 * its arrays and may crash; without the board such a program has no stranger to name. */
static bool lists_stranger(cl_program program, cl_uint num_devices, const cl_device_id *devices)
{
    cl_device_id all[CW_DEVICES_MAX];
    size_t bytes = 0;

    if (!devices ||
        cw_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof all, all, &bytes) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < num_devices; i++) {
        bool known = cw_device_board_dsp(devices[i]) < 0;

        for (size_t k = 0; !known && k < bytes / sizeof *all; k++)
            known = all[k] == devices[i];
        if (!known)
            return true;
    }
    return false;
}

static cl_int native_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                                    const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                    void *user_data)
{
    cl_int error =
        lists_stranger(program, num_devices, device_list)
            ? CL_INVALID_DEVICE
            : cw_next.clBuildProgram(program, num_devices, device_list, options, notify, user_data);
    cl_device_id all[CW_DEVICES_MAX];
    size_t bytes = 0;

    if (error == CL_SUCCESS && !device_list &&
        cw_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof all, all, &bytes) == CL_SUCCESS) {
        device_list = all;
        num_devices = (cl_uint)(bytes / sizeof *all);
    }
    for (cl_uint i = 0; error == CL_SUCCESS && device_list && i < num_devices; i++) {
        int dsp = cw_device_board_dsp(device_list[i]);
        if (dsp >= 0)
            cw_dsp_built(cw_dsp_at((unsigned)dsp));
    }
    return error;
}

void cw_dsp_native_start(void)
{
    cw_native = cw_next;
    if (!cw_board_dsps_wanted)
        return;
    cw_dsp_native_fill_calls(&cw_native);
    cw_native.clGetEventProfilingInfo = native_clGetEventProfilingInfo;
    cw_native.clGetEventInfo = native_clGetEventInfo;
    cw_native.clReleaseEvent = native_clReleaseEvent;
    cw_native.clWaitForEvents = native_clWaitForEvents;
    cw_native.clFinish = native_clFinish;
    cw_native.clBuildProgram = native_clBuildProgram;
}

void cw_dsp_native_seen(cl_event event)
{
    cl_command_queue queue = NULL;
    struct cw_native_span s;
    bool known = closed == event;

    closed = NULL;
    if (!cw_dsp_clock_is_virtual() || known ||
        cw_next.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) != CL_SUCCESS ||
        !cw_dsp_native_open(&s, queue, 1, &event))
        return;
    cw_dsp_native_host_add(&s, &(struct cw_work){0}, &event, false);
}

void cw_dsp_native_after_fork(void)
{
    cw_dsp_native_host_after_fork();
    cw_lock_free(&lock);
}
