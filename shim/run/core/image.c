/* image.c - see core/image.h. */
#include "image.h"

cl_mem cw_run_image_mirror(const struct cw_run_image *image, cl_context context, void *bytes, cl_mem buffer)
{
    cl_image_desc desc = image->desc;
    cl_int err;

    desc.mem_object = buffer;
    return cw_next.clCreateImage(context, CL_MEM_READ_WRITE | (buffer ? 0 : CL_MEM_USE_HOST_PTR),
                                 &image->format, &desc, buffer ? NULL : bytes, &err);
}
