/* answer.c - see answer.h. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

#include "../kernels/source/vendor_compiler.h"

enum {
    MOST_PLATFORMS = 16,
    MOST_DEVICES = 64,
    PROGRAMS = 8,
    TEXT_BYTES = 1400,
    MOST_ARGS = 1024,
    VALUE_BYTES = 1 << 16
};

/* No vendor distinguishes ranges that are wider than this, and even where nothing is done work-groups take
 * time. */
#define WIDE ((size_t)1 << 20)

struct built {
    char *source, *options;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    unsigned used;
};

static struct built programs[PROGRAMS];
static unsigned clock_;

/* ---- the device */

static cl_device_id whole_device(const char *words)
{
    static const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_device_id devices[MOST_DEVICES];
    char text[TEXT_BYTES];
    cl_uint n = 0, m;

    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &n) != CL_SUCCESS)
        return NULL;
    for (cl_uint p = 0; p < n && p < MOST_PLATFORMS; p++) {
        m = 0;
        if (!cw_vendor_is_pocls(&calls, platforms[p])) /* others take their time to find their devices */
            continue;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &m) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < m && d < MOST_DEVICES; d++)
            if (cw_vendor_describe_driver(&calls, devices[d], text, sizeof text) && !strcmp(text, words))
                return devices[d];
    }
    return NULL;
}

/* A part of it with so many compute units: PoCL chooses local sizes by their number. */
static cl_device_id part_of(cl_device_id whole, uint32_t units)
{
    static struct {
        cl_device_id whole, part;
        uint32_t units;
    } made[16];
    cl_uint all = 0, n = 0;

    if (clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof all, &all, NULL) != CL_SUCCESS || !units ||
        units == all)
        return whole;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS,
                                                          (cl_device_partition_property)units,
                                                          CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};

        if (made[i].whole == whole && made[i].units == units)
            return made[i].part;
        if (made[i].whole)
            continue;
        if (clCreateSubDevices(whole, by_counts, 1, &made[i].part, &n) != CL_SUCCESS)
            return NULL;
        made[i].whole = whole;
        made[i].units = units;
        return made[i].part;
    }
    return NULL;
}

cl_device_id cw_answer_device(const char *words, uint32_t units)
{
    cl_device_id whole = whole_device(words);

    return whole ? part_of(whole, units) : NULL;
}

/* ---- its programs */

static void forget(struct built *b)
{
    if (b->program)
        clReleaseProgram(b->program);
    if (b->queue)
        clReleaseCommandQueue(b->queue);
    if (b->context)
        clReleaseContext(b->context);
    free(b->source);
    free(b->options);
    *b = (struct built){0};
}

static bool build(struct built *b, cl_device_id device, const char *source, const char *options)
{
    const struct cw_vendor_calls calls = CW_VENDOR_CALLS();
    cl_int err;

    b->device = device;
    b->source = strdup(source);
    b->options = strdup(options);
    b->context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    b->queue = b->context ? clCreateCommandQueueWithProperties(b->context, device, NULL, &err) : NULL;
    b->program = b->queue ? cw_vendor_program(&calls, b->context, device, source, &err) : NULL;
    return b->source && b->options && b->program &&
           clBuildProgram(b->program, 1, &device, options, NULL, NULL) == CL_SUCCESS;
}

static struct built *built(cl_device_id device, const char *source, const char *options)
{
    struct built *oldest = &programs[0];

    for (struct built *b = programs; b < programs + PROGRAMS; b++) {
        if (b->device == device && !strcmp(b->source, source) && !strcmp(b->options, options)) {
            b->used = ++clock_;
            return b;
        }
        if (b->used < oldest->used)
            oldest = b;
    }
    forget(oldest);
    if (!build(oldest, device, source, options)) {
        forget(oldest);
        return NULL;
    }
    oldest->used = ++clock_;
    return oldest;
}

/* ---- a launch that does nothing */

/* A small one. Its contents are no part of the code, nor does it matter that an image lies in a buffer,
 * beside which PoCL 3.1 takes no buffer that is NULL. */
static cl_mem image_of(cl_context context, cl_mem_object_type type)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const bool flat = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool sheets = type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const cl_image_desc desc = {.image_type =
                                    type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? CL_MEM_OBJECT_IMAGE1D : type,
                                .image_width = 4,
                                .image_height = flat || type == CL_MEM_OBJECT_IMAGE3D ? 4 : 0,
                                .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 4 : 0,
                                .image_array_size = sheets ? 2 : 0};
    cl_int err;

    return clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
}

