/* figures.c - see figures.h. */
#include "figures.h"
#include "../record/command_facts.h"
#include "explain.h"
#include "../graph/graph_build.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

static bool is_host_transfer(uint32_t type)
{
    switch (type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
    case CL_COMMAND_WRITE_IMAGE:
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
        return true;
    }
    return false;
}

static uint64_t bytes_of(const struct cw_trace *t, const struct cw_command *k)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < k->accesses.count; i++)
        bytes += t->accesses.v[k->accesses.first + i].bytes;
    return bytes;
}

/* The end of the command on its device, on the host's clock; 0: it is not known. */
static uint64_t end_on_host(const struct cw_trace *t, const struct cw_command *k, const int64_t *shift)
{
    uint32_t device = cw_trace_command_device(t, k);
    int64_t end =
        cw_command_device_ns(k) && device != CW_NONE ? cw_device_clock_on_host(k->end_ns, shift[device]) : 0;

    return end > 0 ? (uint64_t)end : 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* False: memory is out. */
static bool count_host(struct cw_figures *f, const struct cw_trace *t)
{
    int64_t *shift = calloc(t->devices.count + 1, sizeof *shift);
    struct cw_interval *wait = malloc((cw_command_count_waits(t) + 1) * sizeof *wait);
    uint64_t first = 0, last = 0;

    if (shift)
        cw_device_clock_shifts(t, shift);
    for (size_t i = 0; shift && wait && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        last = later(last, end_on_host(t, k, shift));
        if (!k->call_begin_ns || k->call_end_ns < k->call_begin_ns)
            continue;
        if (cw_trace_command_is_enqueue(k) && (first == 0 || k->call_begin_ns < first))
            first = k->call_begin_ns;
        last = later(last, k->call_end_ns);
        if (cw_command_is_wait(k)) {
            wait[f->blocking_calls++] = (struct cw_interval){cw_device_clock_ns(k->call_begin_ns),
                                                             cw_device_clock_ns(k->call_end_ns)};
            f->blocked_ns += k->call_end_ns - k->call_begin_ns;
        }
    }
    f->span_ns = first && last > first ? last - first : 0;
    if (shift && wait)
        f->waited_ns = cw_interval_union(wait, f->blocking_calls);
    free(wait);
    free(shift);
    return shift && wait;
}

static bool is_plain(const struct cw_trace *t, const struct cw_t_arg *a)
{
    return a->kind == CW_ARG_VALUE || a->kind == CW_ARG_LOCAL || a->kind == CW_ARG_SAMPLER ||
           (a->kind == CW_ARG_MEMORY &&
            (a->memory >= t->memory.count || t->memory.v[a->memory].kind == CW_MEM_BUFFER ||
             t->memory.v[a->memory].kind == CW_MEM_SUBBUFFER || t->memory.v[a->memory].kind == CW_MEM_IMAGE));
}

/* An estimate from the trace alone; run mode itself looks more closely. */
static bool is_manageable(const struct cw_trace *t, const struct cw_command *k)
{
    uint32_t device = cw_trace_command_device(t, k),
             program = k->kernel < t->kernels.count ? t->kernels.v[k->kernel].program : CW_NONE;
    uint32_t platform = device != CW_NONE ? t->devices.v[device].platform : CW_NONE;

    if (!cw_command_works(k) || program >= t->programs.count || platform >= t->platforms.count ||
        k->unknown_access)
        return false;
    if (!t->platforms.v[platform].name ||
        strcmp(t->platforms.v[platform].name, "Portable Computing Language"))
        return false;
    for (uint32_t i = 0; i < k->args.count; i++)
        if (!is_plain(t, &t->args.v[k->args.first + i]))
            return false;
    return t->programs.v[program].kind == CW_PROGRAM_SOURCE ||
           t->programs.v[program].kind == CW_PROGRAM_LINKED;
}

/* As shim/device/vendor_traits.c has it. */
static bool is_streamable(const struct cw_trace *t, uint32_t device)
{
    uint32_t platform = t->devices.v[device].platform;
    const char *name = platform < t->platforms.count ? t->platforms.v[platform].name : NULL;

    return name && !strcmp(name, "NVIDIA CUDA") && t->devices.v[device].type & CL_DEVICE_TYPE_GPU;
}

static void count_run(struct cw_figures *f, const struct cw_trace *t)
{
    f->of_run = t->process.run_mode || t->parts.count || t->plans.count;
    for (size_t i = 0; i < t->commands.count; i++) {
        f->managed += cw_trace_command_is_enqueue(&t->commands.v[i]) && t->commands.v[i].device != CW_NONE;
        f->manageable += is_manageable(t, &t->commands.v[i]);
        if (cw_command_works(&t->commands.v[i]) && cw_trace_command_device(t, &t->commands.v[i]) != CW_NONE)
            f->streamable |= is_streamable(t, cw_trace_command_device(t, &t->commands.v[i]));
    }
    f->of_run |= f->managed > 0;
}

/* A queue has at most 64 streams here; those of a trace with more share their bits. */
static bool count_streams(struct cw_figures *f, const struct cw_trace *t)
{
    uint64_t *of = calloc(t->queues.count + 1, sizeof *of); /* by queue: the streams that it has */

    for (size_t i = 0; of && i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint64_t staged = k->transfer < t->transfers.count ? t->transfers.v[k->transfer].staged_bytes : 0;
        f->staged += staged > 0;
        f->staged_bytes += staged;
        if (!k->stream || k->queue >= t->queues.count)
            continue;
        f->streamed++;
        f->beside += k->stream > 1;
        of[k->queue] |= UINT64_C(1) << (k->stream - 1) % 64;
    }
    for (size_t q = 0; of && q < t->queues.count; q++)
        f->streams += (uint64_t)__builtin_popcountll(of[q]);
    free(of);
    return of;
}

static void count_commands(struct cw_figures *f, const struct cw_trace *t)
{
    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint64_t ns = cw_command_device_ns(k);
        if (!cw_trace_command_is_enqueue(k))
            continue;
        f->refused += k->status != 0;
        f->failed += k->status == 0 && k->exec_status < 0;
        if (k->kernel != CW_NONE && ns) {
            f->kernels++;
            f->kernel_ns += ns;
            f->short_kernels += ns < CW_SHORT_KERNEL_NS;
            f->short_ns += ns < CW_SHORT_KERNEL_NS ? ns : 0;
        }
        if (is_host_transfer(k->type) && cw_command_works(k)) {
            f->host_transfers++;
            f->host_bytes_at_most |= !cw_command_bytes_are_exact(t, k);
            f->host_bytes += bytes_of(t, k);
            f->host_ns += ns;
        }
    }
}

