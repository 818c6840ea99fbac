/* query.c - see door/query.h. */
#include "query.h"

#include <string.h>

cl_int cw_query_status(cl_event event)
{
    cl_int status = CL_QUEUED;
    cl_int err =
        cw_next.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);

    return err == CL_SUCCESS ? status : err;
}

cl_uint cw_query_context_references(cl_context context)
{
    cl_uint n = 0;

    cw_next.clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

cl_int cw_query_answer(const void *value, size_t bytes, size_t capacity, void *to, size_t *bytes_ret)
{
    if (to && capacity < bytes)
        return CL_INVALID_VALUE;
    if (to)
        memcpy(to, value, bytes);
    if (bytes_ret)
        *bytes_ret = bytes;
    return CL_SUCCESS;
}
