/* stream_memory.c - the memory objects of streamed contexts: which bytes they name. */
#include "../staging/staging.h"
#include "stream_hooks.h"
#include "stream_memory.h"
#include "stream_seat.h"
#include "stream_version.h"

#define HOST (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)

void cw_stream_memory_mapped(cl_mem buffer, const void *address, size_t offset, size_t bytes)
{
    struct cw_stream_memory *m = cw_stream_object_find(buffer, CW_STREAM_MEMORY);

    cw_stream_seat_leave(m);
    if (m && m->plain && address)
        cw_run_staging_notes_mapped(address, bytes, true, m->bytes.region, m->bytes.low + offset);
}

bool cw_stream_memory_is_mapped(const void *address, struct cw_stream_bytes *to)
{
    uintptr_t low = (uintptr_t)address;
    struct cw_run_staging_map map = {0};
    uint32_t n = cw_run_staging_notes_meet(low, low + 1, true, &map);

    *to = (struct cw_stream_bytes){
        .region = map.region, .low = map.offset, .high = map.offset + map.high - map.low};
    return n == 1 && map.low == low;
}

bool cw_stream_memory_host(const void *host, size_t bytes, struct cw_stream_bytes *to)
{
    uintptr_t low = (uintptr_t)host, high = low + bytes;
    struct cw_run_staging_map map;

    *to = (struct cw_stream_bytes){.low = low, .high = high};
    if (!cw_run_staging_notes_meet(low, high, true, &map))
        return high >= low;
    to->region = map.region;
    to->low = map.offset + (low - map.low);
    to->high = to->low + bytes;
    return map.low <= low && low <= high && high <= map.high;
}

static struct cw_stream_memory *remember(cl_context context, cl_mem memory)
{
    if (!memory || !cw_stream_object_find(context, CW_STREAM_CONTEXT))
        return NULL;
    return cw_stream_object_create(memory, CW_STREAM_MEMORY, sizeof(struct cw_stream_memory));
}

/* Memory that the program gave is the host's, which several buffers may share. */
static cl_mem buffer(cl_context context, cl_mem memory, cl_mem_flags flags, size_t bytes, const void *host)
{
    struct cw_stream_memory *m = remember(context, memory);

    if (!m)
        return memory;
    m->bytes = (struct cw_stream_bytes){.region = (uintptr_t)memory, .high = bytes};
    m->host_sees = flags & HOST;
    m->seat.stays = flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
    m->plain = !(flags & CL_MEM_USE_HOST_PTR) || cw_stream_memory_host(host, bytes, &m->bytes);
    return memory;
}

cl_mem cw_stream_memory_odd(cl_context context, cl_mem memory)
{
    remember(context, memory);
    return memory;
}

/* Pixels that no other object has. `of`: a buffer or an image that has them, too; NULL: none. */
static cl_mem image(cl_context context, cl_mem memory, cl_mem_flags flags, cl_mem of)
{
    struct cw_stream_memory *m = remember(context, memory);

    if (m && of)
        cw_stream_version_leave(of);
    if (!m || of || flags & HOST)
        return memory;
    m->bytes = (struct cw_stream_bytes){.region = (uintptr_t)memory, .high = 1};
    m->plain = m->image = true;
    return memory;
}

static cl_mem pixels_of(const cl_image_desc *desc)
{
    return desc ? desc->mem_object : NULL;
}

cl_mem cw_stream_hook_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                     cl_int *err)
{
    cl_mem memory = cw_stream_below.clCreateBuffer(context, flags, bytes, host, err);

    if (!memory && cw_stream_version_yield(context)) /* which had taken the memory */
        memory = cw_stream_below.clCreateBuffer(context, flags, bytes, host, err);
    return buffer(context, memory, flags, bytes, host);
}

cl_mem cw_stream_hook_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                   cl_mem_flags flags, size_t bytes, void *host, cl_int *err)
{
    cl_mem memory =
        cw_stream_below.clCreateBufferWithProperties(context, properties, flags, bytes, host, err);

    return properties && *properties ? cw_stream_memory_odd(context, memory)
                                     : buffer(context, memory, flags, bytes, host);
}

cl_mem cw_stream_hook_clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                        const void *info, cl_int *err)
{
    cl_mem memory = cw_stream_below.clCreateSubBuffer(parent, flags, type, info, err);
    const struct cw_stream_memory *root = cw_stream_object_find(parent, CW_STREAM_MEMORY);
    const cl_buffer_region *part = info;
    struct cw_stream_memory *m =
        memory && root ? cw_stream_object_create(memory, CW_STREAM_MEMORY, sizeof *m) : NULL;

    if (m) {
        cw_stream_seat_leave(cw_stream_object_find(parent, CW_STREAM_MEMORY));
        cw_stream_version_leave(parent);
    }
    if (m && root->plain && type == CL_BUFFER_CREATE_TYPE_REGION && part) {
        m->bytes = root->bytes;
        m->bytes.low += part->origin;
        m->bytes.high = m->bytes.low + part->size;
        m->host_sees = root->host_sees;
        m->plain = true;
    }
    return memory;
}

cl_mem cw_stream_hook_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                    const cl_image_desc *desc, void *host, cl_int *err)
{
    return image(context, cw_stream_below.clCreateImage(context, flags, format, desc, host, err), flags,
                 pixels_of(desc));
}

cl_mem cw_stream_hook_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                  cl_mem_flags flags, const cl_image_format *format,
                                                  const cl_image_desc *desc, void *host, cl_int *err)
{
    cl_mem memory =
        cw_stream_below.clCreateImageWithProperties(context, properties, flags, format, desc, host, err);

    return properties && *properties ? cw_stream_memory_odd(context, memory)
                                     : image(context, memory, flags, pixels_of(desc));
}

cl_mem cw_stream_hook_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t pitch, void *host, cl_int *err)
{
    return image(context,
                 cw_stream_below.clCreateImage2D(context, flags, format, width, height, pitch, host, err),
                 flags, NULL);
}

cl_mem cw_stream_hook_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                      size_t width, size_t height, size_t depth, size_t pitch, size_t slice,
                                      void *host, cl_int *err)
{
    return image(context,
                 cw_stream_below.clCreateImage3D(context, flags, format, width, height, depth, pitch, slice,
                                                 host, err),
                 flags, NULL);
}

cl_mem cw_stream_hook_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint packets,
                                   const cl_pipe_properties *properties, cl_int *err)
{
    return cw_stream_memory_odd(
        context, cw_stream_below.clCreatePipe(context, flags, packet, packets, properties, err));
}

#define SHARED(name, params, args)                                                                           \
    cl_mem cw_stream_hook_##name(cl_context context, CW_UNPAREN params)                                      \
    {                                                                                                        \
        return cw_stream_memory_odd(context, cw_stream_below.name(context, CW_UNPAREN args));                \
    }
SHARED(clCreateFromGLBuffer, (cl_mem_flags flags, cl_GLuint name, cl_int *err), (flags, name, err))
SHARED(clCreateFromGLTexture,
       (cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint name, cl_int *err),
       (flags, target, level, name, err))
SHARED(clCreateFromGLTexture2D,
       (cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint name, cl_int *err),
       (flags, target, level, name, err))
SHARED(clCreateFromGLTexture3D,
       (cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint name, cl_int *err),
       (flags, target, level, name, err))
SHARED(clCreateFromGLRenderbuffer, (cl_mem_flags flags, cl_GLuint name, cl_int *err), (flags, name, err))
SHARED(clCreateFromEGLImageKHR,
       (CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
        const cl_egl_image_properties_khr *properties, cl_int *err),
       (display, image, flags, properties, err))
