/* leaks.c - see figures.h. */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cw_leaks_name(enum cw_leak_kind kind)
{
    static const char *const names[CW_LEAK_KINDS] = {
        "context", "queue",   "buffer", "image", "pipe or SVM allocation",
        "sampler", "program", "kernel", "event", "user event"};

    return names[kind];
}

static void add(struct cw_leaks *l, enum cw_leak_kind kind, bool unreleased, uint64_t bytes)
{
    struct cw_leak *k = &l->kind[kind];

    k->made++;
    if (!unreleased)
        return;
    k->unreleased++;
    k->bytes += bytes;
    l->unreleased++;
}

static enum cw_leak_kind memory_kind(const struct cw_t_memory *m)
{
    return m->kind == CW_MEM_BUFFER || m->kind == CW_MEM_SUBBUFFER ? CW_LEAK_BUFFERS
           : m->kind == CW_MEM_IMAGE                               ? CW_LEAK_IMAGES
                                                                   : CW_LEAK_OTHER_MEMORY;
}

/* ---- where they were made */

struct made {
    enum cw_leak_kind kind;
    uint64_t address; /* of the innermost call */
    uint64_t bytes;
    struct cw_slice callsite;
};

/* One line of code has several addresses. */
struct place {
    char name[CW_CODE_PLACES_TEXT];
    uint64_t unreleased, bytes;
};

struct search {
    const struct cw_trace *t;
    CW_ARRAY(struct made) made;
    CW_ARRAY(struct place) places; /* of one kind */
    bool failed;                   /* memory is out */
};

static void note(struct search *s, enum cw_leak_kind kind, uint64_t bytes, struct cw_slice callsite)
{
    struct made *made = callsite.count ? cw_trace_push(&s->made, 1) : NULL;

    if (made)
        *made = (struct made){kind, s->t->addresses.v[callsite.first], bytes, callsite};
    s->failed |= callsite.count && !made;
}

static uint64_t bytes_of(const struct cw_t_memory *m)
{
    return m->kind == CW_MEM_SUBBUFFER ? 0 : m->size;
}

/* A call makes one object at most. */
#define IS_UNRELEASED(array, id) ((id) < t->array.count && t->array.v[id].unreleased)

static void note_call(struct search *s, const struct cw_t_call *c)
{
    const struct cw_trace *t = s->t;

    if (c->status || !c->name || !strcmp(c->name, "clBuildProgram") || !strcmp(c->name, "clCompileProgram"))
        return; /* not made by it */
    if (IS_UNRELEASED(memory, c->memory))
        note(s, memory_kind(&t->memory.v[c->memory]), bytes_of(&t->memory.v[c->memory]), c->callsite);
    else if (IS_UNRELEASED(contexts, c->context))
        note(s, CW_LEAK_CONTEXTS, 0, c->callsite);
    else if (IS_UNRELEASED(queues, c->queue))
        note(s, CW_LEAK_QUEUES, 0, c->callsite);
    else if (IS_UNRELEASED(samplers, c->sampler))
        note(s, CW_LEAK_SAMPLERS, 0, c->callsite);
    else if (IS_UNRELEASED(programs, c->program))
        note(s, CW_LEAK_PROGRAMS, 0, c->callsite);
    else if (IS_UNRELEASED(kernels, c->kernel))
        note(s, CW_LEAK_KERNELS, 0, c->callsite);
}

static int by_kind_and_address(const void *a, const void *b)
{
    const struct made *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

/* The entry of `name`; NULL: memory is out. */
static struct place *place_of(struct search *s, const char *name)
{
    struct place *p;

    for (size_t i = 0; i < s->places.count; i++)
        if (!strcmp(s->places.v[i].name, name))
            return &s->places.v[i];
    p = cw_trace_push(&s->places, 1);
    if (p)
        snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

/* v[0 .. n-1] are of one kind, those of one address beside each other. False: memory is out. */
static bool weigh(struct search *s, struct cw_leak *k, const struct made *v, size_t n,
                  struct cw_code_places *code)
{
    char name[CW_CODE_PLACES_TEXT];
    struct place *p = NULL;

    s->places.count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!i || v[i].address != v[i - 1].address)
            p = place_of(s, cw_code_places_name(code, v[i].callsite, name));
        if (!p)
            return false;
        p->unreleased++;
        p->bytes += v[i].bytes;
    }
    k->places = s->places.count;
    for (size_t i = 0; i < s->places.count; i++) {
        p = &s->places.v[i];
        if (p->bytes < k->place_bytes || (p->bytes == k->place_bytes && p->unreleased <= k->place_unreleased))
            continue;
        k->place_bytes = p->bytes;
        k->place_unreleased = p->unreleased;
        snprintf(k->place, sizeof k->place, "%s", p->name);
    }
    return true;
}

static bool find_places(struct cw_leaks *l, const struct cw_trace *t)
{
    struct search s = {.t = t};
    struct cw_code_places *code = cw_code_places_create(t);
    const struct made *v;

    for (size_t i = 0; i < t->calls.count; i++)
        note_call(&s, &t->calls.v[i]);
    for (size_t i = 0; i < t->commands.count; i++)
        if (t->commands.v[i].event_unreleased)
            note(&s, CW_LEAK_EVENTS, 0, t->commands.v[i].callsite);
    s.failed |= !code;
    if (s.made.count)
        qsort(s.made.v, s.made.count, sizeof *s.made.v, by_kind_and_address);
    v = s.made.v;
    for (size_t i = 0, end; !s.failed && i < s.made.count; i = end) {
        for (end = i + 1; end < s.made.count && v[end].kind == v[i].kind;)
            end++;
        s.failed = !weigh(&s, &l->kind[v[i].kind], v + i, end - i, code);
    }
    cw_code_places_destroy(code);
    free(s.places.v);
    free(s.made.v);
    return !s.failed;
}

#define ADD_ALL(array, kind)                                                                                 \
    for (size_t i_ = 0; i_ < t->array.count; i_++)                                                           \
    add(l, kind, t->array.v[i_].unreleased, 0)

enum cw_status cw_leaks_count(struct cw_leaks *l, const struct cw_trace *t, struct cw_error *err)
{
    struct cw_leak *events = &l->kind[CW_LEAK_EVENTS], *user = &l->kind[CW_LEAK_USER_EVENTS];

    *l = (struct cw_leaks){0};
    ADD_ALL(contexts, CW_LEAK_CONTEXTS);
    ADD_ALL(queues, CW_LEAK_QUEUES);
    ADD_ALL(samplers, CW_LEAK_SAMPLERS);
    ADD_ALL(programs, CW_LEAK_PROGRAMS);
    ADD_ALL(kernels, CW_LEAK_KERNELS);
    for (size_t i = 0; i < t->memory.count; i++) {
        const struct cw_t_memory *m = &t->memory.v[i];
        add(l, memory_kind(m), m->unreleased, bytes_of(m));
    }
    for (size_t i = 0; i < t->commands.count; i++)
        if (t->commands.v[i].has_event)
            add(l, CW_LEAK_EVENTS, t->commands.v[i].event_unreleased, 0);
    if (t->process.events_unreleased > events->unreleased) { /* more than the trace names */
        l->unreleased += t->process.events_unreleased - events->unreleased;
        events->unreleased = t->process.events_unreleased;
    }
    user->made = t->process.user_events;
    user->unreleased = t->process.user_events_unreleased;
    l->unreleased += user->unreleased;
    if (l->unreleased && !find_places(l, t))
        return cw_error_set(err, CW_ERR_NOMEM, "report: out of memory");
    return CW_OK;
}
