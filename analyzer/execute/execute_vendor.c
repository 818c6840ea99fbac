/* execute_vendor.c - devices, contexts and queues of a re-run. */
#include "execute_state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 32, PENDING_COMMANDS = 256 };

const char *cw_execute_command_text(const struct cw_trace *t, uint32_t id, char *text, size_t size)
{
    const struct cw_command *c = &t->commands.v[id];
    const char *kernel = c->kernel < t->kernels.count ? t->kernels.v[c->kernel].name : NULL;
    snprintf(text, size, "command %u (%s%s%s)", id, cw_trace_command_short_name(c->type), kernel ? " " : "",
             kernel ? kernel : "");
    return text;
}

enum cw_status cw_execute_vendor_status(const struct cw_exec *x, uint32_t id, const char *call, cl_int code,
                                        struct cw_error *err)
{
    char text[120];
    if (code == CL_SUCCESS)
        return CW_OK;
    if (id == CW_NONE)
        return cw_error_set(err, CW_ERR_VENDOR, "%s failed with OpenCL error %d", call, code);
    return cw_error_set(err, CW_ERR_VENDOR, "%s: %s failed with OpenCL error %d",
                        cw_execute_command_text(x->t, id, text, sizeof text), call, code);
}

enum cw_status cw_execute_queue_use(struct cw_exec *x, cl_command_queue queue, struct cw_error *err)
{
    cl_int code = CL_SUCCESS;
    if (x->current && (x->current != queue || ++x->pending >= PENDING_COMMANDS)) {
        code = clFinish(x->current);
        x->pending = 0;
    }
    x->current = queue;
    return cw_execute_vendor_status(x, CW_NONE, "clFinish", code, err);
}

cl_command_queue cw_execute_queue_of(const struct cw_exec *x, uint32_t id)
{
    const struct cw_command *c = &x->t->commands.v[id];
    const struct cw_t_queue *q;
    const struct cw_execute_context *context;
    if (c->queue == CW_NONE || !cw_trace_command_is_enqueue(c))
        return x->contexts[x->t->memory.v[cw_execute_part_of(x->t, id).memory].context].queues[0];
    q = &x->t->queues.v[c->queue];
    context = &x->contexts[q->context];
    for (cl_uint d = 0; d < context->device_count; d++)
        if (context->devices[d] == x->devices[q->device])
            return context->queues[d];
    return context->queues[0];
}

/* ---- devices */

/* All devices of all platforms, in the vendor's order. */
static size_t list_devices(cl_device_id *devices, size_t capacity)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint platform_count = 0, n;
    size_t count = 0;
    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; p++) {
        n = 0;
        if (count < capacity && clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, (cl_uint)(capacity - count),
                                               devices + count, &n) == CL_SUCCESS)
            count += n < capacity - count ? n : capacity - count;
    }
    return count;
}

static void device_name(cl_device_id device, char *name, size_t size)
{
    name[0] = '\0';
    clGetDeviceInfo(device, CL_DEVICE_NAME, size, name, NULL);
    name[size - 1] = '\0';
}

/* The k-th device of the trace called X is the k-th device here called X. A part of a device is the whole
 * device. */
static cl_device_id find_device(const struct cw_trace *t, uint32_t id, const cl_device_id *devices,
                                size_t count)
{
    char name[256];
    size_t nth = 0;
    while (t->devices.v[id].parent < id)
        id = t->devices.v[id].parent;
    for (uint32_t i = 0; i < id; i++)
        nth += t->devices.v[i].parent == CW_NONE && t->devices.v[i].name && t->devices.v[id].name &&
               !strcmp(t->devices.v[i].name, t->devices.v[id].name);
    for (size_t i = 0; i < count; i++) {
        device_name(devices[i], name, sizeof name);
        if (t->devices.v[id].name && !strcmp(name, t->devices.v[id].name) && nth-- == 0)
            return devices[i];
    }
    return NULL;
}

/* The device whose name has the words of --on in it, in any case; NULL: none has. */
static cl_device_id find_named(const char *part, const cl_device_id *devices, size_t count)
{
    char name[256];

    for (size_t i = 0; i < count; i++) {
        device_name(devices[i], name, sizeof name);
        if (strcasestr(name, part))
            return devices[i];
    }
    return NULL;
}

static enum cw_status map_devices(struct cw_exec *x, struct cw_error *err)
{
    cl_device_id devices[CW_EXEC_DEVICES], chosen = NULL;
    size_t count = list_devices(devices, CW_EXEC_DEVICES);
    x->devices = calloc(x->t->devices.count + 1, sizeof *x->devices);
    if (!x->devices)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu devices", x->t->devices.count);
    if (count == 0)
        return cw_error_set(err, CW_ERR_NOTFOUND, "no OpenCL device here; `clweave devices` lists them");
    if (x->o->device >= 0 && (size_t)x->o->device >= count)
        return cw_error_set(err, CW_ERR_NOTFOUND, "no device %d: there are %zu, see `clweave devices`",
                            x->o->device, count);
    if (x->o->on && !(chosen = find_named(x->o->on, devices, count)))
        return cw_error_set(err, CW_ERR_NOTFOUND,
                            "no device here has '%.60s' in its name; `clweave devices` lists "
                            "them",
                            x->o->on);
    if (x->o->device >= 0)
        chosen = devices[x->o->device];
    for (size_t i = 0; i < x->t->devices.count; i++)
        x->devices[i] = chosen ? chosen : find_device(x->t, (uint32_t)i, devices, count);
    return CW_OK;
}

