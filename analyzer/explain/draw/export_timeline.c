/* export_timeline.c - timelines for Perfetto and Chrome; see exporter.h.
 *
 * Tracks: a group "host threads" with a track per thread (calls), groups "queues" and "devices" with a
 * track per queue and device (commands while they ran), a queue that run mode gave streams one per stream.
 * A group "memories" has a track for each way between the host's memory and a device's, with the copies
 * that run mode made, a group "counters" what timeline_counters.c counts. Commands that overlap in one
 * track get further tracks, because slices of a track must nest. Arrows run along binding edges between
 * commands that have device times. Device times are shifted to the host's clock (explain.h). */
#include "../explain.h"
#include "exporter.h"
#include "timeline_sink.h"
#include "../host_calls.h"
#include "../../graph/graph_build.h"
#include "../figures.h"

#include <stdlib.h>
#include <string.h>

enum { HOST = 1, QUEUES, DEVICES, MEMORIES, COUNTERS, ROWS = 64, STREAMS = 8, MOST_THREADS = 100000 };

/* When a command ran, on the host's clock from the trace's start; 0, 0: not known. */
struct span {
    int64_t begin, end;
};

/* Ends of the newest slice of each row of one track. */
struct rows {
    int64_t end[ROWS];
    uint32_t used;
};

/* Arrows that begin or end at commands: those of command c are list[first[c]] to list[first[c + 1]]. */
struct arrows {
    size_t *first;
    struct cw_timeline_arrow *list;
};

struct timeline {
    const struct cw_trace *t;
    struct cw_timeline_sink *sink;
    struct span *spans;
    struct rows *queues; /* of all queues' commands without a stream, of all queues' first streams, ... */
    struct rows *devices;
    struct rows *ways; /* to device 0's memory, back, to device 1's, ... */
    int64_t *shift;    /* per device */
    struct arrows out, in;
};

static int64_t host_time(const struct timeline *l, uint64_t ns)
{
    return cw_device_clock_ns(ns) - cw_device_clock_ns(l->t->process.start_ns);
}

static int64_t device_time(const struct timeline *l, uint32_t device, uint64_t ns)
{
    return cw_device_clock_on_host(ns, l->shift[device]) - cw_device_clock_ns(l->t->process.start_ns);
}

/* ---- tracks */

/* The number of the row that is free at `begin`, below `index`'s rows; the last row where none is. A new
 * one is named. */
static uint64_t take_row(struct timeline *l, uint32_t group, size_t index, struct rows *v, const char *name,
                         struct span span)
{
    uint32_t row = 0;
    uint64_t track;
    char text[200];

    while (row + 1 < ROWS && row < v->used && v->end[row] > span.begin)
        row++;
    track = (uint64_t)index * ROWS + row;
    if (row >= v->used) {
        v->used = row + 1;
        snprintf(text, sizeof text, row ? "%.160s (%u)" : "%.160s", name, row + 1);
        l->sink->track(l->sink, &(struct cw_timeline_track){group, track, text, CW_TIMELINE_SLICES});
    }
    v->end[row] = span.end;
    return track;
}

static uint64_t queue_track(struct timeline *l, const struct cw_command *k, struct span span)
{
    const size_t queues = l->t->queues.count, stream = k->stream < STREAMS ? k->stream : STREAMS;
    const size_t index = k->queue + queues * stream; /* streams beyond the last share its track */
    char text[80];

    snprintf(text, sizeof text, stream ? "queue %u (%s), stream %zu" : "queue %u (%s)", k->queue,
             l->t->queues.v[k->queue].out_of_order ? "out of order" : "in order", stream);
    return take_row(l, QUEUES, index, &l->queues[index], text, span);
}

static uint64_t device_track(struct timeline *l, uint32_t device, struct span span)
{
    const char *name = l->t->devices.v[device].name;
    char text[200];

    snprintf(text, sizeof text, "device %u: %.150s", device, name ? name : "?");
    return take_row(l, DEVICES, device, &l->devices[device], text, span);
}

static uint64_t way_track(struct timeline *l, uint32_t device, bool home, struct span span)
{
    const size_t way = 2 * (size_t)device + home;
    char text[80];

    snprintf(text, sizeof text, home ? "device %u -> host" : "host -> device %u", device);
    return take_row(l, MEMORIES, way, &l->ways[way], text, span);
}

