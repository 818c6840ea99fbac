#include <errno.h>
#include <stdlib.h>

#include "recorder.h"
#include "../door/lock.h"
#include "../programs/known_binaries.h"
#include "../../analyzer/record/trace.h"

struct cw_recorder_settings cw_recorder;

uint64_t cw_define_hash(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    for (; n; n--)
        hash = (hash ^ *p++) * 0x100000001b3u;
    return hash;
}

static void describe_platform(struct cw_rec *r, struct cw_object *o, cl_platform_id platform)
{
    cw_rec_u(r, o->id);
    QUERY_STRING(r, clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    QUERY_STRING(r, clGetPlatformInfo, platform, CL_PLATFORM_VENDOR);
    QUERY_STRING(r, clGetPlatformInfo, platform, CL_PLATFORM_VERSION);
    cw_log_rec_commit(r, CW_LOG_PLATFORM);
}

static void describe_device(struct cw_rec *r, struct cw_object *o, cl_device_id device)
{
    static const cl_device_info numbers[] = {CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_LOCAL_MEM_SIZE};
    cl_platform_id platform;
    cl_device_id parent;
    cl_device_type type;
    cl_uint units, mhz;
    cl_bool unified;
    cl_ulong number;
    size_t group, i;

    QUERY(clGetDeviceInfo, device, CL_DEVICE_PLATFORM, platform);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_PARENT_DEVICE, parent);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_TYPE, type);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS, units);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_MAX_CLOCK_FREQUENCY, mhz);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_HOST_UNIFIED_MEMORY, unified);
    QUERY(clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, group);
    cw_rec_u(r, o->id);
    cw_rec_u(r, cw_known_id(platform, CW_LOG_O_PLATFORM));
    cw_rec_u(r, cw_known_id(parent, CW_LOG_O_DEVICE));
    cw_rec_u(r, type);
    QUERY_STRING(r, clGetDeviceInfo, device, CL_DEVICE_NAME);
    QUERY_STRING(r, clGetDeviceInfo, device, CL_DEVICE_VERSION);
    QUERY_STRING(r, clGetDeviceInfo, device, CL_DRIVER_VERSION);
    cw_rec_u(r, units);
    cw_rec_u(r, mhz);
    for (i = 0; i < 2; i++) {
        QUERY(clGetDeviceInfo, device, numbers[i], number);
        cw_rec_u(r, number);
    }
    cw_rec_u(r, group);
    cw_rec_u(r, unified != 0);
    cw_log_rec_commit(r, CW_LOG_DEVICE);
}

/* The context's devices; *count = 0 and NULL on failure. Free the result. */
static cl_device_id *context_devices(cl_context context, size_t *count)
{
    cl_device_id *devices = NULL;
    size_t bytes = 0;

    if (cw_traced.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes) == CL_SUCCESS && bytes)
        devices = calloc(1, bytes);
    if (bytes && !devices)
        cw_log_stop("out of memory");
    if (devices &&
        cw_traced.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL) != CL_SUCCESS) {
        free(devices);
        devices = NULL;
    }
    *count = devices ? bytes / sizeof *devices : 0;
    return devices;
}

static void describe_context(struct cw_rec *r, struct cw_object *o, cl_context context)
{
    size_t count, i;
    cl_device_id *devices = context_devices(context, &count);

    cw_rec_u(r, o->id);
    cw_rec_u(r, count);
    for (i = 0; i < count; i++)
        cw_rec_u(r, cw_known_id(devices[i], CW_LOG_O_DEVICE));
    free(devices);
    cw_log_rec_commit(r, CW_LOG_CONTEXT);
}

static void describe_queue(struct cw_rec *r, struct cw_object *o, cl_command_queue queue)
{
    cl_command_queue_properties properties;
    cl_context context;
    cl_device_id device;

    QUERY(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, context);
    QUERY(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, device);
    QUERY(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, properties);
    o->owner = context;
    if (properties & CL_QUEUE_PROFILING_ENABLE)
        atomic_fetch_or(&o->flags, CW_OBJECT_PROFILED);
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        atomic_fetch_or(&o->flags, CW_OBJECT_OUT_OF_ORDER);
    cw_rec_u(r, o->id);
    cw_rec_u(r, cw_known_id(context, CW_LOG_O_CONTEXT));
    cw_rec_u(r, cw_known_id(device, CW_LOG_O_DEVICE));
    cw_rec_u(r, properties);
    cw_log_rec_commit(r, CW_LOG_QUEUE);
}