/* ---- contexts */

static enum cw_status context_queues(struct cw_exec *x, struct cw_execute_context *c, struct cw_error *err)
{
    cl_platform_id platform = NULL;
    cl_int code = clGetDeviceInfo(c->devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    if (code == CL_SUCCESS)
        c->handle = clCreateContext(properties, c->device_count, c->devices, NULL, NULL, &code);
    if (!c->handle)
        return cw_execute_vendor_status(x, CW_NONE, "clCreateContext", code, err);
    for (cl_uint d = 0; d < c->device_count; d++) {
        c->queues[d] = clCreateCommandQueueWithProperties(c->handle, c->devices[d], NULL, &code);
        if (!c->queues[d])
            return cw_execute_vendor_status(x, CW_NONE, "clCreateCommandQueueWithProperties", code, err);
    }
    return CW_OK;
}

static enum cw_status make_context(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    const struct cw_slice ids = t->contexts.v[id].devices;
    struct cw_execute_context *c = &x->contexts[id];
    c->devices = calloc(ids.count + 1, sizeof *c->devices);
    c->queues = calloc(ids.count + 1, sizeof *c->queues);
    if (!c->devices || !c->queues)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for context %u", id);
    for (uint32_t i = 0; i < ids.count; i++) {
        uint32_t device = t->device_ids.v[ids.first + i];
        bool known = false;
        if (!x->devices[device])
            return cw_error_set(
                err, CW_ERR_NOTFOUND,
                "the trace's device %u, \"%s\", is not here, or not as often as there: run everything "
                "on another with --on DEVICE, see `clweave devices`",
                device, t->devices.v[device].name ? t->devices.v[device].name : "?");
        for (cl_uint d = 0; d < c->device_count; d++)
            known |= c->devices[d] == x->devices[device];
        if (!known)
            c->devices[c->device_count++] = x->devices[device];
    }
    if (c->device_count == 0)
        return cw_error_set(err, CW_ERR_FORMAT, "context %u of the trace has no device", id);
    return context_queues(x, c, err);
}

static void note_devices(struct cw_exec *x, const bool *used)
{
    cl_device_id first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < x->t->contexts.count; i++)
        for (cl_uint d = 0; used[i] && d < x->contexts[i].device_count; d++) {
            count += first != x->contexts[i].devices[d];
            first = first ? first : x->contexts[i].devices[d];
        }
    if (count > 1)
        snprintf(x->r->device, sizeof x->r->device, "%zu devices", count);
    else
        device_name(first, x->r->device, sizeof x->r->device);
}

static void mark_context(void *data, uint32_t memory)
{
    void **marks = data;
    const struct cw_exec *x = marks[0];
    ((bool *)marks[1])[x->t->memory.v[memory].context] = true;
}

static enum cw_status make_contexts(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    bool *used = calloc(t->contexts.count + 1, sizeof *used);
    enum cw_status status = CW_OK;
    if (!used)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu contexts", t->contexts.count);
    for (uint32_t i = 0; i < t->commands.count; i++) {
        if (!x->runs[i])
            continue;
        if (t->commands.v[i].queue < t->queues.count)
            used[t->queues.v[t->commands.v[i].queue].context] = true;
        cw_execute_memory_mentions(t, i, mark_context, (void *[]){x, used});
    }
    for (uint32_t i = 0; status == CW_OK && i < t->contexts.count; i++)
        if (used[i])
            status = make_context(x, i, err);
    if (status == CW_OK)
        note_devices(x, used);
    free(used);
    return status;
}

enum cw_status cw_execute_vendor_init(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    enum cw_status status;
    x->contexts = calloc(t->contexts.count + 1, sizeof *x->contexts);
    if (!x->contexts)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for %zu contexts", t->contexts.count);
    status = map_devices(x, err);
    if (status == CW_OK)
        status = make_contexts(x, err);
    if (status == CW_OK)
        status = cw_execute_kernels_init(x, err);
    return status;
}

void cw_execute_vendor_finish(struct cw_exec *x)
{
    cw_execute_kernels_finish(x);
    for (size_t i = 0; x->contexts && i < x->t->contexts.count; i++) {
        struct cw_execute_context *c = &x->contexts[i];
        for (cl_uint d = 0; d < c->device_count; d++)
            if (c->queues[d])
                clReleaseCommandQueue(c->queues[d]);
        if (c->handle)
            clReleaseContext(c->handle);
        free(c->devices);
        free(c->queues);
    }
    free(x->devices);
    free(x->contexts);
}
