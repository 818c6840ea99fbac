/* image.h - images whose pixels are bytes in host memory. */
#ifndef CW_RUN_IMAGE_H
#define CW_RUN_IMAGE_H

#include "types.h"

struct cw_run_image {
    cl_image_format format;
    cl_image_desc desc;
};

/* The same image over the same bytes in another context; NULL: the vendor made none. */
cl_mem cw_run_image_mirror(const struct cw_run_image *image, cl_context context, void *bytes);

#endif