static void describe_sampler(struct cw_rec *r, struct cw_object *o, cl_sampler sampler)
{
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_bool normalized;

    QUERY(clGetSamplerInfo, sampler, CL_SAMPLER_NORMALIZED_COORDS, normalized);
    QUERY(clGetSamplerInfo, sampler, CL_SAMPLER_ADDRESSING_MODE, addressing);
    QUERY(clGetSamplerInfo, sampler, CL_SAMPLER_FILTER_MODE, filter);
    cw_rec_u(r, o->id);
    cw_rec_u(r, normalized);
    cw_rec_u(r, addressing);
    cw_rec_u(r, filter);
    cw_log_rec_commit(r, CW_LOG_SAMPLER);
}

/* As the vendor has compiled it for the first device of its program; 0 for what it does not say. */
static void describe_compiled(struct cw_rec *r, cl_kernel kernel, cl_program program)
{
    static const cl_kernel_work_group_info sizes[] = {CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                                      CL_KERNEL_WORK_GROUP_SIZE},
                                           bytes[] = {CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_PRIVATE_MEM_SIZE};
    size_t count = 0, size;
    cl_device_id *devices = cw_define_program_devices(program, &count);
    cl_ulong number;

    for (int i = 0; i < 2; i++) {
        size = 0;
        if (count)
            cw_traced.clGetKernelWorkGroupInfo(kernel, devices[0], sizes[i], sizeof size, &size, NULL);
        cw_rec_u(r, size);
    }
    for (int i = 0; i < 2; i++) {
        number = 0;
        if (count)
            cw_traced.clGetKernelWorkGroupInfo(kernel, devices[0], bytes[i], sizeof number, &number, NULL);
        cw_rec_u(r, number);
    }
    free(devices);
}

static void describe_kernel(struct cw_rec *r, struct cw_object *o, cl_kernel kernel)
{
    cl_program program;
    cl_uint count;

    QUERY(clGetKernelInfo, kernel, CL_KERNEL_PROGRAM, program);
    QUERY(clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS, count);
    if (!o->state)
        o->state = cw_kernel_create(kernel);
    if (!o->state)
        cw_log_stop("out of memory");
    o->owner = program;
    cw_rec_u(r, o->id);
    cw_rec_u(r, cw_known_id(program, CW_LOG_O_PROGRAM));
    cw_rec_u(r, count);
    QUERY_STRING(r, clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME);
    describe_compiled(r, kernel, program);
    cw_log_rec_commit(r, CW_LOG_KERNEL);
}

/* How many references the vendor counts; 0 when it does not know the handle. */
static cl_uint reference_count(const void *h, enum cw_log_object kind)
{
    cl_uint refs = 0;

    switch (kind) {
    case CW_LOG_O_CONTEXT:
        QUERY(clGetContextInfo, (cl_context)h, CL_CONTEXT_REFERENCE_COUNT, refs);
        break;
    case CW_LOG_O_QUEUE:
        QUERY(clGetCommandQueueInfo, (cl_command_queue)h, CL_QUEUE_REFERENCE_COUNT, refs);
        break;
    case CW_LOG_O_MEMORY:
        QUERY(clGetMemObjectInfo, (cl_mem)h, CL_MEM_REFERENCE_COUNT, refs);
        break;
    case CW_LOG_O_SAMPLER:
        QUERY(clGetSamplerInfo, (cl_sampler)h, CL_SAMPLER_REFERENCE_COUNT, refs);
        break;
    case CW_LOG_O_PROGRAM:
        QUERY(clGetProgramInfo, (cl_program)h, CL_PROGRAM_REFERENCE_COUNT, refs);
        break;
    case CW_LOG_O_KERNEL:
        QUERY(clGetKernelInfo, (cl_kernel)h, CL_KERNEL_REFERENCE_COUNT, refs);
        break;
    default:
        refs = 1;
        break;
    }
    return refs;
}

static void define_describe_memory(struct cw_rec *r, struct cw_object *o, cl_mem memory);

