/* trace_diff.c - see trace_diff.h. */
#include "trace_diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../history/history.h"
#include "../io/quantity.h"
#include "../record/command_facts.h"

/* ---- commands in the order of their names and sizes */

struct entry {
    const struct cw_trace *trace;
    const struct cw_command *command;
    const char *name;
    uint64_t bytes;
    double ns; /* 0: not known */
    int side;
    uint32_t run;
};

static uint64_t transfer_bytes(const struct cw_trace *t, const struct cw_command *k)
{
    const struct cw_t_transfer *x = k->transfer < t->transfers.count ? &t->transfers.v[k->transfer] : NULL;

    return !x ? 0 : x->bytes ? x->bytes : x->region[0] * x->region[1] * x->region[2];
}

static struct entry entry_of(const struct cw_trace *t, const struct cw_command *k, int side, size_t run)
{
    const char *name = cw_trace_command_name(t, k);

    return (struct entry){
        t, k, name ? name : "?", transfer_bytes(t, k), (double)cw_command_device_ns(k), side, (uint32_t)run};
}

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_name(const struct entry *a, const struct entry *b)
{
    int order = by_number(a->command->type, b->command->type);

    return order ? order : strcmp(a->name, b->name);
}

static int by_size(const struct entry *a, const struct entry *b)
{
    const struct cw_command *x = a->command, *y = b->command;
    int order = by_number(x->work_dim, y->work_dim);

    for (int d = 0; !order && d < x->work_dim; d++) {
        order = by_number(x->global_size[d], y->global_size[d]);
        if (!order)
            order = by_number(x->local_null ? 0 : x->local_size[d], y->local_null ? 0 : y->local_size[d]);
    }
    return order ? order : by_number(a->bytes, b->bytes);
}

static int by_name_and_size(const struct entry *a, const struct entry *b)
{
    int order = by_name(a, b);

    return order ? order : by_size(a, b);
}

/* Within a row: A before B, run by run, ascending times, those without a time first. */
static int in_row(const struct entry *a, const struct entry *b)
{
    int order = a->side != b->side ? a->side - b->side : by_number(a->run, b->run);

    return order ? order : (a->ns > b->ns) - (a->ns < b->ns);
}

static int by_name_then_time(const void *a, const void *b)
{
    int order = by_name(a, b);

    return order ? order : in_row(a, b);
}

static int by_size_then_time(const void *a, const void *b)
{
    int order = by_name_and_size(a, b);

    return order ? order : in_row(a, b);
}

static struct entry *collect(const struct cw_trace_diff *d, size_t *n)
{
    struct entry *entry;
    size_t most = 1;

    for (size_t i = 0; i < CW_DIFF_SIDES * d->runs; i++)
        most += d->trace[i % CW_DIFF_SIDES][i / CW_DIFF_SIDES]->commands.count;
    entry = malloc(most * sizeof *entry);
    *n = 0;
    for (size_t i = 0; entry && i < CW_DIFF_SIDES * d->runs; i++) {
        const struct cw_trace *t = d->trace[i % CW_DIFF_SIDES][i / CW_DIFF_SIDES];
        for (size_t k = 0; k < t->commands.count; k++)
            if (cw_trace_command_is_enqueue(&t->commands.v[k]))
                entry[(*n)++] = entry_of(t, &t->commands.v[k], (int)(i % CW_DIFF_SIDES), i / CW_DIFF_SIDES);
    }
    return entry;
}

/* ---- rows */

/* The figures of the `n` entries of one side; `times` gets their known times, ascending. */
static struct cw_diff_side sum_up(const struct entry *e, size_t n, double *times)
{
    struct cw_diff_side s = {.commands = n, .mean_ns = NAN, .median_ns = NAN};

    for (size_t i = 0; i < n; i++) {
        s.failed += !cw_command_works(e[i].command);
        if (e[i].ns > 0) {
            times[s.timed++] = e[i].ns;
            s.total_ns += e[i].ns;
        }
    }
    if (!s.timed)
        return s;
    s.median_ns = cw_pair_ratios_median(times, s.timed);
    s.mean_ns = s.total_ns / (double)s.timed;
    if (e[0].trace->process.times_every)
        s.total_ns = s.mean_ns * (double)(s.commands - s.failed);
    return s;
}

