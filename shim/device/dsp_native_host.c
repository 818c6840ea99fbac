/* dsp_native_host.c - under the virtual clock: native commands on devices that are no DSP, and those on DSPs
 * that wait.
 *
 * A command takes the time that the platform gives for its CPU, else that of the vendor's profiling, else
 * that of its call. It starts when the commands before it, and those that run mode has run for queues of such
 * devices, have ended. The vendor tells only when asked that one has ended: its times are placed when a later
 * command begins or the program asks, in the order of the commands. */
#include "dsp_native.h"
#include "../door/lock_order.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../analyzer/io/array.h"
#include "../../sched/whole.h"
#include "../door/registry.h"
#include "dsp_clock.h"

struct pending {
    struct cw_dsp_native_times t; /* of its event there is a reference here */
    uint64_t ready_ns;            /* when those of its wait list that are known had ended */
    double cost_ns;               /* by the platform; NAN: it says nothing */
    bool waits;                   /* others may have to end first whose times are not known here */
    bool over;
};

/* No callback takes this lock, so the vendor may be called under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&lock, NATIVES)
static struct pending *list; /* in the order of the commands */
static size_t count, capacity;
static _Atomic uint64_t natives_end; /* the latest end of such a command on a device that is no DSP */
static _Atomic uint64_t host_shown;  /* the same of commands that run mode has run for such queues */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Records of the latest ends of native commands, by queue; two threads may make one each of a queue. */
enum { ENDS = CW_REGISTRY_DEVICE + 1 };
typedef _Atomic uint64_t latest_end;

void cw_dsp_native_host_ended(cl_command_queue queue, uint64_t end_ns)
{
    struct cw_registry_entry *stale, *e;

    if (!cw_dsp_clock_is_virtual())
        return;
    e = cw_registry_entry(queue, ENDS);
    if (!e && (e = cw_registry_claim(queue, ENDS, sizeof(latest_end), &stale)))
        cw_registry_publish(e, ENDS, cw_registry_record(e));
    if (e)
        cw_dsp_raise(cw_registry_record(e), end_ns);
}

uint64_t cw_dsp_native_host_end_ns(cl_command_queue queue)
{
    uint64_t latest = 0;

    for (struct cw_registry_entry *e = NULL; (e = cw_registry_next(ENDS, e));)
        if (!queue || cw_registry_handle(e) == queue)
            latest = later(latest, atomic_load((latest_end *)cw_registry_record(e)));
    return latest;
}

static uint64_t profiled_ns(cl_event event)
{
    cl_ulong start, end;

    if (cw_next.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) !=
            CL_SUCCESS ||
        cw_next.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS)
        return 1;
    return end > start ? end - start : 1; /* programs divide by it */
}

static void place_on_dsp(struct pending *p)
{
    struct cw_hold h;

    cw_dsp_begin(p->t.dsp, &p->t.work, later(p->ready_ns, cw_dsp_shown_ns(p->t.dsp)), &h);
    p->t.submit_ns = h.submit_ns;
    p->t.start_ns = h.start_ns;
    p->t.end_ns = h.end_ns ? h.end_ns : h.start_ns;
    cw_dsp_native_host_ended(p->t.queue, p->t.end_ns);
}

/* took_ns: the time where the platform gives none. */
static void place(struct pending *p, uint64_t took_ns)
{
    uint64_t start = later(later(p->t.queued_ns, p->ready_ns), later(natives_end, host_shown));

    if (p->waits)
        start = later(start, cw_dsp_latest_end_ns());
    p->t.submit_ns = p->t.start_ns = start;
    p->t.end_ns = isnan(p->cost_ns) ? start + took_ns : cw_whole_later(start, p->cost_ns);
    cw_dsp_raise(&natives_end, p->t.end_ns);
    cw_dsp_native_host_ended(p->t.queue, p->t.end_ns);
}

/* The newest first: where one of an in-order queue is over, those before it are. The lock is held. */
static void look(void)
{
    for (size_t i = count; i-- > 0;)
        list[i].over = cw_query_status(list[i].t.event) <= CL_COMPLETE;
}

void cw_dsp_native_host_settle(void)
{
    size_t left = 0;

    if (!cw_dsp_clock_is_virtual())
        return;
    pthread_mutex_lock(&lock);
    look();
    for (size_t i = 0; i < count; i++) {
        struct pending *p = &list[i];

        if (!p->over) {
            list[left++] = *p;
            continue;
        }
        if (p->t.dsp)
            place_on_dsp(p);
        else
            place(p, profiled_ns(p->t.event));
        p->t.pending = false;
        cw_dsp_native_replace(&p->t); /* unless the program has released it */
        cw_next.clReleaseEvent(p->t.event);
    }
    count = left;
    pthread_mutex_unlock(&lock);
}

/* Takes a reference to the event. False: memory is out. The lock is held. */
static bool push(const struct pending *p)
{
    if (!cw_array_reserve(&list, &capacity, count, 1, sizeof *list))
        return false;
    if (cw_next.clRetainEvent(p->t.event) != CL_SUCCESS)
        return false;
    if (!cw_dsp_native_remember(&p->t)) {
        cw_next.clReleaseEvent(p->t.event);
        return false;
    }
    list[count++] = *p;
    return true;
}

void cw_dsp_native_host_add(const struct cw_native_span *s, const struct cw_work *work, const cl_event *event,
                            bool blocking)
{
    struct pending p = {.t = {.queue = s->queue,
                              .queued_ns = s->queued_ns,
                              .offset_ns = cw_device_profiling_offset_ns(),
                              .dsp = s->dsp,
                              .work = *work,
                              .pending = true},
                        .ready_ns = s->ready_ns,
                        .cost_ns = cw_dsp_host_cost_ns(work),
                        .waits = s->waits};
    bool stored = false;

    p.t.work.kernel = work->kernel ? "" : NULL; /* the name is gone by then: the device's own rule */
    p.t.work.ops = NULL;
    pthread_mutex_lock(&lock);
    if (event) {
        p.t.event = *event;
        stored = push(&p);
    }
    if (!stored && !p.t.dsp)
        place(&p, blocking ? cw_dsp_read_clock(CLOCK_MONOTONIC) - s->real_ns : 1);
    pthread_mutex_unlock(&lock);
    if (!blocking)
        return;
    cw_dsp_native_host_settle();
    cw_dsp_reached(cw_dsp_native_host_end_ns(s->queue));
}

void cw_dsp_native_host_shown(uint64_t end_ns)
{
    cw_dsp_raise(&host_shown, end_ns);
}

void cw_dsp_native_host_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    count = 0; /* the parent's */
}
