/* device_hooks.c - the calls that show devices: those of a bare run, and the dressed DSPs. */
#include "device_board.h"
#include "../door/query.h"
#include "dsp_clock.h"

#include <string.h>

enum {
    CORES = 2,
    MEGAHERTZ = 500,
    MACROS = 4,                    /* 32-bit workers of a SIMD instruction */
    LOCAL_BYTES = 1536 * 1024 * 4, /* six blocks of 256 K words of 4 bytes, per core */
    VENDOR_ID = 0x11042            /* above all PCI ids, below Khronos' */
};

static const char name[] = CW_DSP_NAME, vendor[] = "CETC38 (emulated by clweave)";

/* Numbers that differ from PoCL's answer; `size` is that of the specification's type. */
static const struct {
    cl_device_info what;
    size_t size;
    cl_ulong value;
} numbers[] = {
    {CL_DEVICE_TYPE, sizeof(cl_device_type), CL_DEVICE_TYPE_ACCELERATOR},
    {CL_DEVICE_VENDOR_ID, sizeof(cl_uint), VENDOR_ID},
    {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), CORES},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(cl_uint), MEGAHERTZ},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, sizeof(cl_uint), 4 * MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, sizeof(cl_uint), 2 * MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, sizeof(cl_uint), 4 * MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, sizeof(cl_uint), 2 * MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof(cl_uint), MACROS},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof(cl_uint), MACROS / 2},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, sizeof(cl_device_mem_cache_type), CL_NONE},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong), 0},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof(cl_uint), 0},
    {CL_DEVICE_LOCAL_MEM_TYPE, sizeof(cl_device_local_mem_type), CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), LOCAL_BYTES},
};

/* clGetDeviceInfo for a dressed device. Thread-safe. */
static cl_int dsp_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
    if (what == CL_DEVICE_NAME)
        return cw_query_answer(name, sizeof name, size, value, size_ret);
    if (what == CL_DEVICE_VENDOR)
        return cw_query_answer(vendor, sizeof vendor, size, value, size_ret);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].what == what) {
            /* little or big endian: a cl_uint is not the first half of a cl_ulong everywhere */
            cl_uint narrow = (cl_uint)numbers[i].value;
            const void *from = numbers[i].size == sizeof narrow ? (const void *)&narrow : &numbers[i].value;
            return cw_query_answer(from, numbers[i].size, size, value, size_ret);
        }
    return cw_next.clGetDeviceInfo(device, what, size, value, size_ret);
}

/* ---- clGetDeviceIDs */

static bool contains(const cl_device_id *list, cl_uint n, cl_device_id d)
{
    for (cl_uint i = 0; i < n; i++)
        if (list[i] == d)
            return true;
    return false;
}

/* The visible devices of `type` in their order: PoCL's own, then DSPs. `error` is CL_SUCCESS, or the vendor's
 * error for the type. Returns their number, list[] has room for all; a second list would be 4 KB of
 * the caller's stack. */
static cl_uint visible(const struct cw_board *b, cl_device_type type, cl_device_id list[CW_DEVICES_MAX],
                       cl_int *error)
{
    uint64_t has[(CW_DEVICES_MAX + 63) / 64] = {0};
    cl_uint n = 0, vendor_n = 0;

    *error = cw_next.clGetDeviceIDs(b->platform, type, CW_DEVICES_MAX, list, &vendor_n);
    if (*error != CL_SUCCESS && *error != CL_DEVICE_NOT_FOUND)
        return 0;
    if (*error != CL_SUCCESS)
        vendor_n = 0;
    *error = CL_SUCCESS;
    if (type == CL_DEVICE_TYPE_DEFAULT) { /* PoCL: the first of all; its own answer may be a hidden one */
        list[0] = b->own[0];
        return 1;
    }
    vendor_n = vendor_n < CW_DEVICES_MAX ? vendor_n : CW_DEVICES_MAX;
    for (unsigned i = 0; i < b->n_own; i++)
        if (contains(list, vendor_n, b->own[i]))
            has[i / 64] |= UINT64_C(1) << i % 64;
    for (unsigned i = 0; i < b->n_own; i++)
        if (has[i / 64] >> i % 64 & 1)
            list[n++] = b->own[i];
    for (unsigned i = 0; i < b->n_dsp && type & CL_DEVICE_TYPE_ACCELERATOR; i++) /* TYPE_ALL has that bit */
        list[n++] = b->dsp[i];
    return n;
}

