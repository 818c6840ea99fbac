/* access.c - see graph_parts.h. */
#include "graph_parts.h"
#include "../kernels/source/cl_source.h"
#include "../kernels/source/kernel_params.h"
#include "trace_reach.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

/* No device takes more parameters than bytes for them; a lying trace may claim 2^32. */
enum { MAX_PARAMETERS = 4096 };

static uint32_t parameter_count(const struct cw_t_kernel *k)
{
    return k->num_args < MAX_PARAMETERS ? k->num_args : MAX_PARAMETERS;
}

static void read_params(struct cw_access_table *table, const struct cw_cl_source *source,
                        const struct cw_trace *t, size_t kernel, const struct cw_graph_options *options)
{
    const struct cw_t_kernel *k = &t->kernels.v[kernel];

    cw_kernel_params(source, k->name, parameter_count(k), false, options->no_const,
                     table->modes + table->first[kernel]);
    cw_kernel_params(source, k->name, parameter_count(k), true, options->no_const,
                     table->declared + table->first[kernel]);
}

enum cw_status cw_access_table_init(struct cw_access_table *table, const struct cw_trace *t,
                                    const struct cw_graph_options *options, struct cw_error *err)
{
    size_t total = 0;
    bool ok = true;

    memset(table, 0, sizeof *table);
    table->first = calloc(t->kernels.count + 1, sizeof *table->first);
    for (size_t k = 0; table->first && k < t->kernels.count; k++) {
        table->first[k] = (uint32_t)total;
        total += parameter_count(&t->kernels.v[k]);
    }
    table->modes = malloc(total + 1);
    table->declared = malloc(total + 1);
    table->hidden = calloc(t->programs.count + 1, sizeof *table->hidden);
    table->addresses = calloc(t->programs.count + 1, sizeof *table->addresses);
    table->trust = options->trust_declared;
    table->reach = options->reach;
    if (!cw_allocations_init(&table->allocations, t) || !table->first || !table->modes || !table->declared ||
        !table->hidden || !table->addresses)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    memset(table->modes, CW_ACCESS_READ_WRITE, total + 1);
    memset(table->declared, CW_ACCESS_READ_WRITE, total + 1);
    for (size_t p = 0; ok && p < t->programs.count; p++) {
        const struct cw_t_program *program = &t->programs.v[p];
        struct cw_cl_source source;
        if (!program->source)
            continue;
        ok = cw_cl_source_init(&source, program->source, program->options);
        table->hidden[p] = ok && cw_cl_has_variables(&source, program->options,
                                                     cw_trace_vendor_language(t, program->context));
        table->addresses[p] = ok && cw_cl_may_hold_addresses(&source);
        for (size_t k = 0; ok && k < t->kernels.count; k++)
            if (t->kernels.v[k].program == p && t->kernels.v[k].name)
                read_params(table, &source, t, k, options);
        cw_cl_source_finish(&source);
    }
    for (size_t p = 0; p < t->programs.count; p++)
        for (uint32_t i = 0; i < t->programs.v[p].inputs.count; i++) {
            uint32_t input = t->program_ids.v[t->programs.v[p].inputs.first + i];
            table->hidden[p] |= table->hidden[input];
            table->addresses[p] |= table->addresses[input];
        }
    return ok ? CW_OK : cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
}

void cw_access_table_finish(struct cw_access_table *table)
{
    free(table->first);
    free(table->modes);
    free(table->declared);
    free(table->hidden);
    free(table->addresses);
    cw_allocations_finish(&table->allocations);
    memset(table, 0, sizeof *table);
}

/* In a mode: all bytes are stored to. */
enum { SURE = 8 };

/* Bytes of an object as its accesses see it; an object of unknown size is one byte, which all its accesses
 * share. */
static uint64_t extent(const struct cw_trace *t, uint32_t memory)
{
    const struct cw_t_memory *m = &t->memory.v[memory];

    if (m->kind == CW_MEM_IMAGE && m->parent < t->memory.count && t->memory.v[m->parent].size > m->offset)
        return t->memory.v[m->parent].size - m->offset; /* row padding belongs to it */
    return m->size ? m->size : 1;
}

