/* image.c - see core/image.h. */
#include "image.h"

cl_mem cw_run_image_mirror(const struct cw_run_image *image, cl_context context, void *bytes)
{
    cl_int err;

    return cw_next.clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &image->format,
                                 &image->desc, bytes, &err);
}