/* The median of each run that has times, of the `n` entries of one side, ascending, in `medians`; returns how
 * many. `times` is scratch. */
static size_t run_medians(const struct entry *e, size_t n, double *times, double *medians)
{
    size_t runs = 0;

    for (size_t i = 0, end; i < n; i = end) {
        size_t timed = 0;
        for (end = i; end < n && e[end].run == e[i].run; end++)
            if (e[end].ns > 0)
                times[timed++] = e[end].ns;
        if (timed)
            medians[runs++] = cw_pair_ratios_median(times, timed);
    }
    if (runs)
        cw_pair_ratios_median(medians, runs); /* sorts them */
    return runs;
}

/* `times` has room for n values, behind them for one of each run of each side. */
static struct cw_diff_row make_row(const struct cw_trace_diff *d, const struct entry *e, size_t n,
                                   double *times)
{
    struct cw_diff_row r = {.trace = e->trace, .command = e->command};
    double *a = times + n, *b = a + d->runs;
    size_t of_a = 0, runs_a, runs_b;

    while (of_a < n && e[of_a].side == CW_DIFF_A)
        of_a++;
    runs_a = d->by_run ? run_medians(e, of_a, times, a) : 0;
    runs_b = d->by_run ? run_medians(e + of_a, n - of_a, times, b) : 0;
    r.side[CW_DIFF_A] = sum_up(e, of_a, times);
    r.side[CW_DIFF_B] = sum_up(e + of_a, n - of_a, times + of_a);
    r.test = d->by_run ? cw_diff_test_compare(a, runs_a, b, runs_b)
                       : cw_diff_test_compare(times, r.side[CW_DIFF_A].timed, times + of_a,
                                              r.side[CW_DIFF_B].timed);
    if (!r.side[CW_DIFF_A].commands || !r.side[CW_DIFF_B].commands)
        r.test.verdict = CW_DIFF_ALONE;
    return r;
}

static double difference(const struct cw_diff_row *r)
{
    return fabs(r->side[CW_DIFF_B].total_ns - r->side[CW_DIFF_A].total_ns);
}

static uint64_t surplus(const struct cw_diff_row *r)
{
    uint64_t a = r->side[CW_DIFF_A].commands, b = r->side[CW_DIFF_B].commands;

    return a > b ? a - b : b - a;
}

static int by_weight(const void *a, const void *b)
{
    const struct cw_diff_row *x = a, *y = b;
    double dx = difference(x), dy = difference(y);
    struct entry ex, ey;

    if (dx != dy)
        return dx < dy ? 1 : -1;
    if (surplus(x) != surplus(y))
        return by_number(surplus(y), surplus(x));
    ex = entry_of(x->trace, x->command, 0, 0);
    ey = entry_of(y->trace, y->command, 0, 0);
    return by_name_and_size(&ex, &ey);
}

static bool judge_rows(struct cw_trace_diff *d)
{
    struct cw_diff_test **test = malloc((d->rows + 1) * sizeof *test);
    double *p = malloc((d->rows + 1) * sizeof *p);
    bool ok = test && p;

    for (size_t i = 0; ok && i < d->rows; i++)
        test[i] = &d->row[i].test;
    if (ok)
        d->tested = cw_diff_test_judge(test, d->rows, p);
    free(test);
    free(p);
    return ok;
}

/* Rows of entries that `same` calls equal, in the order of the entries; odd: only those of which A and B have
 * different numbers. False: out of memory. */
static bool make_rows(struct cw_trace_diff *d, const struct entry *e, size_t n,
                      int (*same)(const struct entry *, const struct entry *), double *times,
                      struct cw_diff_row **row, size_t *rows)
{
    bool odd = row == &d->odd;
    size_t capacity = 0;

    for (size_t i = 0, end; i < n; i = end) {
        struct cw_diff_row made;
        for (end = i + 1; end < n && same(&e[i], &e[end]) == 0;)
            end++;
        made = make_row(d, e + i, end - i, times);
        if (odd && !surplus(&made))
            continue;
        if (!cw_array_reserve(row, &capacity, *rows, 1, sizeof **row))
            return false;
        (*row)[(*rows)++] = made;
    }
    return true;
}

