/* memory_moves.c - see figures.h. */
#include "figures.h"
#include "../record/command_facts.h"

#include <stdlib.h>

uint32_t cw_memory_moves_device(const struct cw_t_move *m, bool *home)
{
    *home = m->to == CW_NONE;
    return *home ? m->from : m->to;
}

static void count(struct cw_memory_moves *to, const struct cw_trace *t)
{
    for (size_t i = 0; i < t->moves.count; i++) {
        const struct cw_t_move *m = &t->moves.v[i];
        bool home;
        uint32_t device = cw_memory_moves_device(m, &home);

        to->bytes[m->why] += m->bytes;
        if (device == CW_NONE)
            continue;
        to->devices[device].copies[home]++;
        to->devices[device].bytes[home] += m->bytes;
    }
}

struct interval {
    uint64_t begin, end;
};

static int by_begin(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* A command waited for the copy: it began when the copy was over, or its beginning is not known. */
static bool is_waited_for(const struct cw_trace *t, const struct cw_t_move *m)
{
    return m->command != CW_NONE && m->end_ns > m->start_ns &&
           (!t->commands.v[m->command].start_ns || t->commands.v[m->command].start_ns >= m->end_ns);
}

static void widen(struct interval *all, uint64_t begin, uint64_t end)
{
    all->begin = begin < all->begin ? begin : all->begin;
    all->end = end > all->end ? end : all->end;
}

static bool measure_waits(struct cw_memory_moves *to, const struct cw_trace *t)
{
    struct interval *v = malloc((t->moves.count + 1) * sizeof *v), all = {UINT64_MAX, 0};
    uint64_t reached = 0;
    size_t n = 0;

    if (!v)
        return false;
    for (size_t i = 0; i < t->moves.count; i++) {
        const struct cw_t_move *m = &t->moves.v[i];
        if (m->start_ns && m->end_ns >= m->start_ns)
            widen(&all, m->start_ns, m->end_ns);
        if (is_waited_for(t, m))
            v[n++] = (struct interval){m->start_ns, m->end_ns};
    }
    for (size_t i = 0; i < t->commands.count; i++)
        if (cw_command_device_ns(&t->commands.v[i]))
            widen(&all, t->commands.v[i].start_ns, t->commands.v[i].end_ns);
    qsort(v, n, sizeof *v, by_begin);
    for (size_t i = 0; i < n; i++) { /* their union */
        uint64_t from = v[i].begin > reached ? v[i].begin : reached;
        to->waited_ns += v[i].end > from ? v[i].end - from : 0;
        reached = v[i].end > reached ? v[i].end : reached;
    }
    to->run_ns = all.end > all.begin ? all.end - all.begin : 0;
    free(v);
    return true;
}

enum cw_status cw_memory_moves_measure(struct cw_memory_moves *to, const struct cw_trace *t,
                                       struct cw_error *err)
{
    *to = (struct cw_memory_moves){.devices = calloc(t->devices.count + 1, sizeof *to->devices)};
    if (!to->devices || !measure_waits(to, t))
        return cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
    count(to, t);
    return CW_OK;
}

void cw_memory_moves_finish(struct cw_memory_moves *m)
{
    free(m->devices);
    *m = (struct cw_memory_moves){0};
}
