/* compact_write.c - commands in the compact form; see compact.h. */
#include "compact.h"
#include "trace_fields.h"
#include "trace_write.h"

#include <stdlib.h>
#include <string.h>

/* More different shapes, or lists of edges, are written each time anew. */
enum { KNOWN_MAX = 1 << 20 };

/* A hash and a number + 1; 0: the slot is empty. */
struct known {
    uint64_t hash;
    uint32_t number;
};

/* Open addressing; size is a power of two, and at least one slot is empty. */
struct table {
    struct known *v;
    size_t size, used;
};

/* An object as text. */
struct text {
    FILE *f;
    struct cw_json_out *o;
    char *bytes;
    size_t length;
};

struct cw_compact_out {
    const struct cw_trace *t;
    struct cw_json_out *o;
    bool edges;  /* they are in order and go into the rows */
    size_t edge; /* the next one */
    struct cw_compact_clock clock;
    uint32_t wait; /* newest host wait, CW_NONE */
    struct table shapes, sets;
    CW_ARRAY(uint32_t) first; /* of each shape its first command */
    CW_ARRAY(struct cw_compact_set) set;
    struct text now, then; /* the command's, and that of a first one */
};

static bool text_open(struct text *t)
{
    t->f = open_memstream(&t->bytes, &t->length);
    t->o = malloc(sizeof *t->o);
    return t->f && t->o;
}

static void text_close(struct text *t)
{
    if (t->f)
        fclose(t->f);
    free(t->bytes);
    free(t->o);
}

static bool are_in_order(const struct cw_trace *t)
{
    for (size_t i = 1; i < t->edges.count; i++)
        if (t->edges.v[i - 1].to > t->edges.v[i].to)
            return false;
    return true;
}

struct cw_compact_out *cw_compact_out_create(const struct cw_trace *t, struct cw_json_out *o)
{
    struct cw_compact_out *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->t = t;
    c->o = o;
    c->wait = CW_NONE;
    c->edges = are_in_order(t);
    if (text_open(&c->now) && text_open(&c->then))
        return c;
    cw_compact_out_destroy(c);
    return NULL;
}

void cw_compact_out_destroy(struct cw_compact_out *c)
{
    if (!c)
        return;
    text_close(&c->now);
    text_close(&c->then);
    free(c->shapes.v);
    free(c->sets.v);
    free(c->first.v);
    free(c->set.v);
    free(c);
}

bool cw_compact_out_has_edges(const struct cw_compact_out *c)
{
    return c->edges;
}

/* ---- what is known */

