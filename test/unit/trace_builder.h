/* trace_builder.h - makes small traces in memory, for tests. All functions fail the test when memory is out.
 */
#ifndef CW_TEST_TRACE_BUILDER_H
#define CW_TEST_TRACE_BUILDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <CL/cl.h>

#include "../../analyzer/graph/graph_build.h"
#include "../../analyzer/graph/trace_read.h"
#include "../../analyzer/record/trace.h"

/* Appends n bytes of `data` to an array's new room `to`. */
static inline void tb_copy(void *to, const void *data, size_t n)
{
    if (!to)
        abort();
    memcpy(to, data, n);
}

/* A trace with one platform, one device, one context. */
static inline void tb_init(struct cw_trace *t)
{
    cw_trace_init(t);
    t->process.program = "/bin/test";
    t->process.complete = true;
    cw_trace_push(&t->platforms, 1)->name = "platform";
    struct cw_t_device *d = cw_trace_push(&t->devices, 1);
    d->name = "device";
    d->parent = CW_NONE;
    *cw_trace_push(&t->device_ids, 1) = 0;
    cw_trace_push(&t->contexts, 1)->devices = (struct cw_slice){0, 1};
}

static inline uint32_t tb_queue(struct cw_trace *t, bool out_of_order)
{
    cw_trace_push(&t->queues, 1)->out_of_order = out_of_order;
    return (uint32_t)t->queues.count - 1;
}

static inline uint32_t tb_buffer(struct cw_trace *t, uint64_t size, uint64_t flags)
{
    struct cw_t_memory *m = cw_trace_push(&t->memory, 1);
    m->parent = CW_NONE;
    m->size = size;
    m->flags = flags;
    return (uint32_t)t->memory.count - 1;
}

static inline uint32_t tb_sub_buffer(struct cw_trace *t, uint32_t parent, uint64_t offset, uint64_t size)
{
    uint32_t id = tb_buffer(t, size, t->memory.v[parent].flags);
    t->memory.v[id].kind = CW_MEM_SUBBUFFER;
    t->memory.v[id].parent = parent;
    t->memory.v[id].offset = offset;
    return id;
}

static inline uint32_t tb_program(struct cw_trace *t, const char *source)
{
    struct cw_t_program *p = cw_trace_push(&t->programs, 1);
    p->source = source ? cw_trace_strdup(t, source) : NULL;
    return (uint32_t)t->programs.count - 1;
}

static inline uint32_t tb_kernel(struct cw_trace *t, uint32_t program, const char *name, uint32_t num_args)
{
    struct cw_t_kernel *k = cw_trace_push(&t->kernels, 1);
    k->program = program;
    k->name = cw_trace_strdup(t, name);
    k->num_args = num_args;
    return (uint32_t)t->kernels.count - 1;
}

static inline uint32_t tb_command(struct cw_trace *t, uint32_t type, uint32_t queue)
{
    struct cw_command *k = cw_trace_push(&t->commands, 1);
    uint32_t id = (uint32_t)t->commands.count - 1;
    *k = (struct cw_command){.type = type,
                             .queue = queue,
                             .kernel = CW_NONE,
                             .device = CW_NONE,
                             .transfer = CW_NONE,
                             .exec_status = 1,
                             .global_size = {1, 1, 1},
                             .local_size = {1, 1, 1},
                             .sequence = id + 1,
                             .call_begin_ns = 1000 * (id + 1),
                             .call_end_ns = 1000 * (id + 1) + 500};
    return id;
}

/* A kernel launch whose arguments are memory ids, ended by -1. */
static inline uint32_t tb_launch(struct cw_trace *t, uint32_t queue, uint32_t kernel, ...)
{
    uint32_t id = tb_command(t, CL_COMMAND_NDRANGE_KERNEL, queue);
    struct cw_command *k = &t->commands.v[id];
    va_list ap;
    k->kernel = kernel;
    k->work_dim = 1;
    k->global_size[0] = 64;
    k->local_size[0] = 16;
    k->args.first = (uint32_t)t->args.count;
    va_start(ap, kernel);
    for (int m; (m = va_arg(ap, int)) >= 0; k->args.count++)
        *cw_trace_push(&t->args, 1) = (struct cw_t_arg){.command_index = k->args.count,
                                                        .kind = CW_ARG_MEMORY,
                                                        .memory = (uint32_t)m,
                                                        .size = 8,
                                                        .blob = CW_NONE};
    va_end(ap);
    return id;
}

/* A transfer of bytes of src and dst (CW_NONE = host). */
static inline uint32_t tb_transfer(struct cw_trace *t, uint32_t type, uint32_t queue, uint32_t src,
                                   uint64_t src_offset, uint32_t dst, uint64_t dst_offset, uint64_t bytes)
{
    uint32_t id = tb_command(t, type, queue);
    struct cw_t_transfer *x = cw_trace_push(&t->transfers, 1);
    *x = (struct cw_t_transfer){.src = src,
                                .dst = dst,
                                .src_offset = src_offset,
                                .dst_offset = dst_offset,
                                .bytes = bytes,
                                .map_command = CW_NONE};
    t->commands.v[id].transfer = (uint32_t)t->transfers.count - 1;
    return id;
}

static inline uint32_t tb_write(struct cw_trace *t, uint32_t queue, uint32_t memory, uint64_t offset,
                                uint64_t bytes)
{
    return tb_transfer(t, CL_COMMAND_WRITE_BUFFER, queue, CW_NONE, 0, memory, offset, bytes);
}
static inline uint32_t tb_read(struct cw_trace *t, uint32_t queue, uint32_t memory, uint64_t offset,
                               uint64_t bytes)
{
    return tb_transfer(t, CL_COMMAND_READ_BUFFER, queue, memory, offset, CW_NONE, 0, bytes);
}

/* Adds a wait to the newest command. */
static inline void tb_wait(struct cw_trace *t, uint32_t on)
{
    struct cw_command *k = &t->commands.v[t->commands.count - 1];
    if (k->wait_list.count++ == 0)
        k->wait_list.first = (uint32_t)t->waits.count;
    *cw_trace_push(&t->waits, 1) = on;
}

/* All edges as one string, "from>to:kind" or "from>to:HAZARD(bytes)", blank-separated, in the trace's order;
 * only those whose kind is in `kinds` (bit per enum cw_edge_kind). In a static buffer. */
static inline const char *tb_edges(const struct cw_trace *t, unsigned kinds)
{
    static char text[1 << 16];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < t->edges.count && n < sizeof text - 64; i++) {
        const struct cw_edge *e = &t->edges.v[i];
        if (!(kinds >> e->kind & 1))
            continue;
        if (e->kind == CW_EDGE_DATA)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u>%u:%s(%llu)", n ? " " : "", e->from, e->to,
                                  cw_graph_hazard_name(e->hazard), (unsigned long long)e->bytes);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u>%u:%s", n ? " " : "", e->from, e->to,
                                  cw_graph_edge_kind_name(e->kind));
    }
    return text;
}

enum { TB_DATA = 1 << CW_EDGE_DATA, TB_CONTROL = TB_DATA - 1, TB_BINDING = TB_CONTROL + TB_DATA - 1 };

static inline void tb_build(struct cw_trace *t)
{
    struct cw_error err = {0};
    if (cw_graph_build(t, NULL, &err))
        fail_msg("graph: %s", err.text);
}

#endif
