/* stream_hooks.h - the functions that streams hook, above run mode's own hooks: commands of streamed
 * queues go to the vendor from here, all others to the layer below. */
#ifndef CW_STREAM_HOOKS_H
#define CW_STREAM_HOOKS_H

#include <string.h>

#include "../../door/dispatch.h"

/* clang-format off */
#define CW_STREAM_HOOKS(X)                                                                                   \
    /* streams/stream_memory.c */                                                                            \
    X(clCreateBuffer) X(clCreateBufferWithProperties) X(clCreateSubBuffer) X(clCreateImage)                  \
    X(clCreateImageWithProperties) X(clCreateImage2D) X(clCreateImage3D) X(clCreatePipe)                     \
    X(clCreateFromGLBuffer) X(clCreateFromGLTexture) X(clCreateFromGLTexture2D)                              \
    X(clCreateFromGLTexture3D) X(clCreateFromGLRenderbuffer) X(clCreateFromEGLImageKHR)                      \
    /* streams/stream_kernel.c */                                                                            \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clBuildProgram) X(clCompileProgram)          \
    X(clGetProgramInfo) X(clCreateKernel)                                                                    \
    X(clCreateKernelsInProgram) X(clCloneKernel) X(clSetKernelArg) X(clSetKernelArgSVMPointer)               \
    X(clSetKernelExecInfo) X(clEnqueueNDRangeKernel) X(clEnqueueTask)                                        \
    /* streams/stream_wait.c */                                                                              \
    X(clRetainContext) X(clReleaseContext) X(clRetainMemObject) X(clReleaseMemObject) X(clRetainProgram)     \
    X(clReleaseProgram) X(clRetainKernel) X(clReleaseKernel) X(clRetainEvent) X(clReleaseEvent)              \
    X(clRetainCommandQueue) X(clGetContextInfo) X(clReleaseCommandQueue) X(clSetCommandQueueProperty)        \
    X(clFlush) X(clFinish)                                                                                   \
    /* streams/stream_event.c, streams/stream_callback.c */                                                  \
    X(clWaitForEvents) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clSetEventCallback)                    \
    /* streams/stream_transfer.c */                                                                          \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer)             \
    X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect)                        \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)                                                         \
    /* streams/stream_closing.c */                                                                           \
    X(clEnqueueMigrateMemObjects) X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueCopyImage)         \
    X(clEnqueueCopyImageToBuffer) X(clEnqueueCopyBufferToImage) X(clEnqueueFillImage)                        \
    X(clEnqueueMapImage) X(clEnqueueMarker) X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrier)               \
    X(clEnqueueBarrierWithWaitList) X(clEnqueueWaitForEvents) X(clEnqueueNativeKernel)                       \
    X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill) X(clEnqueueSVMMap)                      \
    X(clEnqueueSVMUnmap) X(clEnqueueSVMMigrateMem) X(clEnqueueAcquireGLObjects)                              \
    X(clEnqueueReleaseGLObjects) X(clEnqueueAcquireEGLObjectsKHR) X(clEnqueueReleaseEGLObjectsKHR)
/* clang-format on */

#define CW_STREAM_DECLARE(name) __typeof__(name) cw_stream_hook_##name;
CW_STREAM_HOOKS(CW_STREAM_DECLARE)
#undef CW_STREAM_DECLARE

/* The hooks below, and the vendor's functions with staged transfers in place of its own. Constant after the
 * start. */
extern struct cw_dispatch cw_stream_below, cw_stream_vendor;

#endif
