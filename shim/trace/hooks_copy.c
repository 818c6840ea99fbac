/* hooks_copy.c - commands between memory objects, and fills. */
#include "capture.h"
#include "hooks.h"

/* One hook: `transfer` is the initialiser of struct cw_transfer; `args` are those before the wait list. */
#define COPY(name, params, args, ...)                                                                        \
    cl_int cw_hook_##name(cl_command_queue queue, CW_UNPAREN params, cl_uint waits,                          \
                          const cl_event *wait_list, cl_event *event)                                        \
    {                                                                                                        \
        const struct cw_transfer t = {__VA_ARGS__};                                                          \
        struct cw_enqueue e;                                                                                 \
        cl_int status;                                                                                       \
        if (!cw_enqueue_begin(&e, queue, waits, wait_list, event, CW_CALLER))                                \
            return cw_traced.name(queue, CW_UNPAREN args, waits, wait_list, event);                          \
        status = cw_traced.name(queue, CW_UNPAREN args, waits, wait_list, e.event);                          \
        cw_enqueue_returned(&e, status);                                                                     \
        cw_enqueue_transfer(&e, &t);                                                                         \
        return status;                                                                                       \
    }

COPY(clEnqueueCopyBuffer, (cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t size),
     (src, dst, src_offset, dst_offset, size), .type = CL_COMMAND_COPY_BUFFER, .src = src, .dst = dst,
     .src_offset = src_offset, .dst_offset = dst_offset, .bytes = size)
COPY(clEnqueueCopyBufferRect,
     (cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *dst_origin, const size_t *region,
      size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch),
     (src, dst, src_origin, dst_origin, region, src_row_pitch, src_slice_pitch, dst_row_pitch,
      dst_slice_pitch),
     .type = CL_COMMAND_COPY_BUFFER_RECT, .src = src, .dst = dst, .src_origin = src_origin,
     .dst_origin = dst_origin, .region = region, .src_row_pitch = src_row_pitch,
     .src_slice_pitch = src_slice_pitch, .dst_row_pitch = dst_row_pitch, .dst_slice_pitch = dst_slice_pitch)
COPY(clEnqueueCopyImage,
     (cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *dst_origin, const size_t *region),
     (src, dst, src_origin, dst_origin, region), .type = CL_COMMAND_COPY_IMAGE, .src = src, .dst = dst,
     .src_origin = src_origin, .dst_origin = dst_origin, .region = region)
COPY(clEnqueueCopyImageToBuffer,
     (cl_mem src, cl_mem dst, const size_t *src_origin, const size_t *region, size_t dst_offset),
     (src, dst, src_origin, region, dst_offset), .type = CL_COMMAND_COPY_IMAGE_TO_BUFFER, .src = src,
     .dst = dst, .src_origin = src_origin, .region = region, .dst_offset = dst_offset)
COPY(clEnqueueCopyBufferToImage,
     (cl_mem src, cl_mem dst, size_t src_offset, const size_t *dst_origin, const size_t *region),
     (src, dst, src_offset, dst_origin, region), .type = CL_COMMAND_COPY_BUFFER_TO_IMAGE, .src = src,
     .dst = dst, .src_offset = src_offset, .dst_origin = dst_origin, .region = region)
COPY(clEnqueueFillBuffer, (cl_mem dst, const void *pattern, size_t pattern_size, size_t offset, size_t size),
     (dst, pattern, pattern_size, offset, size), .type = CL_COMMAND_FILL_BUFFER, .dst = dst,
     .dst_offset = offset, .bytes = size, .pattern = pattern,
     .pattern_bytes = pattern_size <= 128 ? pattern_size : 0)
static size_t color_bytes(cl_mem image)
{
    cl_image_format f;

    if (cw_traced.clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof f, &f, NULL) != CL_SUCCESS)
        return 0;
    return f.image_channel_order == CL_DEPTH ? 4 : 16;
}

/* the colour is four 32-bit numbers of any kind (depth images: one) */
COPY(clEnqueueFillImage, (cl_mem dst, const void *color, const size_t *origin, const size_t *region),
     (dst, color, origin, region), .type = CL_COMMAND_FILL_IMAGE, .dst = dst, .dst_origin = origin,
     .region = region, .pattern = color, .pattern_bytes = color_bytes(dst))
