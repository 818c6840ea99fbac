/* trace.c - storage of a trace: arena, growable arrays, names of command types. See trace.h. */
#include "trace.h"

#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cw_arena_block {
    struct cw_arena_block *next;
    size_t used, size;
    char bytes[];
};

enum { ARENA_BLOCK_BYTES = 64 * 1024 };

void cw_trace_init(struct cw_trace *t)
{
    memset(t, 0, sizeof *t);
}

void cw_trace_finish(struct cw_trace *t)
{
    if (!t)
        return;
    free(t->platforms.v);
    free(t->devices.v);
    free(t->contexts.v);
    free(t->queues.v);
    free(t->memory.v);
    free(t->programs.v);
    free(t->kernels.v);
    free(t->samplers.v);
    free(t->commands.v);
    free(t->edges.v);
    free(t->modules.v);
    free(t->parts.v);
    free(t->plans.v);
    free(t->moves.v);
    free(t->device_ids.v);
    free(t->program_ids.v);
    free(t->args.v);
    free(t->accesses.v);
    free(t->waits.v);
    free(t->addresses.v);
    free(t->transfers.v);
    free(t->bytes.v);
    free(t->data_path);
    while (t->arena) {
        struct cw_arena_block *next = t->arena->next;
        free(t->arena);
        t->arena = next;
    }
    memset(t, 0, sizeof *t);
}

const char *cw_trace_strndup(struct cw_trace *t, const char *s, size_t len)
{
    struct cw_arena_block *b = t->arena;
    char *copy;

    if (!s || len > SIZE_MAX / 4)
        return NULL;
    if (!b || b->size - b->used < len + 1) {
        size_t size = len + 1 > ARENA_BLOCK_BYTES ? len + 1 : ARENA_BLOCK_BYTES;
        b = malloc(sizeof *b + size);
        if (!b)
            return NULL;
        b->used = 0;
        b->size = size;
        b->next = t->arena;
        t->arena = b;
    }
    copy = b->bytes + b->used;
    memcpy(copy, s, len);
    copy[len] = '\0';
    b->used += len + 1;
    return copy;
}

const char *cw_trace_strdup(struct cw_trace *t, const char *s)
{
    return s ? cw_trace_strndup(t, s, strlen(s)) : NULL;
}

#define COMMAND_TYPES(X)                                                                                     \
    X(CL_COMMAND_NDRANGE_KERNEL)                                                                             \
    X(CL_COMMAND_TASK)                                                                                       \
    X(CL_COMMAND_NATIVE_KERNEL)                                                                              \
    X(CL_COMMAND_READ_BUFFER)                                                                                \
    X(CL_COMMAND_WRITE_BUFFER)                                                                               \
    X(CL_COMMAND_COPY_BUFFER)                                                                                \
    X(CL_COMMAND_READ_IMAGE)                                                                                 \
    X(CL_COMMAND_WRITE_IMAGE)                                                                                \
    X(CL_COMMAND_COPY_IMAGE)                                                                                 \
    X(CL_COMMAND_COPY_IMAGE_TO_BUFFER)                                                                       \
    X(CL_COMMAND_COPY_BUFFER_TO_IMAGE)                                                                       \
    X(CL_COMMAND_MAP_BUFFER)                                                                                 \
    X(CL_COMMAND_MAP_IMAGE)                                                                                  \
    X(CL_COMMAND_UNMAP_MEM_OBJECT)                                                                           \
    X(CL_COMMAND_MARKER)                                                                                     \
    X(CL_COMMAND_ACQUIRE_GL_OBJECTS)                                                                         \
    X(CL_COMMAND_RELEASE_GL_OBJECTS)                                                                         \
    X(CL_COMMAND_READ_BUFFER_RECT)                                                                           \
    X(CL_COMMAND_WRITE_BUFFER_RECT)                                                                          \
    X(CL_COMMAND_COPY_BUFFER_RECT)                                                                           \
    X(CL_COMMAND_USER)                                                                                       \
    X(CL_COMMAND_BARRIER)                                                                                    \
    X(CL_COMMAND_MIGRATE_MEM_OBJECTS)                                                                        \
    X(CL_COMMAND_FILL_BUFFER)                                                                                \
    X(CL_COMMAND_FILL_IMAGE)                                                                                 \
    X(CL_COMMAND_SVM_FREE)                                                                                   \
    X(CL_COMMAND_SVM_MEMCPY)                                                                                 \
    X(CL_COMMAND_SVM_MEMFILL)                                                                                \
    X(CL_COMMAND_SVM_MAP)                                                                                    \
    X(CL_COMMAND_SVM_UNMAP)                                                                                  \
    X(CL_COMMAND_SVM_MIGRATE_MEM)                                                                            \
    X(CL_COMMAND_COMMAND_BUFFER_KHR)                                                                         \
    X(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR)                                                           \
    X(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR)                                                           \
    X(CL_COMMAND_SEMAPHORE_WAIT_KHR)                                                                         \
    X(CL_COMMAND_SEMAPHORE_SIGNAL_KHR)                                                                       \
    X(CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR)                                                                    \
    X(CL_COMMAND_RELEASE_EGL_OBJECTS_KHR)                                                                    \
    X(CL_COMMAND_MIGRATE_MEM_OBJECT_EXT)                                                                     \
    X(CL_COMMAND_MEMFILL_INTEL)                                                                              \
    X(CL_COMMAND_MEMCPY_INTEL)                                                                               \
    X(CL_COMMAND_MIGRATEMEM_INTEL)                                                                           \
    X(CL_COMMAND_MEMADVISE_INTEL)                                                                            \
    X(CL_COMMAND_ACQUIRE_GRALLOC_OBJECTS_IMG)                                                                \
    X(CL_COMMAND_RELEASE_GRALLOC_OBJECTS_IMG)                                                                \
    X(CL_COMMAND_GENERATE_MIPMAP_IMG)

