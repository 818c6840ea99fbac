/* log_objects.c - definitions of a log: renumbering, platforms to kernels, builds, contents, call sites,
 * modules. */
#include <stdlib.h>

#include "../kernels/source/spirv.h"
#include "log_read_state.h"

static enum cw_log_object object_of(uint32_t kind)
{
    switch (kind) {
    case CW_LOG_PLATFORM:
        return CW_LOG_O_PLATFORM;
    case CW_LOG_DEVICE:
        return CW_LOG_O_DEVICE;
    case CW_LOG_CONTEXT:
        return CW_LOG_O_CONTEXT;
    case CW_LOG_QUEUE:
        return CW_LOG_O_QUEUE;
    case CW_LOG_MEMORY:
        return CW_LOG_O_MEMORY;
    case CW_LOG_SAMPLER:
        return CW_LOG_O_SAMPLER;
    case CW_LOG_PROGRAM:
        return CW_LOG_O_PROGRAM;
    case CW_LOG_KERNEL:
        return CW_LOG_O_KERNEL;
    default:
        return CW_LOG_O_NONE;
    }
}

/* ---- renumbering */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Index of a log id among its kind's, SIZE_MAX if it is not defined. */
static size_t index_of(const struct cw_log_ids *k, uint32_t id)
{
    const uint32_t *found;

    if (id < k->count && k->ids[id] == id) /* nothing was lost: the usual case */
        return id;
    found = k->count ? bsearch(&id, k->ids, k->count, sizeof id, by_number) : NULL;
    return found ? (size_t)(found - k->ids) : SIZE_MAX;
}

uint32_t cw_log_resolve(const struct cw_log_reader *r, enum cw_log_object kind, uint64_t ref)
{
    size_t i = ref && ref <= UINT32_MAX ? index_of(&r->ids[kind], (uint32_t)(ref - 1)) : SIZE_MAX;

    if (i == SIZE_MAX)
        return CW_NONE;
    return r->ids[kind].dense ? r->ids[kind].dense[i] : (uint32_t)i;
}

static enum cw_status collect_ids(struct cw_log_reader *r)
{
    size_t counts[CW_LOG_OBJECTS] = {0}, i, n;
    struct cw_log_ids *k;
    enum cw_log_object o;

    for (i = 0; i < r->defs.count; i++)
        counts[object_of(r->defs.v[i].kind)]++;
    for (i = 1; i < CW_LOG_OBJECTS; i++)
        if (counts[i] && !(r->ids[i].ids = malloc(counts[i] * sizeof(uint32_t))))
            return cw_log_nomem(r);
    for (i = 0; i < r->defs.count; i++) {
        o = object_of(r->defs.v[i].kind);
        if (o != CW_LOG_O_NONE)
            r->ids[o].ids[r->ids[o].count++] = r->defs.v[i].id;
    }
    for (o = 1; o < CW_LOG_OBJECTS; o++) {
        k = &r->ids[o];
        if (k->count)
            qsort(k->ids, k->count, sizeof(uint32_t), by_number);
        for (i = n = 0; i < k->count; i++)
            if (!n || k->ids[n - 1] != k->ids[i])
                k->ids[n++] = k->ids[i];
        k->count = n;
    }
    return CW_OK;
}

/* Fills k->dense: every object behind its parent. A circle of parents is a damaged log; the trace's checks
 * will say so. */
static bool number_memory(struct cw_log_ids *k, const uint32_t *parent)
{
    uint32_t *chain = malloc(k->count * sizeof *chain), placed = 0;
    bool done;

    k->dense = malloc(k->count * sizeof *k->dense);
    for (uint32_t i = 0; chain && k->dense && i < k->count; i++)
        k->dense[i] = CW_NONE;
    for (uint32_t i = 0; chain && k->dense && i < k->count; i++) {
        uint32_t n = 0;
        for (uint32_t at = i; at != CW_NONE && k->dense[at] == CW_NONE; at = parent[at]) {
            k->dense[at] = 0; /* it will have one: a circle ends here */
            chain[n++] = at;
        }
        while (n > 0)
            k->dense[chain[--n]] = placed++;
    }
    done = chain && k->dense;
    free(chain);
    return done;
}

