/* stream_kernel.c - programs and kernels of streamed contexts, and launches: what a launch touches. */
#include <stdlib.h>
#include <string.h>

#include "../../../analyzer/kernels/source/cl_source.h"
#include "../../../analyzer/kernels/source/access_mode.h"
#include "../../../analyzer/kernels/source/header_files.h"
#include "../../../analyzer/kernels/source/kernel_params.h"
#include "../../builds/source.h"
#include "../../device/device.h"
#include "stream_binary.h"
#include "stream_enqueue.h"
#include "stream_hooks.h"
#include "stream_model.h"
#include "stream_settings.h"
#include "stream_version.h"
#include "../core/state.h"

#define NAME_BYTES 256

/* ---- programs */

static void forget_text(struct cw_stream_program *p)
{
    if (p->text)
        cw_cl_source_finish(p->text);
    free(p->text);
    p->text = NULL;
}

void cw_stream_kernel_free_program(void *object)
{
    struct cw_stream_program *p = object;

    forget_text(p);
    cw_stream_model_forget(p);
    cw_known_build_drop(p->build);
    free(p->source);
}

/* The text has a NUL: what a vendor reads behind it is not known. */
static bool has_nul(cl_uint count, const char **strings, const size_t *lengths)
{
    for (cl_uint i = 0; lengths && i < count; i++)
        if (lengths[i] && memchr(strings[i], 0, lengths[i]))
            return true;
    return false;
}

cl_program cw_stream_hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                    const size_t *lengths, cl_int *err)
{
    cl_program program = cw_stream_below.clCreateProgramWithSource(context, count, strings, lengths, err);
    struct cw_stream_program *p = program && cw_stream_object_find(context, CW_STREAM_CONTEXT)
                                      ? cw_stream_object_create(program, CW_STREAM_PROGRAM, sizeof *p)
                                      : NULL;

    if (p && !has_nul(count, strings, lengths))
        p->source = cw_source_join(count, strings, lengths);
    return program;
}

static bool all_show(cl_uint n, const size_t *lengths, const unsigned char **binaries)
{
    cl_uint i = 0;

    while (i < n && cw_stream_binary_shows(binaries[i], lengths[i]))
        i++;
    return n && i == n;
}

cl_program cw_stream_hook_clCreateProgramWithBinary(cl_context context, cl_uint n,
                                                    const cl_device_id *devices, const size_t *lengths,
                                                    const unsigned char **binaries, cl_int *status,
                                                    cl_int *err)
{
    cl_program program =
        cw_stream_below.clCreateProgramWithBinary(context, n, devices, lengths, binaries, status, err);
    struct cw_stream_program *p = program && cw_stream_object_find(context, CW_STREAM_CONTEXT)
                                      ? cw_stream_object_create(program, CW_STREAM_PROGRAM, sizeof *p)
                                      : NULL;

    if (!p)
        return program;
    p->shown = all_show(n, lengths, binaries);
    p->build = cw_known_binaries_find(n, devices, lengths, binaries);
    if (p->build && !p->build->linked)
        p->source = strdup(p->build->source);
    p->loaded = p->source;
    return program;
}

/* Those of all of its devices, or-ed. */
static uint32_t traits_of(cl_program program)
{
    cl_device_id devices[64];
    size_t bytes = 0;
    uint32_t traits = 0;

    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS)
        return UINT32_MAX;
    for (size_t i = 0; i < bytes / sizeof *devices; i++)
        traits |= cw_device_traits(devices[i]);
    return traits;
}

/* The text of a program all of whose effects its kernels' arguments show. */
static void read_text(struct cw_stream_program *p, cl_program program, const char *options)
{
    struct cw_cl_source *s = p->source ? malloc(sizeof *s) : NULL;

    forget_text(p);
    if (!s)
        return;
    p->text = s;
    if (!cw_cl_source_init(s, p->source, options) || s->has_include ||
        cw_source_may_hide(s, options, traits_of(program)))
        forget_text(p);
    else
        p->may_poll = cw_source_may_poll(s, options);
}

