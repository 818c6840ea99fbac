#include "device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../analyzer/settings/options.h"
#include "device_board.h"
#include "device_env.h"
#include "dsp_clock.h"
#include "dsp_native.h"
#include "pace.h"
#include "../door/log.h"
#include "../../sched/whole.h"

/* Measured with PoCL 3.1 on 2 and 64 processors. */
#define BASIC_NS               4e5
#define BASIC_NS_PER_PROCESSOR 3e5

cw_device_ops *cw_device_count_operations;

bool cw_device_start(const struct cw_options *options)
{
    struct cw_dsp_settings settings = {.platform = options->dsp_platform,
                                       .virtual_clock = !strcmp(options->dsp_clock, "virtual"),
                                       .preload_poststore = options->preload_poststore,
                                       .faults = options->dsp_fault};
    struct cw_device_list list;
    struct cw_error err = {0};

    if (cw_device_list_parse(options->devices, &list, &err)) {
        cw_log_error("%s; passing every call through unchanged", err.text);
        return false;
    }
    if (options->dsp < 0 || options->dsp > CW_HELPERS_MAX) {
        cw_log_error("CLWEAVE_DSP is %d: from 0 to %d are possible; passing every call through unchanged",
                     options->dsp, CW_HELPERS_MAX);
        return false;
    }
    cw_device_far = !strcmp(options->staging, "force");
    settings.n = (unsigned)options->dsp;
    if (options->dsp > 0 && !cw_dsp_board_start(&settings, &err)) {
        cw_log_error("emulated DSPs: %s; passing every call through unchanged", err.text);
        return false;
    }
    cw_board_dsps_wanted = (unsigned)options->dsp;
    cw_context_devices_configure(&list);
    cw_dsp_native_start();
    return true;
}

/* For each device PoCL reads the machine's topology anew, some files per processor. */
static double helper_start_ns(void)
{
    return BASIC_NS + BASIC_NS_PER_PROCESSOR * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

void cw_device_afford_helpers(double ns)
{
    if (ns > 0)
        cw_device_env_limit(cw_board_dsps_wanted + (unsigned)fmin(ns / helper_start_ns(), CW_HELPERS_MAX));
    else
        cw_device_env_forget();
}

uint64_t cw_device_now_ns(void)
{
    return cw_dsp_now_ns();
}

void cw_device_reached(uint64_t ns)
{
    cw_dsp_reached(ns);
}

bool cw_device_clock_is_virtual(void)
{
    return cw_dsp_clock_is_virtual();
}

int64_t cw_device_profiling_offset_ns(void)
{
    return cw_dsp_profiling_offset_ns();
}

double cw_device_cost_ns(const struct cw_cl_device *s, const struct cw_work *work)
{
    return s->dsp ? cw_dsp_cost_ns(s->dsp, work) : s->home ? cw_dsp_host_cost_ns(work) : NAN;
}

double cw_device_set_up_ns(cl_device_id device)
{
    const struct cw_work nothing = {.kernel = ""};
    int dsp = cw_device_board_dsp(device);

    return dsp >= 0 ? cw_dsp_cost_ns(cw_dsp_at((unsigned)dsp), &nothing) : cw_dsp_host_cost_ns(&nothing);
}

/* Of a device that is no DSP: the measured time counts or, on the virtual clock, the platform's time of
 * the CPU. */
static void begin_elsewhere(const struct cw_cl_device *s, const struct cw_work *work, uint64_t ready_ns,
                            struct cw_hold *h)
{
    uint64_t now = cw_dsp_now_ns();
    double cost = cw_device_cost_ns(s, work);

    *h = (struct cw_hold){
        .work = *work, .real_ns = cw_dsp_read_clock(CLOCK_MONOTONIC), .cost_ns = isnan(cost) ? 0 : cost};
    h->submit_ns = h->start_ns = cw_dsp_clock_is_virtual() && ready_ns > now ? ready_ns : now;
}

static void end_elsewhere(struct cw_hold *h)
{
    h->end_ns = h->cost_ns > 0 ? cw_whole_later(h->start_ns, h->cost_ns)
                               : h->start_ns + (cw_dsp_read_clock(CLOCK_MONOTONIC) - h->real_ns);
}

bool cw_device_begin(const struct cw_cl_device *s, const struct cw_work *work, uint64_t ready_ns,
                     struct cw_hold *h)
{
    if (s->dsp)
        cw_dsp_begin(s->dsp, work, ready_ns, h);
    else
        begin_elsewhere(s, work, ready_ns, h);
    return !h->failed;
}

bool cw_device_by_operations(void)
{
    return cw_dsp_by_operations();
}

void cw_device_end(const struct cw_cl_device *s, struct cw_hold *h)
{
    if (s->dsp)
        cw_dsp_end(s->dsp, h);
    else
        end_elsewhere(h);
}

void cw_device_native_seen(cl_event event)
{
    cw_dsp_native_seen(event);
}

uint64_t cw_device_native_end_ns(cl_command_queue queue)
{
    if (!cw_dsp_clock_is_virtual())
        return 0;
    cw_dsp_native_host_settle();
    return cw_dsp_native_host_end_ns(queue);
}

void cw_device_shown(const struct cw_cl_device *home, uint64_t end_ns)
{
    if (!cw_dsp_clock_is_virtual())
        return;
    if (home->dsp)
        cw_dsp_shown(home->dsp, end_ns);
    else
        cw_dsp_native_host_shown(end_ns);
}

bool cw_device_stop(const struct cw_cl_device *s)
{
    return s->dsp && cw_dsp_stop(s->dsp);
}

bool cw_device_describe(char *text, size_t size)
{
    return cw_dsp_describe(text, size);
}

void cw_device_warn(void)
{
    char text[512];

    if (cw_dsp_overran() && cw_dsp_describe(text, sizeof text))
        cw_log_warning("%s", text);
}

void cw_device_after_fork(void)
{
    cw_device_board_after_fork();
    cw_context_devices_after_fork();
    cw_dsp_after_fork();
    cw_pace_after_fork();
    cw_dsp_native_after_fork();
}
