/* quiet_wait.c - see quiet_wait.h. */
#include "quiet_wait.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../door/clock.h"
#include "../../door/dispatch.h"
#include "../../door/thread.h"
#include "fault.h"

enum {
    LAST = 8,
    EVENTS_NS = 200000,  /* the mean from which on asking for events costs less than it saves */
    MARKER_NS = 1000000, /* ... and an event more */
    NAP_NS = 50000,      /* timers of threads are late by as much, so no sleep is shorter */
    WAKE_NS = 60000,     /* from the end of a sleep to the next question, at most, on a machine that idles */
    PATIENCE_NS = 1000000000
};

enum kind { FINISH, EVENTS, TRANSFERS, KINDS };

/* The calling thread's last waits of a kind. */
struct waits {
    uint64_t ns[LAST];
    uint32_t n;
};
static _Thread_local struct waits waits[KINDS];

static struct cw_dispatch vendor; /* cw_next as it was */
static bool always;               /* --wait force: a thread sleeps however short its waits were */

static uint64_t mean_of(const struct waits *w)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < LAST; i++)
        sum += w->ns[i];
    return w->n ? sum / (w->n < LAST ? w->n : LAST) : 0;
}

static uint64_t extreme_of(const struct waits *w, bool longest)
{
    uint64_t x = w->ns[0];

    for (uint32_t i = 1; i < LAST && i < w->n; i++)
        x = (w->ns[i] > x) == longest ? w->ns[i] : x;
    return x;
}

static bool is_worth(const struct waits *w, uint64_t least_ns)
{
    return always || mean_of(w) >= least_ns;
}

static void note(struct waits *w, uint64_t begin_ns, cl_int err)
{
    if (err != CL_SUCCESS) /* it has not waited, perhaps */
        return;
    w->ns[w->n % LAST] = cw_now_ns() - begin_ns;
    w->n = w->n == 2 * LAST - 1 ? LAST : w->n + 1;
}

/* By the system call: the C library's function would make the program's wait a cancellation point. */
static void sleep_for(uint64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    syscall(SYS_nanosleep, &t, NULL);
}

/* One step of a wait that has taken `passed` so far: its command is not over. False: no more steps. */
static bool pause_once(const struct waits *w, uint64_t passed)
{
    uint64_t least = extreme_of(w, false), early = least / 64 + WAKE_NS,
             target = least > early ? least - early : 0;

    if (passed > PATIENCE_NS && passed > 2 * extreme_of(w, true))
        return false;
    if (passed + NAP_NS < target)
        sleep_for((target - passed) / 2 > NAP_NS ? (target - passed) / 2 : NAP_NS);
    else if (target && passed < least + least / 16)
        cw_thread_relax();
    else
        sleep_for(passed / 64 > NAP_NS ? passed / 64 : NAP_NS);
    return true;
}

/* True also where the vendor does not know the event: its own call says so. */
static bool is_over(cl_event event)
{
    cl_int status = CL_QUEUED;

    return vendor.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) !=
               CL_SUCCESS ||
           status <= CL_COMPLETE;
}

/* Until all are over; `begin_ns`: when the program's call began. */
static void sleep_on(const struct waits *w, uint64_t begin_ns, cl_uint n, const cl_event *list)
{
    cl_command_queue flushed = NULL, queue = NULL;
    int saved = errno;

    for (cl_uint i = 0; i < n; i++) { /* a queue that nothing flushes need not begin */
        if (is_over(list[i]) ||
            vendor.clGetEventInfo(list[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) != CL_SUCCESS)
            continue;
        if (queue && queue != flushed)
            vendor.clFlush(queue);
        flushed = queue;
    }
    for (cl_uint i = 0; i < n; i++)
        while (!is_over(list[i]) && pause_once(w, cw_now_ns() - begin_ns))
            ;
    errno = saved;
}

static cl_int quiet_events(cl_uint n, const cl_event *list)
{
    struct waits *w = &waits[EVENTS];
    uint64_t begin_ns = cw_now_ns();
    cl_int err;

    if (n && list && is_worth(w, EVENTS_NS)) {
        if (cw_run_fault_asks_now(CW_RUN_FAULT_BRISK))
            return CL_SUCCESS;
        sleep_on(w, begin_ns, n, list);
    }
    err = vendor.clWaitForEvents(n, list);
    note(w, begin_ns, err);
    return err;
}

static cl_int quiet_finish(cl_command_queue queue)
{
    struct waits *w = &waits[FINISH];
    uint64_t begin_ns = cw_now_ns();
    cl_event marker = NULL;
    cl_int err;

    if (is_worth(w, MARKER_NS) && vendor.clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker) == CL_SUCCESS &&
        marker) {
        if (cw_run_fault_asks_now(CW_RUN_FAULT_BRISK))
            return vendor.clReleaseEvent(marker);
        sleep_on(w, begin_ns, 1, &marker);
        vendor.clReleaseEvent(marker);
    }
    err = vendor.clFinish(queue);
    note(w, begin_ns, err);
    return err;
}

