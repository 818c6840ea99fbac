/* timeline_perfetto.c - Perfetto's own format, a Protocol Buffer: packets with descriptors of tracks and
 * events on them; see timeline_sink.h. Perfetto sorts packets by time and pairs a slice's begin with the
 * end that follows.
 *
 * Names occur often: each is written once, with a number that later events have instead (interned data). */
#include "timeline_sink.h"
#include "../../io/name_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Writes messages in the wire format of Protocol Buffers into a buffer that grows.
 *
 * A message is a list of fields: a key (number and wire type), then a varint, eight bytes, or a length with
 * so many bytes. A message in a message is written between cw_protobuf_out_begin and _end; its length has
 * four bytes always, so it may have up to 2^28 - 1 bytes.
 *
 * When memory is out, `failed` is set and nothing more is written. Thread-safety: a buffer belongs to one
 * thread. */

/* A zeroed one is empty. */
struct cw_protobuf_out {
    uint8_t *bytes;
    size_t used, capacity;
    bool failed;
};

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, LENGTH_BYTES = 4 };

static void protobuf_out_finish(struct cw_protobuf_out *o)
{
    free(o->bytes);
    *o = (struct cw_protobuf_out){0};
}

/* Where `n` more bytes go; NULL: memory is out. */
static uint8_t *extend(struct cw_protobuf_out *o, size_t n)
{
    if (!o->failed && n > o->capacity - o->used) {
        size_t capacity = 2 * (o->used + n) + 256;
        uint8_t *bytes = realloc(o->bytes, capacity);
        o->failed = !bytes;
        if (bytes) {
            o->bytes = bytes;
            o->capacity = capacity;
        }
    }
    if (o->failed)
        return NULL;
    o->used += n;
    return o->bytes + o->used - n;
}

/* Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
static void put_varint(struct cw_protobuf_out *o, uint64_t value)
{
    uint8_t bytes[10], *to;
    size_t n = 0;

    do
        bytes[n++] = (uint8_t)(value & 127) | (value > 127 ? 128 : 0);
    while (value >>= 7);
    to = extend(o, n);
    if (to)
        memcpy(to, bytes, n);
}

static void put_key(struct cw_protobuf_out *o, uint32_t field, unsigned type)
{
    put_varint(o, (uint64_t)field << 3 | type);
}

/* uint, int, bool, enum */
static void protobuf_out_u64(struct cw_protobuf_out *o, uint32_t field, uint64_t value)
{
    put_key(o, field, VARINT);
    put_varint(o, value);
}

