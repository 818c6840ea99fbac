/* define_memory.c - the log's description of memory objects. */
#include "define_parts.h"

#include "../../analyzer/record/trace.h"

static uint64_t mem_number(cl_mem memory, cl_mem_info param, size_t size)
{
    uint64_t v = 0;

    return cw_traced.clGetMemObjectInfo(memory, param, size, &v, NULL) == CL_SUCCESS ? v : 0;
}

static uint64_t image_number(cl_mem image, cl_image_info param, size_t size)
{
    uint64_t v = 0;

    return cw_traced.clGetImageInfo(image, param, size, &v, NULL) == CL_SUCCESS ? v : 0;
}

/* Bytes of all pixels without padding. */
static uint64_t image_bytes(uint32_t type, uint64_t element, const uint64_t size[4])
{
    uint64_t n = element * size[0];

    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D)
        n *= size[1] ? size[1] : 1;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        n *= size[2] ? size[2] : 1;
    if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        n *= size[3] ? size[3] : 1;
    return n;
}

static enum cw_mem_kind kind_of(uint32_t type, bool has_parent)
{
    if (type == CL_MEM_OBJECT_PIPE)
        return CW_MEM_PIPE;
    if (type != CL_MEM_OBJECT_BUFFER)
        return CW_MEM_IMAGE;
    return has_parent ? CW_MEM_SUBBUFFER : CW_MEM_BUFFER;
}

static void encode_image(struct cw_rec *r, cl_mem image, const cl_image_format *format, uint64_t element,
                         const uint64_t size[4])
{
    int i;

    cw_rec_u(r, format->image_channel_order);
    cw_rec_u(r, format->image_channel_data_type);
    cw_rec_u(r, element);
    for (i = 0; i < 4; i++)
        cw_rec_u(r, size[i]);
    cw_rec_u(r, image_number(image, CL_IMAGE_ROW_PITCH, sizeof(size_t)));
    cw_rec_u(r, image_number(image, CL_IMAGE_SLICE_PITCH, sizeof(size_t)));
    cw_rec_u(r, image_number(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(cl_uint)));
    cw_rec_u(r, image_number(image, CL_IMAGE_NUM_SAMPLES, sizeof(cl_uint)));
}

void cw_define_describe_memory(struct cw_rec *r, struct cw_object *o, cl_mem memory)
{
    static const cl_image_info extents[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH,
                                            CL_IMAGE_ARRAY_SIZE};
    uint32_t type = (uint32_t)mem_number(memory, CL_MEM_TYPE, sizeof(cl_mem_object_type));
    uint64_t bytes = mem_number(memory, CL_MEM_SIZE, sizeof(size_t)), element = 0, size[4] = {0};
    cl_mem parent = (cl_mem)(uintptr_t)mem_number(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem));
    cl_context context = (cl_context)(uintptr_t)mem_number(memory, CL_MEM_CONTEXT, sizeof(cl_context));
    cl_image_format format = {0, 0};
    enum cw_mem_kind kind = kind_of(type, parent != NULL);
    int i;

    o->owner = context;
    if (kind == CW_MEM_IMAGE) {
        if (cw_traced.clGetImageInfo(memory, CL_IMAGE_FORMAT, sizeof format, &format, NULL) != CL_SUCCESS)
            format = (cl_image_format){0, 0};
        element = image_number(memory, CL_IMAGE_ELEMENT_SIZE, sizeof(size_t));
        for (i = 0; i < 4; i++)
            size[i] = image_number(memory, extents[i], sizeof(size_t));
        if (element)
            bytes = image_bytes(type, element, size);
    }
    cw_rec_u(r, o->id);
    cw_rec_u(r, kind);
    cw_rec_u(r, cw_known_id(context, CW_LOG_O_CONTEXT));
    cw_rec_u(r, cw_known_id(parent, CW_LOG_O_MEMORY));
    cw_rec_u(r, mem_number(memory, CL_MEM_OFFSET, sizeof(size_t)));
    cw_rec_u(r, bytes);
    cw_rec_u(r, mem_number(memory, CL_MEM_FLAGS, sizeof(cl_mem_flags)));
    cw_rec_u(r, mem_number(memory, CL_MEM_HOST_PTR, sizeof(void *)));
    cw_rec_u(r, kind == CW_MEM_IMAGE ? type : 0);
    if (kind == CW_MEM_IMAGE)
        encode_image(r, memory, &format, element, size);
    cw_log_rec_commit(r, CW_LOG_MEMORY);
}
