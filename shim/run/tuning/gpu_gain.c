/* gpu_gain.c - see tuning/tuning.h. */
#include "tuning.h"

#include <math.h>

#include "../core/clock.h"
#include "../core/state.h"

static struct {
    double all_ns; /* gained in this run */
    struct cw_run_trial_account cuts;
    struct cw_run_trial rest;
} gain;

enum { KINDS = 32, FIRST_PROBE = 3, LATER_PROBE = 16 };

/* Spans of as many commands and work-items. */
struct kind {
    uint64_t commands;
    double items;
    double whole_ns; /* the least of late without other GPUs; 0: none yet */
    uint32_t helped; /* spans with them */
    uint32_t odd;    /* of these, those in which cut launches by themselves gain little or nothing */
};

static struct {
    struct kind kind[KINDS];
    uint64_t moved; /* launches on other GPUs until the last wait */
    struct cw_run_trial_account all;
    double gained_ns; /* by cut launches themselves, since the last wait */
    double items;     /* of all launches since then */
    uint32_t probe;   /* spans to come in which launches stay whole, to know what they take */
    bool harms;
} spans;

/* True: more is lost by now than may be. */
static bool book(struct cw_run_trial_account *a, double ns)
{
    return cw_run_trial_book(a, ns) && !cw_run.all && !cw_run.chaos;
}

static void add(double ns)
{
    gain.all_ns += ns;
    if (cw_run_gpu_gain_rests())
        return;
    if (book(&gain.cuts, ns)) {
        cw_run_trial_rest(&gain.rest, CW_RUN_REST_CODE, cw_run_clock_devices_ns(), 1);
        if (cw_run_trial_fails(&gain.rest))
            gain.rest.until = UINT64_MAX;
        gain.cuts.gained_ns = 0;
    } else if (gain.cuts.gained_ns >= cw_run_trial_limit(&gain.cuts)) {
        gain.rest = (struct cw_run_trial){0};
    }
}

void cw_run_gpu_gain_cut(double home_ns, double took_ns)
{
    spans.gained_ns +=
        home_ns > 0 ? home_ns - took_ns : took_ns; /* not known: as if home took twice as long */
    if (!(home_ns > 0))
        return;
    gain.cuts.home_ns += home_ns;
    add(home_ns - took_ns);
}

void cw_run_gpu_gain_waited(double ns)
{
    add(-ns);
}

/* How long such spans take without other GPUs is not known: one is tried, soon where cut launches by
 * themselves gain little of its time, which is what a trial costs, else where that is little of all. */
static void wonder(struct kind *k, double ns)
{
    k->odd += spans.gained_ns < ns / 4;
    if (k->helped == FIRST_PROBE ? k->odd >= FIRST_PROBE - 1 : k->helped == LATER_PROBE * cw_run.num_workers)
        spans.probe = 2;
}

/* A span with other GPUs. The first ones have the making of code and buffers in them. */
static void compare(struct kind *k, double ns)
{
    k->helped++;
    if (!(k->whole_ns > 0)) {
        wonder(k, ns);
        return;
    }
    if (k->helped <= CW_RUN_SHARE_COMPILED)
        return;
    spans.all.home_ns += k->whole_ns;
    spans.harms |= book(&spans.all, k->whole_ns - ns);
}

void cw_run_gpu_gain_launch(double items)
{
    spans.items += items;
}

void cw_run_gpu_gain_span(double ns, uint64_t commands)
{
    struct kind *k = &spans.kind[(commands + (uint64_t)fmod(spans.items, 8191)) % KINDS];
    uint64_t moved = cw_run.counts.cut + cw_run.counts.moved;

    spans.probe -= spans.probe > 0;
    if (k->commands != commands || k->items != spans.items)
        *k = (struct kind){.commands = commands, .items = spans.items};
    if (moved != spans.moved)
        compare(k, ns);
    else
        k->whole_ns = cw_run_trial_least(k->whole_ns, ns);
    spans.moved = moved;
    spans.gained_ns = spans.items = 0;
}

bool cw_run_gpu_gain_harms(void)
{
    return spans.harms;
}

bool cw_run_gpu_gain_rests(void)
{
    return spans.harms || spans.probe || (gain.rest.until && cw_run_clock_devices_ns() < gain.rest.until);
}

double cw_run_gpu_gain_all(void)
{
    return gain.all_ns;
}