static void protobuf_out_fixed64(struct cw_protobuf_out *o, uint32_t field, uint64_t value)
{
    uint8_t *to;

    put_key(o, field, FIXED64);
    to = extend(o, 8);
    for (int i = 0; to && i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void protobuf_out_text(struct cw_protobuf_out *o, uint32_t field, const char *text)
{
    size_t n = strlen(text);
    uint8_t *to;

    put_key(o, field, LENGTH);
    put_varint(o, n);
    to = extend(o, n);
    if (to)
        memcpy(to, text, n);
}

static size_t protobuf_out_begin(struct cw_protobuf_out *o, uint32_t field)
{
    put_key(o, field, LENGTH);
    extend(o, LENGTH_BYTES);
    return o->used;
}

/* Begins a message in the one that is being written; returns what its end needs. */
static void protobuf_out_end(struct cw_protobuf_out *o, size_t begun)
{
    size_t n = o->used - begun;

    if (!o->failed && n >> 7 * LENGTH_BYTES)
        o->failed = true;
    for (int i = 0; !o->failed && i < LENGTH_BYTES; i++)
        o->bytes[begun - LENGTH_BYTES + i] = (uint8_t)(n >> 7 * i & 127) | (i < LENGTH_BYTES - 1 ? 128 : 0);
}

/* Numbers of fields: https://github.com/google/perfetto, protos/perfetto/trace/ */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_INTERNED = 2 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_KEY = 3, NAMED_NUMBER = 1, NAMED_TEXT = 2 };
enum {
    EVENT_CATEGORY = 3,
    EVENT_ARG = 4,
    EVENT_TYPE = 9,
    EVENT_NAME = 10,
    EVENT_TRACK = 11,
    EVENT_VALUE = 30,
    EVENT_ARROWS_OUT = 47,
    EVENT_ARROWS_IN = 48
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };
enum { ARG_KEY = 1, ARG_NUMBER = 3, ARG_TEXT = 6 };
enum {
    TRACK_ID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILDREN = 11,
    TRACK_RANK = 12
};
enum { CHILDREN_BY_RANK = 3, PROCESS_PID = 1, PROCESS_NAME = 6, COUNTER_UNIT = 3 };
enum { UNIT_COUNT = 2, UNIT_BYTES = 3 };

enum { SEQUENCE = 1, PROCESS_TRACK = 1, FLUSH_BYTES = 1 << 16 };

struct perfetto_sink {
    struct cw_timeline_sink sink;
    uint64_t start_ns; /* of the trace: times are those of the host's clock */
    FILE *f;
    struct cw_protobuf_out out;
    struct cw_name_table names[INTERNED_KEY + 1]; /* by field of the interned data */
    bool any, failed;
};

static uint64_t track_id(uint32_t group, uint64_t track)
{
    return (uint64_t)(group + 1) << 40 | (track + 1);
}
static uint64_t group_id(uint32_t group)
{
    return (uint64_t)(group + 1) << 40;
}

static size_t begin_packet(struct perfetto_sink *p)
{
    size_t packet = protobuf_out_begin(&p->out, TRACE_PACKET);

    protobuf_out_u64(&p->out, PACKET_SEQUENCE, SEQUENCE);
    protobuf_out_u64(&p->out, PACKET_FLAGS, p->any ? FLAG_NEEDS_INTERNED : FLAG_CLEARED);
    p->any = true;
    return packet;
}

static void end_packet(struct perfetto_sink *p, size_t packet)
{
    protobuf_out_end(&p->out, packet);
    if (p->out.used < FLUSH_BYTES || p->out.failed)
        return;
    fwrite(p->out.bytes, 1, p->out.used, p->f);
    p->out.used = 0;
}

static size_t begin_event_packet(struct perfetto_sink *p, int64_t ns)
{
    size_t packet = begin_packet(p);

    protobuf_out_u64(&p->out, PACKET_TIMESTAMP, p->start_ns + (uint64_t)ns);
    return packet;
}

/* The number of a name; a new one is written into the packet that is open. */
static uint64_t number_of(struct perfetto_sink *p, unsigned kind, const char *name)
{
    uint32_t before = p->names[kind].count;
    uint32_t number = cw_name_table_add(&p->names[kind], name, strlen(name));

    if (number == CW_NAME_NONE) {
        p->failed = true;
        return 0;
    }
    if (number == before) {
        size_t data = protobuf_out_begin(&p->out, PACKET_INTERNED);
        size_t entry = protobuf_out_begin(&p->out, kind);
        protobuf_out_u64(&p->out, NAMED_NUMBER, number + 1);
        protobuf_out_text(&p->out, NAMED_TEXT, name);
        protobuf_out_end(&p->out, entry);
        protobuf_out_end(&p->out, data);
    }
    return number + 1;
}

static void put_track(struct perfetto_sink *p, uint64_t id, uint64_t parent, const char *name, uint64_t rank,
                      enum cw_timeline_unit unit)
{
    size_t packet = begin_packet(p), track = protobuf_out_begin(&p->out, PACKET_TRACK);

    protobuf_out_u64(&p->out, TRACK_ID, id);
    protobuf_out_u64(&p->out, TRACK_PARENT, parent);
    protobuf_out_text(&p->out, TRACK_NAME, name);
    protobuf_out_u64(&p->out, TRACK_CHILDREN, CHILDREN_BY_RANK);
    protobuf_out_u64(&p->out, TRACK_RANK, rank & 0x7fffffff);
    if (unit != CW_TIMELINE_SLICES) {
        size_t counter = protobuf_out_begin(&p->out, TRACK_COUNTER);
        protobuf_out_u64(&p->out, COUNTER_UNIT, unit == CW_TIMELINE_BYTES ? UNIT_BYTES : UNIT_COUNT);
        protobuf_out_end(&p->out, counter);
    }
    protobuf_out_end(&p->out, track);
    end_packet(p, packet);
}

static void name_group(struct cw_timeline_sink *s, uint32_t group, const char *name)
{
    put_track((struct perfetto_sink *)s, group_id(group), PROCESS_TRACK, name, group, CW_TIMELINE_SLICES);
}

static void name_track(struct cw_timeline_sink *s, const struct cw_timeline_track *track)
{
    put_track((struct perfetto_sink *)s, track_id(track->group, track->track), group_id(track->group),
              track->name, track->track, track->unit);
}

static void put_arg(struct perfetto_sink *p, const struct cw_timeline_arg *a, uint64_t key)
{
    size_t arg = protobuf_out_begin(&p->out, EVENT_ARG);

    protobuf_out_u64(&p->out, ARG_KEY, key);
    if (a->text)
        protobuf_out_text(&p->out, ARG_TEXT, a->text);
    else
        protobuf_out_u64(&p->out, ARG_NUMBER, a->number);
    protobuf_out_end(&p->out, arg);
}

/* An event of a slice; the names that it needs come before it in its packet. */
static void put_begin(struct perfetto_sink *p, const struct cw_timeline_slice *v)
{
    enum { MOST_ARGS = 16 };
    uint64_t keys[MOST_ARGS], name, category;
    size_t packet = begin_event_packet(p, v->begin),
           args = v->arg_count < MOST_ARGS ? v->arg_count : MOST_ARGS, event;

    name = number_of(p, INTERNED_NAME, v->name);
    category = number_of(p, INTERNED_CATEGORY, v->category);
    for (size_t i = 0; i < args; i++)
        keys[i] = number_of(p, INTERNED_KEY, v->args[i].key);
    event = protobuf_out_begin(&p->out, PACKET_EVENT);
    protobuf_out_u64(&p->out, EVENT_TYPE, v->instant ? TYPE_INSTANT : TYPE_BEGIN);
    protobuf_out_u64(&p->out, EVENT_TRACK, track_id(v->group, v->track));
    protobuf_out_u64(&p->out, EVENT_NAME, name);
    protobuf_out_u64(&p->out, EVENT_CATEGORY, category);
    for (size_t i = 0; i < args; i++)
        put_arg(p, &v->args[i], keys[i]);
    for (size_t i = 0; i < v->out_count; i++)
        protobuf_out_fixed64(&p->out, EVENT_ARROWS_OUT, v->out[i].id);
    for (size_t i = 0; i < v->in_count; i++)
        protobuf_out_fixed64(&p->out, EVENT_ARROWS_IN, v->in[i].id);
    protobuf_out_end(&p->out, event);
    end_packet(p, packet);
}

/* An event that has no more than its type, and for a counter its value. */
static void put_bare(struct perfetto_sink *p, unsigned type, uint64_t track, int64_t ns, const int64_t *value)
{
    size_t packet = begin_event_packet(p, ns), event = protobuf_out_begin(&p->out, PACKET_EVENT);

    protobuf_out_u64(&p->out, EVENT_TYPE, type);
    protobuf_out_u64(&p->out, EVENT_TRACK, track);
    if (value)
        protobuf_out_u64(&p->out, EVENT_VALUE, (uint64_t)*value);
    protobuf_out_end(&p->out, event);
    end_packet(p, packet);
}

static void put_slice(struct cw_timeline_sink *s, const struct cw_timeline_slice *v)
{
    struct perfetto_sink *p = (struct perfetto_sink *)s;

    put_begin(p, v);
    if (!v->instant)
        put_bare(p, TYPE_END, track_id(v->group, v->track), v->end > v->begin ? v->end : v->begin, NULL);
}

static void put_count(struct cw_timeline_sink *s, const struct cw_timeline_track *track, int64_t ns,
                      int64_t value)
{
    put_bare((struct perfetto_sink *)s, TYPE_COUNTER, track_id(track->group, track->track), ns, &value);
}

static bool finish(struct cw_timeline_sink *s)
{
    struct perfetto_sink *p = (struct perfetto_sink *)s;
    bool ok = !p->failed && !p->out.failed;

    if (ok && p->out.used)
        fwrite(p->out.bytes, 1, p->out.used, p->f);
    protobuf_out_finish(&p->out);
    for (unsigned k = 0; k <= INTERNED_KEY; k++)
        cw_name_table_finish(&p->names[k]);
    free(p);
    return ok;
}

/* All tracks are below that of the process. */
static void put_process(struct perfetto_sink *p, const struct cw_trace *t)
{
    const char *program = t->process.program ? t->process.program : "?", *slash = strrchr(program, '/');
    size_t packet = begin_packet(p), track = protobuf_out_begin(&p->out, PACKET_TRACK), process;

    protobuf_out_u64(&p->out, TRACK_ID, PROCESS_TRACK);
    protobuf_out_u64(&p->out, TRACK_CHILDREN, CHILDREN_BY_RANK);
    process = protobuf_out_begin(&p->out, TRACK_PROCESS);
    protobuf_out_u64(&p->out, PROCESS_PID, t->process.pid & 0x7fffffff);
    protobuf_out_text(&p->out, PROCESS_NAME, slash ? slash + 1 : program);
    protobuf_out_end(&p->out, process);
    protobuf_out_end(&p->out, track);
    end_packet(p, packet);
}

struct cw_timeline_sink *cw_timeline_perfetto_create(const struct cw_trace *t, FILE *f)
{
    struct perfetto_sink *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->sink = (struct cw_timeline_sink){name_group, name_track, put_slice, put_count, finish};
    p->start_ns = t->process.start_ns;
    p->f = f;
    put_process(p, t);
    return &p->sink;
}
