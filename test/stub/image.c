/* image.c - images and samplers of the null driver. */
#include "nullcl.h"

static size_t channels(cl_channel_order order)
{
    switch (order) {
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB:
    case CL_sRGBA:
        return 4;
    case CL_RGB:
    case CL_RGBx:
        return 3;
    case CL_RG:
    case CL_RA:
        return 2;
    default:
        return 1;
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
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
        return 4;
    default:
        return 2;
    }
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static cl_mem create_image(cl_context c, cl_mem_flags flags, const cl_image_format *format,
                           const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    if (!format || !desc || !desc->image_width)
        return nullcl_fail(errcode_ret, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_image_desc d = *desc;
    size_t element = channels(format->image_channel_order) * channel_bytes(format->image_channel_data_type);
    bool array = d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY || d.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    size_t rows = d.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : at_least_one(d.image_height);
    size_t slices = at_least_one(array ? d.image_array_size : d.image_depth);
    size_t row = d.image_row_pitch ? d.image_row_pitch : d.image_width * element;
    size_t slice = d.image_slice_pitch ? d.image_slice_pitch : row * rows;
    cl_mem m = d.mem_object ? nullcl_sub(d.mem_object, flags, 0, row * rows, errcode_ret)
                            : nullcl_buffer(c, flags, slice * slices, host_ptr, errcode_ret);
    if (!m)
        return NULL;
    m->type = d.image_type;
    m->format = *format;
    m->element = element;
    m->desc = d;
    m->desc.image_row_pitch = row;
    m->desc.image_slice_pitch = slice;
    return m;
}

static cl_mem create_image_with(cl_context c, const cl_mem_properties *p, cl_mem_flags flags,
                                const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                                cl_int *errcode_ret)
{
    (void)p;
    return create_image(c, flags, format, desc, host_ptr, errcode_ret);
}

static cl_mem create_image_2d(cl_context c, cl_mem_flags flags, const cl_image_format *format, size_t w,
                              size_t h, size_t pitch, void *host_ptr, cl_int *errcode_ret)
{
    cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = w, .image_height = h, .image_row_pitch = pitch};
    return create_image(c, flags, format, &d, host_ptr, errcode_ret);
}

static cl_mem create_image_3d(cl_context c, cl_mem_flags flags, const cl_image_format *format, size_t w,
                              size_t h, size_t depth, size_t pitch, size_t slice, void *host_ptr,
                              cl_int *errcode_ret)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                       .image_width = w,
                       .image_height = h,
                       .image_depth = depth,
                       .image_row_pitch = pitch,
                       .image_slice_pitch = slice};
    return create_image(c, flags, format, &d, host_ptr, errcode_ret);
}

static cl_int image_info(cl_mem m, cl_image_info name, size_t param_value_size, void *param_value,
                         size_t *param_value_size_ret)
{
    if (!nullcl_is(m, K_MEM) || !m->element)
        return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_IMAGE_FORMAT:
        REPLY(cl_image_format, m->format);
    case CL_IMAGE_ELEMENT_SIZE:
        REPLY(size_t, m->element);
    case CL_IMAGE_ROW_PITCH:
        REPLY(size_t, m->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        REPLY(size_t, m->desc.image_slice_pitch);
    case CL_IMAGE_WIDTH:
        REPLY(size_t, m->desc.image_width);
    case CL_IMAGE_HEIGHT:
        REPLY(size_t, m->desc.image_height);
    case CL_IMAGE_DEPTH:
        REPLY(size_t, m->desc.image_depth);
    case CL_IMAGE_ARRAY_SIZE:
        REPLY(size_t, m->desc.image_array_size);
    case CL_IMAGE_BUFFER:
        REPLY(cl_mem, m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
        REPLY(cl_uint, m->desc.num_mip_levels);
    case CL_IMAGE_NUM_SAMPLES:
        REPLY(cl_uint, m->desc.num_samples);
    }
    return CL_INVALID_VALUE;
}

static cl_int formats(cl_context c, cl_mem_flags flags, cl_mem_object_type type, cl_uint n,
                      cl_image_format *to, cl_uint *num)
{
    static const cl_image_format all[] = {
        {CL_RGBA, CL_UNORM_INT8}, {CL_RGBA, CL_UNSIGNED_INT8}, {CL_RGBA, CL_FLOAT}, {CL_R, CL_FLOAT}};
    (void)flags, (void)type;
    for (cl_uint i = 0; to && i < n && i < 4; i++)
        to[i] = all[i];
    if (num)
        *num = 4;
    return nullcl_is(c, K_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

/* ---- samplers */

static cl_sampler create_sampler(cl_context c, cl_bool normalized, cl_addressing_mode a, cl_filter_mode f,
                                 cl_int *errcode_ret)
{
    cl_sampler s = nullcl_is(c, K_CONTEXT) ? nullcl_new(K_SAMPLER, sizeof *s) : NULL;
    if (!s)
        return nullcl_fail(errcode_ret, CL_INVALID_CONTEXT);
    s->context = c;
    s->normalized = normalized;
    s->addressing = a;
    s->filter = f;
    nullcl_fail(errcode_ret, CL_SUCCESS);
    return s;
}

static cl_sampler create_sampler_with(cl_context c, const cl_sampler_properties *p, cl_int *errcode_ret)
{
    cl_sampler s = create_sampler(c, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, errcode_ret);
    for (; s && p && *p; p += 2) {
        if (*p == CL_SAMPLER_NORMALIZED_COORDS)
            s->normalized = (cl_bool)p[1];
        if (*p == CL_SAMPLER_ADDRESSING_MODE)
            s->addressing = (cl_addressing_mode)p[1];
        if (*p == CL_SAMPLER_FILTER_MODE)
            s->filter = (cl_filter_mode)p[1];
    }
    return s;
}

static cl_int sampler_info(cl_sampler s, cl_sampler_info name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    if (!nullcl_is(s, K_SAMPLER))
        return CL_INVALID_SAMPLER;
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        REPLY(cl_uint, s->o.refs);
    case CL_SAMPLER_CONTEXT:
        REPLY(cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        REPLY(cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        REPLY(cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        REPLY(cl_filter_mode, s->filter);
    }
    return CL_INVALID_VALUE;
}

static cl_int retain_sampler(cl_sampler s)
{
    return nullcl_retain(s, K_SAMPLER, CL_INVALID_SAMPLER);
}

static cl_int release_sampler(cl_sampler s)
{
    bool last;
    cl_int e = nullcl_release(s, K_SAMPLER, CL_INVALID_SAMPLER, &last);
    if (last)
        nullcl_delete(s);
    return e;
}

void nullcl_fill_image(void)
{
    nullcl.clCreateImage = create_image;
    nullcl.clCreateImageWithProperties = create_image_with;
    nullcl.clCreateImage2D = create_image_2d;
    nullcl.clCreateImage3D = create_image_3d;
    nullcl.clGetImageInfo = image_info;
    nullcl.clGetSupportedImageFormats = formats;
    nullcl.clCreateSampler = create_sampler;
    nullcl.clCreateSamplerWithProperties = create_sampler_with;
    nullcl.clGetSamplerInfo = sampler_info;
    nullcl.clRetainSampler = retain_sampler;
    nullcl.clReleaseSampler = release_sampler;
}
