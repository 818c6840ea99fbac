/* export_timeline.c - Chrome / Perfetto trace-event JSON; see exporter.h.
 *
 * Tracks: one process "host threads" with a track per thread (calls), one "queues" and one "devices"
 * with a track per queue and device (commands while they ran), a queue that run mode gave streams one per
 * stream. A fourth one, "memories", has a track for each way between the host's memory and a device's,
 * with the copies that run mode made. Commands that overlap in one track get further tracks, because
 * slices of a track must nest. Arrows run along binding edges between commands that have device times.
 * Device times are shifted to the host's clock (device_clock.h). */
#include "../graph/device_clock.h"
#include "exporter.h"
#include "../graph/error_names.h"
#include "../graph/graph_build.h"
#include "../graph/memory_moves.h"
#include "../io/json_out.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

enum { PID_HOST = 1, PID_QUEUES, PID_DEVICES, PID_MEMORIES, LANES = 64, STREAMS = 8 };

/* When a command ran, on the host's clock from the trace's start; 0, 0: not known. */
struct span {
    int64_t begin, end;
    uint32_t lane; /* of the track of its queue, or of its stream */
};

/* Ends of the newest slice of each lane of one track. */
struct lanes {
    int64_t end[LANES];
    uint32_t used;
};

struct timeline {
    const struct cw_trace *t;
    struct cw_json_out *o;
    struct span *spans;
    struct lanes *queues; /* of all queues' commands without a stream, of all queues' first streams, ... */
    struct lanes *devices;
    struct lanes *ways; /* to device 0's memory, back, to device 1's, ... */
    int64_t *shift;     /* per device */
    bool any;           /* an event was written */
};

static void begin_event(struct timeline *l)
{
    cw_json_put_text(l->o, l->any ? ",\n" : "\n");
    l->any = true;
    cw_json_put_open(l->o);
}

/* Nanoseconds as microseconds with three decimals, the format's unit. */
static void put_us(struct timeline *l, const char *key, int64_t ns)
{
    char text[32];

    cw_json_put_key(l->o, key);
    snprintf(text, sizeof text, "%s%lld.%03d", ns < 0 ? "-" : "", (long long)llabs(ns / 1000),
             (int)llabs(ns % 1000));
    cw_json_put_text(l->o, text);
}

static void put_text(struct timeline *l, const char *key, const char *value)
{
    cw_json_put_key(l->o, key);
    cw_json_put_string(l->o, value);
}

static void put_number(struct timeline *l, const char *key, uint64_t value)
{
    cw_json_put_key(l->o, key);
    cw_json_put_u64(l->o, value);
}

static void put_place(struct timeline *l, const char *phase, uint64_t pid, uint64_t tid, int64_t ns)
{
    put_text(l, "ph", phase);
    put_number(l, "pid", pid);
    put_number(l, "tid", tid);
    put_us(l, "ts", ns);
}

/* kind: "process_name" or "thread_name" */
static void name_track(struct timeline *l, const char *kind, uint64_t pid, uint64_t tid, const char *name)
{
    begin_event(l);
    put_text(l, "ph", "M");
    put_text(l, "name", kind);
    put_number(l, "pid", pid);
    put_number(l, "tid", tid);
    cw_json_put_key(l->o, "args");
    cw_json_put_open(l->o);
    put_text(l, "name", name);
    cw_json_put_close(l->o);
    cw_json_put_close(l->o);
}

static void put_details(struct timeline *l, const struct cw_command *k, uint32_t id)
{
    char range[80];

    cw_json_put_key(l->o, "args");
    cw_json_put_open(l->o);
    put_number(l, "command", cw_trace_command_number(l->t, id));
    put_text(l, "type", cw_trace_command_type_name(k->type));
    if (k->work_dim) {
        snprintf(range, sizeof range, "%llu x %llu x %llu", (unsigned long long)k->global_size[0],
                 (unsigned long long)k->global_size[1], (unsigned long long)k->global_size[2]);
        put_text(l, "global_size", range);
    }
    if (k->stream)
        put_number(l, "stream", k->stream);
    if (k->transfer < l->t->transfers.count && l->t->transfers.v[k->transfer].staged_bytes)
        put_number(l, "staged_bytes", l->t->transfers.v[k->transfer].staged_bytes);
    if (k->queued_ns && k->submit_ns > k->queued_ns)
        put_number(l, "queued_to_submit_ns", k->submit_ns - k->queued_ns);
    if (k->submit_ns && k->start_ns > k->submit_ns)
        put_number(l, "submit_to_start_ns", k->start_ns - k->submit_ns);
    cw_json_put_close(l->o);
}

