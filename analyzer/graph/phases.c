/* phases.c - see phases.h. A sweep over the ends of all intervals. */
#include "phases.h"
#include "command_facts.h"
#include "device_clock.h"
#include "host_calls.h"

#include <stdlib.h>
#include <string.h>

/* An interval of a phase begins, or ends. */
struct bound {
    int64_t at;
    int8_t step; /* 1, -1 */
    uint8_t phase;
};

struct sweep {
    const struct cw_trace *t;
    int64_t *shift; /* per device */
    struct bound *v;
    size_t n;
};

const char *cw_phases_name(enum cw_phase phase)
{
    static const char *const names[CW_PHASES] = {"kernels", "transfers", "build",       "first launches",
                                                 "set-up",  "waiting",   "other calls", "host"};

    return names[phase];
}

static void add(struct sweep *s, enum cw_phase phase, int64_t begin, int64_t end)
{
    if (end <= begin)
        return;
    s->v[s->n++] = (struct bound){begin, 1, (uint8_t)phase};
    s->v[s->n++] = (struct bound){end, -1, (uint8_t)phase};
}

static void add_commands(struct sweep *s)
{
    const struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t device = cw_trace_command_device(t, k);
        if (cw_command_device_ns(k) && device != CW_NONE)
            add(s, k->kernel != CW_NONE ? CW_PHASE_KERNELS : CW_PHASE_TRANSFERS,
                cw_device_clock_ns(k->start_ns) + s->shift[device],
                cw_device_clock_ns(k->end_ns) + s->shift[device]);
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
    const struct bound *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* The phase that counts while `active` of each are under way. */
static enum cw_phase first_active(const uint64_t *active)
{
    unsigned p = 0;

    while (p < CW_PHASE_HOST && !active[p])
        p++;
    return p;
}

static void measure(struct cw_phases *p, struct sweep *s)
{
    const struct cw_t_process *run = &s->t->process;
    int64_t at = cw_device_clock_ns(run->selection ? run->selected_from_ns : run->start_ns),
            end = cw_device_clock_ns(run->selection ? run->selected_to_ns : run->end_ns);
    uint64_t active[CW_PHASES] = {0};

    qsort(s->v, s->n, sizeof *s->v, by_time);
    if (s->n && (!at || s->v[0].at < at))
        at = s->v[0].at;
    if (s->n && s->v[s->n - 1].at > end)
        end = s->v[s->n - 1].at;
    if (end <= at)
        return;
    p->total_ns = (uint64_t)(end - at);
    for (size_t i = 0; i < s->n; i++) {
        p->ns[first_active(active)] += (uint64_t)(s->v[i].at - at);
        at = s->v[i].at;
        active[s->v[i].phase] += (uint64_t)(int64_t)s->v[i].step;
    }
    p->ns[CW_PHASE_HOST] += (uint64_t)(end - at);
}

enum cw_status cw_phases_measure(struct cw_phases *p, const struct cw_trace *t,
                                 const struct cw_first_launches *first, struct cw_error *err)
{
    size_t bounds = 4 * t->commands.count + 2 * t->calls.count + 2 * first->gap_count;
    struct sweep s = {.t = t,
                      .shift = calloc(t->devices.count + 1, sizeof *s.shift),
                      .v = malloc((bounds + 1) * sizeof *s.v)};
    bool ok = s.shift && s.v;

    *p = (struct cw_phases){.no_device_times = !cw_command_times_exist(t), .no_calls = !t->calls.count};
    if (ok) {
        cw_device_clock_shifts(t, s.shift);
        add_commands(&s);
        for (size_t i = 0; i < t->calls.count; i++)
            add(&s, phase_of(t->calls.v[i].name ? t->calls.v[i].name : ""),
                cw_device_clock_ns(t->calls.v[i].begin_ns), cw_device_clock_ns(t->calls.v[i].end_ns));
        for (size_t i = 0; i < first->gap_count; i++)
            add(&s, CW_PHASE_FIRST, first->gaps[i].begin, first->gaps[i].end);
        measure(p, &s);
    }
    free(s.shift);
    free(s.v);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
}
