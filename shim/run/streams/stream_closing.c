/* stream_closing.c - commands that close the streams: everything before them is over first, everything
 * behind them waits. */
#include "stream_enqueue.h"

#include "../staging/staging.h"
#include "stream_hooks.h"
#include "stream_version.h"

#define CLOSING(name, blocks, waits_for_host, images, params, args)                                          \
    cl_int cw_stream_hook_##name(cl_command_queue queue, CW_UNPAREN params, cl_uint n, const cl_event *list, \
                                 cl_event *event)                                                            \
    {                                                                                                        \
        struct cw_stream_use t;                                                                              \
        struct cw_stream_call c;                                                                             \
        const struct cw_dispatch *to = &cw_stream_below;                                                     \
        cl_int err;                                                                                          \
        if (cw_stream_skips(queue, n, list))                                                                 \
            return to->name(queue, CW_UNPAREN args, n, list, event);                                         \
        do {                                                                                                 \
            cw_stream_use_close(&t);                                                                         \
            t.hosted = waits_for_host;                                                                       \
            t.pixels = images;                                                                               \
            to = cw_stream_begin(&c, queue, &t, blocks, n, list, event);                                     \
            err = cw_stream_end(&c, to->name(c.queue, CW_UNPAREN args, c.n, c.list, c.event));               \
        } while (cw_stream_version_again(&c));                                                               \
        return err;                                                                                          \
    }

CLOSING(clEnqueueMigrateMemObjects, CL_FALSE, false, false,
        (cl_uint count, const cl_mem *objects, cl_mem_migration_flags flags), (count, objects, flags))
CLOSING(clEnqueueCopyImage, CL_FALSE, false, true,
        (cl_mem from, cl_mem target, const size_t *a, const size_t *b, const size_t *region),
        (from, target, a, b, region))
CLOSING(clEnqueueCopyImageToBuffer, CL_FALSE, false, false,
        (cl_mem from, cl_mem target, const size_t *origin, const size_t *region, size_t offset),
        (from, target, origin, region, offset))
CLOSING(clEnqueueCopyBufferToImage, CL_FALSE, false, false,
        (cl_mem from, cl_mem target, size_t offset, const size_t *origin, const size_t *region),
        (from, target, offset, origin, region))
CLOSING(clEnqueueFillImage, CL_FALSE, false, true,
        (cl_mem image, const void *color, const size_t *origin, const size_t *region),
        (image, color, origin, region))
CLOSING(clEnqueueSVMFree, CL_FALSE, true, false,
        (cl_uint count, void *pointers[],
         void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void *[], void *), void *data),
        (count, pointers, function, data))
CLOSING(clEnqueueSVMMemFill, CL_FALSE, false, false,
        (void *target, const void *pattern, size_t pattern_bytes, size_t bytes),
        (target, pattern, pattern_bytes, bytes))
CLOSING(clEnqueueSVMUnmap, CL_FALSE, false, false, (void *pointer), (pointer))
CLOSING(clEnqueueSVMMigrateMem, CL_FALSE, false, false,
        (cl_uint count, const void **pointers, const size_t *bytes, cl_mem_migration_flags flags),
        (count, pointers, bytes, flags))
CLOSING(clEnqueueAcquireGLObjects, CL_FALSE, false, false, (cl_uint count, const cl_mem *objects),
        (count, objects))
CLOSING(clEnqueueReleaseGLObjects, CL_FALSE, false, false, (cl_uint count, const cl_mem *objects),
        (count, objects))
CLOSING(clEnqueueAcquireEGLObjectsKHR, CL_FALSE, false, false, (cl_uint count, const cl_mem *objects),
        (count, objects))
CLOSING(clEnqueueReleaseEGLObjectsKHR, CL_FALSE, false, false, (cl_uint count, const cl_mem *objects),
        (count, objects))
CLOSING(clEnqueueNativeKernel, CL_FALSE, true, false,
        (void(CL_CALLBACK * function)(void *), void *data, size_t bytes, cl_uint count, const cl_mem *memory,
         const void **places),
        (function, data, bytes, count, memory, places))

/* ---- blocking ones: `blocking` in the arguments is the vendor's */

#define BLOCKING(name, is_early, is_transfer, params, args)                                                  \
    cl_int cw_stream_hook_##name(cl_command_queue queue, CW_UNPAREN params, cl_uint n, const cl_event *list, \
                                 cl_event *event)                                                            \
    {                                                                                                        \
        struct cw_stream_use t;                                                                              \
        struct cw_stream_call c;                                                                             \
        const struct cw_dispatch *to = &cw_stream_below;                                                     \
        cl_bool blocks = blocking;                                                                           \
        cl_int err;                                                                                          \
        if (cw_stream_skips(queue, n, list))                                                                 \
            return to->name(queue, CW_UNPAREN args, n, list, event);                                         \
        do {                                                                                                 \
            cw_stream_use_close(&t);                                                                         \
            t.early = is_early;                                                                              \
            t.transfers = t.pixels = is_transfer;                                                            \
            to = cw_stream_begin(&c, queue, &t, blocks, n, list, event);                                     \
            blocking = c.blocking;                                                                           \
            err = cw_stream_end(&c, to->name(c.queue, CW_UNPAREN args, c.n, c.list, c.event));               \
        } while (cw_stream_version_again(&c));                                                               \
        return err;                                                                                          \
    }