/* Numbers memory objects so that parents come before their parts; usually they do already. */
static enum cw_status order_memory(struct cw_log_reader *r)
{
    struct cw_log_ids *k = &r->ids[CW_LOG_O_MEMORY];
    uint32_t *parent = malloc((k->count + 1) * sizeof *parent);
    bool ordered = true;
    size_t d;

    if (!parent)
        return cw_log_nomem(r);
    for (d = 0; d < r->defs.count; d++) {
        struct cw_cursor c = r->defs.v[d].body;
        size_t self;

        if (r->defs.v[d].kind != CW_LOG_MEMORY)
            continue;
        self = index_of(k, r->defs.v[d].id);
        cw_cursor_u(&c);
        cw_cursor_u(&c);
        parent[self] = cw_log_resolve(r, CW_LOG_O_MEMORY, cw_cursor_u(&c));
        ordered = ordered && (parent[self] == CW_NONE || parent[self] < self);
    }
    if (!ordered && !number_memory(k, parent)) {
        free(parent);
        return cw_log_nomem(r);
    }
    free(parent);
    return CW_OK;
}

/* ---- one definition each; `c` is after the id */

const char *cw_log_string(struct cw_log_reader *r, struct cw_cursor *c)
{
    uint32_t n = cw_cursor_count(c);
    const uint8_t *s = cw_cursor_bytes(c, n);

    return cw_trace_strndup(r->t, s ? (const char *)s : "", s ? n : 0);
}

static uint32_t get_ref(struct cw_log_reader *r, struct cw_cursor *c, enum cw_log_object kind)
{
    return cw_log_resolve(r, kind, cw_cursor_u(c));
}

static void read_platform(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_platform *p)
{
    p->name = cw_log_string(r, c);
    p->vendor = cw_log_string(r, c);
    p->version = cw_log_string(r, c);
}

static void read_device(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_device *d)
{
    d->platform = get_ref(r, c, CW_LOG_O_PLATFORM);
    d->parent = get_ref(r, c, CW_LOG_O_DEVICE);
    d->type = cw_cursor_u(c);
    d->name = cw_log_string(r, c);
    d->version = cw_log_string(r, c);
    d->driver_version = cw_log_string(r, c);
    d->compute_units = cw_cursor_u32(c);
    d->max_clock_mhz = cw_cursor_u32(c);
    d->global_mem_bytes = cw_cursor_u(c);
    d->local_mem_bytes = cw_cursor_u(c);
    d->max_work_group_size = cw_cursor_u(c);
    d->host_unified = cw_cursor_u(c) != 0;
}

/* A counted list of references, those that resolve. */
#define READ_LIST(r, c, kind, array, slice)                                                                  \
    do {                                                                                                     \
        uint32_t n_ = cw_cursor_count(c), ref_;                                                              \
        (slice)->first = (uint32_t)(array)->count;                                                           \
        for (; n_; n_--) {                                                                                   \
            ref_ = get_ref(r, c, kind);                                                                      \
            if (ref_ == CW_NONE)                                                                             \
                continue;                                                                                    \
            uint32_t *e_ = cw_trace_push(array, 1);                                                          \
            if (!e_)                                                                                         \
                return cw_log_nomem(r);                                                                      \
            *e_ = ref_;                                                                                      \
        }                                                                                                    \
        (slice)->count = (uint32_t)(array)->count - (slice)->first;                                          \
    } while (0)

static enum cw_status read_context(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_context *x)
{
    READ_LIST(r, c, CW_LOG_O_DEVICE, &r->t->device_ids, &x->devices);
    return CW_OK;
}

static void read_queue(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_queue *q)
{
    q->context = get_ref(r, c, CW_LOG_O_CONTEXT);
    q->device = get_ref(r, c, CW_LOG_O_DEVICE);
    q->properties = cw_cursor_u(c);
    q->out_of_order = q->properties & 1;   /* CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE */
    q->profiling = q->properties >> 1 & 1; /* CL_QUEUE_PROFILING_ENABLE */
}

