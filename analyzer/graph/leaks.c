/* leaks.c - see leaks.h. */
#include "leaks.h"

const char *cw_leaks_name(enum cw_leak_kind kind)
{
    static const char *const names[CW_LEAK_KINDS] = {
        "context", "queue",   "buffer", "image", "pipe or SVM allocation",
        "sampler", "program", "kernel", "event", "user event"};

    return names[kind];
}

static void add(struct cw_leaks *l, enum cw_leak_kind kind, bool kept, size_t id, uint64_t bytes)
{
    struct cw_leak *k = &l->kind[kind];

    k->made++;
    if (!kept)
        return;
    if (!k->kept++)
        k->first = (uint32_t)id;
    k->bytes += bytes;
    l->kept++;
}

static enum cw_leak_kind memory_kind(const struct cw_t_memory *m)
{
    return m->kind == CW_MEM_BUFFER || m->kind == CW_MEM_SUBBUFFER ? CW_LEAK_BUFFERS
           : m->kind == CW_MEM_IMAGE                               ? CW_LEAK_IMAGES
                                                                   : CW_LEAK_OTHER_MEMORY;
}

/* Where the first of each kind was made. */
static void find_places(struct cw_leaks *l, const struct cw_trace *t)
{
    for (size_t i = 0; i < t->calls.count && l->kept; i++) {
        const struct cw_t_call *c = &t->calls.v[i];
        const struct {
            enum cw_leak_kind kind;
            uint32_t id;
        } made[] = {
            {CW_LEAK_CONTEXTS, c->context},
            {CW_LEAK_QUEUES, c->queue},
            {c->memory < t->memory.count ? memory_kind(&t->memory.v[c->memory]) : CW_LEAK_BUFFERS, c->memory},
            {CW_LEAK_SAMPLERS, c->sampler},
            {CW_LEAK_PROGRAMS, c->program},
            {CW_LEAK_KERNELS, c->kernel}};
        for (size_t k = 0; k < sizeof made / sizeof *made && !c->status; k++)
            if (made[k].id != CW_NONE && made[k].id == l->kind[made[k].kind].first &&
                !l->kind[made[k].kind].callsite.count)
                l->kind[made[k].kind].callsite = c->callsite;
    }
    if (l->kind[CW_LEAK_EVENTS].first != CW_NONE)
        l->kind[CW_LEAK_EVENTS].callsite = t->commands.v[l->kind[CW_LEAK_EVENTS].first].callsite;
}

#define ADD_ALL(array, kind)                                                                                 \
    for (size_t i_ = 0; i_ < t->array.count; i_++)                                                           \
    add(l, kind, t->array.v[i_].kept, i_, 0)

void cw_leaks_count(struct cw_leaks *l, const struct cw_trace *t)
{
    struct cw_leak *events = &l->kind[CW_LEAK_EVENTS], *user = &l->kind[CW_LEAK_USER_EVENTS];

    *l = (struct cw_leaks){0};
    for (unsigned k = 0; k < CW_LEAK_KINDS; k++)
        l->kind[k].first = CW_NONE;
    ADD_ALL(contexts, CW_LEAK_CONTEXTS);
    ADD_ALL(queues, CW_LEAK_QUEUES);
    ADD_ALL(samplers, CW_LEAK_SAMPLERS);
    ADD_ALL(programs, CW_LEAK_PROGRAMS);
    ADD_ALL(kernels, CW_LEAK_KERNELS);
    for (size_t i = 0; i < t->memory.count; i++) {
        const struct cw_t_memory *m = &t->memory.v[i];
        add(l, memory_kind(m), m->kept, i, m->kind == CW_MEM_SUBBUFFER ? 0 : m->size);
    }
    for (size_t i = 0; i < t->commands.count; i++)
        if (t->commands.v[i].has_event)
            add(l, CW_LEAK_EVENTS, t->commands.v[i].event_kept, i, 0);
    if (t->process.events_kept > events->kept) { /* more than the trace names */
        l->kept += t->process.events_kept - events->kept;
        events->kept = t->process.events_kept;
    }
    user->made = t->process.user_events;
    user->kept = t->process.user_events_kept;
    l->kept += user->kept;
    find_places(l, t);
}