static void describe(struct cw_object *o, const void *h)
{
    struct cw_rec r;

    cw_log_rec_begin(&r);
    switch ((enum cw_log_object)o->kind) {
    case CW_LOG_O_PLATFORM:
        describe_platform(&r, o, (cl_platform_id)h);
        break;
    case CW_LOG_O_DEVICE:
        describe_device(&r, o, (cl_device_id)h);
        break;
    case CW_LOG_O_CONTEXT:
        describe_context(&r, o, (cl_context)h);
        break;
    case CW_LOG_O_QUEUE:
        describe_queue(&r, o, (cl_command_queue)h);
        break;
    case CW_LOG_O_MEMORY:
        define_describe_memory(&r, o, (cl_mem)h);
        break;
    case CW_LOG_O_SAMPLER:
        describe_sampler(&r, o, (cl_sampler)h);
        break;
    case CW_LOG_O_PROGRAM:
        cw_define_describe_program(&r, o, (cl_program)h);
        break;
    case CW_LOG_O_KERNEL:
        describe_kernel(&r, o, (cl_kernel)h);
        break;
    default:
        cw_log_rec_drop(&r);
        break;
    }
}

/* Two threads may meet the same unknown handle; only one of them describes it. */
static cw_lock define_lock;

void cw_define_after_fork(void)
{
    cw_lock_free(&define_lock);
}

struct cw_object *cw_define(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o = cw_object_find(handle, kind);
    int saved = errno;
    bool first = false;
    cl_uint refs;

    if (!handle)
        return NULL;
    refs = o ? 1 : reference_count(handle, kind);
    if (!refs)
        return NULL;
    cw_lock_take(&define_lock);
    o = cw_object_find(handle, kind);
    if (!o) {
        o = cw_object_insert(handle, kind);
        first = o != NULL;
        if (o)
            o->refs = refs;
    } else if (o->generation !=
               cw_log_generation) { /* made before a fork: same id, described in the child's log too */
        o->generation = cw_log_generation;
        first = true;
    }
    cw_lock_free(&define_lock);
    if (first)
        describe(o, handle);
    errno = saved;
    return o;
}

struct cw_object *cw_defined_new(const void *handle, enum cw_log_object kind)
{
    struct cw_object *o = handle ? cw_object_insert(handle, kind) : NULL;
    int saved = errno;

    if (o)
        describe(o, handle);
    errno = saved;
    return o;
}

/* The function that releases objects of a kind. */
static uint32_t release_of(enum cw_log_object kind)
{
    return kind == CW_LOG_O_CONTEXT   ? CW_ID_clReleaseContext
           : kind == CW_LOG_O_QUEUE   ? CW_ID_clReleaseCommandQueue
           : kind == CW_LOG_O_MEMORY  ? CW_ID_clReleaseMemObject
           : kind == CW_LOG_O_SAMPLER ? CW_ID_clReleaseSampler
           : kind == CW_LOG_O_PROGRAM ? CW_ID_clReleaseProgram
                                      : CW_ID_clReleaseKernel;
}

void cw_defined_release(const void *handle, enum cw_log_object kind, struct cw_caller caller)
{
    struct cw_object *o = cw_object_find(handle, kind);
    struct cw_thread *t;
    uint32_t site = 0;
    struct cw_rec r;

    if (CW_UNLIKELY(!o))
        cw_calls_stale_note(handle, kind, 0, release_of(kind));
    if (!o || !cw_object_release(o))
        return;
    if (o->generation == cw_log_generation) {
        t = cw_log_thread();
        site = t ? cw_callsite_leaf(t, caller) : 0;
        cw_log_rec_begin(&r);
        cw_rec_u(&r, kind);
        cw_rec_u(&r, o->id);
        cw_rec_u(&r, cw_now_ns());
        cw_rec_u(&r, site);
        cw_log_rec_commit(&r, CW_LOG_RELEASE);
    }
    cw_object_remove_released(o, site);
}

void cw_define_object_dropped(enum cw_log_object kind, void *state)
{
    if (kind == CW_LOG_O_KERNEL)
        cw_kernel_destroy(state);
    else if (kind == CW_LOG_O_PROGRAM)
        cw_known_build_drop(state);
    else
        free(state);
}

/* The log's description of memory objects. */

