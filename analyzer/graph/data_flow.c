/* data_flow.c - see graph_parts.h; algorithm A2. */
#include "graph_parts.h"

#include <stdlib.h>
#include <CL/cl.h>

/* The shape of an image's or a rectangle's rows, with the specification's defaults for pitches of 0. */
static void set_rows(struct cw_host_range *r, const uint64_t region[3], uint64_t element,
                     const uint64_t *origin, uint64_t row_pitch, uint64_t slice_pitch)
{
    r->bytes = region[0] * element;
    r->rows = region[1] ? region[1] : 1;
    r->slices = region[2] ? region[2] : 1;
    r->row_pitch = row_pitch ? row_pitch : r->bytes;
    r->slice_pitch = slice_pitch ? slice_pitch : r->rows * r->row_pitch;
    if (origin)
        r->start += origin[2] * r->slice_pitch + origin[1] * r->row_pitch + origin[0];
}

static uint64_t element_bytes(const struct cw_trace *t, const struct cw_t_transfer *x)
{
    uint32_t image = x->src < t->memory.count ? x->src : x->dst;

    return image < t->memory.count ? t->memory.v[image].element_bytes : 0;
}

/* The mapped bytes: pitches are those of the map, also for its unmap. */
static void set_mapped(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *r)
{
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];
    const struct cw_command *map = x->map_command < t->commands.count ? &t->commands.v[x->map_command] : k;

    r->mapped = true;
    r->mode = CW_ACCESS_WRITE;
    if (map->transfer != CW_NONE)
        x = &t->transfers.v[map->transfer];
    r->bytes = x->bytes;
    if (!x->bytes && x->region[0])
        set_rows(r, x->region, element_bytes(t, x), NULL, x->dst_row_pitch, x->dst_slice_pitch);
}

static void set_shape(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *r)
{
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];

    r->start = x->host_ptr;
    r->rows = r->slices = 1;
    switch (k->type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_WRITE_BUFFER:
        r->bytes = x->bytes;
        break;
    case CL_COMMAND_SVM_MEMCPY:
        r->bytes = x->src == CW_NONE || x->dst == CW_NONE ? x->bytes : 0;
        break;
    case CL_COMMAND_READ_BUFFER_RECT:
        set_rows(r, x->region, 1, x->dst_origin, x->dst_row_pitch, x->dst_slice_pitch);
        break;
    case CL_COMMAND_WRITE_BUFFER_RECT:
        set_rows(r, x->region, 1, x->src_origin, x->src_row_pitch, x->src_slice_pitch);
        break;
    case CL_COMMAND_READ_IMAGE:
        set_rows(r, x->region, element_bytes(t, x), NULL, x->dst_row_pitch, x->dst_slice_pitch);
        break;
    case CL_COMMAND_WRITE_IMAGE:
        set_rows(r, x->region, element_bytes(t, x), NULL, x->src_row_pitch, x->src_slice_pitch);
        break;
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_MAP:
    case CL_COMMAND_SVM_UNMAP:
        set_mapped(t, k, r);
        break;
    default:
        break;
    }
}

static bool host_range(const struct cw_trace *t, const struct cw_command *k, struct cw_host_range *r)
{
    const struct cw_t_transfer *x = k->transfer != CW_NONE ? &t->transfers.v[k->transfer] : NULL;
    uint64_t last, rows;

    *r = (struct cw_host_range){0};
    if (k->status != 0 || !x || !x->host_ptr)
        return false;
    r->mode = x->dst == CW_NONE ? CW_ACCESS_WRITE : CW_ACCESS_READ;
    set_shape(t, k, r);
    if (!r->bytes)
        return false;
    if (__builtin_mul_overflow(r->slices - 1, r->slice_pitch, &last) ||
        __builtin_mul_overflow(r->rows - 1, r->row_pitch, &rows) ||
        __builtin_add_overflow(last, rows, &last) || __builtin_add_overflow(last, r->bytes, &last) ||
        last > UINT64_MAX - 1 - r->start)
        return false; /* a lying trace */
    if (r->rows > CW_ACCESS_MAX_ROWS || r->slices > CW_ACCESS_MAX_ROWS ||
        r->rows * r->slices > CW_ACCESS_MAX_ROWS ||
        ((r->rows == 1 || r->row_pitch == r->bytes) &&
         (r->slices == 1 || r->slice_pitch == r->rows * r->row_pitch))) {
        r->bytes = last;
        r->rows = r->slices = 1;
    }
    return true;
}