/* Whether the vendor itself has devices of that type, and so a say in how the call ends. */
static bool type_is_vendors(cl_device_type type)
{
    return type != CL_DEVICE_TYPE_ACCELERATOR;
}

/* The platform that NULL stands for: loaders have rules and variables of their own, so the loader is asked.
 */
static cl_platform_id default_platform(void)
{
    cl_platform_id platform = NULL;
    cl_device_id device;

    if (cw_next.clGetDeviceIDs(NULL, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL) == CL_SUCCESS)
        cw_next.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return platform;
}

cl_int cw_device_hook_clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                                     cl_device_id *devices, cl_uint *num_devices)
{
    cl_device_id list[CW_DEVICES_MAX];
    const struct cw_board *b = cw_device_board();
    cl_int error;
    cl_uint n;

    if (!b || !b->filtered || (!num_entries && devices) || (!devices && !num_devices) ||
        (platform ? platform : default_platform()) != b->platform)
        return cw_next.clGetDeviceIDs(platform, device_type, num_entries, devices, num_devices);
    n = visible(b, device_type, list, &error);
    if (error != CL_SUCCESS || n == 0)
        return error != CL_SUCCESS ? error : CL_DEVICE_NOT_FOUND;
    if (num_devices)
        *num_devices = n;
    if (devices)
        memcpy(devices, list, (n < num_entries ? n : num_entries) * sizeof *list);
    else if (num_entries && type_is_vendors(device_type)) /* PoCL: an error, although it gives the count */
        return cw_next.clGetDeviceIDs(platform, device_type, num_entries, NULL, &n);
    return CL_SUCCESS;
}

/* ---- clCreateContextFromType */

/* The platform that `properties` lead the loader to. */
static cl_platform_id platform_of(const cl_context_properties *properties)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_context probe;

    for (const cl_context_properties *p = properties; p && *p; p += 2)
        if (*p == CL_CONTEXT_PLATFORM)
            return (cl_platform_id)p[1];
    /* the loader's default: it has rules and variables of its own, so it is asked */
    probe = cw_next.clCreateContextFromType(properties, CL_DEVICE_TYPE_DEFAULT, NULL, NULL, NULL);
    if (!probe)
        return NULL;
    if (cw_next.clGetContextInfo(probe, CL_CONTEXT_DEVICES, sizeof device, &device, NULL) == CL_SUCCESS)
        cw_next.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    cw_next.clReleaseContext(probe);
    return platform;
}

cl_context cw_device_hook_clCreateContextFromType(const cl_context_properties *properties,
                                                  cl_device_type device_type,
                                                  void(CL_CALLBACK *pfn_notify)(const char *, const void *,
                                                                                size_t, void *),
                                                  void *user_data, cl_int *errcode_ret)
{
    cl_device_id list[CW_DEVICES_MAX];
    const struct cw_board *b = cw_device_board();
    cl_int error;
    cl_uint n = 0;

    if (b && b->filtered && platform_of(properties) == b->platform)
        n = visible(b, device_type, list, &error);
    if (n == 0) /* another platform, or nothing of that type: the vendor has its own way to say so */
        return cw_next.clCreateContextFromType(properties, device_type, pfn_notify, user_data, errcode_ret);
    return cw_next.clCreateContext(properties, n, list, pfn_notify, user_data, errcode_ret);
}

/* ---- of one device */

cl_int cw_device_hook_clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret)
{
    cl_uint count;
    cl_int error;

    if (CW_UNLIKELY(cw_device_board_dsp(device) >= 0))
        return dsp_info(device, param_name, param_value_size, param_value, param_value_size_ret);
    error = cw_next.clGetDeviceInfo(device, param_name, param_value_size, param_value, param_value_size_ret);
    if (CW_LIKELY(param_name != CL_DEVICE_REFERENCE_COUNT) || error != CL_SUCCESS || !param_value)
        return error;
    memcpy(&count, param_value, sizeof count);
    count -= cw_context_devices_held(device);
    memcpy(param_value, &count, sizeof count);
    return error;
}

/* In the model a launch takes the whole chip, so a DSP cannot be partitioned. */
cl_int cw_device_hook_clCreateSubDevices(cl_device_id in_device,
                                         const cl_device_partition_property *properties, cl_uint num_devices,
                                         cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    if (cw_device_board_dsp(in_device) >= 0)
        return CL_INVALID_VALUE;
    return cw_next.clCreateSubDevices(in_device, properties, num_devices, out_devices, num_devices_ret);
}
