/* hooks_memory.c - buffers, images, pipes, SVM: creation, retain, release. */
#include "capture.h"
#include "hooks.h"

static void memory_made(cl_mem memory, const void *host_ptr, size_t row_pitch, size_t slice_pitch)
{
    if (!memory || !cw_formula_is_recording())
        return;
    cw_defined_new(memory, CW_LOG_O_MEMORY);
    if (CW_UNLIKELY(cw_recorder.capture_data))
        cw_capture_created(memory, host_ptr, row_pitch, slice_pitch);
}

/* Creation functions: make the vendor's call, describe the object that it returned. */
#define CREATE(name, host_ptr, params, args) CREATE_IMAGE(name, host_ptr, 0, 0, params, args)
#define CREATE_IMAGE(name, host_ptr, row_pitch, slice_pitch, params, args)                                   \
    cl_mem cw_hook_##name params                                                                             \
    {                                                                                                        \
        cl_mem memory = cw_traced.name args;                                                                 \
        memory_made(memory, host_ptr, row_pitch, slice_pitch);                                               \
        return memory;                                                                                       \
    }
CREATE(clCreateBuffer, host_ptr,
       (cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *err),
       (context, flags, size, host_ptr, err))
CREATE(clCreateBufferWithProperties, host_ptr,
       (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
        void *host_ptr, cl_int *err),
       (context, properties, flags, size, host_ptr, err))
CREATE(clCreateSubBuffer, NULL,
       (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *err),
       (buffer, flags, type, info, err))
CREATE_IMAGE(clCreateImage, host_ptr, desc ? desc->image_row_pitch : 0, desc ? desc->image_slice_pitch : 0,
             (cl_context context, cl_mem_flags flags, const cl_image_format *format,
              const cl_image_desc *desc, void *host_ptr, cl_int *err),
             (context, flags, format, desc, host_ptr, err))
CREATE_IMAGE(clCreateImageWithProperties, host_ptr, desc ? desc->image_row_pitch : 0,
             desc ? desc->image_slice_pitch : 0,
             (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
              const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *err),
             (context, properties, flags, format, desc, host_ptr, err))
CREATE_IMAGE(clCreateImage2D, host_ptr, row_pitch, 0,
             (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
              size_t height, size_t row_pitch, void *host_ptr, cl_int *err),
             (context, flags, format, width, height, row_pitch, host_ptr, err))
CREATE_IMAGE(clCreateImage3D, host_ptr, row_pitch, slice_pitch,
             (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
              size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr, cl_int *err),
             (context, flags, format, width, height, depth, row_pitch, slice_pitch, host_ptr, err))
CREATE(clCreatePipe, NULL,
       (cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
        const cl_pipe_properties *properties, cl_int *err),
       (context, flags, packet_size, max_packets, properties, err))
CREATE(clCreateFromGLBuffer, NULL, (cl_context context, cl_mem_flags flags, cl_GLuint object, cl_int *err),
       (context, flags, object, err))
CREATE(clCreateFromGLTexture, NULL,
       (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
        cl_int *err),
       (context, flags, target, miplevel, texture, err))
CREATE(clCreateFromGLTexture2D, NULL,
       (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
        cl_int *err),
       (context, flags, target, miplevel, texture, err))
CREATE(clCreateFromGLTexture3D, NULL,
       (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
        cl_int *err),
       (context, flags, target, miplevel, texture, err))
CREATE(clCreateFromGLRenderbuffer, NULL,
       (cl_context context, cl_mem_flags flags, cl_GLuint object, cl_int *err), (context, flags, object, err))
CREATE(clCreateFromEGLImageKHR, NULL,
       (cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
        const cl_egl_image_properties_khr *properties, cl_int *err),
       (context, display, image, flags, properties, err))

cl_int cw_hook_clRetainMemObject(cl_mem memory)
{
    cl_int status = cw_traced.clRetainMemObject(memory);

    if (status == CL_SUCCESS && cw_formula_is_recording())
        cw_object_retain(memory, CW_LOG_O_MEMORY);
    return status;
}

cl_int cw_hook_clReleaseMemObject(cl_mem memory)
{
    bool recording = cw_formula_is_recording();
    struct cw_object *o = recording ? cw_object_find(memory, CW_LOG_O_MEMORY) : NULL;

    if (CW_UNLIKELY(cw_recorder.capture_data) && o && atomic_load(&o->refs) == 1)
        cw_capture_released(o);
    if (recording)
        cw_defined_release(memory, CW_LOG_O_MEMORY, CW_CALLER);
    return cw_traced.clReleaseMemObject(memory);
}

void *cw_hook_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    void *p = cw_traced.clSVMAlloc(context, flags, size, alignment);

    if (p && cw_formula_is_recording())
        cw_svm_add(context, p, size, flags);
    return p;
}

void cw_hook_clSVMFree(cl_context context, void *p)
{
    if (p && cw_formula_is_recording())
        cw_svm_remove(p, &CW_CALLER);
    cw_traced.clSVMFree(context, p);
}