/* `mode` as it can be proven, with SURE, and as it is declared. */
static bool push_both(struct cw_trace *t, uint32_t memory, uint32_t mode, uint32_t declared, uint64_t offset,
                      uint64_t bytes)
{
    uint64_t size;
    struct cw_t_access *a;

    if (memory >= t->memory.count || bytes == 0)
        return true;
    size = extent(t, memory);
    if (offset >= size) { /* only a lying trace, or an object of unknown size */
        offset = 0;
        bytes = size;
        mode &= ~(uint32_t)SURE;
    }
    if (bytes > size - offset)
        bytes = size - offset;
    a = cw_trace_push_spilled(&t->accesses, 1);
    if (a)
        *a = (struct cw_t_access){.memory = memory,
                                  .mode = mode & CW_ACCESS_READ_WRITE,
                                  .declared = declared & CW_ACCESS_READ_WRITE,
                                  .sure = mode & SURE,
                                  .offset = offset,
                                  .bytes = bytes};
    return a != NULL;
}

static bool push(struct cw_trace *t, uint32_t memory, uint32_t mode, uint64_t offset, uint64_t bytes)
{
    return push_both(t, memory, mode, mode, offset, bytes);
}

static bool push_whole(struct cw_trace *t, uint32_t memory, uint32_t mode)
{
    return push(t, memory, mode & ~(uint32_t)SURE, 0, UINT64_MAX);
}

/* The rectangle region[] (first number in bytes) at byte `start`: row by row when there are few rows, else as
 * one range; as one range too when its rows touch. */
static bool push_rectangle(struct cw_trace *t, uint32_t memory, uint32_t mode, uint64_t start,
                           const uint64_t region[3], uint64_t row_pitch, uint64_t slice_pitch)
{
    uint64_t rows = region[1], slices = region[2], last = start;
    bool ok = true;

    if (!region[0] || !rows || !slices)
        return true;
    if (__builtin_mul_overflow(slices - 1, slice_pitch, &last) ||
        __builtin_add_overflow(last, (rows - 1) * row_pitch, &last) ||
        __builtin_add_overflow(last, start + region[0], &last) || (rows - 1) > UINT64_MAX / (row_pitch | 1))
        return push_whole(t, memory, mode);
    if (rows > CW_ACCESS_MAX_ROWS || slices > CW_ACCESS_MAX_ROWS || rows * slices > CW_ACCESS_MAX_ROWS)
        return push(t, memory, mode & ~(uint32_t)SURE, start, last - start);
    if ((rows == 1 || row_pitch == region[0]) && (slices == 1 || slice_pitch == rows * row_pitch))
        return push(t, memory, mode, start, last - start);
    for (uint64_t z = 0; z < slices; z++)
        for (uint64_t y = 0; ok && y < rows; y++)
            ok = push(t, memory, mode, start + z * slice_pitch + y * row_pitch, region[0]);
    return ok;
}

static bool push_image(struct cw_trace *t, uint32_t memory, uint32_t mode, const uint64_t origin[3],
                       const uint64_t region[3])
{
    const struct cw_t_memory *m = &t->memory.v[memory];
    uint64_t bytes[3] = {region[0] * m->element_bytes, region[1] ? region[1] : 1, region[2] ? region[2] : 1};
    uint64_t rows = m->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->array_size : m->height ? m->height : 1;
    uint64_t row_pitch = m->parent != CW_NONE && m->row_pitch ? m->row_pitch : m->width * m->element_bytes;

    if (m->parent < t->memory.count && t->memory.v[m->parent].kind == CW_MEM_IMAGE)
        return push_whole(t, memory, mode); /* its rows lie in the parent as the vendor likes */
    if (!m->element_bytes || !m->width || m->mip_levels > 1 || m->samples > 1 ||
        m->size > (uint64_t)1 << 48 || origin[0] > m->width || region[0] > m->width || origin[1] > rows ||
        region[1] > rows)
        return push_whole(t, memory, mode);
    return push_rectangle(t, memory, mode,
                          origin[2] * rows * row_pitch + origin[1] * row_pitch + origin[0] * m->element_bytes,
                          bytes, row_pitch, rows * row_pitch);
}

