/* missing.c - the error that a call returns when the OpenCL library lacks the function, or there is no
 * library. */
#include "door.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Woverride-init"

#define CODE return CL_INVALID_OPERATION
#define ERRCODE                                                                                              \
    if (errcode_ret)                                                                                         \
        *errcode_ret = CL_INVALID_OPERATION;                                                                 \
    return NULL
#define NULLPTR return NULL
#define NOTHING return
#define CW_API(ret, name, since, fail, handle, params, args)                                                 \
    static ret missing_##name params                                                                         \
    {                                                                                                        \
        fail;                                                                                                \
    }
#include "api.inc"

/* Without any library: the error of a loader that has no vendor (cl_khr_icd). */
static cl_int no_platform(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && !num_entries))
        return CL_INVALID_VALUE;
    if (num_platforms)
        *num_platforms = 0;
    return CL_PLATFORM_NOT_FOUND_KHR;
}

const struct cw_dispatch cw_missing = {
#define CW_API(ret, name, since, fail, handle, params, args) .name = missing_##name,
#include "api.inc"
    .clGetPlatformIDs = no_platform,
};
