/* buscl.c - an OpenCL layer by which the driver's devices say that they are NVIDIA's at 0000:01:00,
 * 0000:02:00 ... (BUSCL=off: they do not), and which says at the end how many contexts were made on others
 * than the first one. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { BUS = 0x4008, SLOT = 0x4009, DOMAIN = 0x400A };

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;
static atomic_int contexts;

static cl_uint place_of(cl_device_id device)
{
    cl_platform_id platform;
    cl_device_id all[64];
    cl_uint n = 0, i = 0;

    if (next->clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS)
        next->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, all, &n);
    while (i < n && all[i] != device)
        i++;
    return i;
}

static cl_int CL_API_CALL info(cl_device_id device, cl_device_info name, size_t room, void *to, size_t *bytes)
{
    const char *wanted = getenv("BUSCL");
    cl_uint value = name == BUS ? place_of(device) + 1 : 0;

    if ((name != BUS && name != SLOT && name != DOMAIN) || (wanted && !strcmp(wanted, "off")))
        return next->clGetDeviceInfo(device, name, room, to, bytes);
    if (to && room < sizeof value)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, &value, sizeof value);
    if (bytes)
        *bytes = sizeof value;
    return CL_SUCCESS;
}

static cl_context CL_API_CALL create(const cl_context_properties *properties, cl_uint n,
                                     const cl_device_id *devices,
                                     void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                     void *data, cl_int *err)
{
    for (cl_uint i = 0; i < n; i++)
        contexts += place_of(devices[i]) > 0;
    return next->clCreateContext(properties, n, devices, notify, data, err);
}

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "buscl: %d contexts of other devices\n", contexts);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value, size_t *bytes)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (name != CL_LAYER_API_VERSION || (value && room < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (bytes)
        *bytes = sizeof version;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                      cl_uint *entries_out, const struct _cl_icd_dispatch **out)
{
    if (entries < sizeof table / sizeof(void *))
        return CL_INVALID_VALUE;
    next = target;
    table = *target;
    table.clGetDeviceInfo = info;
    table.clCreateContext = create;
    *out = &table;
    *entries_out = sizeof table / sizeof(void *);
    return CL_SUCCESS;
}