static bool is_rectangle(uint32_t type)
{
    return type == CL_COMMAND_READ_BUFFER_RECT || type == CL_COMMAND_WRITE_BUFFER_RECT ||
           type == CL_COMMAND_COPY_BUFFER_RECT;
}

static uint64_t region_bytes(const struct cw_trace *t, const struct cw_t_transfer *x)
{
    uint32_t image = x->src < t->memory.count && t->memory.v[x->src].kind == CW_MEM_IMAGE ? x->src : x->dst;
    uint64_t element = image < t->memory.count ? t->memory.v[image].element_bytes : 0;

    return x->region[0] * (x->region[1] ? x->region[1] : 1) * (x->region[2] ? x->region[2] : 1) * element;
}

/* One side of a transfer. */
static bool push_side(struct cw_trace *t, uint32_t type, const struct cw_t_transfer *x, bool source,
                      uint32_t mode)
{
    uint32_t memory = source ? x->src : x->dst;
    const uint64_t *origin = source ? x->src_origin : x->dst_origin;
    uint64_t offset = source ? x->src_offset : x->dst_offset, bytes = x->bytes;
    uint64_t row = source ? x->src_row_pitch : x->dst_row_pitch,
             slice = source ? x->src_slice_pitch : x->dst_slice_pitch;

    if (memory >= t->memory.count)
        return true;
    if (t->memory.v[memory].kind == CW_MEM_IMAGE && type != CL_COMMAND_MIGRATE_MEM_OBJECTS)
        return x->region[0] ? push_image(t, memory, mode, origin, x->region) : push_whole(t, memory, mode);
    if (is_rectangle(type)) {
        row = row ? row : x->region[0];
        slice = slice ? slice : x->region[1] * row;
        return push_rectangle(t, memory, mode, origin[2] * slice + origin[1] * row + origin[0], x->region,
                              row, slice);
    }
    if (bytes == 0)
        bytes = region_bytes(t, x);
    return bytes ? push(t, memory, mode, offset, bytes) : push_whole(t, memory, mode);
}

/* A map makes the bytes visible to the host and lets it change them until the unmap: so a writing map has to
 * wait for readers too, and the unmap is the write. */
static uint32_t map_mode(uint64_t flags, bool unmap)
{
    if (flags & CL_MAP_WRITE_INVALIDATE_REGION)
        return CW_ACCESS_WRITE;
    if (flags & CL_MAP_WRITE)
        return unmap ? CW_ACCESS_WRITE : CW_ACCESS_READ_WRITE;
    return flags || !unmap ? CW_ACCESS_READ : CW_ACCESS_READ_WRITE;
}

static bool push_transfer(struct cw_trace *t, const struct cw_command *k)
{
    const struct cw_t_transfer *x = &t->transfers.v[k->transfer];
    bool unmap = k->type == CL_COMMAND_UNMAP_MEM_OBJECT || k->type == CL_COMMAND_SVM_UNMAP;

    if (unmap || k->type == CL_COMMAND_MAP_BUFFER || k->type == CL_COMMAND_MAP_IMAGE ||
        k->type == CL_COMMAND_SVM_MAP)
        return push_side(t, k->type, x, x->src < t->memory.count, map_mode(x->map_flags, unmap));
    if (k->type == CL_COMMAND_MIGRATE_MEM_OBJECTS || k->type == CL_COMMAND_SVM_FREE)
        return true; /* their objects are arguments */
    return push_side(t, k->type, x, true, CW_ACCESS_READ) &&
           push_side(t, k->type, x, false, CW_ACCESS_WRITE | SURE);
}

/* Whole objects: kernel arguments, and the objects that a migration or a native kernel names. Kernels write
 * to CL_MEM_READ_ONLY buffers and read from CL_MEM_WRITE_ONLY ones, and vendors let them (hashcat clears its
 * read-only buffers so): the flags only declare. */