static uint64_t hash_of(const void *bytes, size_t n, uint64_t hash)
{
    const uint8_t *p = bytes;

    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    for (; n; n--)
        hash = (hash ^ *p++) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static bool widen(struct table *t)
{
    struct table wide = {NULL, t->size ? 2 * t->size : 1024, t->used};

    wide.v = calloc(wide.size, sizeof *wide.v);
    if (!wide.v)
        return false;
    for (size_t i = 0; i < t->size; i++) {
        size_t at = t->v[i].hash & (wide.size - 1);
        if (!t->v[i].number)
            continue;
        while (wide.v[at].number)
            at = (at + 1) & (wide.size - 1);
        wide.v[at] = t->v[i];
    }
    free(t->v);
    *t = wide;
    return true;
}

/* The next number with that hash, from slot *at on; CW_NONE: there is none. */
static uint32_t look_up(const struct table *t, uint64_t hash, size_t *at)
{
    for (; t->v[*at].number; *at = (*at + 1) & (t->size - 1))
        if (t->v[*at].hash == hash)
            return t->v[*at].number - 1;
    return CW_NONE;
}

static void keep(struct table *t, uint64_t hash, size_t at, uint32_t number)
{
    if (t->used >= KNOWN_MAX)
        return;
    t->v[at] = (struct known){hash, number + 1};
    t->used++;
}

/* ---- shapes */

/* Text of all that commands of one shape have in common. False: memory is out. */
static bool describe(const struct cw_trace *t, uint32_t id, struct text *to)
{
    struct cw_command k = t->commands.v[id];
    struct cw_t_transfer x;

    rewind(to->f);
    cw_json_out_init(to->o, to->f);
    for (uint32_t i = 0; i < k.wait_list.count; i++) {
        uint32_t wait = t->waits.v[k.wait_list.first + i];
        cw_json_put_u64(to->o, wait == CW_NONE ? (uint64_t)CW_NONE + 1 : id - wait);
        cw_json_put_char(to->o, ' ');
    }
    k.wait_list.count = 0;
    k.call_begin_ns = k.call_end_ns = k.queued_ns = k.submit_ns = k.start_ns = k.end_ns = 0;
    cw_json_put_open(to->o);
    if (k.transfer != CW_NONE) {
        x = t->transfers.v[k.transfer];
        x.map_command = x.map_command == CW_NONE ? CW_NONE : id - x.map_command;
        k.transfer = CW_NONE;
        cw_trace_put_object(to->o, t, cw_transfer_fields, &x);
        cw_json_put_char(to->o, ' ');
    }
    cw_trace_put_object(to->o, t, cw_sections[CW_S_COMMANDS].fields, &k);
    cw_json_out_flush(to->o);
    return !fflush(to->f) && !ferror(to->f);
}

static void put_new_shape(struct cw_compact_out *c, uint32_t id)
{
    struct cw_command k = c->t->commands.v[id];

    k.call_begin_ns = k.call_end_ns = k.queued_ns = k.submit_ns = k.start_ns = k.end_ns = 0;
    cw_json_put_open(c->o);
    cw_trace_put_object(c->o, c->t, cw_sections[CW_S_COMMANDS].fields, &k);
    cw_json_put_close(c->o);
}

static bool put_shape(struct cw_compact_out *c, uint32_t id)
{
    uint32_t number, *first;
    uint64_t hash;
    size_t at;

    if (!describe(c->t, id, &c->now) || (2 * c->shapes.used >= c->shapes.size && !widen(&c->shapes)))
        return false;
    hash = hash_of(c->now.bytes, c->now.length, c->now.length);
    at = hash & (c->shapes.size - 1);
    for (; (number = look_up(&c->shapes, hash, &at)) != CW_NONE; at = (at + 1) & (c->shapes.size - 1)) {
        if (c->t->commands.v[id].wait_list.count > CW_COMPACT_LIST_MAX)
            continue;
        if (!describe(c->t, c->first.v[number], &c->then))
            return false;
        if (c->then.length == c->now.length && !memcmp(c->then.bytes, c->now.bytes, c->now.length)) {
            cw_json_put_u64(c->o, number);
            return true;
        }
    }
    first = cw_trace_push(&c->first, 1);
    if (!first)
        return false;
    *first = id;
    if (c->t->commands.v[id].wait_list.count <= CW_COMPACT_LIST_MAX)
        keep(&c->shapes, hash, at, (uint32_t)(c->first.count - 1));
    put_new_shape(c, id);
    return true;
}

/* ---- edges */

static uint32_t back_of(const struct cw_trace *t, const struct cw_compact_set *s, uint32_t i)
{
    return cw_compact_back(t->edges.v[s->first + i].from, s->command, s->wait);
}

static uint64_t hash_set(const struct cw_trace *t, const struct cw_compact_set *s)
{
    uint64_t hash = s->count;

    for (uint32_t i = 0; i < s->count; i++) {
        const struct cw_edge *e = &t->edges.v[s->first + i];
        uint64_t words[3] = {(uint64_t)back_of(t, s, i) << 32 | e->memory, e->bytes,
                             (uint64_t)e->kind << 16 | (uint64_t)e->hazard << 8 | e->unproven};
        hash = hash_of(words, sizeof words, hash);
    }
    return hash;
}

static bool same_set(const struct cw_trace *t, const struct cw_compact_set *a, const struct cw_compact_set *b)
{
    for (uint32_t i = 0; a->count == b->count && i < a->count; i++) {
        const struct cw_edge *e = &t->edges.v[a->first + i], *f = &t->edges.v[b->first + i];
        if (back_of(t, a, i) != back_of(t, b, i) || e->memory != f->memory || e->bytes != f->bytes ||
            e->kind != f->kind || e->hazard != f->hazard || e->unproven != f->unproven)
            return false;
    }
    return a->count == b->count;
}

/* [back, "kind" or "hazard", memory, bytes, unproven] without the defaults at its end. */
static void put_edge(struct cw_json_out *o, const struct cw_edge *e, uint32_t back)
{
    static const char *const words[] = {"queue", "event", "barrier", "host", "data", "path"};
    static const char *const hazards[] = {"", "RAW", "WAR", "WAW"};

    cw_json_put_char(o, '[');
    cw_json_put_i64(o, (int32_t)back);
    cw_json_put_char(o, ',');
    cw_json_put_string(o, e->hazard ? hazards[e->hazard & 3] : words[e->kind % CW_EDGE_KINDS]);
    if (e->memory != CW_NONE || e->bytes || e->unproven) {
        cw_json_put_char(o, ',');
        if (e->memory == CW_NONE)
            cw_json_put_text(o, "null");
        else
            cw_json_put_u64(o, e->memory);
        cw_json_put_char(o, ',');
        cw_json_put_u64(o, e->bytes);
    }
    if (e->unproven)
        cw_json_put_text(o, ",true");
    cw_json_put_char(o, ']');
}

/* The edges into command `id`: a number of an earlier list of the same, else the list. */
static bool put_edges(struct cw_compact_out *c, uint32_t id)
{
    const struct cw_trace *t = c->t;
    struct cw_compact_set s = {id, c->wait, (uint32_t)c->edge, 0}, *kept;
    uint32_t number;
    uint64_t hash;
    size_t at;

    for (; c->edges && c->edge < t->edges.count && t->edges.v[c->edge].to == id; c->edge++)
        s.count++;
    if (2 * c->sets.used >= c->sets.size && !widen(&c->sets))
        return false;
    hash = hash_set(t, &s);
    at = hash & (c->sets.size - 1);
    for (; (number = look_up(&c->sets, hash, &at)) != CW_NONE; at = (at + 1) & (c->sets.size - 1))
        if (s.count <= CW_COMPACT_LIST_MAX && same_set(t, &c->set.v[number], &s)) {
            cw_json_put_u64(c->o, number);
            return true;
        }
    kept = cw_trace_push(&c->set, 1);
    if (!kept)
        return false;
    *kept = s;
    if (s.count <= CW_COMPACT_LIST_MAX)
        keep(&c->sets, hash, at, (uint32_t)(c->set.count - 1));
    cw_json_put_char(c->o, '[');
    for (uint32_t i = 0; i < s.count; i++) {
        if (i)
            cw_json_put_char(c->o, ',');
        put_edge(c->o, &t->edges.v[s.first + i], back_of(t, &s, i));
    }
    cw_json_put_char(c->o, ']');
    return true;
}

/* ---- rows */

static void put_times(struct cw_compact_out *c, const struct cw_command *k)
{
    uint64_t v[CW_COMPACT_ALL - CW_COMPACT_BARE] = {
        k->call_begin_ns - c->clock.call_ns, k->call_end_ns - k->call_begin_ns,
        k->queued_ns - c->clock.queued_ns,   k->submit_ns - k->queued_ns,
        k->start_ns - k->submit_ns,          k->end_ns - k->start_ns};
    int n = k->queued_ns || k->submit_ns || k->start_ns || k->end_ns ? CW_COMPACT_ALL
            : k->call_begin_ns || k->call_end_ns                     ? CW_COMPACT_CALL
                                                                     : CW_COMPACT_BARE;

    for (int i = 0; i < n - CW_COMPACT_BARE; i++) {
        cw_json_put_char(c->o, ',');
        cw_json_put_i64(c->o, (int64_t)v[i]);
    }
}

bool cw_compact_put(struct cw_compact_out *c, uint32_t id)
{
    const struct cw_command *k = &c->t->commands.v[id];

    cw_json_put_char(c->o, '[');
    if (!put_shape(c, id))
        return false;
    cw_json_put_char(c->o, ',');
    if (!put_edges(c, id))
        return false;
    put_times(c, k);
    cw_json_put_char(c->o, ']');
    cw_compact_tick(&c->clock, k);
    if (cw_compact_is_wait(k))
        c->wait = id;
    return true;
}
