/* blocking.c - calls that wait for a command whose wait list names a failed one: each returns that error, as
 * the command's event says it. An argument chooses one call, behind a launch that a planted fault may refuse;
 * without an argument all calls run, and no launch fails. */
#include "common.h"

#define WORDS 64
#define BYTES (WORDS * sizeof(int))

static struct app a;
static cl_command_queue queue;
static cl_mem buffer, image;
static int words[WORDS];
static const size_t origin[3], rows[3] = {16, 8, 1}, pixels[3] = {8, 8, 1};

static cl_int read_buffer(cl_event *list, cl_event *event)
{
    return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, words, 1, list, event);
}

static cl_int write_buffer(cl_event *list, cl_event *event)
{
    return clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, words, 1, list, event);
}

static cl_int read_rectangle(cl_event *list, cl_event *event)
{
    return clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, rows, 32, 0, 16, 0, words, 1, list,
                                   event);
}

static cl_int write_rectangle(cl_event *list, cl_event *event)
{
    return clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, rows, 32, 0, 16, 0, words, 1,
                                    list, event);
}

static cl_int read_image(cl_event *list, cl_event *event)
{
    return clEnqueueReadImage(queue, image, CL_TRUE, origin, pixels, 0, 0, words, 1, list, event);
}

static cl_int write_image(cl_event *list, cl_event *event)
{
    return clEnqueueWriteImage(queue, image, CL_TRUE, origin, pixels, 0, 0, words, 1, list, event);
}

static cl_int mapped(cl_mem memory, const void *address, cl_int err)
{
    app_expect(&a, !address == (err < 0), "address %p and error %d", address, err);
    if (address)
        APP_CHECK(clEnqueueUnmapMemObject(queue, memory, (void *)(uintptr_t)address, 0, NULL, NULL));
    return err;
}

static cl_int map_buffer(cl_event *list, cl_event *event)
{
    cl_int err = 1;
    void *address = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 1, list, event, &err);

    return mapped(buffer, address, err);
}

static cl_int map_image(cl_event *list, cl_event *event)
{
    size_t row, slice;
    cl_int err = 1;
    void *address = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, pixels, &row, &slice, 1,
                                      list, event, &err);

    return mapped(image, address, err);
}

/* The read has no wait list: the barrier in front of it has. */
static cl_int read_behind_barrier(cl_event *list, cl_event *event)
{
    APP_CHECK(clEnqueueBarrierWithWaitList(queue, 1, list, NULL));
    return clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, words, 0, NULL, event);
}

static const struct {
    const char *name;
    cl_int (*call)(cl_event *, cl_event *);
    cl_command_queue_properties properties;
} calls[] = {{"read", read_buffer, 0},
             {"write", write_buffer, 0},
             {"read rectangle", read_rectangle, 0},
             {"write rectangle", write_rectangle, 0},
             {"read image", read_image, 0},
             {"write image", write_image, 0},
             {"map", map_buffer, 0},
             {"map image", map_image, 0},
             {"out of order", read_buffer, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE},
             {"barrier", read_behind_barrier, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}};

enum { CALLS = sizeof calls / sizeof *calls };

static void behind_launch(size_t i, cl_kernel add)
{
    cl_event e[2];
    cl_int err, waited;

    queue = app_queue(&a, calls[i].properties);
    app_args(add, "mi", buffer, 3);
    app_run(queue, add, WORDS, 0, 0, NULL, &e[0]);
    err = calls[i].call(&e[0], &e[1]);
    waited = clWaitForEvents(1, &e[1]);
    printf("%s: returned %d, event %d, launch %d, waited %d, finished %d\n", calls[i].name, err,
           rm_status(e[1]), rm_status(e[0]), waited, clFinish(queue));
    app_release_events(e, 2);
    APP_CHECK(clReleaseCommandQueue(queue));
}

static cl_mem new_image(void)
{
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_int err;
    cl_mem m = clCreateImage(a.context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);

    APP_CHECK(err);
    return m;
}

int main(int argc, char **argv)
{
    size_t one = app_size(argc, argv, 1, CALLS, 0, CALLS);
    cl_kernel add;

    app_open(&a, "blocking", 0, RM_SOURCE);
    add = app_kernel(&a, "add");
    buffer = app_buffer(&a, CL_MEM_COPY_HOST_PTR, BYTES, words);
    image = new_image();
    APP_CHECK(clEnqueueWriteImage(a.queue, image, CL_TRUE, origin, pixels, 0, 0, words, 0, NULL, NULL));
    rm_warm(&a, add, buffer);
    for (size_t i = 0; i < CALLS; i++)
        if (one == CALLS || one == i)
            behind_launch(i, add);
    app_read(&a, buffer, 0, BYTES, words);
    app_release_mems((cl_mem[]){buffer, image}, 2);
    APP_CHECK(clReleaseKernel(add));
    return app_close(&a);
}
