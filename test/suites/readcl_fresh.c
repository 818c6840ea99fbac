/* readcl_fresh.c - fresh buffers hold what the harness says. See readcl.h.
 *
 * A program that reads what nobody has written sees whatever its memory held before, so it differs from run
 * to run by itself. With the same bytes in every fresh buffer it must not. The vendor is given the bytes with
 * CL_MEM_COPY_HOST_PTR. */
#include "readcl.h"

#include <stdlib.h>
#include <string.h>

static int fresh_byte(void)
{
    const char *text = getenv("READCL_FRESH");

    return text && *text ? (int)(strtoul(text, NULL, 16) & 0xff) : -1;
}

/* Bytes to begin with; NULL: none, the program gives them itself or the call is one that fails. */
static void *beginning(cl_mem_flags flags, size_t bytes, const void *host)
{
    int byte = fresh_byte();
    void *made = NULL;

    if (byte >= 0 && !host && bytes && !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        made = malloc(bytes);
    return made ? memset(made, byte, bytes) : NULL;
}

cl_mem CL_API_CALL rd_fresh_buffer(cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    void *begin = beginning(flags, bytes, host);
    cl_mem m = rd_next->clCreateBuffer(c, begin ? flags | CL_MEM_COPY_HOST_PTR : flags, bytes,
                                       begin ? begin : host, err);

    free(begin);
    return m;
}

cl_mem CL_API_CALL rd_fresh_buffer_with(cl_context c, const cl_mem_properties *p, cl_mem_flags flags,
                                        size_t bytes, void *host, cl_int *err)
{
    void *begin = beginning(flags, bytes, host);
    cl_mem m = rd_next->clCreateBufferWithProperties(c, p, begin ? flags | CL_MEM_COPY_HOST_PTR : flags,
                                                     bytes, begin ? begin : host, err);

    free(begin);
    return m;
}
