/* staging_image.c - see staging_image.h. */
#include "staging_image.h"

/* 0 where the vendor does not answer. */
static size_t number(cl_mem image, cl_image_info name, size_t bytes)
{
    size_t value = 0;

    return cw_next.clGetImageInfo(image, name, bytes, &value, NULL) == CL_SUCCESS ? value : 0;
}

/* Images whose first level is all there is of them. */
static bool is_plain(cl_mem image)
{
    return number(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(cl_uint)) <= 1 &&
           number(image, CL_IMAGE_NUM_SAMPLES, sizeof(cl_uint)) <= 1;
}

bool cw_run_staging_image_shape(cl_mem image, struct cw_run_staging_shape *s)
{
    static const cl_image_info names[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
    cl_mem_object_type type = 0;
    size_t extent[3], slice = s->host.slice;

    if (cw_next.clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS ||
        type == CL_MEM_OBJECT_BUFFER || type == CL_MEM_OBJECT_PIPE || !is_plain(image))
        return false;
    for (int d = 0; d < 3; d++) {
        extent[d] = number(image, names[d], sizeof(size_t));
        extent[d] = extent[d] ? extent[d] : 1;
    }
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        extent[1] = number(image, CL_IMAGE_ARRAY_SIZE, sizeof(size_t));
    else if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        extent[2] = number(image, CL_IMAGE_ARRAY_SIZE, sizeof(size_t));
    /* the slices of an array of rows are its rows; other images without slices may have no pitch of them */
    if (slice && type != CL_MEM_OBJECT_IMAGE3D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
        return false;
    return cw_run_staging_pieces_check_image(s, number(image, CL_IMAGE_ELEMENT_SIZE, sizeof(size_t)), extent);
}