static bool count_waits_only(struct cw_figures *f, const struct cw_trace *t)
{
    uint8_t *seen = calloc(t->commands.count + 1, 1); /* 1: a queue edge comes in, 2: a binding one does */

    for (size_t e = 0; seen && e < t->edges.count; e++)
        seen[t->edges.v[e].to] |= cw_graph_edge_binds(&t->edges.v[e]) ? 2 : 1;
    for (size_t i = 0; seen && i < t->commands.count; i++)
        f->waits_only += cw_command_works(&t->commands.v[i]) && seen[i] == 1;
    free(seen);
    return seen;
}

static bool count_unused(struct cw_figures *f, const struct cw_trace *t)
{
    uint8_t *used = calloc(t->memory.count + 1, 1);

    for (size_t i = 0; used && i < t->accesses.count; i++) {
        uint64_t offset;
        uint32_t root = t->accesses.v[i].memory < t->memory.count
                            ? cw_trace_memory_root(t, t->accesses.v[i].memory, &offset)
                            : CW_NONE;
        if (root != CW_NONE)
            used[root] = 1;
    }
    for (size_t m = 0; used && m < t->memory.count; m++)
        if (!used[m] && t->memory.v[m].kind != CW_MEM_SUBBUFFER && t->memory.v[m].parent == CW_NONE) {
            f->unused_objects++;
            f->unused_bytes += t->memory.v[m].size;
        }
    free(used);
    return used;
}

static void count_memory(struct cw_figures *f, const struct cw_trace *t)
{
    for (size_t m = 0; m < t->memory.count; m++) {
        struct cw_memory_figures *v = &f->memory[t->memory.v[m].kind % CW_FIGURES_MEMORY_KINDS];
        v->objects++;
        v->bytes += t->memory.v[m].size;
    }
}

struct interval {
    uint64_t begin, end;
    uint32_t device;
};

