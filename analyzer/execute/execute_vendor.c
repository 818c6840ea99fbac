/* execute_vendor.c - devices, contexts and queues of a re-run. */
#include "execute_state.h"
#include "../kernels/source/vendor_compiler.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Programs, kernels and samplers of a re-run. */

enum { BUILD_LOG = 300 };

static enum cw_status build_error(struct cw_exec *x, uint32_t id, cl_program p, cl_int code,
                                  struct cw_error *err)
{
    char *log = NULL;
    size_t size = 0;
    cl_device_id device = x->contexts[x->t->programs.v[id].context].devices[0];
    if (p && clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS)
        log = calloc(1, size + 1);
    if (log)
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    for (char *c = log; c && *c; c++)
        if (*c == '\n')
            *c = ' ';
    cw_error_set(err, CW_ERR_VENDOR,
                 "program %u does not build here (OpenCL error %d; it was built in %s): %.*s", id, code,
                 x->t->process.cwd ? x->t->process.cwd : "?", BUILD_LOG, log ? log : "no log");
    free(log);
    return CW_ERR_VENDOR;
}

/* The forms that a program can be made of, the best first. A source with its headers in it is as it was; the
 * files that a source reads may be others or gone. A program that was made of a captured binary is made of
 * that alone. */
enum form { JOINED, SOURCE, BINARY, FORMS };

static bool is_linked(const struct cw_t_program *p)
{
    return p->kind == CW_PROGRAM_LINKED && !p->binary.size;
}

static bool has_form(const struct cw_t_program *p, enum form form)
{
    if (p->kind == CW_PROGRAM_BINARY && p->binary.size)
        return form == BINARY;
    return form == JOINED ? p->joined.size > 0 : form == SOURCE ? p->source != NULL : p->binary.size > 0;
}

static cl_program create(const struct cw_exec *x, uint32_t id, enum form form, cl_int *code)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    const struct cw_blob *blob = form == JOINED ? &p->joined : &p->binary;
    const char *text = form == SOURCE ? p->source : (const char *)x->data + blob->offset;
    const size_t length = form == SOURCE ? strlen(text) : (size_t)blob->size;
    const unsigned char *binaries[CW_EXEC_DEVICES];
    size_t sizes[CW_EXEC_DEVICES];

    if (form == JOINED)
        return clCreateProgramWithSource(c->handle, 1, &text, &length, code);
    if (form == SOURCE)
        return cw_vendor_program(&calls, c->handle, c->devices[0], text, code);
    if (p->kind == CW_PROGRAM_IL)
        return clCreateProgramWithIL(c->handle, text, length, code);
    for (cl_uint d = 0; d < c->device_count && d < CW_EXEC_DEVICES; d++)
        binaries[d] = (const unsigned char *)text, sizes[d] = length;
    return clCreateProgramWithBinary(c->handle, c->device_count, c->devices, sizes, binaries, NULL, code);
}

/* Builds it, or compiles it to be linked. */
static cl_int build(const struct cw_exec *x, uint32_t id, enum form form, bool compile, cl_program program)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    const bool compiled = form == BINARY && p->kind != CW_PROGRAM_IL;
    const char *options = compiled || !p->options ? "" : p->options;

    if (!compile)
        return clBuildProgram(program, c->device_count, c->devices, options, NULL, NULL);
    return compiled
               ? CL_SUCCESS
               : clCompileProgram(program, c->device_count, c->devices, options, 0, NULL, NULL, NULL, NULL);
}

/* In the first form of which it builds; *code of the last try, whose program is returned even if it
 * failed. */
static cl_program make_of_text(const struct cw_exec *x, uint32_t id, bool compile, cl_int *code)
{
    cl_program program = NULL;

    *code = CL_INVALID_BINARY;
    for (int form = JOINED; form < FORMS; form++) {
        if (!has_form(&x->t->programs.v[id], (enum form)form))
            continue;
        if (program)
            clReleaseProgram(program);
        program = create(x, id, (enum form)form, code);
        if (program)
            *code = build(x, id, (enum form)form, compile, program);
        if (*code == CL_SUCCESS)
            break;
    }
    return program;
}

/* Linked of its parts as they are compiled here. */
static cl_program make_linked(const struct cw_exec *x, uint32_t id, cl_int *code)
{
    const struct cw_t_program *p = &x->t->programs.v[id];
    const struct cw_execute_context *c = &x->contexts[p->context];
    cl_program *parts = calloc(p->inputs.count + 1, sizeof *parts), program = NULL;

    *code = parts ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < p->inputs.count && *code == CL_SUCCESS; i++) {
        uint32_t part = x->t->program_ids.v[p->inputs.first + i];
        parts[i] = make_of_text(x, part, true, code);
    }
    if (*code == CL_SUCCESS)
        program = clLinkProgram(c->handle, c->device_count, c->devices, p->options ? p->options : "",
                                p->inputs.count, parts, NULL, NULL, code);
    for (uint32_t i = 0; parts && i < p->inputs.count; i++)
        if (parts[i])
            clReleaseProgram(parts[i]);
    free(parts);
    return program;
}

