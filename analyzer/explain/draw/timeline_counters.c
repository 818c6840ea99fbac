/* timeline_counters.c - counters of a timeline; see timeline_sink.h. */
#include "timeline_sink.h"
#include "../../record/command_facts.h"
#include "../explain.h"
#include "../figures.h"

#include <stdlib.h>

struct change {
    uint64_t counter; /* queues, then devices */
    int64_t ns, by;
};
struct changes {
    const struct cw_trace *t;
    const int64_t *shift;
    struct change *v;
    size_t n;
};

static int by_counter_and_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->counter != y->counter)
        return x->counter < y->counter ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static void add(struct changes *c, uint64_t counter, int64_t begin, int64_t end, int64_t by)
{
    if (end < begin || by <= 0)
        return;
    c->v[c->n++] = (struct change){counter, begin, by};
    c->v[c->n++] = (struct change){counter, end, -by};
}

static int64_t host_time(const struct changes *c, uint64_t ns)
{
    return cw_device_clock_ns(ns) - cw_device_clock_ns(c->t->process.start_ns);
}

static int64_t device_time(const struct changes *c, uint32_t device, uint64_t ns)
{
    return cw_device_clock_on_host(ns, c->shift[device]) - cw_device_clock_ns(c->t->process.start_ns);
}

static int64_t bytes_of(const struct cw_trace *t, const struct cw_command *k)
{
    uint64_t bytes = k->transfer < t->transfers.count ? t->transfers.v[k->transfer].bytes : 0;

    return cw_device_clock_ns(bytes); /* at most INT64_MAX */
}

static void add_command(struct changes *c, const struct cw_command *k)
{
    const struct cw_trace *t = c->t;
    uint32_t device = cw_trace_command_device(t, k);

    if (!cw_command_device_ns(k) || device == CW_NONE || k->queue >= t->queues.count)
        return;
    if (k->call_begin_ns)
        add(c, k->queue, host_time(c, k->call_begin_ns), device_time(c, device, k->end_ns), 1);
    add(c, t->queues.count + device, device_time(c, device, k->start_ns), device_time(c, device, k->end_ns),
        bytes_of(t, k));
}

static void add_move(struct changes *c, const struct cw_t_move *m)
{
    bool home;
    uint32_t device = cw_memory_moves_device(m, &home);

    if (device != CW_NONE && m->start_ns)
        add(c, c->t->queues.count + device, device_time(c, device, m->start_ns),
            device_time(c, device, m->end_ns), cw_device_clock_ns(m->bytes));
}

/* The changes [from, to) are those of one counter; changes of one moment are one event. */
static void put_counter(struct cw_timeline_sink *s, uint32_t group, const struct changes *c, size_t from,
                        size_t to)
{
    uint64_t counter = c->v[from].counter, queues = c->t->queues.count;
    struct cw_timeline_track track = {.group = group, .track = counter};
    int64_t value = 0;
    char name[64];

    snprintf(name, sizeof name, counter < queues ? "queue %llu: commands" : "device %llu: bytes in flight",
             (unsigned long long)(counter < queues ? counter : counter - queues));
    track.name = name;
    track.unit = counter < queues ? CW_TIMELINE_COMMANDS : CW_TIMELINE_BYTES;
    s->track(s, &track);
    for (size_t i = from; i < to; i++) {
        value = (int64_t)((uint64_t)value + (uint64_t)c->v[i].by); /* hostile bytes may wrap */
        if (i + 1 == to || c->v[i + 1].ns != c->v[i].ns)
            s->count(s, &track, c->v[i].ns, value);
    }
}

bool cw_timeline_counters_put(struct cw_timeline_sink *s, uint32_t group, const struct cw_trace *t,
                              const int64_t *shift)
{
    struct changes c = {.t = t, .shift = shift};

    c.v = calloc(4 * t->commands.count + 2 * t->moves.count + 1, sizeof *c.v);
    if (!c.v)
        return false;
    for (size_t i = 0; i < t->commands.count && !t->process.times_every;
         i++) /* else most are not seen to end */
        add_command(&c, &t->commands.v[i]);
    for (size_t i = 0; i < t->moves.count; i++)
        add_move(&c, &t->moves.v[i]);
    qsort(c.v, c.n, sizeof *c.v, by_counter_and_time);
    if (c.n)
        s->group(s, group, "counters");
    for (size_t from = 0, to; from < c.n; from = to) {
        for (to = from; to < c.n && c.v[to].counter == c.v[from].counter;)
            to++;
        put_counter(s, group, &c, from, to);
    }
    free(c.v);
    return true;
}
