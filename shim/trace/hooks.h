/* hooks.h - the functions that the trace mode hooks, in one list.
 *
 * cw_hook_clX has clX's own type and is in the file named beside it; mode_trace.c makes the table. */
#ifndef CW_HOOKS_H
#define CW_HOOKS_H

#include "recorder.h"

/* clang-format off */
#define CW_TRACE_HOOKS(X)                                                                                    \
    /* hooks_object.c, also retain and release of programs and kernels */                                    \
    X(clGetPlatformIDs) X(clGetDeviceIDs) X(clCreateSubDevices) X(clReleaseDevice) X(clCreateContext)        \
    X(clCreateContextFromType) X(clGetContextInfo) X(clRetainContext) X(clReleaseContext)                    \
    X(clCreateSampler) X(clCreateSamplerWithProperties) X(clRetainSampler) X(clReleaseSampler)               \
    /* hooks_queue.c */                                                                                      \
    X(clCreateCommandQueue) X(clCreateCommandQueueWithProperties) X(clRetainCommandQueue)                    \
    X(clReleaseCommandQueue) X(clGetCommandQueueInfo) X(clSetCommandQueueProperty) X(clFlush) X(clFinish)    \
    /* hooks_memory.c */                                                                                     \
    X(clCreateBuffer) X(clCreateBufferWithProperties) X(clCreateSubBuffer) X(clCreateImage)                  \
    X(clCreateImageWithProperties) X(clCreateImage2D) X(clCreateImage3D) X(clCreatePipe)                     \
    X(clCreateFromGLBuffer) X(clCreateFromGLTexture) X(clCreateFromGLTexture2D) X(clCreateFromGLTexture3D)   \
    X(clCreateFromGLRenderbuffer) X(clCreateFromEGLImageKHR) X(clRetainMemObject) X(clReleaseMemObject)      \
    X(clSVMAlloc) X(clSVMFree)                                                                               \
    /* hooks_program.c */                                                                                    \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clCreateProgramWithIL)                       \
    X(clCreateProgramWithBuiltInKernels) X(clRetainProgram) X(clReleaseProgram) X(clBuildProgram)            \
    X(clCompileProgram) X(clLinkProgram) X(clGetProgramInfo)                                                 \
    X(clSetProgramSpecializationConstant)                                                                    \
    /* hooks_kernel.c */                                                                                     \
    X(clCreateKernel) X(clCreateKernelsInProgram) X(clCloneKernel) X(clRetainKernel) X(clReleaseKernel)      \
    X(clSetKernelArg) X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo) X(clEnqueueNDRangeKernel)           \
    X(clEnqueueTask)                                                                                         \
    /* hooks_event.c */                                                                                      \
    X(clWaitForEvents) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clRetainEvent) X(clReleaseEvent)       \
    X(clCreateUserEvent) X(clSetUserEventStatus) X(clSetEventCallback)                                       \
    /* hooks_transfer.c */                                                                                   \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect)    \
    X(clEnqueueReadImage) X(clEnqueueWriteImage)                                                             \
    /* hooks_transfer.c */                                                                                   \
    X(clEnqueueCopyBuffer) X(clEnqueueCopyBufferRect) X(clEnqueueCopyImage) X(clEnqueueCopyImageToBuffer)    \
    X(clEnqueueCopyBufferToImage) X(clEnqueueFillBuffer) X(clEnqueueFillImage)                               \
    /* hooks_map.c */                                                                                        \
    X(clEnqueueMapBuffer) X(clEnqueueMapImage) X(clEnqueueUnmapMemObject)                                    \
    /* hooks_transfer.c */                                                                                   \
    X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill) X(clEnqueueSVMMap)                      \
    X(clEnqueueSVMUnmap) X(clEnqueueSVMMigrateMem)                                                           \
    /* hooks_event.c */                                                                                      \
    X(clEnqueueMarker) X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrier) X(clEnqueueBarrierWithWaitList)    \
    X(clEnqueueWaitForEvents) X(clEnqueueMigrateMemObjects) X(clEnqueueNativeKernel)                         \
    X(clEnqueueAcquireGLObjects) X(clEnqueueReleaseGLObjects) X(clEnqueueAcquireEGLObjectsKHR)               \
    X(clEnqueueReleaseEGLObjectsKHR)
/* clang-format on */

#define CW_DECLARE_HOOK(name) __typeof__(name) cw_hook_##name;
CW_TRACE_HOOKS(CW_DECLARE_HOOK)
#undef CW_DECLARE_HOOK

/* mode_trace.c: extension functions that enqueue or make memory. */
extern const struct cw_ext_hooks cw_trace_ext_hooks;

/* After a call by which the host knows that `queue` (NULL: none in particular) has finished command `seq`, or
 * everything (UINT64_MAX): harvests device times and captured reads. */
void cw_hooks_host_synchronised(cl_command_queue queue, uint64_t seq);

struct cw_options;
/* Begins to record: the hooks then call `below`. `ends` (may be NULL) is called at the end, before the log is
 * closed. False: nothing is recorded, which has been said. Once. */
bool cw_mode_trace_start(const struct cw_options *options, const struct cw_dispatch *below,
                         void (*ends)(void));
void cw_mode_trace_stop(void); /* the last thing: the library goes */

/* Makes the exit handler run before those that the vendor has registered so far (mode_trace.c). */
void cw_mode_trace_register_exit(void);

#endif
