/* image.c - images. They are made over run mode's bytes, like buffers (api/memory.c), over those that the
 * program gives, or in a buffer, so that launches and commands on them can run anywhere on the host's
 * memory. */
#include "hooks.h"

#include <stdlib.h>

#include "../core/image.h"
#include "memory.h"
#include "opaque.h"

static size_t channels(cl_channel_order order)
{
    switch (order) {
    case CL_R:
    case CL_A:
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return 1;
    case CL_RG:
    case CL_RA:
        return 2;
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB:
        return 4;
    default:
        return 0;
    }
}

static size_t channel_bytes(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        return 2;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
        return 4;
    default:
        return 0;
    }
}

/* Bytes of a pixel; 0: a format that run mode leaves to the vendor. */
static size_t pixel_bytes(const cl_image_format *f)
{
    return channels(f->image_channel_order) * channel_bytes(f->image_channel_data_type);
}

/* `size` times `by`; 0: either is, or it is too much. */
static size_t times(size_t size, size_t by)
{
    return !by || size > SIZE_MAX / 2 / by ? 0 : size * by;
}

static void measure(struct cw_run_image *image, size_t tall, size_t deep)
{
    image->extent[0] = image->desc.image_width;
    image->extent[1] = tall;
    image->extent[2] = deep;
}

/* False: a type of image that is left to the vendor. */
static bool find_extent(struct cw_run_image *image)
{
    const cl_image_desc *d = &image->desc;

    switch (d->image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        measure(image, 1, 1);
        return true;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        measure(image, d->image_array_size, 1);
        return true;
    case CL_MEM_OBJECT_IMAGE2D:
        measure(image, d->image_height, 1);
        return true;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        measure(image, d->image_height, d->image_array_size);
        return true;
    case CL_MEM_OBJECT_IMAGE3D:
        measure(image, d->image_height, d->image_depth);
        return true;
    default:
        return false;
    }
}

/* A pitch in bytes, `given` or, if that is 0, `least`; 0: the vendor shall judge it. */
static size_t pitch(size_t given, size_t least, size_t unit)
{
    return !given ? least : given < least || !unit || given % unit ? 0 : given;
}

/* Fills *image, which has its format and description. Returns the bytes of all pixels with the gaps between
 * them; 0: an image that is left to the vendor (of several samples, of an unknown format). */
static size_t lay_out(struct cw_run_image *image)
{
    const cl_image_desc *d = &image->desc;
    bool sheets = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY; /* a slice is a row */

    if (d->num_mip_levels || d->num_samples || !find_extent(image))
        return 0;
    image->pixel = pixel_bytes(&image->format);
    image->row = pitch(d->image_row_pitch, times(image->pixel, image->extent[0]), image->pixel);
    image->slice = pitch(d->image_slice_pitch, times(image->row, sheets ? 1 : image->extent[1]), image->row);
    if (sheets && image->slice != image->row)
        return 0;
    return sheets ? times(image->row, image->extent[1]) : times(image->slice, image->extent[2]);
}

