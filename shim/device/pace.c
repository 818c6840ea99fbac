/* pace.c - see pace.h. */
#include "pace.h"

#include <pthread.h>

#include "dsp_clock.h"
#include "dsp_wait.h"
#include "../../sched/whole.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

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
    p->wall_ns = cw_dsp_read_clock(CLOCK_MONOTONIC);
    p->processor_ns = processor_ns(s);
}

void cw_pace_end(const struct cw_cl_device *s, const struct cw_pace *p)
{
    double most = (double)(cw_dsp_read_clock(CLOCK_MONOTONIC) - p->wall_ns) * s->compute_units;
    double ns = (double)(processor_ns(s) - p->processor_ns);

    pthread_mutex_unlock(&one);
    cw_dsp_wait_asleep(cw_whole_later(p->begin_ns, s->pace * (ns < most ? ns : most)));
}

void cw_pace_after_fork(void)
{
    pthread_mutex_init(&one, NULL);
}
