/* first_launches.c - see figures.h. Times are on the host's clock (explain.h). */
#include "figures.h"
#include "../record/command_facts.h"
#include "explain.h"

#include <stdlib.h>
#include <string.h>

/* A command that has run, and from when on it could have. */
struct ran {
    uint32_t device, kernel; /* kernel: the first with its program and name, CW_NONE */
    int64_t ready, start, end;
};

struct search {
    const struct cw_trace *t;
    int64_t *shift;  /* per device, to the host's clock */
    int64_t *over;   /* per command: its end, 0 where that is not known */
    uint32_t *alike; /* per kernel: the first with its program and name */
    struct ran *ran;
    size_t n;
    struct cw_first_gap *gap;
    size_t gaps;
};

static bool search_init(struct search *s, const struct cw_trace *t)
{
    *s = (struct search){.t = t};
    s->shift = calloc(t->devices.count + 1, sizeof *s->shift);
    s->over = calloc(t->commands.count + 1, sizeof *s->over);
    s->alike = calloc(t->kernels.count + 1, sizeof *s->alike);
    s->ran = calloc(t->commands.count + 1, sizeof *s->ran);
    s->gap = calloc(2 * t->commands.count + 1, sizeof *s->gap);
    return s->shift && s->over && s->alike && s->ran && s->gap;
}

static void search_finish(struct search *s)
{
    free(s->shift);
    free(s->over);
    free(s->alike);
    free(s->ran);
    free(s->gap);
}

/* ---- which kernels are one */

static int by_program_and_name(const void *a, const void *b, void *trace)
{
    const struct cw_trace *t = trace;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct cw_t_kernel *k = &t->kernels.v[x], *l = &t->kernels.v[y];
    int c;

    if (k->program != l->program)
        return k->program < l->program ? -1 : 1;
    c = strcmp(k->name ? k->name : "", l->name ? l->name : "");
    return c ? c : (x > y) - (x < y);
}

static bool find_alike(struct search *s)
{
    const struct cw_trace *t = s->t;
    uint32_t *order = malloc((t->kernels.count + 1) * sizeof *order);
    uint32_t first = 0;

    if (!order)
        return false;
    for (uint32_t k = 0; k < t->kernels.count; k++)
        order[k] = k;
    qsort_r(order, t->kernels.count, sizeof *order, by_program_and_name, (void *)(uintptr_t)t);
    for (size_t i = 0; i < t->kernels.count; i++) {
        const struct cw_t_kernel *k = &t->kernels.v[order[i]], *l = &t->kernels.v[order[first]];
        if (k->program != l->program || strcmp(k->name ? k->name : "", l->name ? l->name : ""))
            first = (uint32_t)i;
        s->alike[order[i]] = order[first];
    }
    free(order);
    return true;
}

/* ---- when commands could have begun */

/* Above all times: the trace does not say when the command was given to its device. */
#define UNSEEN (INT64_C(1) << 61)

static int64_t on_host(const struct search *s, uint32_t device, uint64_t ns)
{
    return cw_device_clock_on_host(ns, s->shift[device]);
}

static void find_ends(struct search *s)
{
    for (size_t i = 0; i < s->t->commands.count; i++) {
        const struct cw_command *k = &s->t->commands.v[i];
        uint32_t d = cw_trace_command_device(s->t, k);
        if (!cw_trace_command_is_enqueue(k))
            s->over[i] = cw_device_clock_ns(k->call_end_ns);
        else if (d != CW_NONE && k->start_ns && k->end_ns >= k->start_ns)
            s->over[i] = on_host(s, d, k->end_ns);
    }
}

/* Collects the commands that ran, with `ready` from their submission and from all their predecessors. */
static bool collect(struct search *s)
{
    const struct cw_trace *t = s->t;
    int64_t *ready = calloc(t->commands.count + 1, sizeof *ready);

    for (size_t e = 0; ready && e < t->edges.count; e++) {
        const struct cw_edge *edge = &t->edges.v[e];
        if (s->over[edge->from] > ready[edge->to])
            ready[edge->to] = s->over[edge->from];
    }
    for (size_t i = 0; ready && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t d = cw_trace_command_device(t, k);
        uint64_t given = k->submit_ns > k->queued_ns ? k->submit_ns : k->queued_ns;
        if (!cw_command_works(k) || !s->over[i] || d == CW_NONE || given > k->start_ns)
            continue;
        int64_t at = given ? on_host(s, d, given) : UNSEEN;
        s->ran[s->n++] = (struct ran){d, k->kernel < t->kernels.count ? s->alike[k->kernel] : CW_NONE,
                                      at > ready[i] ? at : ready[i], on_host(s, d, k->start_ns), s->over[i]};
    }
    free(ready);
    return ready;
}