static void name_host_threads(struct timeline *l)
{
    const struct cw_trace *t = l->t;
    uint32_t threads = 0;
    char text[32];

    for (size_t i = 0; i < t->commands.count; i++)
        if (t->commands.v[i].thread >= threads && t->commands.v[i].thread < MOST_THREADS)
            threads = t->commands.v[i].thread + 1;
    for (size_t i = 0; i < t->calls.count; i++)
        if (t->calls.v[i].thread >= threads && t->calls.v[i].thread < MOST_THREADS)
            threads = t->calls.v[i].thread + 1;
    for (uint32_t i = 0; i < threads; i++) {
        snprintf(text, sizeof text, "thread %u", i);
        l->sink->track(l->sink, &(struct cw_timeline_track){HOST, i, text, CW_TIMELINE_SLICES});
    }
}

/* ---- slices */

static void add_number(struct cw_timeline_slice *s, struct cw_timeline_arg *args, const char *key, uint64_t v)
{
    args[s->arg_count++] = (struct cw_timeline_arg){key, NULL, v};
}

static void add_text(struct cw_timeline_slice *s, struct cw_timeline_arg *args, const char *key,
                     const char *v)
{
    args[s->arg_count++] = (struct cw_timeline_arg){key, v, 0};
}

static void put_slice(struct timeline *l, uint32_t group, uint64_t track, struct span span, uint32_t id)
{
    const struct cw_command *k = &l->t->commands.v[id];
    struct cw_timeline_arg args[8];
    struct cw_timeline_slice s = {
        .group = group, .track = track, .begin = span.begin, .end = span.end, .args = args};
    char range[80];

    s.name = cw_trace_command_name(l->t, k);
    s.category = cw_trace_command_is_enqueue(k) ? k->kernel != CW_NONE ? "kernel" : "transfer" : "host";
    add_number(&s, args, "command", cw_trace_command_number(l->t, id));
    add_text(&s, args, "type", cw_trace_command_type_name(k->type));
    if (k->work_dim) {
        snprintf(range, sizeof range, "%llu x %llu x %llu", (unsigned long long)k->global_size[0],
                 (unsigned long long)k->global_size[1], (unsigned long long)k->global_size[2]);
        add_text(&s, args, "global_size", range);
    }
    if (k->stream)
        add_number(&s, args, "stream", k->stream);
    if (k->transfer < l->t->transfers.count && l->t->transfers.v[k->transfer].staged_bytes)
        add_number(&s, args, "staged_bytes", l->t->transfers.v[k->transfer].staged_bytes);
    if (k->queued_ns && k->submit_ns > k->queued_ns)
        add_number(&s, args, "queued_to_submit_ns", k->submit_ns - k->queued_ns);
    if (k->submit_ns && k->start_ns > k->submit_ns)
        add_number(&s, args, "submit_to_start_ns", k->start_ns - k->submit_ns);
    if (group == QUEUES) {
        s.out = &l->out.list[l->out.first[id]];
        s.out_count = l->out.first[id + 1] - l->out.first[id];
        s.in = &l->in.list[l->in.first[id]];
        s.in_count = l->in.first[id + 1] - l->in.first[id];
    }
    l->sink->slice(l->sink, &s);
}