/* The source as a build of it reads it, with its headers in it, the caller's to free. NULL: not certain. */
static char *joined(const struct cw_stream_program *p, const char *options)
{
    if (!p->source)
        return NULL;
    return cw_joined_source_is_needed(p->source, options) ? cw_joined_source(p->source, options, NULL)
                                                          : strdup(p->source);
}

/* The build has succeeded, and read `before`, if its headers have not changed meanwhile. */
static void built(struct cw_stream_program *p, const char *before, const char *options)
{
    char *after = joined(p, options);

    if (before && after && !strcmp(before, after))
        cw_known_build_set(&p->build, cw_known_build_new(before, options, false));
    free(after);
}

/* A program that is made of a known binary stays of the build that this is from. */
cl_int cw_stream_hook_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                     const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                     void *data)
{
    struct cw_stream_program *p = cw_stream_object_pin(program, CW_STREAM_PROGRAM);
    const char *given = options ? options : "";
    char *before = NULL;
    cl_int err;

    if (p && p->loaded) {
        read_text(p, program, p->build->options);
    } else if (p) {
        read_text(p, program, options);
        cw_known_build_set(&p->build, NULL);
        before = notify ? NULL : joined(p, given);
    }
    err = cw_stream_below.clBuildProgram(program, n, devices, options, notify, data);
    if (before && err == CL_SUCCESS && cw_known_build_is_whole(program, n))
        built(p, before, given);
    free(before);
    if (p && err == CL_SUCCESS)
        cw_stream_model_renew(p, cw_run.eager && cw_stream_settings.renames);
    else if (p) /* kernels that are made of the build before are not of this text */
        forget_text(p);
    if (p)
        cw_stream_object_unpin(p);
    return err;
}

/* From then on its binary is an object file. */
cl_int cw_stream_hook_clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices,
                                       const char *options, cl_uint headers, const cl_program *header,
                                       const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
                                       void *data)
{
    struct cw_stream_program *p = cw_stream_object_pin(program, CW_STREAM_PROGRAM);

    if (p) {
        if (!p->loaded)
            cw_known_build_set(&p->build, NULL);
        cw_stream_object_unpin(p);
    }
    return cw_stream_below.clCompileProgram(program, n, devices, options, headers, header, names, notify,
                                            data);
}

cl_int cw_stream_hook_clGetProgramInfo(cl_program program, cl_program_info name, size_t capacity, void *to,
                                       size_t *bytes)
{
    struct cw_stream_program *p =
        name == CL_PROGRAM_BINARIES && to ? cw_stream_object_pin(program, CW_STREAM_PROGRAM) : NULL;
    cl_int err;

    if (!p)
        return cw_stream_below.clGetProgramInfo(program, name, capacity, to, bytes);
    err = cw_known_binaries_fetch(&p->build, cw_stream_below.clGetProgramInfo, program, capacity, to, bytes);
    cw_stream_object_unpin(p);
    return err;
}

/* ---- kernels */

void cw_stream_kernel_free(void *object)
{
    struct cw_stream_kernel *k = object;

    cw_stream_model_free_kernel(k);
    free(k->args);
}

/* How the arguments may be accessed, by the source. */
static void set_modes(struct cw_stream_kernel *k, cl_kernel kernel, struct cw_stream_program *p)
{
    char name[NAME_BYTES];
    uint8_t *modes = malloc(k->count ? k->count : 1);

    k->shown =
        k->args && modes && (p->text || p->shown) &&
        cw_next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) == CL_SUCCESS;
    if (k->shown && p->text && (k->name = strdup(name))) {
        k->program = p;
        cw_stream_object_pin_again(p);
    }
    if (k->shown)
        memset(modes, CW_ACCESS_READ_WRITE, k->count);
    if (k->shown && p->text)
        cw_kernel_params(p->text, name, k->count, false, false, modes);
    for (uint32_t i = 0; k->shown && i < k->count; i++)
        k->args[i].mode = modes[i];
    free(modes);
}

