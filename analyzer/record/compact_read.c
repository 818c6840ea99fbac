/* compact_read.c - rows of the compact form back into commands; see compact.h. */
#include "compact.h"
#include "field_read.h"
#include "field_read_lists.h"

#include <stdlib.h>
#include <string.h>

void cw_compact_in_finish(struct cw_compact_in *c)
{
    free(c->shapes.v);
    free(c->sets.v);
    memset(c, 0, sizeof *c);
}

/* ---- shapes */

/* The same waits, as far back from `id` as those of command `first` from that. */
static bool repeat_waits(struct cw_json_in *in, struct cw_trace *t, uint32_t first, uint32_t id)
{
    struct cw_command *k = &t->commands.v[id];
    struct cw_slice from = k->wait_list;

    k->wait_list = (struct cw_slice){(uint32_t)t->waits.count, from.count};
    if (from.count && !cw_trace_push_spilled(&t->waits, from.count))
        return cw_field_no_memory(in);
    for (uint32_t i = 0; i < from.count; i++) {
        uint32_t wait = t->waits.v[from.first + i];
        t->waits.v[k->wait_list.first + i] = wait == CW_NONE ? CW_NONE : id - (first - wait);
    }
    return cw_field_fits(in, t->waits.count);
}

static bool repeat_transfer(struct cw_json_in *in, struct cw_trace *t, uint32_t first, uint32_t id)
{
    struct cw_command *k = &t->commands.v[id];
    struct cw_t_transfer *x;

    if (k->transfer == CW_NONE)
        return true;
    x = cw_trace_push_spilled(&t->transfers, 1);
    if (!x)
        return cw_field_no_memory(in);
    *x = t->transfers.v[k->transfer];
    if (x->map_command != CW_NONE)
        x->map_command = id - (first - x->map_command);
    k->transfer = (uint32_t)(t->transfers.count - 1);
    return cw_field_fits(in, t->transfers.count);
}

static bool repeat_shape(struct cw_compact_in *c, struct cw_json_in *in, struct cw_trace *t, uint32_t id)
{
    const char *at = in->p;
    uint64_t number;
    uint32_t first;

    if (!cw_json_u64(in, CW_NONE, &number))
        return false;
    if (number >= c->shapes.count)
        return cw_json_fail(in, at, "shape %llu, but there are only %zu so far", (unsigned long long)number,
                            c->shapes.count);
    first = c->shapes.v[number];
    t->commands.v[id] = t->commands.v[first];
    if (t->commands.v[id].wait_list.count > CW_COMPACT_LIST_MAX)
        return cw_json_fail(in, at, "a shape that is used again waits for at most %d commands",
                            CW_COMPACT_LIST_MAX);
    return repeat_waits(in, t, first, id) && repeat_transfer(in, t, first, id);
}

static bool read_shape(struct cw_compact_in *c, struct cw_json_in *in, struct cw_trace *t, uint32_t id)
{
    const struct cw_section_def *def = &cw_sections[CW_S_COMMANDS];
    uint32_t *first;

    if (cw_json_peek(in) != '{')
        return repeat_shape(c, in, t, id);
    first = cw_trace_push(&c->shapes, 1);
    if (!first)
        return cw_field_no_memory(in);
    *first = id;
    return cw_field_read_object(in, t, def->fields, &t->commands.v[id], def->size, false, 0);
}

/* ---- edges */

/* What the word of an edge says. False: it is none of them. */
static bool take_word(const char *word, struct cw_edge *e)
{
    static const struct {
        const char *word;
        uint8_t kind, hazard;
    } words[] = {{"queue", CW_EDGE_QUEUE, 0},
                 {"event", CW_EDGE_EVENT, 0},
                 {"barrier", CW_EDGE_BARRIER, 0},
                 {"host", CW_EDGE_HOST, 0},
                 {"path", CW_EDGE_PATH, 0},
                 {"data", CW_EDGE_DATA, 0},
                 {"RAW", CW_EDGE_DATA, CW_HAZARD_RAW},
                 {"WAR", CW_EDGE_DATA, CW_HAZARD_WAR},
                 {"WAW", CW_EDGE_DATA, CW_HAZARD_WAW}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word)) {
            e->kind = words[i].kind;
            e->hazard = words[i].hazard;
            return true;
        }
    return false;
}

