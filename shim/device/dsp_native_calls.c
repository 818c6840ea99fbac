/* dsp_native_calls.c - the enqueueing functions, with the bytes or work-items of each. Functions that are not
 * here are of no bytes (cw_device_native_seen). */
#include "dsp_native.h"

#include "../../analyzer/kernels/footprint/op_kinds.h"
#include "dsp_clock.h"

enum { NAME = 128 }; /* longer names of kernels are cut; they only meet patterns of the platform file */

static struct cw_work moved(size_t bytes)
{
    return (struct cw_work){.bytes = (double)bytes};
}

static size_t volume(const size_t region[3])
{
    return region[0] * region[1] * region[2];
}

static size_t pixels(cl_mem image, const size_t region[3])
{
    size_t element = 0;

    cw_next.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL);
    return element * volume(region);
}

/* PoCL takes a launch without a global size as one of no work-items, as OpenCL 2.1 says. */
static double items(cl_uint work_dim, const size_t *global_size)
{
    double n = global_size != NULL;

    for (cl_uint i = 0; global_size && i < work_dim; i++)
        n *= (double)global_size[i];
    return n;
}

struct described {
    char name[NAME];
    struct cw_work_ops ops;
};

static struct cw_work launch(cl_kernel kernel, struct described *d, cl_uint dims, const size_t *global,
                             const size_t *local)
{
    char *name = d->name;
    bool known = cw_device_by_operations() && cw_device_count_operations &&
                 cw_device_count_operations(kernel, dims, global, local, &d->ops);

    if (cw_next.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, NAME, name, NULL) != CL_SUCCESS)
        name[0] = '\0';
    return (struct cw_work){.kernel = name, .items = items(dims, global), .ops = known ? &d->ops : NULL};
}

/* A launch on a DSP that has died, or dies now. */
static bool is_refused(const struct cw_native_span *s)
{
    struct cw_work work = {.kernel = "", .items = 1};
    struct cw_hold h;

    if (!s->dsp || !cw_dsp_refuses(s->dsp))
        return false;
    cw_dsp_begin(s->dsp, &work, s->ready_ns, &h);
    return true;
}

/* A call that returns an error code. `work_` is looked at only after the vendor has accepted the arguments.
 */
#define TIMED(call, work_, blocking) TIMED_UNLESS(false, call, work_, blocking)
#define TIMED_UNLESS(refused, call, work_, blocking)                                                         \
    struct cw_native_span s;                                                                                 \
    struct cw_work work;                                                                                     \
    cl_int error;                                                                                            \
                                                                                                             \
    if (!cw_dsp_native_open(&s, command_queue, num_events_in_wait_list, event_wait_list))                    \
        return cw_next.call;                                                                                 \
    if (refused)                                                                                             \
        return CL_OUT_OF_RESOURCES;                                                                          \
    error = cw_next.call;                                                                                    \
    if (error != CL_SUCCESS)                                                                                 \
        return error;                                                                                        \
    work = work_;                                                                                            \
    return cw_dsp_native_close(&s, error, &work, event, blocking)

/* A call that returns a pointer. */
#define TIMED_MAP(call, work_, blocking)                                                                     \
    struct cw_native_span s;                                                                                 \
    struct cw_work work;                                                                                     \
    void *pointer;                                                                                           \
                                                                                                             \
    if (!cw_dsp_native_open(&s, command_queue, num_events_in_wait_list, event_wait_list))                    \
        return cw_next.call;                                                                                 \
    pointer = cw_next.call;                                                                                  \
    if (!pointer)                                                                                            \
        return NULL;                                                                                         \
    work = work_;                                                                                            \
    cw_dsp_native_close(&s, CL_SUCCESS, &work, event, blocking);                                             \
    return pointer

static cl_int timed_clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                                        size_t offset, size_t size, void *ptr,
                                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                        cl_event *event)
{
    TIMED(clEnqueueReadBuffer(command_queue, buffer, blocking_read, offset, size, ptr,
                              num_events_in_wait_list, event_wait_list, event),
          moved(size), blocking_read);
}

static cl_int timed_clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
                                         cl_bool blocking_write, size_t offset, size_t size, const void *ptr,
                                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                         cl_event *event)
{
    TIMED(clEnqueueWriteBuffer(command_queue, buffer, blocking_write, offset, size, ptr,
                               num_events_in_wait_list, event_wait_list, event),
          moved(size), blocking_write);
}

static cl_int timed_clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                                        size_t src_offset, size_t dst_offset, size_t size,
                                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                        cl_event *event)
{
    TIMED(clEnqueueCopyBuffer(command_queue, src_buffer, dst_buffer, src_offset, dst_offset, size,
                              num_events_in_wait_list, event_wait_list, event),
          moved(size), false);
}