static struct cw_stream_kernel *make(cl_kernel kernel)
{
    struct cw_stream_kernel *k = cw_stream_object_create(kernel, CW_STREAM_KERNEL, sizeof *k);
    cl_uint count = 0;

    if (!k)
        return NULL;
    if (cw_next.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS)
        k->args = calloc(count ? count : 1, sizeof *k->args);
    k->count = k->args ? count : 0;
    return k;
}

/* Kernels of programs that were not made of sources here have no record: their launches close. */
static void made(cl_program program, cl_kernel kernel)
{
    struct cw_stream_program *p = cw_stream_object_pin(program, CW_STREAM_PROGRAM);
    struct cw_stream_kernel *k = p && kernel ? make(kernel) : NULL;

    if (k)
        set_modes(k, kernel, p);
    if (p)
        cw_stream_object_unpin(p);
}

cl_kernel cw_stream_hook_clCreateKernel(cl_program program, const char *name, cl_int *err)
{
    cl_kernel kernel = cw_stream_below.clCreateKernel(program, name, err);

    made(program, kernel);
    return kernel;
}

cl_int cw_stream_hook_clCreateKernelsInProgram(cl_program program, cl_uint capacity, cl_kernel *kernels,
                                               cl_uint *n)
{
    cl_uint count = 0, *to = n || !cw_stream_object_any() ? n : &count;
    cl_int err = cw_stream_below.clCreateKernelsInProgram(program, capacity, kernels, to);

    for (cl_uint i = 0; err == CL_SUCCESS && kernels && to && i < *to; i++)
        made(program, kernels[i]);
    return err;
}

cl_kernel cw_stream_hook_clCloneKernel(cl_kernel from, cl_int *err)
{
    struct cw_stream_kernel *k, *of = cw_stream_object_find(from, CW_STREAM_KERNEL);
    cl_kernel to;

    if (of)
        cw_stream_version_cloned(from);
    to = cw_stream_below.clCloneKernel(from, err);
    if (!to || !of || !(k = make(to)))
        return to;
    k->points = of->points;
    k->shown = of->shown && k->count == of->count;
    if (k->shown && k->count)
        memcpy(k->args, of->args, k->count * sizeof *k->args);
    if (k->shown && of->program && (k->name = strdup(of->name))) {
        k->program = of->program;
        cw_stream_object_pin_again(k->program);
    }
    return to;
}

/* Only handles that have a record are taken for memory: any eight bytes may look like one. */
static void set_arg(struct cw_stream_kernel *k, cl_uint index, size_t size, const void *value)
{
    struct cw_stream_arg *a = &k->args[index];
    struct cw_stream_memory *m = NULL;
    const void *handle;

    if (size == sizeof handle && value) {
        memcpy(&handle, value, sizeof handle);
        m = cw_stream_object_pin(handle, CW_STREAM_MEMORY); /* a number may be one that a thread releases */
    }
    *a = (struct cw_stream_arg){.mode = a->mode,
                                .commutes = a->commutes,
                                .local = !value,
                                .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
    if (value && size <= CW_STREAM_VALUE)
        memcpy(a->value, value, size);
    if (!m)
        return;
    a->bytes = m->bytes;
    a->odd = !m->plain;
    a->host_sees = m->host_sees;
    cw_stream_object_unpin(m);
}

cl_int cw_stream_hook_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    struct cw_stream_kernel *k =
        cw_stream_queue_may_come() ? cw_registry_find(kernel, CW_REGISTRY_STREAM + CW_STREAM_KERNEL) : NULL;
    cl_int err;

    if (!k)
        return cw_stream_below.clSetKernelArg(kernel, index, size, value);
    err = cw_next.clSetKernelArg(kernel, index, size, value);
    if (err == CL_SUCCESS && index < k->count)
        set_arg(k, index, size, value);
    return err;
}

void cw_stream_kernel_points(cl_kernel kernel)
{
    struct cw_stream_kernel *k = cw_stream_object_find(kernel, CW_STREAM_KERNEL);

    if (k)
        k->points = true;
}

