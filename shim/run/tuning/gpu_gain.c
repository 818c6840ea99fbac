/* gpu_gain.c - see tuning/tuning.h. */
#include "tuning.h"

#include <math.h>

#include "../core/clock.h"
#include "../core/state.h"

static struct {
    double all_ns; /* gained in this run */
    struct cw_run_trial_account account;
    struct cw_run_trial rest;
    bool harms;
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
    uint64_t moved;            /* launches on other GPUs until the last wait */
    double home_ns, booked_ns; /* in the account since the last wait: by cut launches, and waits for bytes */
    double gained_ns;          /* by cut launches themselves, since the last wait */
    double items;              /* of all launches since then */
    uint32_t probe;            /* spans to come in which launches stay whole, to know what they take */
} spans;

/* The first launches and spans are trials, which a user who asks for all of them pays. */
static bool is_paid(uint64_t before)
{
    return before < CW_RUN_SHARE_COMPILED && cw_run_gpu_begin_learns_all();
}

static bool rests(void)
{
    return gain.harms || (gain.rest.until && cw_run_clock_devices_ns() < gain.rest.until);
}

/* Too much is lost. `by_spans`: by whole ones. */
static void stop(bool by_spans)
{
    bool more = cw_run_trial_begins(&gain.account);

    if (rests())
        return;
    cw_run_trial_rest(&gain.rest, CW_RUN_REST_CODE, cw_run_clock_devices_ns(), 1);
    if (cw_run_trial_fails(&gain.rest) || !more)
        gain.rest.until = UINT64_MAX;
    gain.harms |= by_spans;
}

/* Gained beside so much time at home. Returns what the account has taken of it. */
static double book(double home_ns, double ns, bool by_spans)
{
    double before = gain.account.gained_ns;
    bool lost;

    gain.all_ns += ns;
    gain.account.home_ns += home_ns;
    lost = cw_run_trial_book(&gain.account, ns);
    if (lost && !cw_run.all && !cw_run.chaos)
        stop(by_spans);
    else if (gain.account.gained_ns >= cw_run_trial_limit(&gain.account) && gain.rest.until != UINT64_MAX)
        gain.rest = (struct cw_run_trial){0};
    return gain.account.gained_ns - before;
}

static void add(double home_ns, double ns)
{
    spans.home_ns += home_ns;
    spans.booked_ns += book(home_ns, ns, false);
}

void cw_run_gpu_gain_cut(double home_ns, double took_ns, uint64_t before)
{
    spans.gained_ns +=
        home_ns > 0 ? home_ns - took_ns : took_ns; /* not known: as if home took twice as long */
    if (home_ns > 0 && !is_paid(before))
        add(home_ns, home_ns - took_ns);
}

void cw_run_gpu_gain_waited(double ns)
{
    add(0, -ns);
}

void cw_run_gpu_gain_looked(double home_ns, double took_ns)
{
    book(home_ns, fmin(home_ns - took_ns, 0), false);
}

/* How long such spans take without other GPUs is not known: one is tried, soon where cut launches by
 * themselves gain little of its time, which is what a trial costs, else where that is little of all. */
static void wonder(struct kind *k, double ns)
{
    k->odd += spans.gained_ns < ns / 4;
    if (k->helped == FIRST_PROBE ? k->odd >= FIRST_PROBE - 1 : k->helped == LATER_PROBE * cw_run.num_workers)
        spans.probe = 2;
}

/* A span with other GPUs. Where its time without them is known, that stands in the account in place of its
 * cut launches and waits. */
static void compare(struct kind *k, double ns)
{
    k->helped++;
    if (!(k->whole_ns > 0))
        wonder(k, ns);
    else if (!is_paid(k->helped - 1))
        book(k->whole_ns - spans.home_ns, k->whole_ns - ns - spans.booked_ns, true);
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
    spans.home_ns = spans.booked_ns = spans.gained_ns = spans.items = 0;
}

bool cw_run_gpu_gain_harms(void)
{
    return gain.harms;
}

bool cw_run_gpu_gain_rests(void)
{
    return spans.probe || rests();
}

double cw_run_gpu_gain_all(void)
{
    return gain.all_ns;
}