static bool set_arg(cl_kernel kernel, uint32_t i, const struct cw_compile_arg *arg, cl_mem image,
                    cl_sampler sampler)
{
    static const char zeros[VALUE_BYTES];
    const cl_mem none = NULL;

    switch (arg->kind) {
    case CW_COMPILE_MEMORY:
        return clSetKernelArg(kernel, i, sizeof none, &none) == CL_SUCCESS;
    case CW_COMPILE_IMAGE:
        return image && clSetKernelArg(kernel, i, sizeof image, &image) == CL_SUCCESS;
    case CW_COMPILE_SAMPLER:
        return sampler && clSetKernelArg(kernel, i, sizeof sampler, &sampler) == CL_SUCCESS;
    case CW_COMPILE_LOCAL:
        return clSetKernelArg(kernel, i, arg->size, NULL) == CL_SUCCESS;
    default:
        return arg->size <= VALUE_BYTES && clSetKernelArg(kernel, i, arg->size, zeros) == CL_SUCCESS;
    }
}

/* images[0 .. args) and the sampler: of `kernel`'s arguments, to be released after the launch. */
static bool set_args(cl_context context, cl_kernel kernel, const struct cw_compile_arg *arg, uint32_t n,
                     cl_mem *images, cl_sampler *sampler)
{
    static const cl_sampler_properties plain[] = {0};
    bool good = true;
    cl_int err;

    *sampler = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (arg[i].kind == CW_COMPILE_SAMPLER && !*sampler)
            *sampler = clCreateSamplerWithProperties(context, plain, &err);
        images[i] = arg[i].kind == CW_COMPILE_IMAGE ? image_of(context, arg[i].size) : NULL;
        good = good && set_arg(kernel, i, &arg[i], images[i], *sampler);
    }
    return good;
}

/* Of the same kind, as far as vendors go (PoCL: how wide the first two dimensions are), and of few
 * work-groups. Without a local size the vendor chooses one by all of it. */
static void narrow(size_t *global, const size_t *local, uint32_t dims)
{
    uint32_t widest = dims > 1 && global[1] > global[0];

    for (uint32_t d = 0; d < dims; d++) {
        size_t least = d == widest ? WIDE : 1, left = local[d] ? global[d] % local[d] : 0;

        if (local[d] && global[d] > least + local[d] + left)
            global[d] = (least / local[d] + 1) * local[d] + left;
    }
}

static bool launch(const struct built *b, cl_kernel kernel, const struct cw_compile_range *r)
{
    size_t offset[3], global[3], local[3];

    for (uint32_t d = 0; d < 3; d++) {
        offset[d] = r->offset[d];
        global[d] = r->global[d];
        local[d] = r->has_local ? r->local[d] : 0;
    }
    if (r->has_local)
        narrow(global, local, r->dims);
    return clEnqueueNDRangeKernel(b->queue, kernel, r->dims, offset, global, r->has_local ? local : NULL, 0,
                                  NULL, NULL) == CL_SUCCESS &&
           clFinish(b->queue) == CL_SUCCESS;
}

static enum cw_compile_state compile(struct cw_compile_area *a, const struct built *b, const char *name)
{
    static cl_mem images[MOST_ARGS];
    static bool shown; /* that this vendor's kernels are not run here */
    cl_int err;
    cl_kernel kernel = clCreateKernel(b->program, name, &err);
    cl_sampler sampler;
    bool good, loaded;

    if (!kernel)
        return CW_COMPILE_REFUSED;
    good = set_args(b->context, kernel, (const struct cw_compile_arg *)((const char *)a + a->arg_at), a->args,
                    images, &sampler);
    cw_dry_run_begin(name);
    good = good && launch(b, kernel, &a->range);
    loaded = cw_dry_run_end(a->module, sizeof a->module);
    for (uint32_t i = 0; i < a->args; i++)
        if (images[i])
            clReleaseMemObject(images[i]);
    if (sampler)
        clReleaseSampler(sampler);
    clReleaseKernel(kernel);
    if (good && !loaded && shown) /* the module loaded for another range serves this one, too: a new process
                                     may need another file */
        return CW_COMPILE_CLOSED;
    shown |= loaded;
    return good && loaded ? CW_COMPILE_COMPILED : CW_COMPILE_REFUSED;
}

enum cw_compile_state cw_answer_request(struct cw_compile_area *a)
{
    const char *base = (const char *)a, *name = base + a->kernel_at;
    cl_device_id device = cw_answer_device(base + a->device_at, a->units);
    struct built *b;

    if (!device || a->range.dims < 1 || a->range.dims > 3 || a->args > MOST_ARGS ||
        !(b = built(device, base + a->source_at, base + a->options_at)))
        return CW_COMPILE_REFUSED;
    if (a->only_build)
        return CW_COMPILE_COMPILED;
    return compile(a, b, name);
}
