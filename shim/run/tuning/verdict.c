/* verdict.c - see tuning/tuning.h. */
#include "tuning.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "../../../analyzer/io/folders.h"
#include "../core/context_device.h"
#include "../core/state.h"
#include "../staging/staging_count.h"

#define CLEAR 1.1 /* a ratio that noise does not make */

/* The reason for which most commands were native, where these are nearly all; CW_RUN_REASON_COUNT: none. */
static int main_reason(uint64_t *most, uint64_t *all)
{
    int reason = CW_RUN_REASON_COUNT;

    *most = 0;
    *all = cw_run.counts.managed;
    for (int i = 0; i < CW_RUN_REASON_COUNT; i++) {
        uint64_t n = cw_run_reasons_count((enum cw_run_reason)i);
        *all += n;
        if (n > *most) {
            *most = n;
            reason = i;
        }
    }
    return reason;
}

static const char *obstacle(int reason)
{
    switch (reason) {
    case CW_RUN_R_DEVICE:
        return "devices of this vendor are not managed yet";
    case CW_RUN_R_KIND:
        return "commands on shared memory, native kernels and extensions are not managed yet";
    case CW_RUN_R_ARGUMENT:
        return "kernels that take pipes, shared memory or pointers to it are not managed yet";
    case CW_RUN_R_MEMORY:
        return "its images are of a kind that is not managed yet";
    case CW_RUN_R_SOURCE:
        return "its kernels have no readable source, or side effects";
    case CW_RUN_R_BINARY:
        return "its kernels come from binaries that cannot be read";
    case CW_RUN_R_GATED:
        return "its commands wait for events that the program sets itself";
    default:
        return NULL;
    }
}

/* Nearly all commands are native, for that reason. */
static int say_obstacle(char *text, unsigned size, int reason, uint64_t most, uint64_t all)
{
    char cache[PATH_MAX];
    bool stale = reason == CW_RUN_R_BINARY && cw_program_cache_of(program_invocation_short_name, cache);

    return snprintf(text, size, "clweave: nothing to do: %s (%llu of %llu commands)%s%.300s%s\n",
                    obstacle(reason), (unsigned long long)most, (unsigned long long)all,
                    stale ? ": delete " : "", stale ? cache : "",
                    stale ? ", the program's own cache, and run it again" : "");
}

/* "1st", "2nd" ... */
static const char *ordinal(uint64_t n)
{
    return n % 100 / 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

static int say_end(char *text, unsigned size, const struct cw_run_course *c)
{
    const struct cw_run_counts *n = &cw_run.counts;
    int used =
        snprintf(text, size, " of OpenCL work; of %llu kernels %llu ran on helpers, %llu were cut",
                 (unsigned long long)n->launches, (unsigned long long)n->moved, (unsigned long long)n->cut);

    if (c->run)
        used += snprintf(text + used, size - (unsigned)used, "; %llu%s run", (unsigned long long)c->run,
                         ordinal(c->run));
    return used + snprintf(text + used, size - (unsigned)used, "%s)\n",
                           cw_run_context_device_refused()
                               ? "; other GPUs are in use, or not known to be idle"
                           : c->given_up ? "; helpers stopped midway"
                           : c->waits    ? "; more will be ready next time"
                                         : "");
}

/* By the quickest of several runs with helpers and without, as one run may have been disturbed. */
static int say_measured(char *text, unsigned size, const struct cw_run_course *c)
{
    double ratio = c->bare_ns / c->usual_ns;
    int used = ratio > CLEAR ? snprintf(text, size, "clweave: %.1fx measured", ratio)
                             : snprintf(text, size, "clweave: no gain measured");

    used += snprintf(text + used, size - (unsigned)used, " (%.0f -> %.0f ms", c->bare_ns / 1e6,
                     c->usual_ns / 1e6);
    return used + say_end(text + used, size - (unsigned)used, c);
}

/* What the run would have taken bare: measured, else by launches at home, or by what GPUs have saved. Where
 * nothing ran otherwise than bare, launches at home show nothing. 0: not known. */
static double bare_ns(const struct cw_run_course *c, bool grouped)
{
    const struct cw_run_counts *n = &cw_run.counts;

    if (c->measured)
        return c->bare_ns;
    if (cw_run_gpu_gain_all() > 0)
        return fmin(c->work_ns + cw_run_gpu_gain_all(), c->work_ns * cw_run.num_workers);
    return n->moved || n->cut || n->reordered || grouped ? c->bare_ns : 0;
}

static int say_expected(char *text, unsigned size, const struct cw_run_course *c, bool grouped)
{
    double bare = bare_ns(c, grouped), ratio = bare / c->work_ns;
    int used = c->measured ? snprintf(text, size, "clweave: trying helpers (bare %.0f ms, this run %.0f ms",
                                      bare / 1e6, c->work_ns / 1e6)
               : ratio > CLEAR
                   ? snprintf(text, size, "clweave: %.1fx expected (%.0f -> %.0f ms", ratio, bare / 1e6,
                              c->work_ns / 1e6)
                   : snprintf(text, size, "clweave: gain not known yet (this run %.0f ms", c->work_ns / 1e6);

    return used + say_end(text + used, size - (unsigned)used, c);
}

int cw_run_verdict_describe(char *text, unsigned size, bool grouped)
{
    struct cw_run_course c = cw_run_activation_course();
    uint64_t most, all;
    int reason = main_reason(&most, &all);
    double ms = c.work_ns / 1e6;
    char staging[160];

    if (!all)
        return 0;
    if (c.limited)
        return snprintf(text, size,
                        "clweave: nothing done: memory or processor time is limited (ulimit -v, -d, -t)\n");
    if (!cw_run.counts.managed && cw_run_staging_count_verdict(staging, sizeof staging))
        return snprintf(text, size, "clweave: %s\n", staging);
    if (obstacle(reason) && 2 * most >= all)
        return say_obstacle(text, size, reason, most, all);
    if (c.begun && !cw_run.counts.launches && reason == CW_RUN_R_LONG)
        return snprintf(text, size,
                        "clweave: no gain expected: each kernel keeps the device busy (%.0f ms of OpenCL "
                        "work)\n",
                        ms);
    if (c.held)
        return snprintf(text, size,
                        "clweave: this run showed the time without helpers, %.0f ms of OpenCL work; they are "
                        "back next time\n",
                        ms);
    if (c.begun && c.usual_ns > 0 && c.measured)
        return say_measured(text, size, &c);
    if (c.begun && c.work_ns > 0)
        return say_expected(text, size, &c, grouped);
    if (c.lost)
        return snprintf(text, size,
                        "clweave: no gain: earlier runs were slower with helpers (%.0f ms of OpenCL work)\n",
                        ms);
    if (c.short_)
        return snprintf(text, size, "clweave: no gain expected: only %.1f ms of OpenCL work\n", ms);
    return snprintf(text, size,
                    "clweave: watched this run, %.1f ms of OpenCL work; helpers may be ready next time\n",
                    ms);
}