static const struct {
    uint32_t type;
    const char *name;
} type_names[] = {
#define X(type) {type, #type},
    COMMAND_TYPES(X)
#undef X
        {CW_HOST_FINISH, "clFinish"},
    {CW_HOST_WAIT, "clWaitForEvents"},
    {CW_HOST_USER_EVENT, "clSetUserEventStatus"},
    {CW_HOST_FLUSH, "clFlush"},
    {CW_HOST_POLL, "clGetEventInfo"},
    {CW_HOST_WRITE, "host write"},
};
enum { TYPE_COUNT = sizeof type_names / sizeof type_names[0] };

const char *cw_trace_command_type_name(uint32_t type)
{
    static _Thread_local char unknown[32];

    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (type_names[i].type == type)
            return type_names[i].name;
    snprintf(unknown, sizeof unknown, "CL_COMMAND_0x%X", type);
    return unknown;
}

uint32_t cw_trace_command_type_from_name(const char *name)
{
    unsigned long type;
    char *end;

    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(type_names[i].name, name) == 0)
            return type_names[i].type;
    if (strncmp(name, "CL_COMMAND_0x", 13) != 0 || !name[13])
        return 0;
    type = strtoul(name + 13, &end, 16);
    return *end || type > UINT32_MAX ? 0 : (uint32_t)type;
}

bool cw_trace_command_is_enqueue(const struct cw_command *c)
{
    return c->type < CW_HOST_FINISH || c->type > CW_HOST_WRITE;
}

uint32_t cw_trace_command_device(const struct cw_trace *t, const struct cw_command *c)
{
    uint32_t device = c->device != CW_NONE         ? c->device
                      : c->queue < t->queues.count ? t->queues.v[c->queue].device
                                                   : CW_NONE;

    return device < t->devices.count ? device : CW_NONE;
}

uint32_t cw_trace_memory_root(const struct cw_trace *t, uint32_t memory, uint64_t *offset)
{
    uint64_t sum = 0;

    /* a lying trace may hold a loop of parents; no real chain is longer than the number of objects */
    for (size_t steps = 0; memory < t->memory.count && steps <= t->memory.count; steps++) {
        const struct cw_t_memory *m = &t->memory.v[memory];
        if (m->parent == CW_NONE || m->parent >= t->memory.count)
            break;
        sum += m->offset;
        memory = m->parent;
    }
    if (offset)
        *offset = sum;
    return memory;
}

const char *cw_trace_command_short_name(uint32_t type)
{
    const char *name = cw_trace_command_type_name(type);

    return name + (strncmp(name, "CL_COMMAND_", 11) == 0 ? 11 : 0);
}

const char *cw_trace_command_name(const struct cw_trace *t, const struct cw_command *command)
{
    return command->kernel < t->kernels.count ? t->kernels.v[command->kernel].name
                                              : cw_trace_command_short_name(command->type);
}