static size_t ask(cl_mem memory, cl_image_info name)
{
    size_t value = 0;

    return cw_next.clGetImageInfo(memory, name, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

/* The vendor lays the image out as expected. A slice pitch may be 0 where there is one slice. */
static bool is_as_expected(cl_mem memory, struct cw_run_image *image)
{
    image->slice_told = ask(memory, CL_IMAGE_SLICE_PITCH);
    return ask(memory, CL_IMAGE_ROW_PITCH) == image->row &&
           (image->slice_told == image->slice || image->extent[2] == 1);
}

/* The vendor's image over `bytes` bytes of run mode, which are those at `host` or, if that is NULL, zeros. It
 * owns `image`. NULL: it is to be made as the program says. */
static cl_mem over_ours(cl_context context, cl_mem_flags flags, struct cw_run_image *image, const void *host,
                        size_t bytes)
{
    cl_int err;
    void *block = NULL;
    uint8_t *own = cw_run_memory_bytes(bytes, !host, &block);
    cl_mem memory = own ? cw_next.clCreateImage(context, cw_run_memory_flags(flags), &image->format,
                                                &image->desc, own, &err)
                        : NULL;

    if (memory && !is_as_expected(memory, image)) {
        cw_next.clReleaseMemObject(memory);
        memory = NULL;
    }
    if (memory && host)
        memcpy(own, host, bytes);
    if (memory && cw_run_memory_keep(memory, context, flags, bytes, own, block, image))
        return memory;
    free(block);
    return NULL;
}

/* The vendor's image over the program's bytes at `host`, or in a buffer of the program's. It owns `image`.
 * NULL: as above. */
static cl_mem over_given(cl_context context, cl_mem_flags flags, struct cw_run_image *image, void *host,
                         size_t bytes)
{
    cl_int err;
    cl_mem memory;

    if (host && cw_run_memory_lies_in_another(host, bytes))
        return NULL;
    memory = cw_next.clCreateImage(context, flags, &image->format, &image->desc, host, &err);
    if (!memory)
        return NULL;
    if (is_as_expected(memory, image) &&
        (host ? cw_run_memory_keep_host(memory, context, flags, bytes, host, image)
              : cw_run_memory_keep_part(memory, image->desc.mem_object, flags, bytes, image)))
        return memory;
    cw_next.clReleaseMemObject(memory);
    return NULL;
}

/* The image, if run mode manages it; else NULL. */
static cl_mem create(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *desc, void *host, cl_int *err)
{
    bool use = flags & CL_MEM_USE_HOST_PTR, copy = flags & CL_MEM_COPY_HOST_PTR,
         inside = desc && desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    struct cw_run_image *image = format && desc && !!host == (use || copy) && !(use && copy) &&
                                         !desc->mem_object == !inside && !(inside && host) &&
                                         (host || (!desc->image_row_pitch && !desc->image_slice_pitch)) &&
                                         cw_run_memory_ours(context, flags)
                                     ? malloc(sizeof *image)
                                     : NULL;
    size_t bytes;
    cl_mem memory = NULL;

    if (!image)
        return NULL;
    *image = (struct cw_run_image){.format = *format, .desc = *desc};
    bytes = lay_out(image);
    if (bytes)
        memory = use || inside ? over_given(context, flags, image, host, bytes)
                               : over_ours(context, flags, image, host, bytes);
    if (!memory)
        free(image);
    else if (err)
        *err = CL_SUCCESS;
    return memory;
}

/* It will be the vendor's. */
static void left_to_vendor(const cl_image_desc *desc)
{
    if (desc && desc->mem_object)
        cw_run_memory_stays_home(desc->mem_object);
}

cl_mem cw_run_hook_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                 const cl_image_desc *desc, void *host, cl_int *err)
{
    cl_mem memory = create(context, flags, format, desc, host, err);

    if (!memory)
        left_to_vendor(desc);
    return memory ? memory
                  : cw_run_opaque(cw_native.clCreateImage(context, flags, format, desc, host, err),
                                  CW_RUN_R_MEMORY);
}

cl_mem cw_run_hook_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *format,
                                               const cl_image_desc *desc, void *host, cl_int *err)
{
    cl_mem memory = properties ? NULL : create(context, flags, format, desc, host, err);

    if (!memory)
        left_to_vendor(desc);
    return memory ? memory
                  : cw_run_opaque(cw_native.clCreateImageWithProperties(context, properties, flags, format,
                                                                        desc, host, err),
                                  CW_RUN_R_MEMORY);
}

cl_mem cw_run_hook_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                   size_t width, size_t height, size_t row, void *host, cl_int *err)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row};
    cl_mem memory = create(context, flags, format, &desc, host, err);

    return memory ? memory
                  : cw_run_opaque(
                        cw_native.clCreateImage2D(context, flags, format, width, height, row, host, err),
                        CW_RUN_R_MEMORY);
}

cl_mem cw_run_hook_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                   size_t width, size_t height, size_t depth, size_t row, size_t slice,
                                   void *host, cl_int *err)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    cl_mem memory = create(context, flags, format, &desc, host, err);

    return memory ? memory
                  : cw_run_opaque(cw_native.clCreateImage3D(context, flags, format, width, height, depth, row,
                                                            slice, host, err),
                                  CW_RUN_R_MEMORY);
}