static uint64_t mem_number(cl_mem memory, cl_mem_info param, size_t size)
{
    uint64_t v = 0;

    return cw_traced.clGetMemObjectInfo(memory, param, size, &v, NULL) == CL_SUCCESS ? v : 0;
}

static uint64_t image_number(cl_mem image, cl_image_info param, size_t size)
{
    uint64_t v = 0;

    return cw_traced.clGetImageInfo(image, param, size, &v, NULL) == CL_SUCCESS ? v : 0;
}

/* Bytes of all pixels without padding. */
static uint64_t image_bytes(uint32_t type, uint64_t element, const uint64_t size[4])
{
    uint64_t n = element * size[0];

    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D)
        n *= size[1] ? size[1] : 1;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        n *= size[2] ? size[2] : 1;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        n *= size[3] ? size[3] : 1;
    return n;
}

static enum cw_mem_kind kind_of(uint32_t type, bool has_parent)
{
    if (type == CL_MEM_OBJECT_PIPE)
        return CW_MEM_PIPE;
    if (type != CL_MEM_OBJECT_BUFFER)
        return CW_MEM_IMAGE;
    return has_parent ? CW_MEM_SUBBUFFER : CW_MEM_BUFFER;
}

static void encode_image(struct cw_rec *r, cl_mem image, const cl_image_format *format, uint64_t element,
                         const uint64_t size[4])
{
    int i;

    cw_rec_u(r, format->image_channel_order);
    cw_rec_u(r, format->image_channel_data_type);
    cw_rec_u(r, element);
    for (i = 0; i < 4; i++)
        cw_rec_u(r, size[i]);
    cw_rec_u(r, image_number(image, CL_IMAGE_ROW_PITCH, sizeof(size_t)));
    cw_rec_u(r, image_number(image, CL_IMAGE_SLICE_PITCH, sizeof(size_t)));
    cw_rec_u(r, image_number(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(cl_uint)));
    cw_rec_u(r, image_number(image, CL_IMAGE_NUM_SAMPLES, sizeof(cl_uint)));
}

static void define_describe_memory(struct cw_rec *r, struct cw_object *o, cl_mem memory)
{
    static const cl_image_info extents[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH,
                                            CL_IMAGE_ARRAY_SIZE};
    uint32_t type = (uint32_t)mem_number(memory, CL_MEM_TYPE, sizeof(cl_mem_object_type));
    uint64_t bytes = mem_number(memory, CL_MEM_SIZE, sizeof(size_t)), element = 0, size[4] = {0};
    cl_mem parent = (cl_mem)(uintptr_t)mem_number(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem));
    cl_context context = (cl_context)(uintptr_t)mem_number(memory, CL_MEM_CONTEXT, sizeof(cl_context));
    cl_image_format format = {0, 0};
    enum cw_mem_kind kind = kind_of(type, parent != NULL);
    int i;

    o->owner = context;
    if (kind == CW_MEM_IMAGE) {
        if (cw_traced.clGetImageInfo(memory, CL_IMAGE_FORMAT, sizeof format, &format, NULL) != CL_SUCCESS)
            format = (cl_image_format){0, 0};
        element = image_number(memory, CL_IMAGE_ELEMENT_SIZE, sizeof(size_t));
        for (i = 0; i < 4; i++)
            size[i] = image_number(memory, extents[i], sizeof(size_t));
        if (element)
            bytes = image_bytes(type, element, size);
    }
    cw_rec_u(r, o->id);
    cw_rec_u(r, kind);
    cw_rec_u(r, cw_known_id(context, CW_LOG_O_CONTEXT));
    cw_rec_u(r, cw_known_id(parent, CW_LOG_O_MEMORY));
    cw_rec_u(r, mem_number(memory, CL_MEM_OFFSET, sizeof(size_t)));
    cw_rec_u(r, bytes);
    cw_rec_u(r, mem_number(memory, CL_MEM_FLAGS, sizeof(cl_mem_flags)));
    cw_rec_u(r, mem_number(memory, CL_MEM_HOST_PTR, sizeof(void *)));
    cw_rec_u(r, kind == CW_MEM_IMAGE ? type : 0);
    if (kind == CW_MEM_IMAGE)
        encode_image(r, memory, &format, element, size);
    cw_log_rec_commit(r, CW_LOG_MEMORY);
}