static cl_int timed_clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                                        size_t pattern_size, size_t offset, size_t size,
                                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                        cl_event *event)
{
    TIMED(clEnqueueFillBuffer(command_queue, buffer, pattern, pattern_size, offset, size,
                              num_events_in_wait_list, event_wait_list, event),
          moved(size), false);
}

static void *timed_clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                                      cl_map_flags map_flags, size_t offset, size_t size,
                                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                      cl_event *event, cl_int *errcode_ret)
{
    TIMED_MAP(clEnqueueMapBuffer(command_queue, buffer, blocking_map, map_flags, offset, size,
                                 num_events_in_wait_list, event_wait_list, event, errcode_ret),
              moved(0), blocking_map);
}

static cl_int timed_clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                            cl_bool blocking_read, const size_t *buffer_origin,
                                            const size_t *host_origin, const size_t *region,
                                            size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                            size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
                                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                            cl_event *event)
{
    TIMED(clEnqueueReadBufferRect(command_queue, buffer, blocking_read, buffer_origin, host_origin, region,
                                  buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr,
                                  num_events_in_wait_list, event_wait_list, event),
          moved(volume(region)), blocking_read);
}

static cl_int timed_clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                             cl_bool blocking_write, const size_t *buffer_origin,
                                             const size_t *host_origin, const size_t *region,
                                             size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                             size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
                                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                             cl_event *event)
{
    TIMED(clEnqueueWriteBufferRect(command_queue, buffer, blocking_write, buffer_origin, host_origin, region,
                                   buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch,
                                   ptr, num_events_in_wait_list, event_wait_list, event),
          moved(volume(region)), blocking_write);
}

static cl_int timed_clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer,
                                            cl_mem dst_buffer, const size_t *src_origin,
                                            const size_t *dst_origin, const size_t *region,
                                            size_t src_row_pitch, size_t src_slice_pitch,
                                            size_t dst_row_pitch, size_t dst_slice_pitch,
                                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                            cl_event *event)
{
    TIMED(clEnqueueCopyBufferRect(command_queue, src_buffer, dst_buffer, src_origin, dst_origin, region,
                                  src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch,
                                  num_events_in_wait_list, event_wait_list, event),
          moved(volume(region)), false);
}

static cl_int timed_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                                       const size_t *origin, const size_t *region, size_t row_pitch,
                                       size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                       const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueReadImage(command_queue, image, blocking_read, origin, region, row_pitch, slice_pitch, ptr,
                             num_events_in_wait_list, event_wait_list, event),
          moved(pixels(image, region)), blocking_read);
}

static cl_int timed_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                        const size_t *origin, const size_t *region, size_t input_row_pitch,
                                        size_t input_slice_pitch, const void *ptr,
                                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                        cl_event *event)
{
    TIMED(clEnqueueWriteImage(command_queue, image, blocking_write, origin, region, input_row_pitch,
                              input_slice_pitch, ptr, num_events_in_wait_list, event_wait_list, event),
          moved(pixels(image, region)), blocking_write);
}

static cl_int timed_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                                       const size_t *src_origin, const size_t *dst_origin,
                                       const size_t *region, cl_uint num_events_in_wait_list,
                                       const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueCopyImage(command_queue, src_image, dst_image, src_origin, dst_origin, region,
                             num_events_in_wait_list, event_wait_list, event),
          moved(pixels(src_image, region)), false);
}

static cl_int timed_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                               cl_mem dst_buffer, const size_t *src_origin,
                                               const size_t *region, size_t dst_offset,
                                               cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueCopyImageToBuffer(command_queue, src_image, dst_buffer, src_origin, region, dst_offset,
                                     num_events_in_wait_list, event_wait_list, event),
          moved(pixels(src_image, region)), false);
}

static cl_int timed_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                               cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                               const size_t *region, cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueCopyBufferToImage(command_queue, src_buffer, dst_image, src_offset, dst_origin, region,
                                     num_events_in_wait_list, event_wait_list, event),
          moved(pixels(dst_image, region)), false);
}

static cl_int timed_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                                       const size_t *origin, const size_t *region,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    TIMED(clEnqueueFillImage(command_queue, image, fill_color, origin, region, num_events_in_wait_list,
                             event_wait_list, event),
          moved(pixels(image, region)), false);
}

static void *timed_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                                     cl_map_flags map_flags, const size_t *origin, const size_t *region,
                                     size_t *image_row_pitch, size_t *image_slice_pitch,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event, cl_int *errcode_ret)
{
    TIMED_MAP(clEnqueueMapImage(command_queue, image, blocking_map, map_flags, origin, region,
                                image_row_pitch, image_slice_pitch, num_events_in_wait_list, event_wait_list,
                                event, errcode_ret),
              moved(0), blocking_map);
}