cl_int cw_stream_hook_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    cw_stream_kernel_points(kernel);
    return cw_stream_below.clSetKernelArgSVMPointer(kernel, index, value);
}

cl_int cw_stream_hook_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                          const void *value)
{
    cw_stream_kernel_points(kernel);
    return cw_stream_below.clSetKernelExecInfo(kernel, name, size, value);
}

/* ---- launches */

static void use(struct cw_stream_use *t, struct cw_stream_kernel *k, const struct cw_stream_launch *launch)
{
    cw_stream_use_close(t);
    if (!k || !k->shown || k->points)
        return;
    t->closes = t->visible = false;
    t->kernel = k;
    t->launch = launch;
    for (uint32_t i = 0; i < k->count && !t->closes; i++) {
        struct cw_stream_bytes bytes = k->args[i].bytes;
        uint32_t before = t->n;

        bytes.write = k->args[i].mode != CW_ACCESS_READ; /* CL_MEM_READ_ONLY proves nothing */
        bytes.commutes = k->args[i].commutes;
        t->visible |= k->args[i].host_sees;
        if (k->args[i].odd)
            cw_stream_use_close(t);
        else
            cw_stream_use_add(t, &bytes);
        if (t->n > before)
            t->arg[before] = (uint16_t)i;
    }
}

/* The kernel gets the memory that the launch uses, in place of the program's; `back`: the program's again. */
static cl_int set_memory(cl_kernel kernel, const struct cw_stream_use *t, bool back)
{
    cl_int err = CL_SUCCESS;

    for (uint32_t i = 0; i < t->n && err == CL_SUCCESS; i++)
        if (t->object[i])
            err =
                cw_next.clSetKernelArg(kernel, t->arg[i], sizeof(cl_mem),
                                       back ? t->kernel->args[t->arg[i]].value : (const void *)&t->object[i]);
    return err;
}

/* So many of 256 items where the device chooses the local size. */
static uint32_t groups_of(cl_uint dims, const size_t *global, const size_t *local)
{
    double groups = 1;

    for (cl_uint i = 0; global && dims <= 3 && i < dims; i++)
        groups *= local && local[i] ? (double)((global[i] + local[i] - 1) / local[i]) : (double)global[i];
    if (!local)
        groups /= 256;
    return groups < 1 ? 1 : groups > UINT32_MAX ? UINT32_MAX : (uint32_t)groups;
}

cl_int cw_stream_hook_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                             const size_t *offset, const size_t *global, const size_t *local,
                                             cl_uint n, const cl_event *list, cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_stream_launch launch = {dims, offset, global, local};
    const struct cw_dispatch *to = &cw_stream_below;
    cl_int err;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, n, list, event);
    do {
        use(&t, cw_stream_object_find(kernel, CW_STREAM_KERNEL), &launch);
        t.groups = groups_of(dims, global, local);
        to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);
        err = set_memory(kernel, &t, false);
        if (err == CL_SUCCESS)
            err = to->clEnqueueNDRangeKernel(c.queue, kernel, dims, offset, global, local, c.n, c.list,
                                             c.event);
        set_memory(kernel, &t, true);
        err = cw_stream_end(&c, err);
    } while (cw_stream_version_again(&c));
    return err;
}

cl_int cw_stream_hook_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint n, const cl_event *list,
                                    cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    static const size_t one = 1;
    static const struct cw_stream_launch launch = {1, NULL, &one, &one};
    const struct cw_dispatch *to = &cw_stream_below;
    cl_int err;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueTask(queue, kernel, n, list, event);
    do {
        use(&t, cw_stream_object_find(kernel, CW_STREAM_KERNEL), &launch);
        t.groups = 1;
        to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);
        err = set_memory(kernel, &t, false);
        if (err == CL_SUCCESS)
            err = to->clEnqueueTask(c.queue, kernel, c.n, c.list, c.event);
        set_memory(kernel, &t, true);
        err = cw_stream_end(&c, err);
    } while (cw_stream_version_again(&c));
    return err;
}
