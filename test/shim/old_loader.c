/* old_loader.c - an OpenCL library of the year 2009: it knows a few functions and no layers. */
#include "../../shim/door/dispatch.h"

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    (void)num_entries, (void)platforms;
    if (num_platforms)
        *num_platforms = 3;
    return CL_SUCCESS;
}

cl_int clFlush(cl_command_queue queue)
{
    (void)queue;
    return -4711;
}
