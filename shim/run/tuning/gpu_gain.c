/* gpu_gain.c - see tuning/gpu_gain.h. */
#include "gpu_gain.h"

#include <math.h>
#include <stdint.h>

#include "../../../sched/whole.h"
#include "../core/backoff.h"
#include "../core/clock.h"
#include "../core/state.h"
#include "../core/thresholds.h"

static struct {
    double all_ns, home_ns; /* gained in this run; of the cut launches, at home */
    double account_ns;      /* gained since the last rest; gains far above the limit are forgotten */
    double rest_ns;         /* how long the last rest was; 0: there was none */
    uint64_t rests_until_ns;
    bool ends; /* launches stay whole for good */
} gain;

/* So much may be lost. */
static double limit_ns(void)
{
    return CW_RUN_GPU_GAIN_LOSS_NS + CW_RUN_GPU_GAIN_LOSS * gain.home_ns;
}

static void add(double ns)
{
    gain.all_ns += ns;
    if (cw_run_gpu_gain_rests())
        return;
    gain.account_ns = fmin(gain.account_ns + ns, CW_RUN_GPU_GAIN_KEPT * limit_ns());
    if (gain.account_ns >= limit_ns())
        gain.rest_ns = 0;
    if (gain.account_ns >= -limit_ns() || cw_run.all || cw_run.chaos)
        return;
    gain.ends = gain.rest_ns >= CW_RUN_GPU_GAIN_REST_MOST_NS;
    gain.rest_ns =
        cw_run_backoff_more(gain.rest_ns, CW_RUN_GPU_GAIN_REST_FIRST_NS, CW_RUN_GPU_GAIN_REST_MOST_NS);
    gain.rests_until_ns = cw_run_clock_devices_ns() + cw_whole_from(gain.rest_ns, INT64_MAX);
    gain.account_ns = 0;
}

void cw_run_gpu_gain_cut(double home_ns, double took_ns)
{
    if (!(home_ns > 0))
        return;
    gain.home_ns += home_ns;
    add(home_ns - took_ns);
}

void cw_run_gpu_gain_waited(double ns)
{
    add(-ns);
}

bool cw_run_gpu_gain_rests(void)
{
    return gain.ends || (gain.rests_until_ns && cw_run_clock_devices_ns() < gain.rests_until_ns);
}

double cw_run_gpu_gain_all(void)
{
    return gain.all_ns;
}
