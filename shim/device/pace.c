/* pace.c - see pace.h. */
#include "pace.h"
#include "../door/lock_order.h"

#include <pthread.h>

#include "../../analyzer/record/command_facts.h"
#include "dsp_clock.h"
#include "../../sched/whole.h"

enum { EVENTS = 8 }; /* of one launch that are kept */

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
CW_LOCK_RANK(&one, PACE)

/* The commands of the launch that computes now; `one` is held. */
static struct {
    cl_event event[EVENTS];
    unsigned n; /* above EVENTS: some are not kept */
} now;

static __thread bool computes __attribute__((tls_model("initial-exec"))); /* this thread holds `one` */

/* Of the thread alone, where the launch runs in it: others of the process copy and plan meanwhile. */
static uint64_t processor_ns(const struct cw_cl_device *s)
{
    return cw_dsp_read_clock(cw_device_has(s, CW_VENDOR_IN_CALL) ? CLOCK_THREAD_CPUTIME_ID
                                                                 : CLOCK_PROCESS_CPUTIME_ID);
}

void cw_pace_begin(const struct cw_cl_device *s, struct cw_pace *p)
{
    p->begin_ns = cw_dsp_read_clock(CLOCK_MONOTONIC);
    pthread_mutex_lock(&one);
    now.n = 0;
    computes = true;
    p->wall_ns = cw_dsp_read_clock(CLOCK_MONOTONIC);
    p->processor_ns = processor_ns(s);
}

bool cw_pace_computes(void)
{
    return computes;
}

void cw_pace_add(cl_event event)
{
    if (now.n < EVENTS)
        now.event[now.n] = event;
    else
        cw_next.clReleaseEvent(event);
    now.n++;
}

/* From START to END. False: not known. */
static bool ran_for(cl_event event, double *ns)
{
    uint64_t at[4] = {0};

    if (cw_next.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof at[2], &at[2], NULL) !=
            CL_SUCCESS ||
        cw_next.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof at[3], &at[3], NULL) !=
            CL_SUCCESS ||
        !cw_event_times_are_possible(at))
        return false;
    *ns += (double)(at[3] - at[2]);
    return true;
}

/* Time that the device's commands ran, of `wall_ns` since the launch began to compute. All, where that is not
 * known. */
static double device_ns(double wall_ns)
{
    bool known = now.n && now.n <= EVENTS;
    double ns = 0;

    for (unsigned i = 0; i < now.n && i < EVENTS; i++) {
        known = ran_for(now.event[i], &ns) && known;
        cw_next.clReleaseEvent(now.event[i]);
    }
    return known && ns < wall_ns ? ns : wall_ns;
}

void cw_pace_end(const struct cw_cl_device *s, const struct cw_pace *p)
{
    double processor = (double)(processor_ns(s) - p->processor_ns);
    double wall = (double)(cw_dsp_read_clock(CLOCK_MONOTONIC) - p->wall_ns), device = device_ns(wall);
    double most = device * s->compute_units;

    computes = false;
    pthread_mutex_unlock(&one);
    cw_dsp_wait_asleep(
        cw_whole_later(p->begin_ns, wall - device + s->pace * (processor < most ? processor : most)));
}

void cw_pace_after_fork(void)
{
    computes = false;
    pthread_mutex_init(&one, NULL);
}
