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
    cw_spill_free(t->commands.v);
    cw_spill_free(t->edges.v);
    free(t->modules.v);
    free(t->parts.v);
    free(t->plans.v);
    free(t->moves.v);
    cw_spill_free(t->calls.v);
    free(t->stale.v);
    free(t->device_ids.v);
    free(t->program_ids.v);
    cw_spill_free(t->args.v);
    cw_spill_free(t->accesses.v);
    cw_spill_free(t->waits.v);
    cw_spill_free(t->addresses.v);
    cw_spill_free(t->transfers.v);
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
    X(CL_COMMAND_NDRANGE_KERNEL, "clEnqueueNDRangeKernel")                                                   \
    X(CL_COMMAND_TASK, "clEnqueueTask")                                                                      \
    X(CL_COMMAND_NATIVE_KERNEL, "clEnqueueNativeKernel")                                                     \
    X(CL_COMMAND_READ_BUFFER, "clEnqueueReadBuffer")                                                         \
    X(CL_COMMAND_WRITE_BUFFER, "clEnqueueWriteBuffer")                                                       \
    X(CL_COMMAND_COPY_BUFFER, "clEnqueueCopyBuffer")                                                         \
    X(CL_COMMAND_READ_IMAGE, "clEnqueueReadImage")                                                           \
    X(CL_COMMAND_WRITE_IMAGE, "clEnqueueWriteImage")                                                         \
    X(CL_COMMAND_COPY_IMAGE, "clEnqueueCopyImage")                                                           \
    X(CL_COMMAND_COPY_IMAGE_TO_BUFFER, "clEnqueueCopyImageToBuffer")                                         \
    X(CL_COMMAND_COPY_BUFFER_TO_IMAGE, "clEnqueueCopyBufferToImage")                                         \
    X(CL_COMMAND_MAP_BUFFER, "clEnqueueMapBuffer")                                                           \
    X(CL_COMMAND_MAP_IMAGE, "clEnqueueMapImage")                                                             \
    X(CL_COMMAND_UNMAP_MEM_OBJECT, "clEnqueueUnmapMemObject")                                                \
    X(CL_COMMAND_MARKER, "clEnqueueMarker")                                                                  \
    X(CL_COMMAND_ACQUIRE_GL_OBJECTS, "clEnqueueAcquireGLObjects")                                            \
    X(CL_COMMAND_RELEASE_GL_OBJECTS, "clEnqueueReleaseGLObjects")                                            \
    X(CL_COMMAND_READ_BUFFER_RECT, "clEnqueueReadBufferRect")                                                \
    X(CL_COMMAND_WRITE_BUFFER_RECT, "clEnqueueWriteBufferRect")                                              \
    X(CL_COMMAND_COPY_BUFFER_RECT, "clEnqueueCopyBufferRect")                                                \
    X(CL_COMMAND_USER, "clCreateUserEvent")                                                                  \
    X(CL_COMMAND_BARRIER, "clEnqueueBarrier")                                                                \
    X(CL_COMMAND_MIGRATE_MEM_OBJECTS, "clEnqueueMigrateMemObjects")                                          \
    X(CL_COMMAND_FILL_BUFFER, "clEnqueueFillBuffer")                                                         \
    X(CL_COMMAND_FILL_IMAGE, "clEnqueueFillImage")                                                           \
    X(CL_COMMAND_SVM_FREE, "clEnqueueSVMFree")                                                               \
    X(CL_COMMAND_SVM_MEMCPY, "clEnqueueSVMMemcpy")                                                           \
    X(CL_COMMAND_SVM_MEMFILL, "clEnqueueSVMMemFill")                                                         \
    X(CL_COMMAND_SVM_MAP, "clEnqueueSVMMap")                                                                 \
    X(CL_COMMAND_SVM_UNMAP, "clEnqueueSVMUnmap")                                                             \
    X(CL_COMMAND_SVM_MIGRATE_MEM, "clEnqueueSVMMigrateMem")                                                  \
    X(CL_COMMAND_COMMAND_BUFFER_KHR, "clEnqueueCommandBufferKHR")                                            \
    X(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, "clEnqueueAcquireExternalMemObjectsKHR")                  \
    X(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, "clEnqueueReleaseExternalMemObjectsKHR")                  \
    X(CL_COMMAND_SEMAPHORE_WAIT_KHR, "clEnqueueWaitSemaphoresKHR")                                           \
    X(CL_COMMAND_SEMAPHORE_SIGNAL_KHR, "clEnqueueSignalSemaphoresKHR")                                       \
    X(CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR, "clEnqueueAcquireEGLObjectsKHR")                                   \
    X(CL_COMMAND_RELEASE_EGL_OBJECTS_KHR, "clEnqueueReleaseEGLObjectsKHR")                                   \
    X(CL_COMMAND_MIGRATE_MEM_OBJECT_EXT, "clEnqueueMigrateMemObjectEXT")                                     \
    X(CL_COMMAND_MEMFILL_INTEL, "clEnqueueMemFillINTEL")                                                     \
    X(CL_COMMAND_MEMCPY_INTEL, "clEnqueueMemcpyINTEL")                                                       \
    X(CL_COMMAND_MIGRATEMEM_INTEL, "clEnqueueMigrateMemINTEL")                                               \
    X(CL_COMMAND_MEMADVISE_INTEL, "clEnqueueMemAdviseINTEL")                                                 \
    X(CL_COMMAND_ACQUIRE_GRALLOC_OBJECTS_IMG, "clEnqueueAcquireGrallocObjectsIMG")                           \
    X(CL_COMMAND_RELEASE_GRALLOC_OBJECTS_IMG, "clEnqueueReleaseGrallocObjectsIMG")                           \
    X(CL_COMMAND_GENERATE_MIPMAP_IMG, "clEnqueueGenerateMipmapIMG")

static const struct {
    uint32_t type;
    const char *name, *function;
} type_names[] = {
#define X(type, function) {type, #type, function},
    COMMAND_TYPES(X)
#undef X
        {CW_HOST_FINISH, "clFinish", "clFinish"},
    {CW_HOST_WAIT, "clWaitForEvents", "clWaitForEvents"},
    {CW_HOST_USER_EVENT, "clSetUserEventStatus", "clSetUserEventStatus"},
    {CW_HOST_FLUSH, "clFlush", "clFlush"},
    {CW_HOST_POLL, "clGetEventInfo", NULL},
    {CW_HOST_WRITE, "host write", NULL},
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

const char *cw_trace_command_function_name(uint32_t type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (type_names[i].type == type)
            return type_names[i].function;
    return cw_trace_command_type_name(type);
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

uint32_t cw_trace_command_number(const struct cw_trace *t, uint32_t id)
{
    return t->commands.v[id].origin ? t->commands.v[id].origin : id;
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