static void read_memory(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_memory *m)
{
    uint32_t kind = cw_cursor_u32(c);

    if (kind > CW_MEM_SVM)
        c->bad = true;
    m->kind = (enum cw_mem_kind)kind;
    m->context = get_ref(r, c, CW_LOG_O_CONTEXT);
    m->parent = get_ref(r, c, CW_LOG_O_MEMORY);
    m->offset = cw_cursor_u(c);
    m->size = cw_cursor_u(c);
    m->flags = cw_cursor_u(c);
    m->host_ptr = cw_cursor_u(c);
    m->image_type = cw_cursor_u32(c);
    if (!m->image_type)
        return;
    m->channel_order = cw_cursor_u32(c);
    m->channel_type = cw_cursor_u32(c);
    m->element_bytes = cw_cursor_u32(c);
    m->width = cw_cursor_u(c);
    m->height = cw_cursor_u(c);
    m->depth = cw_cursor_u(c);
    m->array_size = cw_cursor_u(c);
    m->row_pitch = cw_cursor_u(c);
    m->slice_pitch = cw_cursor_u(c);
    m->mip_levels = cw_cursor_u32(c);
    m->samples = cw_cursor_u32(c);
}

static enum cw_status read_program(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_program *p)
{
    uint32_t kind = cw_cursor_u32(c);
    const uint8_t *hash;

    if (kind > CW_PROGRAM_LINKED)
        c->bad = true;
    p->kind = (enum cw_program_kind)kind;
    p->context = get_ref(r, c, CW_LOG_O_CONTEXT);
    hash = cw_cursor_bytes(c, sizeof p->source_hash);
    if (hash)
        memcpy(&p->source_hash, hash, sizeof p->source_hash);
    if (cw_cursor_u(c))
        p->source = cw_log_string(r, c);
    READ_LIST(r, c, CW_LOG_O_PROGRAM, &r->t->program_ids, &p->inputs);
    return CW_OK;
}

static void read_kernel(struct cw_log_reader *r, struct cw_cursor *c, struct cw_t_kernel *k)
{
    k->program = get_ref(r, c, CW_LOG_O_PROGRAM);
    k->num_args = cw_cursor_u32(c);
    if (k->num_args > CW_LOG_MAX_KERNEL_ARGS)
        c->bad = true;
    k->name = cw_log_string(r, c);
    if (c->p == c->end) /* written before these were */
        return;
    k->preferred_multiple = cw_cursor_u32(c);
    k->max_work_group_size = cw_cursor_u(c);
    k->local_bytes = cw_cursor_u(c);
    k->private_bytes = cw_cursor_u(c);
}

static enum cw_status read_callsite(struct cw_log_reader *r, struct cw_log_def *d)
{
    uint32_t n = cw_cursor_count(&d->body), i;
    uint64_t *a = cw_trace_push_spilled(&r->t->addresses, n);

    if (n && !a)
        return cw_log_nomem(r);
    for (i = 0; i < n; i++)
        a[i] = cw_cursor_u(&d->body);
    if (d->id < r->callsite_count)
        r->callsites[d->id] = (struct cw_slice){(uint32_t)(r->t->addresses.count - n), n};
    return CW_OK;
}

static enum cw_status read_function(struct cw_log_reader *r, struct cw_log_def *d)
{
    if (d->id >= CW_LOG_MAX_FUNCTIONS)
        d->body.bad = true;
    if (d->body.bad)
        return CW_OK;
    while (r->function_count <= d->id) {
        const char **grown = realloc(r->functions, (r->function_count + 256) * sizeof *grown);

        if (!grown)
            return cw_log_nomem(r);
        memset(grown + r->function_count, 0, 256 * sizeof *grown);
        r->functions = grown;
        r->function_count += 256;
    }
    r->functions[d->id] = cw_log_string(r, &d->body);
    return r->functions[d->id] ? CW_OK : cw_log_nomem(r);
}

/* Builds are in the order of their definitions, threads one after the other: with several of a program's that
 * failed or succeeded at once it is one of them. */
static enum cw_status read_build_log(struct cw_log_reader *r, struct cw_log_def *d)
{
    uint32_t program = cw_log_resolve(r, CW_LOG_O_PROGRAM, (uint64_t)d->id + 1);
    const char *text = cw_log_string(r, &d->body);
    bool succeeded = d->body.p < d->body.end && cw_cursor_u(&d->body);
    struct cw_t_program *p = program != CW_NONE ? &r->t->programs.v[program] : NULL;

    if (p)
        *(succeeded ? &p->warnings : &p->build_log) = text;
    return text ? CW_OK : cw_log_nomem(r);
}