/* Where a memory object lies. Each root has a space of its own, but for those on host memory (USE_HOST_PTR,
 * SVM): they lie at their address in a space that they share with each other and with transfers' host memory.
 */
struct place {
    uint32_t space;
    uint32_t name; /* its name in edges: the root, or the first of those that meet on host memory */
    uint64_t offset;
};

/* Commands of a context since its last one with unknown accesses: such a one waits for all that nothing waits
 * for. */
struct context_state {
    uint32_t unknown;        /* newest command with unknown accesses, CW_NONE */
    CW_ARRAY(uint32_t) open; /* commands since, that no later one of the context depends on */
    size_t live;
};

/* Bytes that lie one behind the other and have one version. */
struct stretch {
    uint64_t bytes;
    uint32_t version;
};

struct cw_data_flow {
    const struct cw_trace *t;
    struct place *places; /* per memory object */
    /* per root, then: host memory, mapped host memory; then the same again for each further copy of them */
    struct cw_interval_map *maps;
    uint32_t versions;               /* copies of each object; 1: there are none but the program's */
    bool *fixed;                     /* per root: it has the program's copy alone */
    struct cw_interval_map *current; /* per root: the version of each byte, as its writer */
    CW_ARRAY(struct stretch) stretches;
    bool failed; /* memory ran out for them */
    struct cw_interval_pool *pool;
    struct context_state *contexts; /* one more than there are, for commands whose context is not known */
    uint8_t *closed;                /* per command */
    bool any_unknown;               /* only then are contexts tracked */
    bool any_map;                   /* likewise mapped host memory */
    bool declared;                  /* see the header */
};

static bool is_map(uint32_t type)
{
    return type == CL_COMMAND_MAP_BUFFER || type == CL_COMMAND_MAP_IMAGE ||
           type == CL_COMMAND_UNMAP_MEM_OBJECT || type == CL_COMMAND_SVM_MAP || type == CL_COMMAND_SVM_UNMAP;
}

static int by_host_range(const void *a, const void *b)
{
    const struct cw_t_memory *x = *(const struct cw_t_memory *const *)a,
                             *y = *(const struct cw_t_memory *const *)b;

    if (x->host_ptr != y->host_ptr)
        return x->host_ptr < y->host_ptr ? -1 : 1;
    return x < y ? -1 : x > y;
}

static uint32_t host_space(const struct cw_trace *t)
{
    return (uint32_t)t->memory.count;
}

/* Written by maps and unmaps, read by transfers of host memory. */
static uint32_t mapped_space(const struct cw_trace *t)
{
    return (uint32_t)t->memory.count + 1;
}

/* Places the roots on host memory; those whose ranges meet get the name of the first of them. */
static bool place_host_ranges(struct cw_data_flow *d)
{
    const struct cw_trace *t = d->t;
    const struct cw_t_memory **sorted = malloc((t->memory.count + 1) * sizeof *sorted);
    size_t n = 0, first = 0;
    uint64_t end = 0;

    if (!sorted)
        return false;
    for (size_t m = 0; m < t->memory.count; m++)
        if (t->memory.v[m].host_ptr && t->memory.v[m].parent == CW_NONE && t->memory.v[m].size &&
            t->memory.v[m].size <= UINT64_MAX - t->memory.v[m].host_ptr)
            sorted[n++] = &t->memory.v[m];
    qsort(sorted, n, sizeof *sorted, by_host_range);
    for (size_t i = 0; i < n; i++) {
        struct place *p = &d->places[sorted[i] - t->memory.v];
        if (i == 0 || sorted[i]->host_ptr >= end) {
            first = i;
            end = sorted[i]->host_ptr;
        }
        *p = (struct place){host_space(t), (uint32_t)(sorted[first] - t->memory.v), sorted[i]->host_ptr};
        if (sorted[i]->host_ptr + sorted[i]->size > end)
            end = sorted[i]->host_ptr + sorted[i]->size;
    }
    free(sorted);
    return true;
}

static bool find_places(struct cw_data_flow *d)
{
    const struct cw_trace *t = d->t;

    for (uint32_t m = 0; m < t->memory.count; m++)
        d->places[m] = (struct place){m, m, 0};
    if (!place_host_ranges(d))
        return false;
    for (uint32_t m = 0; m < t->memory.count; m++) {
        uint64_t offset;
        uint32_t root = cw_trace_memory_root(t, m, &offset);
        if (root != m && root < t->memory.count) {
            d->places[m] = d->places[root];
            d->places[m].offset += offset;
        }
    }
    return true;
}

