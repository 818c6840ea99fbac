/* image.c - images. Plain ones, whose pixels lie one after the other, are made over run mode's bytes, like
 * buffers (api/memory.c), so that launches that read them can run anywhere on the host's memory; commands on
 * them stay the vendor's. */
#include "hooks.h"

#include <stdlib.h>

#include "../../../analyzer/trace/trace.h"
#include "image.h"
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

/* Bytes of all pixels; 0: an image that we leave to the vendor (made of other memory, with gaps, of several
 * samples). */
static size_t image_bytes(const cl_image_format *f, const cl_image_desc *d)
{
    size_t bytes = times(pixel_bytes(f), d->image_width);

    if (d->image_row_pitch || d->image_slice_pitch || d->num_mip_levels || d->num_samples || d->mem_object)
        return 0;
    switch (d->image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
        return bytes;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return times(bytes, d->image_array_size);
    case CL_MEM_OBJECT_IMAGE2D:
        return times(bytes, d->image_height);
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return times(times(bytes, d->image_height), d->image_array_size);
    case CL_MEM_OBJECT_IMAGE3D:
        return times(times(bytes, d->image_height), d->image_depth);
    default:
        return 0;
    }
}

/* The vendor's image over `bytes` bytes of run mode; NULL: it is to be made as the program says. */
static cl_mem over_ours(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                        const cl_image_desc *desc, const void *host, size_t bytes)
{
    struct cw_run_image *image = malloc(sizeof *image);
    cl_int err;
    void *block = NULL;
    uint8_t *own = image ? cw_run_memory_bytes(bytes, host, &block) : NULL;
    cl_mem memory =
        own ? cw_next.clCreateImage(context, cw_run_memory_flags(flags), format, desc, own, &err) : NULL;

    if (image)
        *image = (struct cw_run_image){*format, *desc};
    if (memory && cw_run_memory_keep(memory, context, flags, bytes, own, block, image))
        return memory;
    free(block);
    free(image);
    return NULL;
}

/* The image, if it may lie over run mode's bytes; else NULL. `properties`: of clCreateImageWithProperties. */
static cl_mem create(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                     const cl_image_format *format, const cl_image_desc *desc, const void *host, cl_int *err)
{
    bool copy = flags & CL_MEM_COPY_HOST_PTR,
         plain = format && desc && (!properties || !*properties) && !!host == copy;
    size_t bytes = plain && !(flags & CL_MEM_USE_HOST_PTR) && cw_run_memory_ours(context, flags)
                       ? image_bytes(format, desc)
                       : 0;
    cl_mem memory = bytes ? over_ours(context, flags, format, desc, host, bytes) : NULL;

    if (memory && err)
        *err = CL_SUCCESS;
    return memory;
}

cl_mem cw_run_hook_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                 const cl_image_desc *desc, void *host, cl_int *err)
{
    cl_mem memory = create(context, NULL, flags, format, desc, host, err);

    return memory ? memory : cw_run_opaque(cw_native.clCreateImage(context, flags, format, desc, host, err));
}

cl_mem cw_run_hook_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *format,
                                               const cl_image_desc *desc, void *host, cl_int *err)
{
    cl_mem memory = properties ? NULL : create(context, NULL, flags, format, desc, host, err);

    return memory ? memory
                  : cw_run_opaque(cw_native.clCreateImageWithProperties(context, properties, flags, format,
                                                                        desc, host, err));
}

cl_mem cw_run_hook_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                   size_t width, size_t height, size_t pitch, void *host, cl_int *err)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = pitch};
    cl_mem memory = create(context, NULL, flags, format, &desc, host, err);

    return memory ? memory
                  : cw_run_opaque(
                        cw_native.clCreateImage2D(context, flags, format, width, height, pitch, host, err));
}

bool cw_run_image_are_read(const struct cw_run_kernel *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const struct cw_run_arg *a = &k->args[i];

        if (a->memory && a->memory->image && k->modes[i] != CW_ACCESS_READ)
            return false;
        if (a->kind == CW_RUN_ARG_VALUE && a->size == sizeof(cl_sampler) && !a->memory && a->word)
            return false; /* it may be a sampler, which is one context's */
    }
    return true;
}
