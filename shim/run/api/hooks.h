/* hooks.h - the functions that run mode hooks, in one list; mode_run.c makes the table.
 *
 * cw_run_hook_clX has clX's own type and is in the file named beside it. */
#ifndef CW_RUN_HOOKS_H
#define CW_RUN_HOOKS_H

#include <string.h>

#include "../run.h"

#define CW_RUN_HOOKS(X)                                                                                      \
    /* api/context.c */                                                                                      \
    X(clCreateContext)                                                                                       \
    X(clRetainContext)                                                                                       \
    X(clReleaseContext)                                                                                      \
    X(clGetContextInfo) /* api/queue.c */                                                                    \
        X(clCreateCommandQueue) X(clCreateCommandQueueWithProperties) X(clRetainCommandQueue)                \
            X(clReleaseCommandQueue) X(clSetCommandQueueProperty) X(clFlush) X(clFinish)                     \
                X(clGetCommandQueueInfo) /* api/memory.c, api/opaque.c */                                    \
        X(clCreateBuffer) X(clCreateBufferWithProperties) X(clCreateSubBuffer) X(clRetainMemObject)          \
            X(clReleaseMemObject) X(clGetMemObjectInfo) X(clCreateImage) X(clCreateImageWithProperties)      \
                X(clCreateImage2D) X(clCreateImage3D) X(clCreatePipe) X(clCreateFromGLBuffer)                \
                    X(clCreateFromGLTexture) X(clCreateFromGLTexture2D) X(clCreateFromGLTexture3D)           \
                        X(clCreateFromGLRenderbuffer) X(clCreateFromEGLImageKHR) /* api/program.c */         \
        X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clRetainProgram) X(clReleaseProgram)     \
            X(clBuildProgram) X(clGetProgramInfo)                      /* builds/build_cache.c */            \
        X(clGetProgramBuildInfo) X(clSetProgramSpecializationConstant) /* api/program_link.c */              \
        X(clCompileProgram) X(clLinkProgram)                           /* api/kernel.c, api/launch.c */      \
        X(clCreateKernel) X(clCreateKernelsInProgram) X(clGetKernelInfo) X(clCloneKernel) X(clRetainKernel)  \
            X(clReleaseKernel) X(clSetKernelArg) X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo)          \
                X(clEnqueueNDRangeKernel) X(clEnqueueTask) /* api/event.c */                                 \
        X(clWaitForEvents) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clRetainEvent) X(clReleaseEvent)   \
            X(clCreateUserEvent) X(clSetUserEventStatus) X(clSetEventCallback) /* api/transfer.c */          \
        X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer)         \
            X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect)                \
                X(clEnqueueMigrateMemObjects)            /* api/map.c */                                     \
        X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) /* api/sync.c */                                    \
        X(clEnqueueMarker) X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrier)                                \
            X(clEnqueueBarrierWithWaitList) X(clEnqueueWaitForEvents) /* api/pass.c */                       \
        X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueCopyImage) X(clEnqueueCopyImageToBuffer)     \
            X(clEnqueueCopyBufferToImage) X(clEnqueueFillImage) X(clEnqueueMapImage)                         \
                X(clEnqueueNativeKernel) X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill)    \
                    X(clEnqueueSVMMap) X(clEnqueueSVMUnmap) X(clEnqueueSVMMigrateMem)                        \
                        X(clEnqueueAcquireGLObjects) X(clEnqueueReleaseGLObjects)                            \
                            X(clEnqueueAcquireEGLObjectsKHR) X(clEnqueueReleaseEGLObjectsKHR)

#define CW_RUN_DECLARE(name) __typeof__(name) cw_run_hook_##name;
CW_RUN_HOOKS(CW_RUN_DECLARE)
#undef CW_RUN_DECLARE

/* api/pass.c: extension functions that enqueue. */
extern const struct cw_ext_hooks cw_run_ext_hooks;

/* memory/content.c: what the program gets in place of the vendor's clSetContentSizeBufferPoCL; and the
 * vendor's copy, in which the content size of `from` is heeded. Lock not held. */
void *cw_run_content(void *vendor);
cl_int cw_run_content_copy(struct cw_run_native *x, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes);

/* What clGet...Info does with an answer. */
cl_int cw_run_event_answer(const void *value, size_t bytes, size_t room, void *to, size_t *bytes_ret);

/* Waits for the managed commands among the events; lock not held. */
void cw_run_event_wait_list(cl_uint n, const cl_event *list);

/* A context, a queue, a buffer has been made (any way). Lock not held. */
void cw_run_context_made(cl_context context, const cl_device_id *given,
                         cl_uint count); /* NULL: it is asked for them */
void cw_run_queue_made(cl_context context, cl_device_id device, cl_command_queue queue);

/* The memory object of a creation function that we do not manage. */
cl_mem cw_run_opaque(cl_mem memory);

/* Memory objects over bytes of ours (api/memory.c); lock not held. True when one with these flags may be. */
bool cw_run_memory_ours(cl_context context, cl_mem_flags flags);
/* What the vendor is told in place of `flags`. */
cl_mem_flags cw_run_memory_flags(cl_mem_flags flags);
/* Aligned bytes, those at `from` or zeros, and in *block what to free; NULL: memory is out. */
uint8_t *cw_run_memory_bytes(size_t bytes, const void *from, void **block);
/* `memory` is over such `bytes` at `own`, and owns `block` and `image` (NULL: a buffer) from now on. False:
 * it has been released, and owns nothing. */
bool cw_run_memory_keep(cl_mem memory, cl_context context, cl_mem_flags flags, size_t bytes, uint8_t *own,
                        void *block, struct cw_run_image *image);

/* Hooks for the retain function of a kind of object. */
#define CW_RUN_RETAIN(name, type, kind)                                                                      \
    cl_int cw_run_hook_##name(type handle)                                                                   \
    {                                                                                                        \
        cl_int err;                                                                                          \
        if (cw_run_record_take_back(handle, kind))                                                           \
            return CL_SUCCESS;                                                                               \
        err = cw_native.name(handle);                                                                        \
        if (err == CL_SUCCESS)                                                                               \
            cw_run_record_retained(handle, kind);                                                            \
        return err;                                                                                          \
    }
#define CW_RUN_RELEASE(name, type, kind)                                                                     \
    cl_int cw_run_hook_##name(type handle)                                                                   \
    {                                                                                                        \
        return cw_run_record_release(handle, kind) ? cw_native.name(handle) : CL_SUCCESS;                    \
    }

#endif