/* May touch memory that it does not name. */
static bool is_unknown(const struct cw_command *k)
{
    return k->unknown_access || k->elsewhere;
}

/* Buffers and images that nothing but their own handle leads to may have further copies. */
static void find_fixed(struct cw_data_flow *d)
{
    const struct cw_trace *t = d->t;

    for (uint32_t m = 0; m < t->memory.count; m++) {
        const struct cw_t_memory *x = &t->memory.v[m];
        d->fixed[m] |= (x->kind != CW_MEM_BUFFER && x->kind != CW_MEM_IMAGE) || x->parent != CW_NONE ||
                       d->places[m].space != m;
        if (x->parent < t->memory.count)
            d->fixed[x->parent] = true;
    }
}

struct cw_data_flow *cw_data_flow_create(const struct cw_trace *t, bool declared, uint32_t versions)
{
    struct cw_data_flow *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->t = t;
    d->declared = declared;
    d->versions = versions;
    d->places = calloc(t->memory.count + 1, sizeof *d->places);
    d->maps = calloc((t->memory.count + 2) * versions, sizeof *d->maps);
    d->fixed = calloc(t->memory.count + 1, sizeof *d->fixed);
    d->current = calloc(t->memory.count + 1, sizeof *d->current);
    d->contexts = calloc(t->contexts.count + 1, sizeof *d->contexts);
    d->closed = calloc(t->commands.count + 1, 1);
    d->pool = cw_interval_pool_create();
    if (!d->places || !d->maps || !d->fixed || !d->current || !d->contexts || !d->closed || !d->pool ||
        !find_places(d)) {
        cw_data_flow_destroy(d);
        return NULL;
    }
    find_fixed(d);
    for (size_t i = 0; i <= t->contexts.count; i++)
        d->contexts[i].unknown = CW_NONE;
    for (size_t i = 0; i < t->commands.count; i++) {
        d->any_unknown |= is_unknown(&t->commands.v[i]);
        d->any_map |= is_map(t->commands.v[i].type);
    }
    return d;
}

void cw_data_flow_destroy(struct cw_data_flow *d)
{
    if (!d)
        return;
    for (size_t i = 0; d->contexts && i <= d->t->contexts.count; i++)
        free(d->contexts[i].open.v);
    free(d->contexts);
    free(d->places);
    free(d->maps);
    free(d->fixed);
    free(d->current);
    free(d->stretches.v);
    free(d->closed);
    cw_interval_pool_destroy(d->pool);
    free(d);
}

/* One access on its way through the segments of its space. */
struct visit {
    const struct cw_data_flow *d;
    struct cw_edge_list *edges;
    uint32_t space, to, memory;
    bool reads, writes;
    uint8_t commutes; /* reads and writes: class of the updates */
    bool host;        /* of the host memory of a transfer, not of an object that lies there */
};

static bool touches_host_objects(const struct cw_data_flow *d, const struct cw_command *k)
{
    for (uint32_t i = 0; i < k->accesses.count; i++)
        if (d->places[d->t->accesses.v[k->accesses.first + i].memory].space == host_space(d->t))
            return true;
    return false;
}

/* True when `from` needs no edge to the command of `v`. Host memory of a blocking transfer is the program's
 * again when the call returns, which host edges say; maps are ordered by the object that they show. */
static bool is_ordered(const struct visit *v, uint32_t from)
{
    const struct cw_command *k = &v->d->t->commands.v[from], *to = &v->d->t->commands.v[v->to];

    if (from == v->to || (v->space == mapped_space(v->d->t) && is_map(k->type) && is_map(to->type)))
        return true;
    return k->blocking && cw_host_wait_returned(k, to) &&
           (v->host || (v->space == host_space(v->d->t) && !touches_host_objects(v->d, k)));
}

static void add_writer(const struct visit *v, uint32_t from, uint64_t bytes, bool other_reader)
{
    if (from == CW_NONE || is_ordered(v, from))
        return;
    if (v->reads)
        cw_edge_list_add_data(v->edges, from, v->to, CW_HAZARD_RAW, v->memory, bytes);
    else if (!other_reader)
        cw_edge_list_add_data(v->edges, from, v->to, CW_HAZARD_WAW, v->memory, bytes);
}

