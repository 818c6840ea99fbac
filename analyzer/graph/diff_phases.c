/* diff_phases.c - see diff_phases.h. */
#include "diff_phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../history/pair_ratios.h"
#include "command_facts.h"
#include "figures.h"

static const struct {
    const char *name, *meaning;
} phases[CW_DIFF_PHASES] = {
    {"set-up", "from the start of recording to the first enqueue: contexts, builds, the program's own"},
    {"span", "from the first enqueue to the end of the last call"},
    {"enqueueing", "host threads in enqueues that do not block, all together"},
    {"waiting", "host threads in calls that wait for commands, all together"},
    {"compiling", "devices presumably held up by the vendor's compiler at first launches"},
    {"kernels", "on devices, all together"},
    {"transfers", "and other commands, on devices, all together"},
};

/* The phases of one trace, NAN where it does not say; adds its commands to *commands. */
static enum cw_status measure(const struct cw_trace *t, double ns[CW_DIFF_PHASES], uint64_t *commands,
                              struct cw_error *err)
{
    double first = INFINITY, calls = 0, kernels = 0, others = 0,
           start = (double)(t->process.selection ? t->process.selected_from_ns : t->process.start_ns);
    bool timed = cw_command_times_exist(t);
    struct cw_figures f;
    enum cw_status status = cw_figures_init(&f, t, err);

    for (size_t i = 0; !status && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (!cw_trace_command_is_enqueue(k))
            continue;
        ++*commands;
        first = fmin(first, (double)k->call_begin_ns);
        if (!cw_command_is_wait(k))
            calls += (double)(k->call_end_ns - k->call_begin_ns);
        *(k->kernel == CW_NONE ? &others : &kernels) += (double)cw_command_device_ns(k);
    }
    memcpy(ns,
           (double[]){isinf(first) || first < start ? NAN : first - start, (double)f.span_ns, calls,
                      (double)f.blocked_ns, timed ? (double)f.first.late_ns : NAN, timed ? kernels : NAN,
                      timed ? others : NAN},
           CW_DIFF_PHASES * sizeof *ns);
    cw_figures_finish(&f);
    return status;
}

/* A phase of all runs: value[side][run * CW_DIFF_PHASES + phase]. `one` has room for the runs of both
 * sides. */
static void compare_phase(struct cw_trace_diff *d, int phase, double *const value[CW_DIFF_SIDES], double *one)
{
    struct cw_diff_phase *p = &d->phase[phase];
    size_t n[CW_DIFF_SIDES] = {0};

    for (int side = 0; side < CW_DIFF_SIDES; side++) {
        double *mine = one + (side ? d->runs : 0);
        for (size_t run = 0; run < d->runs; run++)
            if (!isnan(value[side][run * CW_DIFF_PHASES + (size_t)phase]))
                mine[n[side]++] = value[side][run * CW_DIFF_PHASES + (size_t)phase];
        p->ns[side] = n[side] ? cw_pair_ratios_median(mine, n[side]) : NAN;
    }
    p->test = cw_diff_test_compare(one, n[CW_DIFF_A], one + d->runs, n[CW_DIFF_B]);
}

enum cw_status cw_diff_phases_fill(struct cw_trace_diff *d, struct cw_error *err)
{
    double *all = malloc((2 * CW_DIFF_PHASES + 2) * d->runs * sizeof *all), p[CW_DIFF_PHASES];
    double *const value[] = {all, all + CW_DIFF_PHASES * d->runs};
    struct cw_diff_test *test[CW_DIFF_PHASES];
    enum cw_status status = all ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "diff: out of memory");

    for (size_t i = 0; !status && i < CW_DIFF_SIDES * d->runs; i++) {
        size_t side = i % CW_DIFF_SIDES, run = i / CW_DIFF_SIDES;
        status = measure(d->trace[side][run], value[side] + run * CW_DIFF_PHASES, &d->commands[side], err);
    }
    for (int i = 0; !status && i < CW_DIFF_PHASES; i++) {
        d->phase[i].name = phases[i].name;
        d->phase[i].meaning = phases[i].meaning;
        compare_phase(d, i, value, all + 2 * CW_DIFF_PHASES * d->runs);
        test[i] = &d->phase[i].test;
    }
    if (!status)
        cw_diff_test_judge(test, CW_DIFF_PHASES, p);
    free(all);
    return status;
}