/* [back, word, memory, bytes, unproven]; the last three may be left out. */
static bool read_edge(struct cw_json_in *in, struct cw_edge *e, uint32_t id, uint32_t wait)
{
    const char *at, *word;
    size_t length, n = 0;
    int64_t back = 0;
    bool ok = true, first = cw_json_begin(in, '[');

    *e = (struct cw_edge){.to = id, .memory = CW_NONE};
    for (; ok && cw_json_next(in, ']', &first); n++) {
        cw_json_peek(in);
        at = in->p;
        switch (n) {
        case 0:
            ok = cw_json_i64(in, INT32_MIN, INT32_MAX, &back);
            e->from = cw_compact_from((uint32_t)back, id, wait);
            break;
        case 1:
            ok = cw_json_string(in, &word, &length) &&
                 (take_word(word, e) || cw_json_fail(in, at, "there is no edge \"%.40s\"", word));
            break;
        case 2:
            ok = cw_field_read_ref(in, &e->memory);
            break;
        case 3:
            ok = cw_json_u64(in, UINT64_MAX, &e->bytes);
            break;
        case 4:
            ok = cw_json_bool(in, &e->unproven);
            break;
        default:
            ok = cw_json_fail(in, at, "an edge has at most 5 members");
        }
    }
    return ok && !in->err->status &&
           (n >= 2 || cw_json_fail(in, in->p, "an edge begins with a number and a word"));
}

static bool push_edge(struct cw_json_in *in, struct cw_trace *t, const struct cw_edge *e)
{
    struct cw_edge *slot = cw_trace_push_spilled(&t->edges, 1);

    if (!slot)
        return cw_field_no_memory(in);
    *slot = *e;
    return cw_field_fits(in, t->edges.count);
}

static bool repeat_edges(struct cw_compact_in *c, struct cw_json_in *in, struct cw_trace *t, uint32_t id)
{
    const char *at = in->p;
    struct cw_compact_set s;
    uint64_t number;

    if (!cw_json_u64(in, CW_NONE, &number))
        return false;
    if (number >= c->sets.count)
        return cw_json_fail(in, at, "list %llu of edges, but there are only %zu so far",
                            (unsigned long long)number, c->sets.count);
    s = c->sets.v[number];
    if (s.count > CW_COMPACT_LIST_MAX)
        return cw_json_fail(in, at, "a list that is used again has at most %d edges", CW_COMPACT_LIST_MAX);
    for (uint32_t i = 0; i < s.count; i++) {
        struct cw_edge e = t->edges.v[s.first + i];
        e.from = cw_compact_from(cw_compact_back(e.from, s.command, s.wait), id, c->wait);
        e.to = id;
        if (!push_edge(in, t, &e))
            return false;
    }
    return true;
}

static bool read_edges(struct cw_compact_in *c, struct cw_json_in *in, struct cw_trace *t, uint32_t id)
{
    struct cw_compact_set s = {id, c->wait, (uint32_t)t->edges.count, 0}, *kept;
    struct cw_edge e;

    if (cw_json_peek(in) != '[')
        return repeat_edges(c, in, t, id);
    for (bool first = cw_json_begin(in, '['); cw_json_next(in, ']', &first); s.count++)
        if (!read_edge(in, &e, id, c->wait) || !push_edge(in, t, &e))
            return false;
    kept = cw_trace_push(&c->sets, 1);
    if (!kept)
        return cw_field_no_memory(in);
    *kept = s;
    return !in->err->status;
}

/* ---- rows */

static void take_times(const struct cw_compact_in *c, struct cw_command *k, const int64_t *v, size_t n)
{
    k->call_begin_ns = k->call_end_ns = k->queued_ns = k->submit_ns = k->start_ns = k->end_ns = 0;
    if (n == CW_COMPACT_BARE)
        return;
    k->call_begin_ns = c->clock.call_ns + (uint64_t)v[0];
    k->call_end_ns = k->call_begin_ns + (uint64_t)v[1];
    if (n == CW_COMPACT_CALL)
        return;
    k->queued_ns = c->clock.queued_ns + (uint64_t)v[2];
    k->submit_ns = k->queued_ns + (uint64_t)v[3];
    k->start_ns = k->submit_ns + (uint64_t)v[4];
    k->end_ns = k->start_ns + (uint64_t)v[5];
}

bool cw_compact_read(struct cw_compact_in *c, struct cw_json_in *in, struct cw_trace *t, uint32_t id)
{
    const char *at = in->p;
    int64_t v[CW_COMPACT_ALL] = {0};
    bool ok = true, first = cw_json_begin(in, '[');
    size_t n = 0;

    for (; ok && cw_json_next(in, ']', &first); n++)
        if (n == CW_COMPACT_ALL)
            ok = cw_json_fail(in, at, "a row has at most %d members", CW_COMPACT_ALL);
        else
            ok = n == 0   ? read_shape(c, in, t, id)
                 : n == 1 ? read_edges(c, in, t, id)
                          : cw_json_i64(in, INT64_MIN, INT64_MAX, &v[n - CW_COMPACT_BARE]);
    if (!ok || in->err->status)
        return false;
    if (n != CW_COMPACT_BARE && n != CW_COMPACT_CALL && n != CW_COMPACT_ALL)
        return cw_json_fail(in, at, "a row has %d, %d or %d members, not %zu", CW_COMPACT_BARE,
                            CW_COMPACT_CALL, CW_COMPACT_ALL, n);
    take_times(c, &t->commands.v[id], v, n);
    cw_compact_tick(&c->clock, &t->commands.v[id]);
    if (cw_compact_is_wait(&t->commands.v[id]))
        c->wait = id;
    return true;
}