static cl_int timed_clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                            cl_event *event)
{
    TIMED(clEnqueueUnmapMemObject(command_queue, memobj, mapped_ptr, num_events_in_wait_list, event_wait_list,
                                  event),
          moved(0), false);
}

static cl_int timed_clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                               const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                               cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueMigrateMemObjects(command_queue, num_mem_objects, mem_objects, flags,
                                     num_events_in_wait_list, event_wait_list, event),
          moved(0), false);
}

static cl_int timed_clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
                                                cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueMarkerWithWaitList(command_queue, num_events_in_wait_list, event_wait_list, event),
          moved(0), false);
}

static cl_int timed_clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
                                                 cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueBarrierWithWaitList(command_queue, num_events_in_wait_list, event_wait_list, event),
          moved(0), false);
}

static cl_int timed_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                                       const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                       const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueSVMMemcpy(command_queue, blocking_copy, dst_ptr, src_ptr, size, num_events_in_wait_list,
                             event_wait_list, event),
          moved(size), blocking_copy);
}

static cl_int timed_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                                        size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueSVMMemFill(command_queue, svm_ptr, pattern, pattern_size, size, num_events_in_wait_list,
                              event_wait_list, event),
          moved(size), false);
}

static cl_int timed_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                                    void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    TIMED(clEnqueueSVMMap(command_queue, blocking_map, flags, svm_ptr, size, num_events_in_wait_list,
                          event_wait_list, event),
          moved(0), blocking_map);
}

static cl_int timed_clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                           const size_t *global_work_offset, const size_t *global_work_size,
                                           const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                           const cl_event *event_wait_list, cl_event *event)
{
    struct described d;

    TIMED_UNLESS(is_refused(&s),
                 clEnqueueNDRangeKernel(command_queue, kernel, work_dim, global_work_offset, global_work_size,
                                        local_work_size, num_events_in_wait_list, event_wait_list, event),
                 launch(kernel, &d, work_dim, global_work_size, local_work_size), false);
}

static cl_int timed_clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                  cl_event *event)
{
    struct described d;

    TIMED_UNLESS(is_refused(&s),
                 clEnqueueTask(command_queue, kernel, num_events_in_wait_list, event_wait_list, event),
                 launch(kernel, &d, 1, &(size_t){1}, &(size_t){1}), false);
}

void cw_dsp_native_fill_calls(struct cw_dispatch *table)
{
    table->clEnqueueReadBuffer = timed_clEnqueueReadBuffer;
    table->clEnqueueWriteBuffer = timed_clEnqueueWriteBuffer;
    table->clEnqueueCopyBuffer = timed_clEnqueueCopyBuffer;
    table->clEnqueueFillBuffer = timed_clEnqueueFillBuffer;
    table->clEnqueueMapBuffer = timed_clEnqueueMapBuffer;
    table->clEnqueueReadBufferRect = timed_clEnqueueReadBufferRect;
    table->clEnqueueWriteBufferRect = timed_clEnqueueWriteBufferRect;
    table->clEnqueueCopyBufferRect = timed_clEnqueueCopyBufferRect;
    table->clEnqueueReadImage = timed_clEnqueueReadImage;
    table->clEnqueueWriteImage = timed_clEnqueueWriteImage;
    table->clEnqueueCopyImage = timed_clEnqueueCopyImage;
    table->clEnqueueCopyImageToBuffer = timed_clEnqueueCopyImageToBuffer;
    table->clEnqueueCopyBufferToImage = timed_clEnqueueCopyBufferToImage;
    table->clEnqueueFillImage = timed_clEnqueueFillImage;
    table->clEnqueueMapImage = timed_clEnqueueMapImage;
    table->clEnqueueUnmapMemObject = timed_clEnqueueUnmapMemObject;
    table->clEnqueueMigrateMemObjects = timed_clEnqueueMigrateMemObjects;
    table->clEnqueueMarkerWithWaitList = timed_clEnqueueMarkerWithWaitList;
    table->clEnqueueBarrierWithWaitList = timed_clEnqueueBarrierWithWaitList;
    table->clEnqueueSVMMemcpy = timed_clEnqueueSVMMemcpy;
    table->clEnqueueSVMMemFill = timed_clEnqueueSVMMemFill;
    table->clEnqueueSVMMap = timed_clEnqueueSVMMap;
    table->clEnqueueNDRangeKernel = timed_clEnqueueNDRangeKernel;
    table->clEnqueueTask = timed_clEnqueueTask;
}
