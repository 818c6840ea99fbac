/* hooks.h - the functions that run mode hooks, in one list; mode_run.c makes the table.
 *
 * cw_run_hook_clX has clX's own type and is in the file named beside it. */
#ifndef CW_RUN_HOOKS_H
#define CW_RUN_HOOKS_H

#include <string.h>

#include "../../door/dispatch.h"
#include "../core/record.h"
#include "../tasks/object.h"

/* clang-format off */
#define CW_RUN_HOOKS(X)                                                                                      \
    /* api/context.c */                                                                                      \
    X(clCreateContext) X(clRetainContext) X(clReleaseContext) X(clGetContextInfo)                            \
    /* api/queue.c */                                                                                        \
    X(clCreateCommandQueue) X(clCreateCommandQueueWithProperties) X(clRetainCommandQueue)                    \
    X(clReleaseCommandQueue) X(clSetCommandQueueProperty) X(clFlush) X(clFinish) X(clGetCommandQueueInfo)    \
    /* api/memory.c, api/image.c, api/opaque.c */                                                            \
    X(clCreateBuffer) X(clCreateBufferWithProperties) X(clCreateSubBuffer) X(clRetainMemObject)              \
    X(clReleaseMemObject) X(clGetMemObjectInfo) X(clCreateImage) X(clCreateImageWithProperties)              \
    X(clCreateImage2D) X(clCreateImage3D) X(clCreatePipe) X(clCreateFromGLBuffer) X(clCreateFromGLTexture)   \
    X(clCreateFromGLTexture2D) X(clCreateFromGLTexture3D) X(clCreateFromGLRenderbuffer)                      \
    X(clCreateFromEGLImageKHR)                                                                               \
    /* api/sampler.c */                                                                                      \
    X(clCreateSampler) X(clCreateSamplerWithProperties) X(clRetainSampler) X(clReleaseSampler)               \
    /* api/program.c, api/program_binary.c */                                                                \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clRetainProgram) X(clReleaseProgram)         \
    X(clBuildProgram) X(clGetProgramInfo) X(clGetProgramBuildInfo) X(clSetProgramSpecializationConstant)     \
    /* api/program_link.c */                                                                                 \
    X(clCompileProgram) X(clLinkProgram)                                                                     \
    /* api/kernel.c, api/launch.c */                                                                         \
    X(clCreateKernel) X(clCreateKernelsInProgram) X(clGetKernelInfo) X(clCloneKernel) X(clRetainKernel)      \
    X(clReleaseKernel) X(clSetKernelArg) X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo)                  \
    X(clEnqueueNDRangeKernel) X(clEnqueueTask)                                                               \
    /* api/event.c */                                                                                        \
    X(clWaitForEvents) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clRetainEvent) X(clReleaseEvent)       \
    X(clCreateUserEvent) X(clSetUserEventStatus) X(clSetEventCallback)                                       \
    /* api/transfer.c */                                                                                     \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer)             \
    X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect)                        \
    X(clEnqueueMigrateMemObjects)                                                                            \
    /* api/image_transfer.c */                                                                               \
    X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueCopyImage) X(clEnqueueCopyImageToBuffer)         \
    X(clEnqueueCopyBufferToImage) X(clEnqueueFillImage)                                                      \
    /* api/map.c */                                                                                          \
    X(clEnqueueMapBuffer) X(clEnqueueMapImage) X(clEnqueueUnmapMemObject)                                    \
    X(clEnqueueSVMMap) X(clEnqueueSVMUnmap)                                                                  \
    /* api/svm.c */                                                                                          \
    X(clSVMAlloc) X(clSVMFree) X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill)              \
    X(clEnqueueSVMMigrateMem)                                                                                \
    /* api/sync.c */                                                                                         \
    X(clEnqueueMarker) X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrier) X(clEnqueueBarrierWithWaitList)    \
    X(clEnqueueWaitForEvents)                                                                                \
    /* api/pass.c */                                                                                         \
    X(clEnqueueNativeKernel)                                                                                 \
    X(clEnqueueAcquireGLObjects) X(clEnqueueReleaseGLObjects)                                                \
    X(clEnqueueAcquireEGLObjectsKHR) X(clEnqueueReleaseEGLObjectsKHR)
/* clang-format on */

#define CW_RUN_DECLARE(name) __typeof__(name) cw_run_hook_##name;
CW_RUN_HOOKS(CW_RUN_DECLARE)
#undef CW_RUN_DECLARE

/* api/pass.c: extension functions that enqueue. */
extern const struct cw_ext_hooks cw_run_ext_hooks;

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
        return cw_run_object_release(handle, kind) ? cw_native.name(handle) : CL_SUCCESS;                    \
    }

#endif
