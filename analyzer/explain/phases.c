/* phases.c - see figures.h. A sweep over the ends of all intervals. */
#include "figures.h"
#include "../record/command_facts.h"
#include "explain.h"
#include "host_calls.h"

#include <stdlib.h>
#include <string.h>

/* When intervals of a phase begin, or end. */
typedef CW_ARRAY(int64_t) times;

struct sweep {
    const struct cw_trace *t;
    int64_t *shift; /* per device */
    times begins[CW_PHASES], ends[CW_PHASES];
    int64_t from; /* what came before does not count */
    bool failed;  /* memory is out */
};

const char *cw_phases_name(enum cw_phase phase)
{
    static const char *const names[CW_PHASES] = {"kernels", "transfers", "build",       "first launches",
                                                 "set-up",  "waiting",   "other calls", "host"};

    return names[phase];
}

static void note(struct sweep *s, times *to, int64_t at)
{
    int64_t *entry = cw_trace_push(to, 1);

    if (entry)
        *entry = at;
    s->failed |= !entry;
}

static void add(struct sweep *s, enum cw_phase phase, int64_t begin, int64_t end)
{
    begin = begin > s->from ? begin : s->from;
    if (end <= begin)
        return;
    note(s, &s->begins[phase], begin);
    note(s, &s->ends[phase], end);
}

static void add_commands(struct sweep *s)
{
    const struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t device = cw_trace_command_device(t, k);
        if (!t->process.times_every && cw_command_device_ns(k) && device != CW_NONE)
            add(s, k->kernel != CW_NONE ? CW_PHASE_KERNELS : CW_PHASE_TRANSFERS,
                cw_device_clock_on_host(k->start_ns, s->shift[device]),
                cw_device_clock_on_host(k->end_ns, s->shift[device]));
        if (k->call_begin_ns && cw_trace_command_function_name(k->type))
            add(s, cw_command_is_wait(k) ? CW_PHASE_WAITING : CW_PHASE_CALLS,
                cw_device_clock_ns(k->call_begin_ns), cw_device_clock_ns(k->call_end_ns));
    }
}

static enum cw_phase phase_of(const char *name)
{
    static const char *const setup[] = {"clGetPlatform", "clGetDevice",      "clCreate",
                                        "clClone",       "clReleaseContext", "clReleaseCommandQueue",
                                        "clSVMAlloc",    "clReleaseProgram", "clUnload"};

    if (cw_host_calls_is_build(name))
        return CW_PHASE_BUILD;
    for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
        if (!strncmp(name, setup[i], strlen(setup[i])))
            return CW_PHASE_SETUP;
    return CW_PHASE_CALLS;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Most are in order as they come. */
static void sort(times *x)
{
    size_t i = 1;

    while (i < x->count && x->v[i - 1] <= x->v[i])
        i++;
    if (i < x->count)
        qsort(x->v, x->count, sizeof *x->v, by_time);
}

/* The phase that counts while `active` of each are under way. */
static enum cw_phase first_active(const uint64_t *active)
{
    unsigned p = 0;

    while (p < CW_PHASE_HOST && !active[p])
        p++;
    return p;
}

/* Takes the next time out of all lists, and its change of `active`. False: the lists are empty. */
static bool next_time(const struct sweep *s, size_t taken[2][CW_PHASES], int64_t *at, unsigned *phase,
                      bool *begins)
{
    bool found = false;

    for (unsigned p = 0; p < CW_PHASES; p++)
        for (int k = 0; k < 2; k++) {
            const times *x = k ? &s->begins[p] : &s->ends[p];
            if (taken[k][p] == x->count || (found && x->v[taken[k][p]] >= *at))
                continue;
            *at = x->v[taken[k][p]];
            *phase = p;
            *begins = k;
            found = true;
        }
    if (found)
        taken[*begins][*phase]++;
    return found;
}

/* Where --limit has dropped the older commands, the run begins at the first command that the log keeps. */
static int64_t first_stay(const struct cw_trace *t)
{
    for (size_t i = 0; i < t->commands.count && t->process.dropped_commands; i++)
        if (t->commands.v[i].call_begin_ns)
            return cw_device_clock_ns(t->commands.v[i].call_begin_ns);
    return INT64_MIN;
}

static void measure(struct cw_phases *p, struct sweep *s)
{
    const struct cw_t_process *run = &s->t->process;
    int64_t at = run->selection         ? cw_device_clock_ns(run->selected_from_ns)
                 : s->from != INT64_MIN ? s->from
                                        : cw_device_clock_ns(run->start_ns),
            end = cw_device_clock_ns(run->selection ? run->selected_to_ns : run->end_ns), next = 0;
    uint64_t active[CW_PHASES] = {0};
    size_t taken[2][CW_PHASES] = {{0}};
    bool any = false, begins = false;
    unsigned phase = 0;

    for (unsigned i = 0; i < CW_PHASES; i++) {
        sort(&s->begins[i]);
        sort(&s->ends[i]);
        if (!s->begins[i].count)
            continue;
        if ((!any && !at) || s->begins[i].v[0] < at)
            at = s->begins[i].v[0];
        if (s->ends[i].v[s->ends[i].count - 1] > end)
            end = s->ends[i].v[s->ends[i].count - 1];
        any = true;
    }
    if (end <= at)
        return;
    p->total_ns = (uint64_t)(end - at);
    while (next_time(s, taken, &next, &phase, &begins)) {
        p->ns[first_active(active)] += (uint64_t)(next - at);
        at = next;
        active[phase] += begins ? 1 : UINT64_MAX;
    }
    p->ns[CW_PHASE_HOST] += (uint64_t)(end - at);
}

enum cw_status cw_phases_measure(struct cw_phases *p, const struct cw_trace *t,
                                 const struct cw_first_launches *first, struct cw_error *err)
{
    struct sweep s = {.t = t, .shift = calloc(t->devices.count + 1, sizeof *s.shift), .from = first_stay(t)};

    *p = (struct cw_phases){.no_device_times = t->process.times_every || !cw_command_times_exist(t),
                            .no_calls = !t->calls.count};
    s.failed = !s.shift;
    if (!s.failed) {
        cw_device_clock_shifts(t, s.shift);
        add_commands(&s);
        for (size_t i = 0; i < t->calls.count; i++)
            add(&s, phase_of(t->calls.v[i].name ? t->calls.v[i].name : ""),
                cw_device_clock_ns(t->calls.v[i].begin_ns), cw_device_clock_ns(t->calls.v[i].end_ns));
        for (size_t i = 0; i < first->gap_count; i++)
            add(&s, CW_PHASE_FIRST, first->gaps[i].begin, first->gaps[i].end);
    }
    if (!s.failed)
        measure(p, &s);
    free(s.shift);
    for (unsigned i = 0; i < CW_PHASES; i++) {
        free(s.begins[i].v);
        free(s.ends[i].v);
    }
    return !s.failed ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}
