/* content.c - PoCL's extension cl_pocl_content_size: copies take no more than the content of a buffer, whose
 * size is in another buffer when they run. */
#include "common.h"

typedef cl_int(CL_API_CALL *set_size)(cl_mem buffer, cl_mem size);

static struct app a;

/* Prints the bytes after a copy into fresh bytes of 2. */
static void copied(const char *what, cl_mem from, cl_mem to, size_t at, size_t bytes, cl_event *event)
{
    const char two = 2;
    char v[1024];
    int ones = 0, last = -1;
    cl_int err;

    APP_CHECK(clEnqueueFillBuffer(a.queue, to, &two, 1, 0, sizeof v, 0, NULL, NULL));
    err = clEnqueueCopyBuffer(a.queue, from, to, at, at, bytes, 0, NULL, event);
    APP_CHECK(clEnqueueReadBuffer(a.queue, to, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL));
    for (int i = 0; i < (int)sizeof v; i++)
        if (v[i] == 1) {
            ones++;
            last = i;
        }
    printf("%s: error %d, %d bytes, the last %d\n", what, err, ones, last);
}

static void resize(cl_mem size, uint64_t bytes)
{
    APP_CHECK(clEnqueueWriteBuffer(a.queue, size, CL_TRUE, 0, sizeof bytes, &bytes, 0, NULL, NULL));
}

static cl_uint references(cl_mem memory)
{
    cl_uint count = 0;

    APP_CHECK(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static void fill(cl_mem x)
{
    const char one = 1;

    APP_CHECK(clEnqueueFillBuffer(a.queue, x, &one, 1, 0, 1024, 0, NULL, NULL));
}

static void from_part(cl_mem from, cl_mem to)
{
    cl_mem part = app_sub_buffer(from, 0, 256, 256); /* has the content of the whole */

    APP_CHECK(clEnqueueCopyBuffer(a.queue, part, to, 10, 0, 100, 0, NULL, NULL));
    copied("from a part", part, to, 0, 256, NULL);
    APP_CHECK(clReleaseMemObject(part));
}

/* Buffers that the host may not map. */
static void hidden(set_size set, cl_mem to)
{
    cl_mem from = app_buffer(&a, CL_MEM_HOST_NO_ACCESS, 1024, NULL),
           between = app_buffer(&a, CL_MEM_HOST_NO_ACCESS, 1024, NULL), size = app_buffer(&a, 0, 16, NULL);
    const char three = 3;

    fill(from);
    APP_CHECK(clEnqueueFillBuffer(a.queue, between, &three, 1, 0, 1024, 0, NULL, NULL));
    printf("set: %d\n", set(from, size));
    resize(size, 300);
    copied("hidden", from, to, 200, 200, NULL);
    APP_CHECK(clEnqueueCopyBuffer(a.queue, from, between, 250, 100, 150, 0, NULL, NULL));
    copied("by a hidden one", between, to, 0, 1024, NULL);
    APP_CHECK(clFinish(a.queue));
    APP_CHECK(clReleaseMemObject(from));
    APP_CHECK(clReleaseMemObject(between));
    APP_CHECK(clReleaseMemObject(size));
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_mem from, to, size;
    cl_command_type type = 0;
    cl_event event;
    set_size set;

    app_open(&a, "content", 0, NULL);
    APP_CHECK(clGetContextInfo(a.context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL));
    APP_CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    from = app_buffer(&a, 0, 1024, NULL);
    to = app_buffer(&a, 0, 1024, NULL);
    size = app_buffer(&a, 0, 16, NULL);
    fill(from); /* managed, not waited for */
    *(void **)&set = clGetExtensionFunctionAddressForPlatform(platform, "clSetContentSizeBufferPoCL");
    if (!set)
        app_skip("content", "the platform has no cl_pocl_content_size");
    resize(size, 128);
    copied("without", from, to, 0, 1024, NULL);
    printf("no buffer: %d %d\n", set(NULL, size), set(from, NULL));
    printf("set: %d\n", set(from, size));
    copied("all", from, to, 0, 1024, &event);
    APP_CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    printf("type %#x, status %d\n", type, rm_poll(event));
    APP_CHECK(clReleaseEvent(event));
    copied("behind it", from, to, 200, 100, NULL);
    copied("half of it", from, to, 100, 100, NULL);
    resize(size, 2000);
    copied("more than there is", from, to, 0, 1024, NULL);
    copied("too much", from, to, 1000, 100, NULL);
    resize(size, 300);
    from_part(from, to);
    hidden(set, to);
    copied("to itself", from, from, 0, 100, NULL);
    fill(from);
    APP_CHECK(clFinish(a.queue));
    (void)RM_SETTLED(references(size), 1);
    APP_CHECK(clReleaseMemObject(size)); /* then there is none; from PoCL 6 on the buffer has a reference */
    copied("released", from, to, 0, 1024, NULL);
    APP_CHECK(clReleaseMemObject(from));
    APP_CHECK(clReleaseMemObject(to));
    return app_close(&a);
}
