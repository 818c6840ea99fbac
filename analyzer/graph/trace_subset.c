/* trace_subset.c - see selection.h. */
#include "selection.h"
#include "graph_parts.h"

#include <stdlib.h>

struct subset {
    struct cw_trace *t;
    uint32_t *id;     /* of each command; CW_NONE: it goes */
    uint32_t *before; /* kept commands before each; one more than there are commands */
};

static uint32_t new_id(const struct subset *s, uint32_t command)
{
    return command == CW_NONE ? CW_NONE : s->id[command];
}

static bool number(struct subset *s, const uint8_t *keep)
{
    size_t n = s->t->commands.count;
    uint32_t kept = 0;

    s->id = malloc((n + 1) * sizeof *s->id);
    s->before = malloc((n + 1) * sizeof *s->before);
    if (!s->id || !s->before)
        return false;
    for (size_t i = 0; i < n; i++) {
        s->before[i] = kept;
        s->id[i] = keep[i] ? kept++ : CW_NONE;
    }
    s->before[n] = kept;
    return true;
}

/* A wait list without the commands that go. User events that were never set stay in it. */
static void shorten_waits(const struct subset *s, struct cw_slice *list)
{
    uint32_t *v, n = 0;

    if (!list->count)
        return;
    v = s->t->waits.v + list->first;
    for (uint32_t i = 0; i < list->count; i++)
        if (v[i] == CW_NONE || s->id[v[i]] != CW_NONE)
            v[n++] = new_id(s, v[i]);
    list->count = n;
}

static void take_commands(struct subset *s)
{
    struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->commands.count; i++) {
        struct cw_command k = t->commands.v[i];
        if (s->id[i] == CW_NONE)
            continue;
        k.origin = cw_trace_command_number(t, (uint32_t)i);
        if (k.origin == s->id[i])
            k.origin = 0;
        shorten_waits(s, &k.wait_list);
        if (k.transfer != CW_NONE)
            t->transfers.v[k.transfer].map_command = new_id(s, t->transfers.v[k.transfer].map_command);
        t->commands.v[s->id[i]] = k;
    }
}

static void take_edges(struct subset *s)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->edges.count; i++) {
        struct cw_edge e = t->edges.v[i];
        e.from = s->id[e.from];
        e.to = s->id[e.to];
        if (e.from != CW_NONE && e.to != CW_NONE)
            t->edges.v[n++] = e;
    }
    t->edges.count = n;
    if (n)
        qsort(t->edges.v, n, sizeof *t->edges.v, cw_edge_compare);
}

static size_t take_parts(const struct subset *s, struct cw_t_part *v, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (s->id[v[i].command] != CW_NONE) {
            v[n] = v[i];
            v[n++].command = s->id[v[i].command];
        }
    return n;
}

static void take_moves(struct subset *s)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->moves.count; i++)
        if (new_id(s, t->moves.v[i].command) != CW_NONE) {
            t->moves.v[n] = t->moves.v[i];
            t->moves.v[n++].command = s->id[t->moves.v[i].command];
        }
    t->moves.count = n;
}

/* A use by a command of the part, or by another call. */
static void take_stale(struct subset *s)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->stale.count; i++) {
        struct cw_t_stale x = t->stale.v[i];
        if ((x.command != CW_NONE && s->id[x.command] == CW_NONE) ||
            (x.event != CW_NONE && s->id[x.event] == CW_NONE))
            continue;
        x.command = new_id(s, x.command);
        x.event = new_id(s, x.event);
        t->stale.v[n++] = x;
    }
    t->stale.count = n;
}

static void take_calls(struct subset *s, uint64_t from_ns, uint64_t to_ns)
{
    struct cw_trace *t = s->t;
    size_t n = 0;

    for (size_t i = 0; i < t->calls.count; i++)
        if (t->calls.v[i].begin_ns >= from_ns && t->calls.v[i].begin_ns < to_ns)
            t->calls.v[n++] = t->calls.v[i];
    t->calls.count = n;
}

/* Objects on host memory say between which commands they lived. An object that no kept command can have seen
 * keeps a life of one command, so that it does not count as living to the end. */
static void count_lives(struct subset *s)
{
    struct cw_trace *t = s->t;

    for (size_t i = 0; i < t->memory.count; i++) {
        struct cw_t_memory *m = &t->memory.v[i];
        size_t made = m->made < t->commands.count ? m->made : t->commands.count,
               released = m->released < t->commands.count ? m->released : t->commands.count;
        m->made = s->before[made];
        if (m->released)
            m->released = s->before[released] ? s->before[released] : 1;
    }
}

enum cw_status cw_trace_subset(struct cw_trace *t, const uint8_t *keep, uint64_t from_ns, uint64_t to_ns,
                               struct cw_error *err)
{
    struct subset s = {.t = t};
    bool good = number(&s, keep);

    if (good) {
        take_commands(&s);
        take_edges(&s);
        t->parts.count = take_parts(&s, t->parts.v, t->parts.count);
        t->plans.count = take_parts(&s, t->plans.v, t->plans.count);
        take_moves(&s);
        take_stale(&s);
        take_calls(&s, from_ns, to_ns);
        count_lives(&s);
        t->commands.count = s.before[t->commands.count];
    }
    free(s.id);
    free(s.before);
    return good ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "selection: out of memory");
}