static bool push_memory_argument(struct cw_trace *t, const struct cw_access_table *table,
                                 const struct cw_command *k, uint32_t memory, uint32_t mode,
                                 uint32_t declared)
{
    uint64_t flags = memory < t->memory.count ? t->memory.v[memory].flags : 0;

    if (k->type == CL_COMMAND_MIGRATE_MEM_OBJECTS)
        mode = declared = k->transfer != CW_NONE && (t->transfers.v[k->transfer].map_flags &
                                                     CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
                              ? CW_ACCESS_WRITE
                              : CW_ACCESS_READ;
    else if ((flags & CL_MEM_READ_ONLY) && (declared & CW_ACCESS_READ))
        declared = CW_ACCESS_READ;
    else if ((flags & CL_MEM_WRITE_ONLY) && (declared & CW_ACCESS_WRITE))
        declared = CW_ACCESS_WRITE;
    return push_both(t, memory, table->trust ? declared : mode, declared, 0, UINT64_MAX);
}

/* Pointer arguments get the allocation that they point into. False when memory is out. */
static bool find_allocations(struct cw_trace *t, struct cw_access_table *table, uint32_t id)
{
    struct cw_command *k = &t->commands.v[id];
    bool ok = true;

    for (uint32_t i = 0; ok && i < k->args.count; i++) {
        struct cw_t_arg *a = &t->args.v[k->args.first + i];
        if (a->kind != CW_ARG_SVM)
            continue;
        a->memory = CW_NONE;
        if (a->value)
            ok = cw_allocations_find(&table->allocations, t, id, a->value, &a->memory);
        k->unknown_access |= a->value && a->memory == CW_NONE;
    }
    return ok;
}

static bool is_memory(const struct cw_t_arg *a)
{
    return a->kind == CW_ARG_MEMORY || (a->kind == CW_ARG_SVM && a->memory != CW_NONE);
}

static bool push_argument(struct cw_trace *t, const struct cw_access_table *table, const struct cw_command *k,
                          const struct cw_t_arg *a)
{
    uint32_t mode = CW_ACCESS_READ_WRITE, declared = CW_ACCESS_READ_WRITE;

    if (k->kernel < t->kernels.count && a->command_index < parameter_count(&t->kernels.v[k->kernel])) {
        declared = table->declared[table->first[k->kernel] + a->command_index];
        mode = table->trust ? declared : table->modes[table->first[k->kernel] + a->command_index];
    }
    return !is_memory(a) || push_memory_argument(t, table, k, a->memory, mode, declared);
}

/* The accesses to a buffer argument of a launch come from its footprint; false: from its parameter. */
static bool is_reached(const struct cw_trace *t, const struct cw_reach *reach, uint32_t arg,
                       const struct cw_t_arg *a)
{
    if (!reach || !is_memory(a) || a->memory >= t->memory.count ||
        t->memory.v[a->memory].kind == CW_MEM_IMAGE || t->memory.v[a->memory].kind == CW_MEM_PIPE)
        return false;
    for (uint32_t i = 0; i < reach->n; i++)
        if (reach->piece[i].arg == arg && reach->piece[i].write && reach->piece[i].unknown)
            return false; /* then qualifiers may say more */
    return true;
}

static bool push_span(struct cw_trace *t, uint32_t memory, uint32_t mode, uint64_t begin, uint64_t end)
{
    return begin >= end || push(t, memory, mode, begin, end - begin);
}

/* A write in up to three accesses: its middle is sure. */
static bool push_reach(struct cw_trace *t, const struct cw_reach *reach, uint32_t arg, uint32_t memory)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < reach->n; i++) {
        const struct cw_reach_piece *p = &reach->piece[i];
        uint64_t sure = p->sure < p->sure_end ? p->sure : p->end,
                 sure_end = p->sure < p->sure_end ? p->sure_end : p->end;
        if (p->arg == arg && !p->write)
            ok = push_span(t, memory, CW_ACCESS_READ, p->begin, p->end);
        else if (p->arg == arg)
            ok = push_span(t, memory, CW_ACCESS_WRITE, p->begin, sure) &&
                 push_span(t, memory, CW_ACCESS_WRITE | SURE, sure, sure_end) &&
                 push_span(t, memory, CW_ACCESS_WRITE, sure_end, p->end);
    }
    return ok;
}

