/* platform.c - platforms and devices of the null driver. NULLCL_GPU=NAME: platforms of that name, whose
 * devices are GPUs. */
#include "nullcl.h"

static const char *gpu_name(void)
{
    return getenv("NULLCL_GPU");
}

static cl_int get_platforms(cl_uint n, cl_platform_id *to, cl_uint *num)
{
    for (cl_uint i = 0; to && i < n && i < nullcl_num_platforms; i++)
        to[i] = &nullcl_platforms[i];
    if (num)
        *num = nullcl_num_platforms;
    return CL_SUCCESS;
}

static cl_int platform_info(cl_platform_id p, cl_platform_info name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    static const char *const names[MAX_PLATFORMS] = {"Null",   "Null 2", "Null 3",
                                                     "Null 4", "Null 5", "Null 6"};
    if (!nullcl_is(p, K_PLATFORM))
        return CL_INVALID_PLATFORM;
    switch (name) {
    case CL_PLATFORM_PROFILE:
        REPLY_TEXT("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        REPLY_TEXT("OpenCL 3.0 null");
    case CL_PLATFORM_NAME:
        REPLY_TEXT(gpu_name() ? gpu_name() : names[p->index]);
    case CL_PLATFORM_VENDOR:
        REPLY_TEXT("nobody");
    case CL_PLATFORM_EXTENSIONS:
        REPLY_TEXT("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        REPLY_TEXT("NULLCL");
    case CL_PLATFORM_NUMERIC_VERSION:
        REPLY(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        REPLY(cl_ulong, 1);
    }
    return CL_INVALID_VALUE;
}

static cl_int get_devices(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *to, cl_uint *num)
{
    if (!nullcl_is(p, K_PLATFORM))
        return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL &&
        !(type & (CL_DEVICE_TYPE_DEFAULT | (gpu_name() ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU))))
        return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; to && i < n && i < nullcl_num_devices; i++)
        to[i] = &nullcl_devices[p->index][i];
    if (num)
        *num = nullcl_num_devices;
    return CL_SUCCESS;
}

static cl_int device_text(cl_device_info name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    switch (name) {
    case CL_DEVICE_NAME:
        REPLY_TEXT("null device");
    case CL_DEVICE_VENDOR:
        REPLY_TEXT("nobody");
    case CL_DRIVER_VERSION:
        REPLY_TEXT("1");
    case CL_DEVICE_PROFILE:
        REPLY_TEXT("FULL_PROFILE");
    case CL_DEVICE_VERSION:
        REPLY_TEXT("OpenCL 3.0 null");
    case CL_DEVICE_OPENCL_C_VERSION:
        REPLY_TEXT("OpenCL C 1.2 null");
    case CL_DEVICE_EXTENSIONS:
        REPLY_TEXT("cl_khr_byte_addressable_store");
    case CL_DEVICE_IL_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS:
        REPLY_TEXT("");
    }
    return CL_INVALID_VALUE;
}

static cl_int device_limit(cl_device_info name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    static const size_t items[3] = {1024, 1024, 1024};
    switch (name) {
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return nullcl_reply(items, sizeof items, param_value_size, param_value, param_value_size_ret);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        REPLY(size_t, 1024);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
        REPLY(size_t, 1024);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
        REPLY(size_t, 1);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
        REPLY(size_t, 2048);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        REPLY(cl_ulong, 1ull << 30);
    case CL_DEVICE_LOCAL_MEM_SIZE:
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        REPLY(cl_ulong, 65536);
    case CL_DEVICE_SVM_CAPABILITIES:
        REPLY(cl_device_svm_capabilities, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        REPLY(cl_command_queue_properties,
              CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    case CL_DEVICE_EXECUTION_CAPABILITIES:
        REPLY(cl_device_exec_capabilities, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
    }
    return CL_INVALID_VALUE;
}

static cl_int device_number(cl_device_info name, cl_uint *value)
{
    switch (name) {
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        *value = 1;
        break;
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        *value = 3;
        break;
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        *value = 1000;
        break;
    case CL_DEVICE_ADDRESS_BITS:
        *value = 64;
        break;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        *value = 1024;
        break;
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
        *value = CL_TRUE;
        break;
    case CL_DEVICE_LOCAL_MEM_TYPE:
        *value = CL_GLOBAL;
        break;
    case CL_DEVICE_REFERENCE_COUNT:
        *value = 1;
        break;
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_CONSTANT_ARGS:
    case CL_DEVICE_MAX_SAMPLERS:
        *value = 16;
        break;
    default:
        return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

/* cl_nv_device_attribute_query: GPUs are at 0000:01:00, 0000:02:00 ... */
static bool is_place(cl_device_id d, cl_device_info name, cl_uint *value)
{
    enum { BUS = 0x4008, SLOT = 0x4009, DOMAIN = 0x400A };

    *value = name == BUS ? d->index + 1 : 0;
    return gpu_name() && (name == BUS || name == SLOT || name == DOMAIN);
}

static cl_int device_info(cl_device_id d, cl_device_info name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    cl_uint number;
    if (!nullcl_is(d, K_DEVICE))
        return CL_INVALID_DEVICE;
    switch (name) {
    case CL_DEVICE_TYPE:
        REPLY(cl_device_type, gpu_name() ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    case CL_DEVICE_VENDOR_ID:
        REPLY(cl_uint, 0x6e + d->index);
    case CL_DEVICE_PLATFORM:
        REPLY(cl_platform_id, d->platform);
    case CL_DEVICE_PARENT_DEVICE:
        REPLY(cl_device_id, NULL);
    case CL_DEVICE_NUMERIC_VERSION:
        REPLY(cl_version, CL_MAKE_VERSION(3, 0, 0));
    }
    if (is_place(d, name, &number) || device_number(name, &number) == CL_SUCCESS)
        REPLY(cl_uint, number);
    if (device_limit(name, param_value_size, param_value, param_value_size_ret) == CL_SUCCESS)
        return CL_SUCCESS;
    return device_text(name, param_value_size, param_value, param_value_size_ret);
}

static cl_int keep_device(cl_device_id d)
{
    return nullcl_is(d, K_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_int host_timer(cl_device_id d, cl_ulong *host)
{
    if (host)
        *host = nullcl_clock();
    return keep_device(d);
}

static cl_int both_timers(cl_device_id d, cl_ulong *device, cl_ulong *host)
{
    if (device)
        *device = nullcl_clock();
    return host_timer(d, host);
}

static cl_int unload(void)
{
    return CL_SUCCESS;
}

static cl_int unload_platform(cl_platform_id p)
{
    return nullcl_is(p, K_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

void nullcl_fill_platform(void)
{
    nullcl.clGetPlatformIDs = get_platforms;
    nullcl.clGetPlatformInfo = platform_info;
    nullcl.clGetDeviceIDs = get_devices;
    nullcl.clGetDeviceInfo = device_info;
    nullcl.clRetainDevice = keep_device;
    nullcl.clReleaseDevice = keep_device;
    nullcl.clGetHostTimer = host_timer;
    nullcl.clGetDeviceAndHostTimer = both_timers;
    nullcl.clUnloadCompiler = unload;
    nullcl.clUnloadPlatformCompiler = unload_platform;
}