static void visit_segment(void *context, uint64_t bytes, const struct cw_segment_users *before)
{
    const struct visit *v = context;
    bool other_reader = false;

    if (v->writes)
        for (const struct cw_reader *r = before->readers; r; r = r->next)
            for (uint32_t i = r->count; i-- > 0;) {
                other_reader |= r->command[i] != v->to;
                if (!is_ordered(v, r->command[i]))
                    cw_edge_list_add_data(v->edges, r->command[i], v->to, CW_HAZARD_WAR, v->memory, bytes);
            }
    add_writer(v, before->writer, bytes, other_reader);
    for (const struct cw_reader *r = before->updates; r; r = r->next)
        for (uint32_t i = r->count; i-- > 0;)
            add_writer(v, r->command[i], bytes, other_reader);
}

/* Notes that v->to accesses bytes [lo, hi) of its space, and adds the edges. */
static bool access_range(struct cw_data_flow *d, struct visit *v, uint64_t lo, uint64_t hi)
{
    v->d = d;
    if (v->commutes)
        return cw_interval_map_update(&d->maps[v->space], d->pool, lo, hi, v->to, v->commutes, visit_segment,
                                      v);
    if (v->writes)
        return cw_interval_map_write(&d->maps[v->space], d->pool, lo, hi, v->to, visit_segment, v);
    return cw_interval_map_read(&d->maps[v->space], d->pool, lo, hi, v->to, visit_segment, v);
}

static void add_stretch(void *context, uint64_t bytes, const struct cw_segment_users *before)
{
    struct cw_data_flow *d = context;
    struct stretch *s = cw_trace_push(&d->stretches, 1);

    d->failed |= !s;
    if (s)
        *s = (struct stretch){bytes, before->writer == CW_NONE ? 0 : before->writer};
}

/* The command reads bytes [lo, hi) of the space. */
static bool reads_any(const struct cw_data_flow *d, uint32_t id, uint32_t space, uint64_t lo, uint64_t hi)
{
    const struct cw_slice s = d->t->commands.v[id].accesses;
    bool found = false;

    for (uint32_t i = 0; i < s.count && !found; i++) {
        const struct cw_t_access *a = &d->t->accesses.v[s.first + i];
        uint64_t first = d->places[a->memory].offset + a->offset;
        found = d->places[a->memory].space == space && (a->mode & CW_ACCESS_READ) && first < hi &&
                lo - (lo < first ? lo : first) < a->bytes;
    }
    return found;
}

/* The same where the object has copies: a command that surely overwrites bytes, and does not read them,
 * begins their next version in the next copy; others use the copies where the bytes' versions lie. */
static bool access_versions(struct cw_data_flow *d, struct visit *v, const struct cw_t_access *a, uint64_t lo,
                            uint64_t hi)
{
    struct cw_interval_map *current = &d->current[v->space];
    uint32_t root = v->space, spaces = (uint32_t)d->t->memory.count + 2, newest = 0;
    bool anew = a->sure && v->writes && !v->reads && !reads_any(d, v->to, root, lo, hi);
    bool ok = true;

    d->stretches.count = 0;
    if (!cw_interval_map_read(current, d->pool, lo, hi, 0, add_stretch, d) || d->failed)
        return false;
    for (size_t i = 0; i < d->stretches.count; i++)
        newest = d->stretches.v[i].version > newest ? d->stretches.v[i].version : newest;
    if (anew) {
        d->stretches.v[0] = (struct stretch){hi - lo, newest + 1};
        ok = cw_interval_map_write(current, d->pool, lo, hi, newest + 1, add_stretch, d);
        d->stretches.count = 1;
    }
    for (size_t i = 0; ok && i < d->stretches.count; i++) {
        v->space = root + d->stretches.v[i].version % d->versions * spaces;
        ok = access_range(d, v, lo, lo + d->stretches.v[i].bytes);
        lo += d->stretches.v[i].bytes;
    }
    return ok;
}

static bool access_memory(struct cw_data_flow *d, uint32_t id, const struct cw_t_access *a, bool write_pass,
                          struct cw_edge_list *edges)
{
    struct place p = d->places[a->memory];
    uint32_t mode = d->declared ? a->declared : a->mode;
    bool reads = mode & CW_ACCESS_READ, writes = mode & CW_ACCESS_WRITE;
    struct visit v = {.edges = edges,
                      .space = p.space,
                      .to = id,
                      .memory = p.name,
                      .reads = reads,
                      .writes = writes,
                      .commutes = reads && writes ? a->commutes : 0};
    uint64_t lo = p.offset + a->offset, hi = lo + a->bytes;