static bool fill_rows(struct cw_trace_diff *d)
{
    size_t n;
    struct entry *e = collect(d, &n);
    double *times = malloc((n + 2 * d->runs + 1) * sizeof *times);
    bool ok = e && times;

    if (ok) {
        qsort(e, n, sizeof *e, by_size_then_time);
        ok = make_rows(d, e, n, by_name_and_size, times, &d->odd, &d->odds);
    }
    if (ok) {
        if (!d->by_size)
            qsort(e, n, sizeof *e, by_name_then_time);
        ok = make_rows(d, e, n, d->by_size ? by_name_and_size : by_name, times, &d->row, &d->rows) &&
             judge_rows(d);
    }
    if (ok && d->rows)
        qsort(d->row, d->rows, sizeof *d->row, by_weight);
    free(e);
    free(times);
    return ok;
}

/* ---- the order of commands */

/* The next enqueued command from index *i on; NULL: there is none. */
static const struct cw_command *next_enqueue(const struct cw_trace *t, size_t *i)
{
    while (*i < t->commands.count && !cw_trace_command_is_enqueue(&t->commands.v[*i]))
        ++*i;
    return *i < t->commands.count ? &t->commands.v[*i] : NULL;
}

static void find_first_difference(struct cw_trace_diff *d)
{
    const struct cw_trace *a = d->trace[CW_DIFF_A][0], *b = d->trace[CW_DIFF_B][0];

    for (size_t i = 0, k = 0;; i++, k++) {
        const struct cw_command *x = next_enqueue(a, &i), *y = next_enqueue(b, &k);
        struct entry ex, ey;
        if (x && y) {
            ex = entry_of(a, x, 0, 0);
            ey = entry_of(b, y, 0, 0);
        }
        if (!x || !y || by_name_and_size(&ex, &ey) != 0) {
            d->next[CW_DIFF_A] = x ? (uint32_t)i : CW_NONE;
            d->next[CW_DIFF_B] = y ? (uint32_t)k : CW_NONE;
            return;
        }
        d->alike++;
    }
}

enum cw_status cw_trace_diff_init(struct cw_trace_diff *d, const struct cw_trace *const *a,
                                  const struct cw_trace *const *b, size_t runs, bool by_size_too,
                                  struct cw_error *err)
{
    *d = (struct cw_trace_diff){
        .trace = {a, b}, .runs = runs, .by_size = by_size_too, .by_run = runs >= CW_RANK_TEST_LEAST};
    find_first_difference(d);
    if (!fill_rows(d))
        return cw_error_set(err, CW_ERR_NOMEM, "diff: out of memory");
    return cw_diff_phases_fill(d, err);
}

void cw_trace_diff_finish(struct cw_trace_diff *d)
{
    free(d->row);
    free(d->odd);
    memset(d, 0, sizeof *d);
}

/* ---- words */

const char *cw_trace_diff_size(const struct cw_trace *t, const struct cw_command *command, char text[96])
{
    char bytes[16];
    int n = 0;

    *text = '\0';
    for (int d = 0; d < command->work_dim && n < 90; d++)
        n += snprintf(text + n, 96 - (size_t)n, "%s%llu", d ? "x" : "",
                      (unsigned long long)command->global_size[d]);
    for (int d = 0; d < command->work_dim && !command->local_null && n < 90; d++)
        n += snprintf(text + n, 96 - (size_t)n, "%s%llu", d ? "x" : "/",
                      (unsigned long long)command->local_size[d]);
    if (!command->work_dim && transfer_bytes(t, command))
        snprintf(text, 96, "%s", cw_quantity_bytes(transfer_bytes(t, command), bytes));
    return text;
}

int cw_trace_diff_tail(const struct cw_diff_row *r)
{
    const struct cw_diff_side *a = &r->side[CW_DIFF_A], *b = &r->side[CW_DIFF_B];
    double mean;

    if (r->test.verdict <= CW_DIFF_FEW)
        return -1;
    mean = b->mean_ns / a->mean_ns / (1 + r->test.change);
    return mean > 1 + CW_DIFF_TAIL ? CW_DIFF_B : mean < 1 / (1 + CW_DIFF_TAIL) ? CW_DIFF_A : -1;
}
