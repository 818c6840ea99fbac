/* hooks_object.c - platforms, devices, contexts, samplers. */
#include <stdlib.h>

#include "hooks.h"

cl_int cw_hook_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    cl_uint have = 0, i;
    cl_int status = cw_traced.clGetPlatformIDs(num_entries, platforms,
                                               platforms && !num_platforms ? &have : num_platforms);

    if (status == CL_SUCCESS && platforms && cw_formula_is_recording()) {
        have = num_platforms ? *num_platforms : have;
        for (i = 0; i < num_entries && i < have; i++)
            cw_known(platforms[i], CW_LOG_O_PLATFORM);
        cw_mode_trace_register_exit();
    }
    return status;
}

cl_int cw_hook_clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                              cl_device_id *devices, cl_uint *num_devices)
{
    cl_uint have = 0, i;
    cl_int status = cw_traced.clGetDeviceIDs(platform, device_type, num_entries, devices,
                                             devices && !num_devices ? &have : num_devices);

    if (status == CL_SUCCESS && devices && cw_formula_is_recording()) {
        have = num_devices ? *num_devices : have;
        for (i = 0; i < num_entries && i < have; i++)
            cw_known(devices[i], CW_LOG_O_DEVICE);
    }
    return status;
}

cl_int cw_hook_clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties,
                                  cl_uint num_devices, cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    cl_uint have = 0, i;
    cl_int status = cw_traced.clCreateSubDevices(in_device, properties, num_devices, out_devices,
                                                 out_devices && !num_devices_ret ? &have : num_devices_ret);

    if (status == CL_SUCCESS && out_devices && cw_formula_is_recording()) {
        have = num_devices_ret ? *num_devices_ret : have;
        for (i = 0; i < num_devices && i < have; i++)
            cw_defined_new(out_devices[i], CW_LOG_O_DEVICE);
    }
    return status;
}

/* A sub-device may be gone after any release, and its handle used again; a root device stays. */
cl_int cw_hook_clReleaseDevice(cl_device_id device)
{
    struct cw_object *o = cw_formula_is_recording() ? cw_object_find(device, CW_LOG_O_DEVICE) : NULL;
    cl_device_id parent = NULL;
    cl_uint refs = 0;

    if (o &&
        cw_traced.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) ==
            CL_SUCCESS &&
        parent &&
        cw_traced.clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof refs, &refs, NULL) ==
            CL_SUCCESS &&
        refs == 1)
        cw_object_remove(o);
    return cw_traced.clReleaseDevice(device);
}

cl_int cw_hook_clGetContextInfo(cl_context context, cl_context_info param_name, size_t size, void *value,
                                size_t *size_ret)
{
    if (param_name == CL_CONTEXT_REFERENCE_COUNT)
        cw_device_times_settle(); /* vendors' events hold references */
    return cw_traced.clGetContextInfo(context, param_name, size, value, size_ret);
}

static cl_context context_made(cl_context context)
{
    if (context && cw_formula_is_recording()) {
        cw_defined_new(context, CW_LOG_O_CONTEXT);
        cw_mode_trace_register_exit();
    }
    return context;
}

cl_context cw_hook_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                   const cl_device_id *devices,
                                   void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
                                   void *user_data, cl_int *errcode_ret)
{
    cl_context context =
        cw_traced.clCreateContext(properties, num_devices, devices, pfn_notify, user_data, errcode_ret);

    return context_made(context);
}

cl_context
cw_hook_clCreateContextFromType(const cl_context_properties *properties, cl_device_type device_type,
                                void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
                                void *user_data, cl_int *errcode_ret)
{
    cl_context context =
        cw_traced.clCreateContextFromType(properties, device_type, pfn_notify, user_data, errcode_ret);

    return context_made(context);
}

cl_sampler cw_hook_clCreateSampler(cl_context context, cl_bool normalized_coords,
                                   cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                   cl_int *errcode_ret)
{
    cl_sampler sampler =
        cw_traced.clCreateSampler(context, normalized_coords, addressing_mode, filter_mode, errcode_ret);

    if (sampler && cw_formula_is_recording())
        cw_defined_new(sampler, CW_LOG_O_SAMPLER);
    return sampler;
}

cl_sampler cw_hook_clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                                 cl_int *errcode_ret)
{
    cl_sampler sampler = cw_traced.clCreateSamplerWithProperties(context, properties, errcode_ret);

    if (sampler && cw_formula_is_recording())
        cw_defined_new(sampler, CW_LOG_O_SAMPLER);
    return sampler;
}

/* Retain and release of the kinds that need nothing more. */
#define RETAIN_RELEASE(type, Kind, KIND)                                                                     \
    cl_int cw_hook_clRetain##Kind(type object)                                                               \
    {                                                                                                        \
        cl_int status = cw_traced.clRetain##Kind(object);                                                    \
        if (status == CL_SUCCESS && cw_formula_is_recording())                                               \
            cw_object_retain(object, KIND);                                                                  \
        return status;                                                                                       \
    }                                                                                                        \
    cl_int cw_hook_clRelease##Kind(type object)                                                              \
    {                                                                                                        \
        if (cw_formula_is_recording())                                                                       \
            cw_defined_release(object, KIND, CW_CALLER);                                                     \
        return cw_traced.clRelease##Kind(object);                                                            \
    }
RETAIN_RELEASE(cl_context, Context, CW_LOG_O_CONTEXT)
RETAIN_RELEASE(cl_sampler, Sampler, CW_LOG_O_SAMPLER)
RETAIN_RELEASE(cl_program, Program, CW_LOG_O_PROGRAM)
RETAIN_RELEASE(cl_kernel, Kernel, CW_LOG_O_KERNEL)