static void read_injected(struct cw_log_reader *r, struct cw_log_def *d)
{
    uint32_t program = cw_log_resolve(r, CW_LOG_O_PROGRAM, (uint64_t)d->id + 1);
    const void *hash = cw_cursor_bytes(&d->body, sizeof(uint64_t));

    if (program != CW_NONE && hash)
        memcpy(&r->t->programs.v[program].injected_for, hash, sizeof(uint64_t));
}

/* The program is the module with that value from then on. */
static enum cw_status read_constant(struct cw_log_reader *r, struct cw_log_def *d)
{
    uint32_t program = cw_log_resolve(r, CW_LOG_O_PROGRAM, (uint64_t)d->id + 1), id = cw_cursor_u32(&d->body);
    uint32_t size = cw_cursor_count(&d->body);
    const void *value = cw_cursor_bytes(&d->body, size);
    struct cw_t_program *p = program == CW_NONE || !value ? NULL : &r->t->programs.v[program];
    char *text;

    if (!p)
        return CW_OK;
    p->rebuilt |= p->options != NULL;
    text = p->source ? cw_spirv_specialised(p->source, id, value, size) : NULL;
    p->binary = (struct cw_blob){0}; /* with another value */
    p->source = text ? cw_trace_strndup(r->t, text, strlen(text)) : NULL;
    free(text);
    return CW_OK;
}

static enum cw_status read_module(struct cw_log_reader *r, struct cw_cursor *c)
{
    struct cw_t_module m = {cw_cursor_u(c), cw_cursor_u(c), cw_cursor_u(c), NULL}, *to;
    size_t i;

    if (r->t->modules.count == CW_LOG_MAX_MODULES)
        c->bad = true;
    for (i = 0; i < r->t->modules.count && !c->bad; i++) /* the list is written again after a dlopen */
        if (r->t->modules.v[i].start == m.start && r->t->modules.v[i].end == m.end)
            return CW_OK;
    m.path = cw_log_string(r, c);
    if (c->bad)
        return CW_OK;
    to = m.path ? cw_trace_push(&r->t->modules, 1) : NULL;
    if (!to)
        return cw_log_nomem(r);
    *to = m;
    return CW_OK;
}

static enum cw_status read_contents(struct cw_log_reader *r, struct cw_log_def *d)
{
    uint32_t memory = cw_log_resolve(r, CW_LOG_O_MEMORY, (uint64_t)d->id + 1);
    bool final = cw_cursor_u(&d->body) != 0;
    struct cw_blob blob = cw_log_get_blob(&d->body);

    if (memory != CW_NONE)
        *(final ? &r->t->memory.v[memory].final : &r->t->memory.v[memory].initial) = blob;
    return CW_OK;
}

/* ---- all of them */

static enum cw_status read_build(struct cw_log_reader *r, struct cw_log_def *d, bool bytes)
{
    uint32_t program = cw_log_resolve(r, CW_LOG_O_PROGRAM, (uint64_t)d->id + 1);
    const char *options = bytes ? "" : cw_log_string(r, &d->body);
    struct cw_blob blob = cw_log_get_blob(&d->body);
    struct cw_t_program *p = program == CW_NONE ? NULL : &r->t->programs.v[program];

    if (!options)
        return cw_log_nomem(r);
    if (p && !bytes) {
        p->rebuilt |= p->options && strcmp(p->options, options) != 0;
        p->options = options;
    }
    if (p && blob.size)
        *(bytes ? &p->binary : &p->joined) = blob;
    return CW_OK;
}

static enum cw_status read_definition(struct cw_log_reader *r, struct cw_log_def *d)
{
    struct cw_cursor *c = &d->body;
    enum cw_log_object o = object_of(d->kind);
    uint32_t id = cw_log_resolve(r, o, (uint64_t)d->id + 1);
    struct cw_trace *t = r->t;