static void put_slice(struct timeline *l, uint64_t pid, uint64_t tid, int64_t begin, int64_t end, uint32_t id)
{
    const struct cw_command *k = &l->t->commands.v[id];

    begin_event(l);
    put_text(l, "name", cw_trace_command_name(l->t, k));
    put_text(l, "cat",
             cw_trace_command_is_enqueue(k) ? k->kernel != CW_NONE ? "kernel" : "transfer" : "host");
    put_place(l, "X", pid, tid, begin);
    put_us(l, "dur", end > begin ? end - begin : 0);
    put_details(l, k, id);
    cw_json_put_close(l->o);
}

/* The first lane that is free at `begin`; the last one when none is. */
static uint32_t take_lane(struct lanes *v, int64_t begin, int64_t end)
{
    uint32_t lane = 0;

    while (lane + 1 < LANES && lane < v->used && v->end[lane] > begin)
        lane++;
    if (lane >= v->used)
        v->used = lane + 1;
    v->end[lane] = end;
    return lane;
}

/* The place of a command's track in `queues`; streams beyond the last share its track. */
static uint64_t track_of(const struct cw_trace *t, const struct cw_command *k)
{
    return k->queue + t->queues.count * (k->stream < STREAMS ? k->stream : STREAMS);
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
        p[(*n)++] = (struct piece){
            {cw_device_clock_ns(x->start_ns) + l->shift[x->device] - cw_device_clock_ns(t->process.start_ns),
             cw_device_clock_ns(x->end_ns) + l->shift[x->device] - cw_device_clock_ns(t->process.start_ns),
             0},
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

    for (size_t i = 0; p && i < n; i++) {
        uint32_t lane = take_lane(&l->devices[p[i].device], p[i].span.begin, p[i].span.end);
        put_slice(l, PID_DEVICES, (uint64_t)p[i].device * LANES + lane, p[i].span.begin, p[i].span.end,
                  p[i].command);
    }
    free(p);
    return p;
}

/* Slices of queues and devices, in order of their beginnings so that lanes can be given out. */
static bool put_device_slices(struct timeline *l)
{
    const struct cw_trace *t = l->t;
    uint32_t *order = malloc((t->commands.count + 1) * sizeof *order);
    size_t n = 0;

    if (!order)
        return false;
    for (uint32_t i = 0; i < t->commands.count; i++) {
        const struct cw_command *k = &t->commands.v[i];
        uint32_t d = cw_trace_command_device(t, k);
        if (!k->start_ns || k->end_ns < k->start_ns || d == CW_NONE || k->queue == CW_NONE)
            continue;
        l->spans[i].begin =
            cw_device_clock_ns(k->start_ns) + l->shift[d] - cw_device_clock_ns(t->process.start_ns);
        l->spans[i].end =
            cw_device_clock_ns(k->end_ns) + l->shift[d] - cw_device_clock_ns(t->process.start_ns);
        order[n++] = i;
    }
    qsort_r(order, n, sizeof *order, by_begin, l->spans);
    for (size_t i = 0; i < n; i++) {
        struct span *s = &l->spans[order[i]];
        uint64_t track = track_of(t, &t->commands.v[order[i]]);
        s->lane = take_lane(&l->queues[track], s->begin, s->end);
        put_slice(l, PID_QUEUES, track * LANES + s->lane, s->begin, s->end, order[i]);
    }
    free(order);
    return put_pieces(l);
}

static void put_move(struct timeline *l, const struct cw_t_move *m, uint64_t track, int64_t begin,
                     int64_t end)
{
    static const char *const whys[] = {"needed", "native command", "room"};
    char name[40] = "buffer";

    if (m->memory != CW_NONE)
        snprintf(name, sizeof name, "buffer %u", m->memory);
    begin_event(l);
    put_text(l, "name", name);
    put_text(l, "cat", "copy");
    put_place(l, "X", PID_MEMORIES, track, begin);
    put_us(l, "dur", end > begin ? end - begin : 0);
    cw_json_put_key(l->o, "args");
    cw_json_put_open(l->o);
    put_number(l, "bytes", m->bytes);
    put_number(l, "offset", m->offset);
    put_text(l, "why", whys[m->why]);
    if (m->command != CW_NONE)
        put_number(l, "command", cw_trace_command_number(l->t, m->command));
    cw_json_put_close(l->o);
    cw_json_put_close(l->o);
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
        int64_t to_host = l->shift[device] - cw_device_clock_ns(t->process.start_ns);
        int64_t begin = cw_device_clock_ns(m->start_ns) + to_host,
                end = cw_device_clock_ns(m->end_ns) + to_host;
        uint64_t way = 2 * (uint64_t)device + home;
        put_move(l, m, way * LANES + take_lane(&l->ways[way], begin, end), begin, end);
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
            put_slice(l, PID_HOST, k->thread,
                      cw_device_clock_ns(k->call_begin_ns) - cw_device_clock_ns(t->process.start_ns),
                      cw_device_clock_ns(k->call_end_ns) - cw_device_clock_ns(t->process.start_ns), i);
    }
}