    if (writes != write_pass || a->bytes == 0 || lo < p.offset || hi <= lo)
        return true;
    return d->versions > 1 && p.space < d->t->memory.count && !d->fixed[p.space]
               ? access_versions(d, &v, a, lo, hi)
               : access_range(d, &v, lo, hi);
}

/* Host memory that the command reads or writes, or shows: that has to stay until the transfers there are
 * done. */
static bool access_host(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges)
{
    struct visit v = {.edges = edges, .to = id, .memory = CW_NONE, .host = true};
    struct cw_host_range r;
    bool ok = true;

    if (!host_range(d->t, &d->t->commands.v[id], &r))
        return true;
    for (uint64_t row = 0; ok && row < r.rows * r.slices; row++) {
        uint64_t lo = r.start + row / r.rows * r.slice_pitch + row % r.rows * r.row_pitch, hi = lo + r.bytes;
        v.writes = r.mapped || r.mode == CW_ACCESS_WRITE;
        v.reads = !v.writes;
        if (!r.mapped) {
            v.space = host_space(d->t);
            ok = access_range(d, &v, lo, hi);
        }
        if (ok && d->any_map) {
            v.space = mapped_space(d->t);
            v.writes = r.mapped;
            v.reads = !v.writes;
            ok = access_range(d, &v, lo, hi);
        }
    }
    return ok;
}

static uint32_t context_of(const struct cw_trace *t, const struct cw_command *k)
{
    if (k->queue < t->queues.count && t->queues.v[k->queue].context < t->contexts.count)
        return t->queues.v[k->queue].context;
    return (uint32_t)t->contexts.count;
}

/* Orders `id` against the commands of a context whose accesses are not known, or against all if its own are
 * not. */
static void meet_unknown(struct cw_data_flow *d, uint32_t id, struct context_state *c,
                         struct cw_edge_list *edges)
{
    if (c->unknown != CW_NONE)
        cw_edge_list_add_data(edges, c->unknown, id, CW_HAZARD_RAW, CW_NONE, 0);
    if (!is_unknown(&d->t->commands.v[id]))
        return;
    for (size_t i = 0; i < c->open.count; i++)
        if (!d->closed[c->open.v[i]])
            cw_edge_list_add_data(edges, c->open.v[i], id, CW_HAZARD_RAW, CW_NONE, 0);
    c->unknown = id;
    c->open.count = c->live = 0;
}

/* A command whose context is not known (the last of d->contexts) may belong to any. */
static bool unknown_accesses(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_command *k = &d->t->commands.v[id];
    uint32_t context = context_of(d->t, k), *entry;
    struct context_state *c = &d->contexts[context];
    size_t stay = 0;

    if (context < d->t->contexts.count)
        meet_unknown(d, id, c, edges);
    for (size_t i = context < d->t->contexts.count ? d->t->contexts.count : 0; i <= d->t->contexts.count; i++)
        meet_unknown(d, id, &d->contexts[i], edges);
    if (is_unknown(k))
        return true;
    for (size_t i = 0; i < edges->pending.count; i++)
        if (edges->pending.v[i].kind != CW_EDGE_QUEUE &&
            context_of(d->t, &d->t->commands.v[edges->pending.v[i].from]) == context)
            d->closed[edges->pending.v[i].from] = 1;
    if (c->open.count > 2 * c->live + 64) {
        for (size_t i = 0; i < c->open.count; i++)
            if (!d->closed[c->open.v[i]])
                c->open.v[stay++] = c->open.v[i];
        c->open.count = c->live = stay;
    }
    entry = cw_trace_push(&c->open, 1);
    if (entry)
        *entry = id;
    return entry != NULL;
}

bool cw_data_flow_command(struct cw_data_flow *d, uint32_t id, struct cw_edge_list *edges)
{
    const struct cw_command *k = &d->t->commands.v[id];
    bool ok = true;

    if (k->status != 0)
        return true;
    /* reads first: a command that reads and writes one range by two arguments must not wait for itself */
    for (int write_pass = 0; write_pass <= 1; write_pass++)
        for (uint32_t i = 0; ok && i < k->accesses.count; i++)
            ok = access_memory(d, id, &d->t->accesses.v[k->accesses.first + i], write_pass, edges);
    ok = ok && access_host(d, id, edges);
    if (ok && d->any_unknown && (cw_trace_command_is_enqueue(k) || k->type == CW_HOST_WRITE))
        ok = unknown_accesses(d, id, edges);
    return ok;
}