static int by_device_and_start(const void *a, const void *b)
{
    const struct ran *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* ---- late starts */

static int by_begin(const void *a, const void *b)
{
    const struct cw_first_gap *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* ran[0 .. n-1] are of one device, in order of their starts. `launched` is all false, and left so. */
static void look_at_device(struct search *s, const struct ran *ran, size_t n, bool *launched,
                           struct cw_first_launches *f)
{
    size_t first_gap = s->gaps, later = 0, stay;
    double sum = 0;
    int64_t reached = INT64_MIN;

    for (size_t i = 0; i < n; i++) {
        int64_t from = reached > ran[i].ready ? reached : ran[i].ready;
        if (ran[i].kernel != CW_NONE && !launched[ran[i].kernel]) {
            launched[ran[i].kernel] = true;
            s->gap[s->gaps++] = (struct cw_first_gap){from, ran[i].start};
        } else if (ran[i].kernel != CW_NONE && ran[i].ready != UNSEEN) {
            later++;
            sum += ran[i].start > from ? (double)(ran[i].start - from) : 0;
        }
        reached = ran[i].end > reached ? ran[i].end : reached;
    }
    for (size_t i = 0; i < n; i++)
        if (ran[i].kernel != CW_NONE)
            launched[ran[i].kernel] = false;
    stay = first_gap;
    for (size_t g = first_gap; later && g < s->gaps; g++) {
        int64_t late = s->gap[g].end - s->gap[g].begin;
        if (late < CW_FIRST_LATE_NS || (double)late < CW_FIRST_LATE_TIMES * sum / (double)later)
            continue;
        f->count++;
        f->late_ns += (uint64_t)late;
        s->gap[stay++] = s->gap[g];
    }
    s->gaps = stay;
}

/* Gaps of devices that overlap become one. */
static void join_gaps(struct search *s)
{
    size_t n = 0;

    qsort(s->gap, s->gaps, sizeof *s->gap, by_begin);
    for (size_t i = 0; i < s->gaps; i++)
        if (n && s->gap[i].begin <= s->gap[n - 1].end)
            s->gap[n - 1].end = s->gap[i].end > s->gap[n - 1].end ? s->gap[i].end : s->gap[n - 1].end;
        else
            s->gap[n++] = s->gap[i];
    s->gaps = n;
}

/* Sets f->waited_ns: what waits and gaps have in common. False: memory is out. */
static bool measure_waits(const struct search *s, struct cw_first_launches *f)
{
    const struct cw_trace *t = s->t;
    struct cw_interval *v = malloc((cw_command_count_waits(t) + s->gaps + 1) * sizeof *v);
    uint64_t alone = 0;
    size_t n = 0;

    for (size_t i = 0; v && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (cw_command_is_wait(k) && k->call_begin_ns && k->call_end_ns > k->call_begin_ns)
            v[n++] = (struct cw_interval){cw_device_clock_ns(k->call_begin_ns),
                                          cw_device_clock_ns(k->call_end_ns)};
    }
    if (v) {
        alone = cw_interval_union(v, n);
        for (size_t g = 0; g < s->gaps; g++) { /* these do not overlap each other */
            v[n++] = (struct cw_interval){s->gap[g].begin, s->gap[g].end};
            alone += (uint64_t)(s->gap[g].end - s->gap[g].begin);
        }
        f->waited_ns = alone - cw_interval_union(v, n);
    }
    free(v);
    return v;
}

/* As those of one queue are from the beginning: sorting takes as much memory once more. */
static bool in_order(const struct search *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (by_device_and_start(&s->ran[i - 1], &s->ran[i]) > 0)
            return false;
    return true;
}

static bool look(struct search *s, struct cw_first_launches *f)
{
    const struct cw_trace *t = s->t;
    bool *launched = calloc(t->kernels.count + 1, 1);

    if (!in_order(s))
        qsort(s->ran, s->n, sizeof *s->ran, by_device_and_start);
    for (size_t i = 0, next; launched && i < s->n; i = next) {
        for (next = i; next < s->n && s->ran[next].device == s->ran[i].device;)
            next++;
        look_at_device(s, s->ran + i, next - i, launched, f);
    }
    join_gaps(s);
    free(launched);
    return launched && measure_waits(s, f);
}

/* ---- long enqueues */

static uint64_t call_ns(const struct cw_command *k)
{
    return k->call_begin_ns && k->call_end_ns > k->call_begin_ns ? k->call_end_ns - k->call_begin_ns : 0;
}

/* Enqueues of first launches, in any context. They go behind the gaps of late starts. */
static bool look_at_calls(struct search *s, struct cw_first_launches *f)
{
    const struct cw_trace *t = s->t;
    bool *launched = calloc(t->kernels.count + 1, 1);
    size_t begin = s->gaps, stay = begin, later = 0;
    double sum = 0, least;

    for (size_t i = 0; launched && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t kernel = cw_command_works(k) && k->kernel < t->kernels.count ? s->alike[k->kernel] : CW_NONE;
        if (kernel == CW_NONE || !call_ns(k))
            continue;
        if (launched[kernel]) {
            later++;
            sum += (double)call_ns(k);
            continue;
        }
        launched[kernel] = true;
        s->gap[s->gaps++] =
            (struct cw_first_gap){cw_device_clock_ns(k->call_begin_ns), cw_device_clock_ns(k->call_end_ns)};
    }
    least = later ? CW_FIRST_LATE_TIMES * sum / (double)later : CW_FIRST_CALL_NS;
    for (size_t g = begin; g < s->gaps; g++) {
        int64_t took = s->gap[g].end - s->gap[g].begin;
        if (took < CW_FIRST_LATE_NS || (double)took < least)
            continue;
        f->calls++;
        f->call_ns += (uint64_t)took;
        s->gap[stay++] = s->gap[g];
    }
    s->gaps = stay;
    free(launched);
    return launched;
}

enum cw_status cw_first_launches_find(struct cw_first_launches *f, const struct cw_trace *t,
                                      struct cw_error *err)
{
    struct search s;
    bool ok = search_init(&s, t);

    *f = (struct cw_first_launches){0};
    if (ok) {
        cw_device_clock_shifts(t, s.shift);
        find_ends(&s);
        ok = find_alike(&s) && (t->process.times_every || (collect(&s) && look(&s, f))) &&
             look_at_calls(&s, f);
    }
    if (ok) {
        f->gaps = s.gap;
        f->gap_count = s.gaps;
        s.gap = NULL;
    }
    search_finish(&s);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}

void cw_first_launches_finish(struct cw_first_launches *f)
{
    free(f->gaps);
    *f = (struct cw_first_launches){0};
}