static enum cw_status make_program(struct cw_exec *x, uint32_t id, struct cw_error *err)
{
    cl_int code;

    x->programs[id] =
        is_linked(&x->t->programs.v[id]) ? make_linked(x, id, &code) : make_of_text(x, id, false, &code);
    return code == CL_SUCCESS ? CW_OK : build_error(x, id, x->programs[id], code, err);
}

static enum cw_status make_kernel(struct cw_exec *x, uint32_t command, struct cw_error *err)
{
    uint32_t id = x->t->commands.v[command].kernel, program = x->t->kernels.v[id].program;
    enum cw_status status = CW_OK;
    cl_int code;
    if (x->kernels[id])
        return CW_OK;
    if (!x->programs[program])
        status = make_program(x, program, err);
    if (status != CW_OK)
        return status;
    x->kernels[id] = clCreateKernel(x->programs[program], x->t->kernels.v[id].name, &code);
    return x->kernels[id] ? CW_OK : cw_execute_vendor_status(x, command, "clCreateKernel", code, err);
}

static enum cw_status make_samplers(struct cw_exec *x, uint32_t command, struct cw_error *err)
{
    const struct cw_command *c = &x->t->commands.v[command];
    uint32_t context = x->t->queues.v[c->queue].context;
    for (uint32_t i = 0; i < c->args.count; i++) {
        const struct cw_t_arg *a = &x->t->args.v[c->args.first + i];
        const struct cw_t_sampler *s;
        cl_int code;
        if (a->kind != CW_ARG_SAMPLER || x->samplers[a->memory])
            continue;
        s = &x->t->samplers.v[a->memory];
        x->samplers[a->memory] = clCreateSamplerWithProperties(
            x->contexts[context].handle,
            (cl_sampler_properties[]){CL_SAMPLER_NORMALIZED_COORDS, s->normalized, CL_SAMPLER_ADDRESSING_MODE,
                                      s->addressing, CL_SAMPLER_FILTER_MODE, s->filter, 0},
            &code);
        if (!x->samplers[a->memory])
            return cw_execute_vendor_status(x, command, "clCreateSamplerWithProperties", code, err);
    }
    return CW_OK;
}

static enum cw_status make_kernels(struct cw_exec *x, struct cw_error *err)
{
    const struct cw_trace *t = x->t;
    enum cw_status status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && i < t->commands.count; i++) {
        uint32_t type = t->commands.v[i].type;
        if (!x->runs[i] || (type != CL_COMMAND_NDRANGE_KERNEL && type != CL_COMMAND_TASK))
            continue;
        status = make_kernel(x, i, err);
        if (status == CW_OK)
            status = make_samplers(x, i, err);
    }
    return status;
}

/* Builds where the program was built, if that folder is still there: include paths may be relative to it. */
static enum cw_status execute_kernels_init(struct cw_exec *x, struct cw_error *err)
{
    const char *there = x->t->process.cwd;
    int here;
    bool moved;
    enum cw_status status;
    x->programs = calloc(x->t->programs.count + 1, sizeof *x->programs);
    x->kernels = calloc(x->t->kernels.count + 1, sizeof *x->kernels);
    x->samplers = calloc(x->t->samplers.count + 1, sizeof *x->samplers);
    if (!x->programs || !x->kernels || !x->samplers)
        return cw_error_set(err, CW_ERR_NOMEM, "no memory for the programs of the trace");
    here = there ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    moved = here >= 0 && chdir(there) == 0;
    status = make_kernels(x, err);
    if (moved && fchdir(here) != 0 && status == CW_OK)
        status = cw_error_set(err, CW_ERR_IO, "cannot come back from %s, where the program was built", there);
    if (here >= 0)
        close(here);
    return status;
}

static void execute_kernels_finish(struct cw_exec *x)
{
    for (size_t i = 0; x->kernels && i < x->t->kernels.count; i++)
        if (x->kernels[i])
            clReleaseKernel(x->kernels[i]);
    for (size_t i = 0; x->programs && i < x->t->programs.count; i++)
        if (x->programs[i])
            clReleaseProgram(x->programs[i]);
    for (size_t i = 0; x->samplers && i < x->t->samplers.count; i++)
        if (x->samplers[i])
            clReleaseSampler(x->samplers[i]);
    free(x->programs);
    free(x->kernels);
    free(x->samplers);
}

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
        status = execute_kernels_init(x, err);
    return status;
}

void cw_execute_vendor_finish(struct cw_exec *x)
{
    execute_kernels_finish(x);
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