static int by_device_and_begin(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Fills groups[] by command: work-groups of its parts that have a device; 0: it was not cut. */
static void count_groups(const struct cw_trace *t, uint64_t *groups)
{
    for (size_t i = 0; i < t->parts.count; i++) {
        const struct cw_t_part *p = &t->parts.v[i];
        if (p->command < t->commands.count && p->device < t->devices.count)
            groups[p->command] += p->groups;
    }
}

/* Adds the intervals of parts; returns how many. A device that has several parts of one launch gets them as a
 * part each. */
static size_t add_parts(struct cw_figures *f, const struct cw_trace *t, const uint64_t *groups,
                        struct interval *v)
{
    size_t n = 0;

    for (size_t i = 0; i < t->parts.count; i++) {
        const struct cw_t_part *p = &t->parts.v[i];
        struct cw_device_figures *d = p->device < t->devices.count ? &f->devices[p->device] : NULL;
        double share;

        if (!d || p->command >= t->commands.count || !groups[p->command])
            continue;
        share = (double)p->groups / (double)groups[p->command];
        d->least_share = d->parts && d->least_share < share ? d->least_share : share;
        d->most_share = d->most_share > share ? d->most_share : share;
        d->mean_share += (share - d->mean_share) / (double)++d->parts;
        if (p->end_ns > p->start_ns)
            v[n++] = (struct interval){p->start_ns, p->end_ns, p->device};
    }
    return n;
}

/* Adds the intervals of commands that were not cut; returns how many. Failed ones, too. */
static size_t add_commands(struct cw_figures *f, const struct cw_trace *t, const uint64_t *groups,
                           struct interval *v)
{
    size_t n = 0;

    for (size_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t device = cw_trace_command_device(t, k);
        if (device == CW_NONE)
            continue;
        f->devices[device].without_times += cw_command_lacks_time(k);
        if (cw_trace_command_is_enqueue(k) && k->start_ns && k->end_ns > k->start_ns) {
            f->devices[device].commands++;
            if (!groups[i])
                v[n++] = (struct interval){k->start_ns, k->end_ns, device};
        }
    }
    return n;
}

/* Busy times: the union of the intervals of each device. */
static bool measure_devices(struct cw_figures *f, const struct cw_trace *t)
{
    struct interval *v = malloc((t->commands.count + t->parts.count + 1) * sizeof *v);
    uint64_t *groups = calloc(t->commands.count + 1, sizeof *groups);
    size_t n = 0;
    bool good;

    if (v && groups) {
        count_groups(t, groups);
        n = add_commands(f, t, groups, v);
        n += add_parts(f, t, groups, v + n);
        qsort(v, n, sizeof *v, by_device_and_begin);
    }
    for (size_t i = 0, next; i < n; i = next) {
        struct cw_device_figures *d = &f->devices[v[i].device];
        uint64_t reached = v[i].begin;
        for (next = i; next < n && v[next].device == v[i].device; next++) {
            uint64_t from = v[next].begin > reached ? v[next].begin : reached;
            d->sum_ns += v[next].end - v[next].begin;
            d->busy_ns += v[next].end > from ? v[next].end - from : 0;
            reached = v[next].end > reached ? v[next].end : reached;
        }
        d->span_ns = reached - v[i].begin;
    }
    good = v && groups;
    free(groups);
    free(v);
    return good;
}

enum cw_status cw_figures_init(struct cw_figures *f, const struct cw_trace *t, struct cw_error *err)
{
    memset(f, 0, sizeof *f);
    f->devices = calloc(t->devices.count + 1, sizeof *f->devices);
    f->device_count = t->devices.count;
    count_commands(f, t);
    count_run(f, t);
    count_memory(f, t);
    if (cw_leaks_count(&f->leaks, t, err) || cw_first_launches_find(&f->first, t, err) ||
        cw_host_calls_init(&f->calls, t, err) || cw_phases_measure(&f->phases, t, &f->first, err) ||
        cw_habits_find(&f->habits, t, err) || cw_races_find(&f->races, t, err) ||
        cw_shared_contexts_find(&f->shared, t, err) || cw_memory_moves_measure(&f->moves, t, err))
        return CW_ERR_NOMEM;
    f->run_ns = f->phases.total_ns;
    if (!f->devices || !count_host(f, t) || !count_streams(f, t) || !count_waits_only(f, t) ||
        !count_unused(f, t) || !measure_devices(f, t))
        return cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
    return CW_OK;
}

void cw_figures_finish(struct cw_figures *f)
{
    free(f->devices);
    cw_first_launches_finish(&f->first);
    cw_host_calls_finish(&f->calls);
    cw_memory_moves_finish(&f->moves);
    cw_races_finish(&f->races);
    memset(f, 0, sizeof *f);
}