/* An argument on which atomic operations alone act: of reads and writes there is one access each. */
static bool push_commuting(struct cw_trace *t, const struct cw_reach *reach, uint32_t arg, uint32_t memory)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < reach->n; i++) {
        const struct cw_reach_piece *p = &reach->piece[i];
        if (p->arg != arg || !p->write)
            continue;
        ok = push_span(t, memory, CW_ACCESS_READ_WRITE, p->begin, p->end);
        if (ok && t->accesses.count)
            t->accesses.v[t->accesses.count - 1].commutes = p->commutes;
    }
    return ok;
}

/* The class of the launch's accesses to argument `arg`, of which the trace knows the buffer. */
static uint8_t commutes(const struct cw_trace *t, const struct cw_reach *reach, uint32_t arg,
                        const struct cw_t_arg *a)
{
    if (!is_memory(a) || a->memory >= t->memory.count)
        return 0;
    for (uint32_t i = 0; reach && i < reach->n; i++)
        if (reach->piece[i].arg == arg && reach->piece[i].write)
            return reach->piece[i].commutes;
    return 0;
}

/* One object given to two parameters is one access. Long lists (rows of a rectangle) have no equals. */
static void merge_equal(struct cw_trace *t, size_t first)
{
    struct cw_t_access *v;
    size_t n = t->accesses.count - first, stay = 0;

    if (n == 0 || n > CW_ACCESS_MAX_ROWS / 2)
        return;
    v = &t->accesses.v[first];
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < stay &&
               (v[k].memory != v[i].memory || v[k].offset != v[i].offset || v[k].bytes != v[i].bytes))
            k++;
        if (k == stay)
            v[stay++] = v[i];
        v[k].mode |= v[i].mode;
        v[k].declared |= v[i].declared;
        v[k].sure |= v[i].sure;
        v[k].commutes = v[k].commutes == v[i].commutes ? v[i].commutes : 0;
    }
    t->accesses.count = first + stay;
}

/* Memory that is no argument's: by the kernel's model, without one by its program's text. */
static void look_elsewhere(const struct cw_trace *t, const struct cw_access_table *table,
                           struct cw_command *k)
{
    uint32_t program = k->kernel < t->kernels.count ? t->kernels.v[k->kernel].program : CW_NONE;

    if (program >= t->programs.count)
        return;
    if (table->reach && cw_trace_reach_says(table->reach, t, k->kernel, &k->elsewhere, &k->addresses)) {
        if (!k->elsewhere && !k->addresses && k->args.count == t->kernels.v[k->kernel].num_args)
            k->unknown_access = false; /* the program has named pointers that it does not follow */
        k->unknown_access |= k->elsewhere && table->hidden[program];
        return;
    }
    k->unknown_access |= table->hidden[program];
    k->elsewhere = k->addresses = table->addresses[program];
}

enum cw_status cw_access_fill(struct cw_trace *t, struct cw_access_table *table, uint32_t id,
                              struct cw_error *err)
{
    struct cw_command *k = &t->commands.v[id];
    const struct cw_reach *reach = NULL;
    size_t first = t->accesses.count;
    bool ok = true;

    k->accesses = (struct cw_slice){0, 0};
    k->elsewhere = k->addresses = false;
    if (k->status != 0)
        return CW_OK;
    look_elsewhere(t, table, k);
    ok = find_allocations(t, table, id);
    if (ok && table->reach)
        reach = cw_trace_reach_launch(table->reach, t, k);
    for (uint32_t i = 0; ok && i < k->args.count; i++) {
        const struct cw_t_arg *a = &t->args.v[k->args.first + i];
        if (commutes(t, reach, i, a))
            ok = push_commuting(t, reach, i, a->memory);
        else
            ok = is_reached(t, reach, i, a) ? push_reach(t, reach, i, a->memory)
                                            : push_argument(t, table, k, a);
    }
    if (ok && k->transfer != CW_NONE)
        ok = push_transfer(t, k);
    if (!ok)
        return cw_error_set(err, CW_ERR_NOMEM, "graph: out of memory");
    merge_equal(t, first);
    if (t->accesses.count >= CW_NONE)
        return cw_error_set(err, CW_ERR_LIMIT, "graph: more than 2^32 accesses; trace a shorter run");
    k->accesses = (struct cw_slice){(uint32_t)first, (uint32_t)(t->accesses.count - first)};
    return CW_OK;
}