static int by_begin(const void *a, const void *b, void *context)
{
    const struct span *spans = context;
    int64_t x = spans[*(const uint32_t *)a].begin, y = spans[*(const uint32_t *)b].begin;

    return x < y ? -1 : x > y ? 1 : *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* A piece of work on a device: a command, or one of the parts of a launch that was cut. */
struct piece {
    struct span span;
    uint32_t device, command;
};

static int by_piece(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return x->span.begin < y->span.begin   ? -1
           : x->span.begin > y->span.begin ? 1
                                           : (x->command > y->command) - (x->command < y->command);
}

/* The pieces, in order of their beginnings. NULL: memory is out. */
static struct piece *collect_pieces(const struct timeline *l, size_t *n)
{
    const struct cw_trace *t = l->t;
    struct piece *p = calloc(t->commands.count + t->parts.count + 1, sizeof *p);
    bool *cut = calloc(t->commands.count + 1, sizeof *cut);

    *n = 0;
    for (size_t i = 0; p && cut && i < t->parts.count; i++) {
        const struct cw_t_part *x = &t->parts.v[i];
        if (x->device == CW_NONE || !x->start_ns || x->end_ns < x->start_ns)
            continue;
        cut[x->command] = true;
        p[(*n)++] =
            (struct piece){{device_time(l, x->device, x->start_ns), device_time(l, x->device, x->end_ns)},
                           x->device,
                           x->command};
    }
    for (uint32_t i = 0; p && cut && i < t->commands.count; i++)
        if (l->spans[i].end && !cut[i])
            p[(*n)++] = (struct piece){l->spans[i], cw_trace_command_device(t, &t->commands.v[i]), i};
    if (!cut) {
        free(p);
        return NULL;
    }
    free(cut);
    if (p)
        qsort(p, *n, sizeof *p, by_piece);
    return p;
}

static bool put_pieces(struct timeline *l)
{
    size_t n;
    struct piece *p = collect_pieces(l, &n);

    for (size_t i = 0; p && i < n; i++)
        put_slice(l, DEVICES, device_track(l, p[i].device, p[i].span), p[i].span, p[i].command);
    free(p);
    return p;
}

static void find_spans(struct timeline *l)
{
    const struct cw_trace *t = l->t;

    for (uint32_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t d = cw_trace_command_device(t, k);
        if (k->start_ns && k->end_ns >= k->start_ns && d != CW_NONE && k->queue != CW_NONE)
            l->spans[i] = (struct span){device_time(l, d, k->start_ns), device_time(l, d, k->end_ns)};
    }
}

/* Slices of queues and devices, in order of their beginnings so that rows can be given out. */
static bool put_device_slices(struct timeline *l)
{
    const struct cw_trace *t = l->t;
    uint32_t *order = malloc((t->commands.count + 1) * sizeof *order);
    size_t n = 0;

    if (!order)
        return false;
    for (uint32_t i = 0; i < t->commands.count; i++)
        if (l->spans[i].end)
            order[n++] = i;
    qsort_r(order, n, sizeof *order, by_begin, l->spans);
    for (size_t i = 0; i < n; i++) {
        struct span span = l->spans[order[i]];
        put_slice(l, QUEUES, queue_track(l, &t->commands.v[order[i]], span), span, order[i]);
    }
    free(order);
    return put_pieces(l);
}

static void put_move(struct timeline *l, const struct cw_t_move *m, uint64_t track, struct span span)
{
    static const char *const whys[] = {"needed", "native command", "room", "read"};
    struct cw_timeline_arg args[4];
    struct cw_timeline_slice s = {.group = MEMORIES,
                                  .track = track,
                                  .begin = span.begin,
                                  .end = span.end,
                                  .category = "copy",
                                  .args = args};
    char name[40] = "buffer";

    if (m->memory != CW_NONE)
        snprintf(name, sizeof name, "buffer %u", m->memory);
    s.name = name;
    add_number(&s, args, "bytes", m->bytes);
    add_number(&s, args, "offset", m->offset);
    add_text(&s, args, "why", whys[m->why]);
    if (m->command != CW_NONE)
        add_number(&s, args, "command", cw_trace_command_number(l->t, m->command));
    l->sink->slice(l->sink, &s);
}

static int by_start(const void *a, const void *b, void *moves)
{
    const struct cw_t_move *v = moves, *x = &v[*(const size_t *)a], *y = &v[*(const size_t *)b];

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static bool put_moves(struct timeline *l)
{
    const struct cw_trace *t = l->t;
    size_t *order = malloc((t->moves.count + 1) * sizeof *order);

    for (size_t i = 0; order && i < t->moves.count; i++)
        order[i] = i;
    if (order)
        qsort_r(order, t->moves.count, sizeof *order, by_start, t->moves.v);
    for (size_t i = 0; order && i < t->moves.count; i++) {
        const struct cw_t_move *m = &t->moves.v[order[i]];
        bool home;
        uint32_t device = cw_memory_moves_device(m, &home);
        if (device == CW_NONE || !m->start_ns || m->end_ns < m->start_ns)
            continue;
        struct span span = {device_time(l, device, m->start_ns), device_time(l, device, m->end_ns)};
        put_move(l, m, way_track(l, device, home, span), span);
    }
    free(order);
    return order;
}

static void put_host_slices(struct timeline *l)
{
    const struct cw_trace *t = l->t;

    for (uint32_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        if (k->call_begin_ns && k->call_end_ns >= k->call_begin_ns)
            put_slice(l, HOST, k->thread,
                      (struct span){host_time(l, k->call_begin_ns), host_time(l, k->call_end_ns)}, i);
    }
}

/* Calls that no command stands for. A failed one whose time was not taken is an instant. */
static void put_calls(struct timeline *l)
{
    const struct cw_trace *t = l->t;

    for (size_t i = 0; i < t->calls.count; i++) {
        const struct cw_t_call *k = &t->calls.v[i];
        struct cw_timeline_arg args[4];
        struct cw_timeline_slice s = {.group = HOST,
                                      .track = k->thread,
                                      .name = k->name,
                                      .category = "call",
                                      .begin = host_time(l, k->begin_ns),
                                      .end = host_time(l, k->end_ns),
                                      .instant = k->end_ns <= k->begin_ns,
                                      .args = args};
        char text[32];
        if (k->status)
            add_text(&s, args, "error", cw_error_names_of(k->status, text));
        if (k->program != CW_NONE)
            add_number(&s, args, "program", k->program);
        if (k->kernel < t->kernels.count)
            add_text(&s, args, "kernel", t->kernels.v[k->kernel].name);
        if (k->argument >= 0)
            add_number(&s, args, "argument", (uint64_t)k->argument);
        l->sink->slice(l->sink, &s);
    }
}

/* ---- arrows */

/* Whether edge `i` is drawn: one arrow between two commands that have times is enough. */
static bool has_arrow(const struct timeline *l, size_t i, bool queue_edges)
{
    const struct cw_edge *e = &l->t->edges.v[i], *before = i ? e - 1 : NULL;

    if (l->spans[e->from].end == 0 || l->spans[e->to].end == 0 || (!queue_edges && !cw_graph_edge_binds(e)))
        return false;
    return !(before && before->from == e->from && before->to == e->to && cw_graph_edge_binds(before));
}

static bool make_space(struct arrows *a, size_t commands, size_t edges)
{
    a->first = calloc(commands + 2, sizeof *a->first);
    a->list = malloc((edges + 1) * sizeof *a->list);
    return a->first && a->list;
}

/* Of each end: counts, then where each command's arrows begin, then the arrows. */
static bool find_arrows(struct timeline *l, bool queue_edges)
{
    const struct cw_trace *t = l->t;
    const size_t commands = t->commands.count;
    uint64_t id;

    if (!make_space(&l->out, commands, t->edges.count) || !make_space(&l->in, commands, t->edges.count))
        return false;
    for (size_t i = 0; i < t->edges.count; i++)
        if (has_arrow(l, i, queue_edges)) {
            l->out.first[t->edges.v[i].from + 1]++;
            l->in.first[t->edges.v[i].to + 1]++;
        }
    for (size_t c = 0; c < commands; c++) {
        l->out.first[c + 1] += l->out.first[c];
        l->in.first[c + 1] += l->in.first[c];
    }
    id = l->out.first[commands] + 1;
    l->out.first[commands + 1] = l->in.first[commands + 1] = id - 1;
    for (size_t i = t->edges.count;
         i-- > 0;) { /* from behind: each place is the one before the last one taken */
        const struct cw_edge *e = &t->edges.v[i];
        if (!has_arrow(l, i, queue_edges))
            continue;
        const char *name =
            e->kind == CW_EDGE_DATA ? cw_graph_hazard_name(e->hazard) : cw_graph_edge_kind_name(e->kind);
        struct cw_timeline_arrow a = {--id, name};
        l->out.list[--l->out.first[e->from + 1]] = a;
        l->in.list[--l->in.first[e->to + 1]] = a;
    }
    memmove(l->out.first, l->out.first + 1, (commands + 1) * sizeof *l->out.first);
    memmove(l->in.first, l->in.first + 1, (commands + 1) * sizeof *l->in.first);
    return true;
}

/* ---- all of it */

static bool make_timeline(struct timeline *l)
{
    const struct cw_trace *t = l->t;

    l->spans = calloc(t->commands.count + 1, sizeof *l->spans);
    l->queues = calloc(t->queues.count * (STREAMS + 1) + 1, sizeof *l->queues);
    l->devices = calloc(t->devices.count + 1, sizeof *l->devices);
    l->ways = calloc(2 * t->devices.count + 1, sizeof *l->ways);
    l->shift = calloc(t->devices.count + 1, sizeof *l->shift);
    return l->spans && l->queues && l->devices && l->ways && l->shift;
}

static void free_timeline(struct timeline *l)
{
    free(l->spans);
    free(l->queues);
    free(l->devices);
    free(l->ways);
    free(l->shift);
    free(l->out.first);
    free(l->out.list);
    free(l->in.first);
    free(l->in.list);
}

static bool put_all(struct timeline *l, bool queue_edges)
{
    cw_device_clock_shifts(l->t, l->shift);
    find_spans(l);
    if (!find_arrows(l, queue_edges))
        return false;
    l->sink->group(l->sink, HOST, "host threads");
    l->sink->group(l->sink, QUEUES, "queues");
    l->sink->group(l->sink, DEVICES, "devices");
    if (l->t->moves.count)
        l->sink->group(l->sink, MEMORIES, "memories");
    name_host_threads(l);
    put_host_slices(l);
    put_calls(l);
    return put_device_slices(l) && put_moves(l) &&
           cw_timeline_counters_put(l->sink, COUNTERS, l->t, l->shift);
}

enum cw_status cw_export_timeline(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                  struct cw_error *err)
{
    struct timeline l = {.t = t};
    bool ok;

    l.sink = o->perfetto ? cw_timeline_perfetto_create(t, f) : cw_timeline_json_create(t, f);
    ok = l.sink && make_timeline(&l) && put_all(&l, o->queue_edges);
    if (l.sink)
        ok = l.sink->finish(l.sink) && ok;
    free_timeline(&l);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "timeline: out of memory");
}
