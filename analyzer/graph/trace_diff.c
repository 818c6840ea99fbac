/* trace_diff.c - see trace_diff.h. */
#include "trace_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../history/pair_ratios.h"
#include "../io/quantity.h"
#include "command_facts.h"
#include "figures.h"
#include "rank_test.h"

/* ---- commands in the order of their names and sizes */

struct entry {
    const struct cw_trace *trace;
    const struct cw_command *command;
    const char *name;
    uint64_t bytes;
    double ns; /* 0: not known */
    int side;
};

static uint64_t transfer_bytes(const struct cw_trace *t, const struct cw_command *k)
{
    const struct cw_t_transfer *x = k->transfer < t->transfers.count ? &t->transfers.v[k->transfer] : NULL;

    return !x ? 0 : x->bytes ? x->bytes : x->region[0] * x->region[1] * x->region[2];
}

static struct entry entry_of(const struct cw_trace *t, const struct cw_command *k, int side)
{
    const char *name = cw_trace_command_name(t, k);

    return (struct entry){t,   k, name ? name : "?", transfer_bytes(t, k), (double)cw_command_device_ns(k),
                          side};
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

/* Within a row: A before B, ascending times, those without a time first. */
static int in_row(const struct entry *a, const struct entry *b)
{
    return a->side != b->side ? a->side - b->side : (a->ns > b->ns) - (a->ns < b->ns);
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

static struct entry *collect(const struct cw_trace *const trace[CW_DIFF_SIDES], size_t *n)
{
    struct entry *entry = malloc((trace[0]->commands.count + trace[1]->commands.count + 1) * sizeof *entry);

    *n = 0;
    for (int side = 0; entry && side < CW_DIFF_SIDES; side++)
        for (size_t i = 0; i < trace[side]->commands.count; i++)
            if (cw_trace_command_is_enqueue(&trace[side]->commands.v[i]))
                entry[(*n)++] = entry_of(trace[side], &trace[side]->commands.v[i], side);
    return entry;
}

/* ---- rows */

/* The figures of the `n` entries of one side; `times` gets their known times, ascending. */
static struct cw_diff_side sum_up(const struct entry *e, size_t n, double *times)
{
    struct cw_diff_side s = {.commands = n, .median_ns = NAN};

    for (size_t i = 0; i < n; i++) {
        s.failed += !cw_command_works(e[i].command);
        if (e[i].ns > 0) {
            times[s.timed++] = e[i].ns;
            s.total_ns += e[i].ns;
        }
    }
    if (s.timed)
        s.median_ns = cw_pair_ratios_median(times, s.timed);
    return s;
}

static struct cw_diff_row make_row(const struct entry *e, size_t n, double *times)
{
    struct cw_diff_row r = {
        .trace = e->trace, .command = e->command, .change = NAN, .low = NAN, .high = NAN, .p = NAN};
    struct cw_rank_test_ratio ratio;
    size_t of_a = 0, least;

    while (of_a < n && e[of_a].side == CW_DIFF_A)
        of_a++;
    r.side[CW_DIFF_A] = sum_up(e, of_a, times);
    r.side[CW_DIFF_B] = sum_up(e + of_a, n - of_a, times + of_a);
    least =
        r.side[CW_DIFF_A].timed < r.side[CW_DIFF_B].timed ? r.side[CW_DIFF_A].timed : r.side[CW_DIFF_B].timed;
    r.verdict = !least ? CW_DIFF_UNTIMED : least < CW_RANK_TEST_LEAST ? CW_DIFF_FEW : CW_DIFF_SAME;
    if (least) {
        ratio = cw_rank_test_ratio(times, r.side[CW_DIFF_A].timed, times + of_a, r.side[CW_DIFF_B].timed);
        r.change = ratio.typical - 1;
        r.low = least < CW_RANK_TEST_LEAST ? NAN : ratio.low - 1;
        r.high = least < CW_RANK_TEST_LEAST ? NAN : ratio.high - 1;
    }
    if (r.verdict == CW_DIFF_SAME)
        r.p = cw_rank_test_p(times, r.side[CW_DIFF_A].timed, times + of_a, r.side[CW_DIFF_B].timed);
    return r;
}

static int by_p(const void *a, const void *b)
{
    double x = ((const struct cw_diff_row *)a)->p, y = ((const struct cw_diff_row *)b)->p;

    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
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

    if (dx != dy)
        return dx < dy ? 1 : -1;
    return surplus(x) != surplus(y) ? by_number(surplus(y), surplus(x)) : (x->command > y->command) * 2 - 1;
}

/* Adjusts the p of all rows for their number, and judges. */
static bool judge(struct cw_trace_diff *d)
{
    double *p = malloc((d->rows + 1) * sizeof *p);

    if (!p)
        return false;
    if (d->rows)
        qsort(d->row, d->rows, sizeof *d->row, by_p);
    while (d->tested < d->rows && !isnan(d->row[d->tested].p)) {
        p[d->tested] = d->row[d->tested].p;
        d->tested++;
    }
    cw_rank_test_adjust(p, d->tested);
    for (size_t i = 0; i < d->tested; i++) {
        struct cw_diff_row *r = &d->row[i];
        r->p = p[i];
        if (r->p < CW_DIFF_LEVEL && fabs(r->change) >= CW_DIFF_LEAST)
            r->verdict = r->change < 0 ? CW_DIFF_FASTER : CW_DIFF_SLOWER;
    }
    free(p);
    return true;
}

/* Rows of entries that `same` calls equal, in the order of the entries; odd: only those of which A and B have
 * different numbers. False: out of memory. */
static bool make_rows(const struct entry *e, size_t n,
                      int (*same)(const struct entry *, const struct entry *), bool odd, double *times,
                      struct cw_diff_row **row, size_t *rows)
{
    size_t capacity = 0;

    for (size_t i = 0, end; i < n; i = end) {
        struct cw_diff_row made;
        for (end = i + 1; end < n && same(&e[i], &e[end]) == 0;)
            end++;
        made = make_row(e + i, end - i, times);
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
    struct entry *e = collect(d->trace, &n);
    double *times = malloc((n + 1) * sizeof *times);
    bool ok = e && times;

    if (ok) {
        qsort(e, n, sizeof *e, by_size_then_time);
        ok = make_rows(e, n, by_name_and_size, true, times, &d->odd, &d->odds);
    }
    if (ok) {
        if (!d->by_size)
            qsort(e, n, sizeof *e, by_name_then_time);
        ok = make_rows(e, n, d->by_size ? by_name_and_size : by_name, false, times, &d->row, &d->rows) &&
             judge(d);
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
    const struct cw_trace *a = d->trace[CW_DIFF_A], *b = d->trace[CW_DIFF_B];

    for (size_t i = 0, k = 0;; i++, k++) {
        const struct cw_command *x = next_enqueue(a, &i), *y = next_enqueue(b, &k);
        struct entry ex, ey;
        if (x && y) {
            ex = entry_of(a, x, 0);
            ey = entry_of(b, y, 0);
        }
        if (!x || !y || by_name_and_size(&ex, &ey) != 0) {
            d->next[CW_DIFF_A] = x ? (uint32_t)i : CW_NONE;
            d->next[CW_DIFF_B] = y ? (uint32_t)k : CW_NONE;
            return;
        }
        d->alike++;
    }
}

/* ---- phases */

static const struct cw_diff_phase phases[CW_DIFF_PHASES] = {
    {"set-up", "from the start of recording to the first enqueue: contexts, builds, the program's own", {0}},
    {"span", "from the first enqueue to the end of the last call", {0}},
    {"enqueueing", "host threads in enqueues that do not block, all together", {0}},
    {"waiting", "host threads in calls that wait for commands, all together", {0}},
    {"compiling", "devices presumably held up by the vendor's compiler at first launches", {0}},
    {"kernels", "on devices, all together", {0}},
    {"transfers", "and other commands, on devices, all together", {0}},
};

static enum cw_status fill_phases(struct cw_trace_diff *d, int side, struct cw_error *err)
{
    const struct cw_trace *t = d->trace[side];
    double first = INFINITY, calls = 0, kernels = 0, others = 0;
    bool timed = cw_command_times_exist(t);
    struct cw_figures f;
    enum cw_status status = cw_figures_init(&f, t, err);

    for (size_t i = 0; !status && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (!cw_trace_command_is_enqueue(k))
            continue;
        d->commands[side]++;
        first = fmin(first, (double)k->call_begin_ns);
        if (!cw_command_is_wait(k))
            calls += (double)(k->call_end_ns - k->call_begin_ns);
        *(k->kernel == CW_NONE ? &others : &kernels) += (double)cw_command_device_ns(k);
    }
    if (!status) {
        const double ns[CW_DIFF_PHASES] = {
            isinf(first) || first < (double)t->process.start_ns ? NAN : first - (double)t->process.start_ns,
            (double)f.span_ns,
            calls,
            (double)f.blocked_ns,
            timed ? (double)f.first.late_ns : NAN,
            timed ? kernels : NAN,
            timed ? others : NAN};
        for (int i = 0; i < CW_DIFF_PHASES; i++)
            d->phase[i].ns[side] = ns[i];
    }
    cw_figures_finish(&f);
    return status;
}

enum cw_status cw_trace_diff_init(struct cw_trace_diff *d, const struct cw_trace *a, const struct cw_trace *b,
                                  bool by_size_too, struct cw_error *err)
{
    enum cw_status status;

    *d = (struct cw_trace_diff){.trace = {a, b}, .by_size = by_size_too};
    memcpy(d->phase, phases, sizeof phases);
    find_first_difference(d);
    status = fill_rows(d) ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "diff: out of memory");
    for (int side = 0; !status && side < CW_DIFF_SIDES; side++)
        status = fill_phases(d, side, err);
    return status;
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

const char *cw_trace_diff_verdict(enum cw_diff_verdict verdict)
{
    static const char *const words[] = {"no times", "too few", "same", "faster", "slower"};

    return words[verdict];
}

int cw_trace_diff_tail(const struct cw_diff_row *r)
{
    const struct cw_diff_side *a = &r->side[CW_DIFF_A], *b = &r->side[CW_DIFF_B];
    double mean;

    if (r->verdict <= CW_DIFF_FEW)
        return -1;
    mean = b->total_ns / (double)b->timed / (a->total_ns / (double)a->timed) / (1 + r->change);
    return mean > 1 + CW_DIFF_TAIL ? CW_DIFF_B : mean < 1 / (1 + CW_DIFF_TAIL) ? CW_DIFF_A : -1;
}