/* Calls that no command stands for. A failed one whose time was not taken is an instant. */
static void put_calls(struct timeline *l)
{
    const struct cw_trace *t = l->t;

    for (size_t i = 0; i < t->calls.count; i++) {
        const struct cw_t_call *k = &t->calls.v[i];
        int64_t begin = cw_device_clock_ns(k->begin_ns) - cw_device_clock_ns(t->process.start_ns);
        char text[32];
        begin_event(l);
        put_text(l, "name", k->name);
        put_text(l, "cat", "call");
        put_place(l, k->end_ns > k->begin_ns ? "X" : "i", PID_HOST, k->thread, begin);
        if (k->end_ns > k->begin_ns)
            put_us(l, "dur", cw_device_clock_ns(k->end_ns) - cw_device_clock_ns(k->begin_ns));
        else
            put_text(l, "s", "t");
        cw_json_put_key(l->o, "args");
        cw_json_put_open(l->o);
        if (k->status)
            put_text(l, "error", cw_error_names_of(k->status, text));
        if (k->program != CW_NONE)
            put_number(l, "program", k->program);
        if (k->kernel < t->kernels.count)
            put_text(l, "kernel", t->kernels.v[k->kernel].name);
        if (k->argument >= 0)
            put_number(l, "argument", (uint64_t)k->argument);
        cw_json_put_close(l->o);
        cw_json_put_close(l->o);
    }
}

static void put_arrow_end(struct timeline *l, const char *phase, const struct cw_edge *e, uint64_t id,
                          uint32_t command, int64_t ns)
{
    begin_event(l);
    put_text(l, "name",
             e->kind == CW_EDGE_DATA ? cw_graph_hazard_name(e->hazard) : cw_graph_edge_kind_name(e->kind));
    put_text(l, "cat", "dependence");
    put_place(l, phase, PID_QUEUES,
              track_of(l->t, &l->t->commands.v[command]) * LANES + l->spans[command].lane, ns);
    put_number(l, "id", id);
    if (*phase == 'f')
        put_text(l, "bp", "e"); /* bind to the slice around it, not to the next one */
    cw_json_put_close(l->o);
}

/* An arrow's ends must lie in slices: its tail in the last nanosecond of the source's. */
static void put_arrows(struct timeline *l, bool queue_edges)
{
    const struct cw_trace *t = l->t;
    uint64_t id = 0;

    for (size_t i = 0; i < t->edges.count; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        const struct span *from = &l->spans[e->from], *to = &l->spans[e->to];
        if (from->end == 0 || to->end == 0 || (!queue_edges && !cw_graph_edge_binds(e)))
            continue;
        if (i > 0 && t->edges.v[i - 1].from == e->from && t->edges.v[i - 1].to == e->to &&
            cw_graph_edge_binds(&t->edges.v[i - 1]))
            continue; /* one arrow between two commands is enough */
        put_arrow_end(l, "s", e, ++id, e->from, from->end > from->begin ? from->end - 1 : from->begin);
        put_arrow_end(l, "f", e, id, e->to, to->begin);
    }
}

