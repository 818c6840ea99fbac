/* opaque.c - memory objects that are not managed: a kernel that gets one is native. */
#include "hooks.h"
#include "opaque.h"
#include "../core/global_lock.h"
#include "../core/record.h"
#include "../tasks/object.h"
#include "../core/state.h"

cl_mem cw_run_opaque(cl_mem memory, enum cw_run_reason why)
{
    struct cw_run_opaque *o;

    if (!memory || !cw_run.ready)
        return memory;
    cw_run_global_lock_take();
    o = cw_run_object_create(memory, CW_RUN_OPAQUE);
    if (o)
        o->why = why;
    else
        cw_run.off = true;
    cw_run_global_lock_give();
    return memory;
}

#define MAKER(name, params, args)                                                                            \
    cl_mem cw_run_hook_##name params                                                                         \
    {                                                                                                        \
        return cw_run_opaque(cw_native.name args, CW_RUN_R_ARGUMENT);                                        \
    }
MAKER(clCreatePipe,
      (cl_context c, cl_mem_flags f, cl_uint bytes, cl_uint packets, const cl_pipe_properties *p,
       cl_int *err),
      (c, f, bytes, packets, p, err))
MAKER(clCreateFromGLBuffer, (cl_context c, cl_mem_flags f, cl_GLuint buffer, cl_int *err),
      (c, f, buffer, err))
MAKER(clCreateFromGLTexture,
      (cl_context c, cl_mem_flags f, cl_GLenum target, cl_GLint level, cl_GLuint texture, cl_int *err),
      (c, f, target, level, texture, err))
MAKER(clCreateFromGLTexture2D,
      (cl_context c, cl_mem_flags f, cl_GLenum target, cl_GLint level, cl_GLuint texture, cl_int *err),
      (c, f, target, level, texture, err))
MAKER(clCreateFromGLTexture3D,
      (cl_context c, cl_mem_flags f, cl_GLenum target, cl_GLint level, cl_GLuint texture, cl_int *err),
      (c, f, target, level, texture, err))
MAKER(clCreateFromGLRenderbuffer, (cl_context c, cl_mem_flags f, cl_GLuint buffer, cl_int *err),
      (c, f, buffer, err))
MAKER(clCreateFromEGLImageKHR,
      (cl_context c, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags f,
       const cl_egl_image_properties_khr *p, cl_int *err),
      (c, display, image, f, p, err))
