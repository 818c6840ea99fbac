/* diff_phases.c - see trace_diff.h. */
#include "trace_diff.h"

#include <math.h>
#include <stdlib.h>
#include <stdbool.h>

#include "../history/history.h"
#include "../record/command_facts.h"
#include "figures.h"

enum { RUN, FIRST_PHASE, ENQUEUE_CALLS = FIRST_PHASE + CW_PHASES, WAIT_CALLS, PROCESSOR };

/* The phases are those of the report (figures.h), in the order in which a program usually passes them. */
static const struct {
    enum cw_phase phase;
    const char *meaning;
} phases[CW_PHASES] = {
    {CW_PHASE_SETUP, "a call makes or releases objects, or asks for platforms and devices"},
    {CW_PHASE_BUILD, "a call builds, compiles or links a program"},
    {CW_PHASE_FIRST, "presumably the vendor compiles for a first launch"},
    {CW_PHASE_KERNELS, "a kernel runs on a device"},
    {CW_PHASE_TRANSFERS, "another command runs on a device, and no kernel"},
    {CW_PHASE_WAITING, "a call waits for commands, and none of the above goes on"},
    {CW_PHASE_CALLS, "another call, and none of the above"},
    {CW_PHASE_HOST, "none of these"},
};

/* Whether a trace says how long the phase took. */
static bool is_known(const struct cw_phases *p, enum cw_phase phase)
{
    if (phase == CW_PHASE_KERNELS || phase == CW_PHASE_TRANSFERS)
        return !p->no_device_times;
    return !p->no_calls || (phase != CW_PHASE_SETUP && phase != CW_PHASE_BUILD);
}

/* The phases of one trace, NAN where it does not say; adds its commands to *commands. */
static enum cw_status measure(const struct cw_trace *t, double ns[CW_DIFF_PHASES], uint64_t *commands,
                              struct cw_error *err)
{
    struct cw_first_launches first = {0};
    struct cw_phases p = {0};
    enum cw_status status = cw_first_launches_find(&first, t, err);

    if (!status)
        status = cw_phases_measure(&p, t, &first, err);
    ns[RUN] = (double)p.total_ns;
    for (int i = 0; i < CW_PHASES; i++)
        ns[FIRST_PHASE + i] = is_known(&p, phases[i].phase) ? (double)p.ns[phases[i].phase] : NAN;
    ns[ENQUEUE_CALLS] = ns[WAIT_CALLS] = 0;
    ns[PROCESSOR] = t->process.cpu_ns && !t->process.selection ? (double)t->process.cpu_ns : NAN;
    for (size_t i = 0; !status && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        double took = k->call_end_ns > k->call_begin_ns ? (double)(k->call_end_ns - k->call_begin_ns) : 0;
        *commands += cw_trace_command_is_enqueue(k);
        if (cw_command_is_wait(k))
            ns[WAIT_CALLS] += took;
        else if (cw_trace_command_is_enqueue(k))
            ns[ENQUEUE_CALLS] += took;
    }
    cw_first_launches_finish(&first);
    return status;
}

static void name_phases(struct cw_diff_phase *p)
{
    p[RUN].name = "run";
    p[RUN].meaning = "all of the trace, or of its part; the phases share it, each moment counted once";
    for (int i = 0; i < CW_PHASES; i++) {
        p[FIRST_PHASE + i].name = cw_phases_name(phases[i].phase);
        p[FIRST_PHASE + i].meaning = phases[i].meaning;
    }
    p[ENQUEUE_CALLS].name = "enqueue calls";
    p[ENQUEUE_CALLS].meaning = "that do not wait, of all threads together";
    p[PROCESSOR].name = "processor";
    p[PROCESSOR].meaning = "user and system time of all threads, to the program's end";
    p[WAIT_CALLS].name = "wait calls";
    p[WAIT_CALLS].meaning = "clFinish, clWaitForEvents, blocking transfers, of all threads together";
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
    name_phases(d->phase);
    for (int i = 0; !status && i < CW_DIFF_PHASES; i++) {
        compare_phase(d, i, value, all + 2 * CW_DIFF_PHASES * d->runs);
        test[i] = &d->phase[i].test;
    }
    if (!status)
        cw_diff_test_judge(test, CW_DIFF_PHASES, p);
    free(all);
    return status;
}

/* ---- do the values differ? */

struct cw_diff_test cw_diff_test_compare(const double *a, size_t n, const double *b, size_t m)
{
    struct cw_diff_test t = {NAN, NAN, NAN, NAN, NAN, CW_DIFF_UNTIMED};
    size_t least = n < m ? n : m;
    struct cw_rank_test_ratio ratio;

    if (!least)
        return t;
    t.verdict = CW_DIFF_FEW;
    t.change = b[m / 2] > a[n / 2] ? INFINITY : b[m / 2] < a[n / 2] ? -1 : 0; /* phases may last 0 */
    if (a[0] > 0 && b[0] > 0) {
        ratio = cw_rank_test_ratio(a, n, b, m);
        t.change = ratio.typical - 1;
        t.low = least < CW_RANK_TEST_LEAST ? NAN : ratio.low - 1;
        t.high = least < CW_RANK_TEST_LEAST ? NAN : ratio.high - 1;
    }
    if (least < CW_RANK_TEST_LEAST)
        return t;
    t.p = cw_rank_test_p(a, n, b, m);
    t.least = cw_rank_test_least_p(n, m);
    t.verdict = CW_DIFF_SAME;
    return t;
}

static int by_p(const void *a, const void *b)
{
    double x = (*(struct cw_diff_test *const *)a)->p, y = (*(struct cw_diff_test *const *)b)->p;

    return (x > y) - (x < y);
}

static bool differs(const struct cw_diff_test *t)
{
    return fabs(t->change) >= CW_DIFF_LEAST;
}

/* Of the tests that show nothing, beside `shown` that do: those that could not have. Returns how many. */
static size_t find_few(struct cw_diff_test **test, size_t made, size_t shown)
{
    size_t few = 0;

    for (size_t i = shown; i < made; i++)
        if (differs(test[i]) && test[i]->least * (double)(made - shown) >= CW_DIFF_LEVEL) {
            test[i]->verdict = CW_DIFF_FEW;
            test[i]->p = NAN;
            few++;
        }
    return few;
}

size_t cw_diff_test_judge(struct cw_diff_test **test, size_t n, double *p)
{
    size_t made = 0, shown = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(test[i]->p))
            test[made++] = test[i];
    if (made)
        qsort(test, made, sizeof *test, by_p);
    for (size_t i = 0; i < made; i++)
        p[i] = test[i]->p;
    cw_rank_test_adjust(p, made);
    for (size_t i = 0; i < made; i++) {
        test[i]->p = p[i];
        shown += p[i] < CW_DIFF_LEVEL;
        if (p[i] < CW_DIFF_LEVEL && differs(test[i]))
            test[i]->verdict = test[i]->change < 0 ? CW_DIFF_FASTER : CW_DIFF_SLOWER;
    }
    return made - find_few(test, made, shown);
}

const char *cw_diff_test_verdict(enum cw_diff_verdict verdict)
{
    static const char *const words[] = {"only in one", "no times", "too few", "same", "faster", "slower"};

    return words[verdict];
}