static void name_lanes(struct timeline *l, uint64_t pid, size_t index, const struct lanes *lanes,
                       const char *name)
{
    char text[200];

    for (uint32_t lane = 0; lane < lanes->used; lane++) {
        snprintf(text, sizeof text, lane ? "%.160s (%u)" : "%.160s", name, lane + 1);
        name_track(l, "thread_name", pid, index * LANES + lane, text);
    }
}

static void name_tracks(struct timeline *l)
{
    const struct cw_trace *t = l->t;
    uint32_t threads = 0;
    char text[200];

    name_track(l, "process_name", PID_HOST, 0, "host threads");
    name_track(l, "process_name", PID_QUEUES, 0, "queues");
    name_track(l, "process_name", PID_DEVICES, 0, "devices");
    if (t->moves.count)
        name_track(l, "process_name", PID_MEMORIES, 0, "memories");
    for (size_t i = 0; i < t->commands.count; i++)
        threads = t->commands.v[i].thread >= threads && t->commands.v[i].thread < 100000
                      ? t->commands.v[i].thread + 1
                      : threads;
    for (size_t i = 0; i < t->calls.count; i++)
        threads = t->calls.v[i].thread >= threads && t->calls.v[i].thread < 100000 ? t->calls.v[i].thread + 1
                                                                                   : threads;
    for (uint32_t i = 0; i < threads; i++) {
        snprintf(text, sizeof text, "thread %u", i);
        name_track(l, "thread_name", PID_HOST, i, text);
    }
    for (size_t track = 0; track < t->queues.count * (STREAMS + 1); track++) {
        size_t q = track % t->queues.count, stream = track / t->queues.count;
        snprintf(text, sizeof text, stream ? "queue %zu (%s), stream %zu" : "queue %zu (%s)", q,
                 t->queues.v[q].out_of_order ? "out of order" : "in order", stream);
        name_lanes(l, PID_QUEUES, track, &l->queues[track], text);
    }
    for (size_t d = 0; d < t->devices.count; d++) {
        snprintf(text, sizeof text, "device %zu: %.150s", d,
                 t->devices.v[d].name ? t->devices.v[d].name : "?");
        name_lanes(l, PID_DEVICES, d, &l->devices[d], text);
        for (size_t home = 0; home < 2; home++) {
            snprintf(text, sizeof text, home ? "device %zu -> host" : "host -> device %zu", d);
            name_lanes(l, PID_MEMORIES, 2 * d + home, &l->ways[2 * d + home], text);
        }
    }
}

enum cw_status cw_export_timeline(const struct cw_trace *t, const struct cw_export_options *o, FILE *f,
                                  struct cw_error *err)
{
    struct timeline l = {.t = t};
    bool ok;

    l.o = malloc(sizeof *l.o);
    l.spans = calloc(t->commands.count + 1, sizeof *l.spans);
    l.queues = calloc(t->queues.count * (STREAMS + 1) + 1, sizeof *l.queues);
    l.devices = calloc(t->devices.count + 1, sizeof *l.devices);
    l.ways = calloc(2 * t->devices.count + 1, sizeof *l.ways);
    l.shift = calloc(t->devices.count + 1, sizeof *l.shift);
    ok = l.o && l.spans && l.queues && l.devices && l.ways && l.shift;
    if (ok) {
        cw_json_out_init(l.o, f);
        cw_json_put_text(l.o, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        cw_device_clock_shifts(t, l.shift);
        put_host_slices(&l);
        put_calls(&l);
        ok = put_device_slices(&l) && put_moves(&l);
        put_arrows(&l, o->queue_edges);
        name_tracks(&l);
        cw_json_put_text(l.o, "\n],\"otherData\":{\"program\":");
        cw_json_put_string(l.o, t->process.program);
        cw_json_put_text(l.o, "}}\n");
        cw_json_out_flush(l.o);
    }
    free(l.o);
    free(l.spans);
    free(l.queues);
    free(l.devices);
    free(l.ways);
    free(l.shift);
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "timeline: out of memory");
}
