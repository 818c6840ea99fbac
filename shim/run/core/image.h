/* image.h - images whose pixels are bytes in host memory. */
#ifndef CW_RUN_IMAGE_H
#define CW_RUN_IMAGE_H

#include "types.h"

struct cw_run_image {
    cl_image_format format;
    cl_image_desc desc;       /* mem_object: of one made of a buffer, else NULL */
    size_t pixel, row, slice; /* bytes of one */
    size_t slice_told;        /* the vendor's slice pitch: 0 where there are no slices */
    size_t extent[3];         /* in pixels; the last that an array has is the number of its images */
};

/* The image lies in a buffer of the program's. */
static inline bool cw_run_image_lies_in_buffer(const struct cw_run_image *image)
{
    return image->desc.mem_object;
}

/* The same image in another context: over the same bytes, or in `buffer`, which lies over those of the
 * buffer that it was made of. NULL: the vendor made none. */
cl_mem cw_run_image_mirror(const struct cw_run_image *image, cl_context context, void *bytes, cl_mem buffer);

#endif
