/* gain.c - see tuning/tuning.h. */
#include "tuning.h"

#include <stdio.h>

#include "../../../sched/whole.h"
#include "../core/clock.h"
#include "../core/global_lock.h"
#include "../memory/spread.h"
#include "../core/state.h"

struct total {
    double home_ns, error_ns, took_ns;
    uint64_t windows; /* planned ones */
};

static struct {
    struct total now;  /* the open span's; took_ns not yet */
    uint64_t since_ns; /* it is open; 0: none is */
    uint32_t left;     /* commands of it that are not over */
    bool spoilt;
    struct total known;
    uint64_t unknown;            /* planned windows in spans that are not judged */
    uint64_t gained, lost, same; /* spans: by more than the error */
    /* on the virtual clock: the time of planned windows, each moment counted once, and its end so far */
    struct makespan {
        double ns;
        uint64_t until_ns;
    } planned, reached;
    uint64_t plans; /* there */
} gain;

static void extend(struct makespan *m, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns < m->until_ns)
        from_ns = m->until_ns;
    if (from_ns >= to_ns)
        return;
    m->ns += (double)(to_ns - from_ns);
    m->until_ns = to_ns;
}

/* A window on the virtual clock. */
static void follow_plan(const struct cw_run_gain_window *w)
{
    uint64_t now = cw_run_clock_devices_ns();

    if (!(w->plan_ns > 0))
        return;
    gain.plans++;
    extend(&gain.planned, now, cw_whole_later(now, w->plan_ns));
    if (gain.reached.until_ns < now)
        gain.reached.until_ns = now;
    for (struct cw_run_task *t = w->first; t; t = t->links.window)
        t->gauged = true;
}

/* Transfers are not measured: a transfer may take any time up to twice its expected time. */
void cw_run_gain_expect(struct cw_run_gain_window *g, struct cw_run_task *const *task, uint32_t count,
                        const struct cw_run_gain_prices *prices)
{
    *g = (struct cw_run_gain_window){.first = task[0], .known = true};
    for (uint32_t i = 0; i < count; i++) {
        size_t at = (size_t)i * prices->workers + prices->home[i];
        double cost = prices->cost_ns[at], error = prices->error_ns[at];
        bool measured = task[i]->work == CW_RUN_LAUNCH;

        g->home_ns += cost;
        g->error_ns += measured ? error : cost;
        g->known &= prices->trial[i] == CW_SCHED_NONE && prices->home[i] == prices->home[0] &&
                    (!measured || error <= CW_RUN_GAIN_HALF_KNOWN * cost);
    }
}

/* Commands that the window waits for are under way: the program's earlier windows, or native ones. */
static bool waits_for_others(const struct cw_run_gain_window *w)
{
    bool waits = cw_run.running > 0;

    for (const struct cw_run_task *t = w->first; t && !waits; t = t->links.window)
        waits = t->queue && (t->queue->join || t->queue->native_given != t->queue->native_known);
    return waits;
}

void cw_run_gain_window(const struct cw_run_gain_window *w)
{
    if (cw_device_clock_is_virtual()) {
        follow_plan(w);
        return;
    }
    if (!w->acted && !gain.since_ns)
        return;
    if (!gain.since_ns) {
        gain.since_ns = cw_run_global_lock_now_ns();
        gain.now = (struct total){0};
        gain.spoilt = waits_for_others(w);
    }
    for (struct cw_run_task *t = w->first; t; t = t->links.window) {
        t->gauged = !cw_run_spread_read_is(t); /* which is not priced: a vendor's takes as long */
        gain.left += t->gauged;
    }
    gain.spoilt |= !w->known;
    gain.now.home_ns += w->home_ns;
    gain.now.error_ns += w->error_ns;
    gain.now.windows += w->acted;
}

void cw_run_gain_spoilt(void)
{
    gain.spoilt = true;
}

static void judge(double took_ns)
{
    double gained = gain.now.home_ns - took_ns;

    if (gain.spoilt) {
        gain.unknown += gain.now.windows;
        return;
    }
    gain.known.home_ns += gain.now.home_ns;
    gain.known.error_ns += gain.now.error_ns;
    gain.known.took_ns += took_ns;
    gain.known.windows += gain.now.windows;
    gain.gained += gained > gain.now.error_ns;
    gain.lost += gained < -gain.now.error_ns;
    gain.same += gained <= gain.now.error_ns && gained >= -gain.now.error_ns;
}

void cw_run_gain_done(const struct cw_run_task *t)
{
    if (cw_device_clock_is_virtual()) {
        extend(&gain.reached, 0, cw_run_clock_of_devices(t->time.at[3]));
        return;
    }
    if (--gain.left)
        return;
    judge((double)(cw_run_global_lock_now_ns() - gain.since_ns));
    gain.since_ns = 0;
}

int cw_run_gain_describe(char *text, unsigned size)
{
    const struct total *k = &gain.known;
    int used;

    if (gain.plans)
        return snprintf(
            text, size,
            "run: planned makespan %.3f ms, reached %.3f ms on the virtual clock (policy %s, %llu windows)\n",
            gain.planned.ns / 1e6, gain.reached.ns / 1e6, cw_run_perf_model_policy(),
            (unsigned long long)gain.plans);
    if (!k->windows && !gain.unknown)
        return 0;
    if (!k->windows)
        return snprintf(
            text, size,
            "run: measured gain unknown: of none of %llu planned windows it is known what home takes\n",
            (unsigned long long)gain.unknown);
    used = snprintf(
        text, size,
        "run: measured: %llu planned windows took %.3f ms, home would have taken %.3f +- %.3f ms by history; "
        "of %llu spans %llu gained, %llu lost, %llu differ by less than the error",
        (unsigned long long)k->windows, k->took_ns / 1e6, k->home_ns / 1e6, k->error_ns / 1e6,
        (unsigned long long)(gain.gained + gain.lost + gain.same), (unsigned long long)gain.gained,
        (unsigned long long)gain.lost, (unsigned long long)gain.same);
    if (gain.unknown)
        used += snprintf(text + used, size - (unsigned)used,
                         "; %llu windows not judged: home's time, or what ran beside them, is not known",
                         (unsigned long long)gain.unknown);
    return used + snprintf(text + used, size - (unsigned)used, "\n");
}