    switch (d->kind) {
    case CW_LOG_PLATFORM:
        read_platform(r, c, &t->platforms.v[id]);
        break;
    case CW_LOG_DEVICE:
        read_device(r, c, &t->devices.v[id]);
        break;
    case CW_LOG_CONTEXT:
        return read_context(r, c, &t->contexts.v[id]);
    case CW_LOG_QUEUE:
        read_queue(r, c, &t->queues.v[id]);
        break;
    case CW_LOG_MEMORY:
        read_memory(r, c, &t->memory.v[id]);
        break;
    case CW_LOG_SAMPLER:
        t->samplers.v[id].normalized = cw_cursor_u32(c);
        t->samplers.v[id].addressing = cw_cursor_u32(c);
        t->samplers.v[id].filter = cw_cursor_u32(c);
        break;
    case CW_LOG_PROGRAM:
        return read_program(r, c, &t->programs.v[id]);
    case CW_LOG_PROGRAM_BUILD:
        return read_build(r, d, false);
    case CW_LOG_PROGRAM_BYTES:
        return read_build(r, d, true);
    case CW_LOG_KERNEL:
        read_kernel(r, c, &t->kernels.v[id]);
        break;
    case CW_LOG_CALLSITE:
        return read_callsite(r, d);
    case CW_LOG_MODULE:
        return read_module(r, c);
    case CW_LOG_CONTENTS:
        return read_contents(r, d);
    case CW_LOG_FUNCTION:
        return read_function(r, d);
    case CW_LOG_BUILD_LOG:
        return read_build_log(r, d);
    case CW_LOG_INJECTED:
        read_injected(r, d);
        break;
    case CW_LOG_CONSTANT:
        return read_constant(r, d);
    default:
        break;
    }
    return CW_OK;
}

static enum cw_status make_space(struct cw_log_reader *r)
{
    struct cw_trace *t = r->t;
    size_t i;

#define CAPACITY(array, kind)                                                                                \
    if (r->ids[kind].count && !cw_trace_push(&t->array, r->ids[kind].count))                                 \
        return cw_log_nomem(r);
    CAPACITY(platforms, CW_LOG_O_PLATFORM)
    CAPACITY(devices, CW_LOG_O_DEVICE)
    CAPACITY(contexts, CW_LOG_O_CONTEXT)
    CAPACITY(queues, CW_LOG_O_QUEUE)
    CAPACITY(memory, CW_LOG_O_MEMORY)
    CAPACITY(samplers, CW_LOG_O_SAMPLER)
    CAPACITY(programs, CW_LOG_O_PROGRAM)
    CAPACITY(kernels, CW_LOG_O_KERNEL)
    r->kernels = calloc(t->kernels.count + 1, sizeof *r->kernels);
    for (i = 0; i < r->defs.count; i++) /* numbered without gaps, but a killed thread may have lost one */
        r->callsite_count += r->defs.v[i].kind == CW_LOG_CALLSITE;
    r->callsite_count += 1024;
    r->callsites = calloc(r->callsite_count, sizeof *r->callsites);
    return r->kernels && r->callsites ? CW_OK : cw_log_nomem(r);
}

enum cw_status cw_log_read_objects(struct cw_log_reader *r)
{
    enum cw_status st = collect_ids(r);
    size_t i;

    if (st == CW_OK)
        st = order_memory(r);
    if (st == CW_OK)
        st = make_space(r);
    for (i = 0; st == CW_OK && i < r->defs.count; i++) {
        st = read_definition(r, &r->defs.v[i]);
        if (st == CW_OK && r->defs.v[i].body.bad)
            st = cw_log_malformed(r, r->defs.v[i].body.p, "a definition makes no sense");
    }
    return st;
}

enum cw_status cw_log_define(struct cw_log_reader *r, struct cw_log_def *d)
{
    struct cw_log_ids *k = &r->ids[object_of(d->kind)];
    size_t more = d->id < k->count ? 0 : d->id + (size_t)1 - k->count;
    uint32_t *ids = realloc(k->ids, (k->count + more + 1) * sizeof *ids);
    bool grown = d->kind == CW_LOG_DEVICE  ? cw_trace_push(&r->t->devices, more) != NULL
                 : d->kind == CW_LOG_QUEUE ? cw_trace_push(&r->t->queues, more) != NULL
                                           : cw_trace_push(&r->t->kernels, more) != NULL;

    k->ids = ids ? ids : k->ids;
    if (!ids || !grown)
        return cw_log_nomem(r);
    for (; more; more--, k->count++)
        ids[k->count] = (uint32_t)k->count;
    return read_definition(r, d);
}