/* ---- reads and maps */

/* A transfer that the program wants to block. */
struct transfer {
    uint64_t begin_ns;
    cl_event own, *event; /* event: what the vendor gets: the program's place, or `own` */
    bool quiet;           /* it is enqueued as one that does not block */
};

static cl_bool transfer_begin(struct transfer *t, cl_bool blocking, cl_event *event)
{
    *t = (struct transfer){.event = event};
    if (!blocking)
        return CL_FALSE;
    t->begin_ns = cw_now_ns();
    t->quiet = is_worth(&waits[TRANSFERS], MARKER_NS);
    if (t->quiet && !event)
        t->event = &t->own;
    return t->quiet ? CL_FALSE : CL_TRUE;
}

/* The vendor has taken the transfer, or has not, with `err`. Returns that, or the end of the transfer. */
static cl_int transfer_end(struct transfer *t, cl_int err)
{
    cl_int status = CL_COMPLETE;

    if (!t->begin_ns)
        return err;
    if (t->quiet && err == CL_SUCCESS) {
        if (!cw_run_fault_asks_now(CW_RUN_FAULT_BRISK)) {
            sleep_on(&waits[TRANSFERS], t->begin_ns, 1, t->event);
            err = vendor.clWaitForEvents(1, t->event);
        }
        if (err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
            vendor.clGetEventInfo(*t->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                  NULL) == CL_SUCCESS &&
            status < 0)
            err = status;
        if (t->own)
            vendor.clReleaseEvent(t->own);
    }
    note(&waits[TRANSFERS], t->begin_ns, err);
    return err;
}

#define READ(name, params, args)                                                                             \
    static cl_int quiet_##name(cl_command_queue queue, cl_mem memory, cl_bool blocking, CW_UNPAREN params,   \
                               cl_uint waits_n, const cl_event *list, cl_event *event)                       \
    {                                                                                                        \
        struct transfer t;                                                                                   \
        blocking = transfer_begin(&t, blocking, event);                                                      \
        return transfer_end(&t,                                                                              \
                            vendor.name(queue, memory, blocking, CW_UNPAREN args, waits_n, list, t.event));  \
    }
READ(clEnqueueReadBuffer, (size_t offset, size_t bytes, void *to), (offset, bytes, to))
READ(clEnqueueReadBufferRect,
     (const size_t *origin, const size_t *host, const size_t *region, size_t row, size_t slice,
      size_t host_row, size_t host_slice, void *to),
     (origin, host, region, row, slice, host_row, host_slice, to))
READ(clEnqueueReadImage, (const size_t *origin, const size_t *region, size_t row, size_t slice, void *to),
     (origin, region, row, slice, to))

#define MAP(name, params, args)                                                                              \
    static void *quiet_##name(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags,   \
                              CW_UNPAREN params, cl_uint waits_n, const cl_event *list, cl_event *event,     \
                              cl_int *errcode_ret)                                                           \
    {                                                                                                        \
        cl_int err = CL_SUCCESS;                                                                             \
        struct transfer t;                                                                                   \
        blocking = transfer_begin(&t, blocking, event);                                                      \
        void *at =                                                                                           \
            vendor.name(queue, memory, blocking, flags, CW_UNPAREN args, waits_n, list, t.event, &err);      \
        err = transfer_end(&t, err);                                                                         \
        if (errcode_ret)                                                                                     \
            *errcode_ret = err;                                                                              \
        return err == CL_SUCCESS ? at : NULL;                                                                \
    }
MAP(clEnqueueMapBuffer, (size_t offset, size_t bytes), (offset, bytes))
MAP(clEnqueueMapImage, (const size_t *origin, const size_t *region, size_t *row, size_t *slice),
    (origin, region, row, slice))

void cw_run_quiet_wait_start(const struct cw_options *options)
{
    always = !strcmp(options->wait, "force");
    if (!always && strcmp(options->wait, "quiet"))
        return;
    vendor = cw_next;
    cw_next.clFinish = quiet_finish;
    cw_next.clWaitForEvents = quiet_events;
#define QUIET(name) cw_next.name = quiet_##name;
    QUIET(clEnqueueReadBuffer)
    QUIET(clEnqueueReadBufferRect)
    QUIET(clEnqueueReadImage)
    QUIET(clEnqueueMapBuffer)
    QUIET(clEnqueueMapImage)
}