BLOCKING(clEnqueueReadImage, false, true,
         (cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row,
          size_t slice, void *host),
         (image, blocking, origin, region, row, slice, host))
BLOCKING(clEnqueueWriteImage, true, true,
         (cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row,
          size_t slice, const void *host),
         (image, blocking, origin, region, row, slice, host))
BLOCKING(clEnqueueSVMMemcpy, false, false, (cl_bool blocking, void *target, const void *from, size_t bytes),
         (blocking, target, from, bytes))
BLOCKING(clEnqueueSVMMap, false, false, (cl_bool blocking, cl_map_flags flags, void *pointer, size_t bytes),
         (blocking, flags, pointer, bytes))

void *cw_stream_hook_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                       cl_map_flags flags, const size_t *origin, const size_t *region,
                                       size_t *row, size_t *slice, cl_uint n, const cl_event *list,
                                       cl_event *event, cl_int *err)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;
    void *address;
    cl_int error = CL_SUCCESS;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueMapImage(queue, image, blocking, flags, origin, region, row, slice, n, list,
                                     event, err);
    cw_stream_use_close(&t);
    t.pixels = true;
    to = cw_stream_begin(&c, queue, &t, blocking, n, list, event);
    if (c.turn)
        cw_run_staging_notes_maps(image);
    address = to->clEnqueueMapImage(c.queue, image, c.blocking, flags, origin, region, row, slice, c.n,
                                    c.list, c.event, &error);
    error = cw_stream_end(&c, error);
    if (err)
        *err = error;
    return address;
}

/* ---- markers and barriers */

#define SYNC(name)                                                                                           \
    cl_int cw_stream_hook_##name(cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)   \
    {                                                                                                        \
        struct cw_stream_use t;                                                                              \
        struct cw_stream_call c;                                                                             \
        const struct cw_dispatch *to = &cw_stream_below;                                                     \
        if (cw_stream_skips(queue, n, list))                                                                 \
            return to->name(queue, n, list, event);                                                          \
        cw_stream_use_close(&t);                                                                             \
        t.idle = true;                                                                                       \
        to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, event);                                       \
        return cw_stream_end(&c, to->name(c.queue, c.n, c.list, c.event));                                   \
    }
SYNC(clEnqueueMarkerWithWaitList)
SYNC(clEnqueueBarrierWithWaitList)

cl_int cw_stream_hook_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;

    if (cw_stream_skips(queue, 0, NULL))
        return to->clEnqueueMarker(queue, event);
    cw_stream_use_close(&t);
    t.no_list = t.idle = true;
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, 0, NULL, event);
    return cw_stream_end(&c, to->clEnqueueMarker(c.queue, c.event));
}

cl_int cw_stream_hook_clEnqueueBarrier(cl_command_queue queue)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;

    if (cw_stream_skips(queue, 0, NULL))
        return to->clEnqueueBarrier(queue);
    cw_stream_use_close(&t);
    t.no_list = t.idle = true;
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, 0, NULL, NULL);
    return cw_stream_end(&c, to->clEnqueueBarrier(c.queue));
}

cl_int cw_stream_hook_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint n, const cl_event *list)
{
    struct cw_stream_use t;
    struct cw_stream_call c;
    const struct cw_dispatch *to = &cw_stream_below;

    if (cw_stream_skips(queue, n, list))
        return to->clEnqueueWaitForEvents(queue, n, list);
    cw_stream_use_close(&t);
    t.idle = true;
    to = cw_stream_begin(&c, queue, &t, CL_FALSE, n, list, NULL);
    return cw_stream_end(&c, to->clEnqueueWaitForEvents(c.queue, c.n, c.list));
}

bool cw_stream_closing_begin(struct cw_stream_call *c, struct cw_stream_use *t, cl_command_queue queue,
                             cl_uint n, const cl_event *list, cl_event *event)
{
    if (cw_stream_skips(queue, n, list))
        return false;
    cw_stream_use_close(t);
    t->hosted = true;
    cw_stream_begin(c, queue, t, CL_FALSE, n, list, event);
    if (c->q)
        return true;
    if (c->waits.own_end > c->waits.own) /* the layer below gets the program's list */
        cw_next.clWaitForEvents(c->waits.own_end - c->waits.own, c->waits.list + c->waits.own);
    cw_stream_end(c, CL_SUCCESS);
    return false;
}
