/* asked - who asks the vendor for the times of commands, and when: above libaskedcl.so, whose path is the
 * first argument. Cases: "waits": for each kind of call that waits, and beside another thread that enqueues;
 * "many": more launches without a wait than may be pending, of which the second argument says how many;
 * "steps": a step of 33 launches and one wait, so many times, and the ns that a step took. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "askedcl.h"

enum { LAUNCHES = 256, EACH = 4 /* questions at most, of a command that has finished */ };
enum way { FINISH, WAIT, READ, WRITE, MAP, READ_IMAGE, MAP_IMAGE, SVM_COPY, SVM_MAP, WAYS };

static struct askedcl *asked;
static cl_context context;
static cl_command_queue queue, other;
static cl_kernel kernel;
static cl_mem buffer, image;
static int data[64];
static void *svm;

static void launch(int n)
{
    const size_t global = 64;

    for (int i = 0; i < n; i++)
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
}

static void wait_by(enum way way)
{
    const size_t origin[3] = {0}, region[3] = {4, 4, 1}, global = 64;
    cl_event event;
    size_t pitch;

    switch (way) {
    case FINISH:
        clFinish(queue);
        break;
    case WAIT:
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event);
        asked->waits = 1;
        clWaitForEvents(1, &event);
        clReleaseEvent(event);
        break;
    case READ:
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
        break;
    case WRITE:
        clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
        break;
    case MAP:
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof data, 0, NULL, NULL, NULL);
        break;
    case READ_IMAGE:
        clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
        break;
    case MAP_IMAGE:
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL, NULL,
                          NULL);
        break;
    case SVM_COPY:
        clEnqueueSVMMemcpy(queue, CL_TRUE, data, svm, sizeof data, 0, NULL, NULL);
        break;
    default:
        clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, svm, sizeof data, 0, NULL, NULL);
    }
}

static int by_others(void)
{
    return asked->waiting + asked->beside;
}

static void *finish_other(void *unused)
{
    asked->waits = 1;
    clFinish(other);
    return unused;
}

/* Another thread waits while this one enqueues: the one question that is under way is all. */
static int beside_another(void)
{
    pthread_t thread;
    int before;

    launch(LAUNCHES);
    asked->hold = by_others() + 2; /* the reader is at it */
    before = asked->hold;
    pthread_create(&thread, NULL, finish_other, NULL);
    while (by_others() < before)
        sched_yield();
    asked->hold = 1 << 30; /* if the wait has not returned, it stays */
    launch(1);
    before = by_others();
    launch(20 * LAUNCHES);
    before = by_others() - before;
    asked->hold = 0;
    pthread_join(thread, NULL);
    return before;
}

static void waits(void)
{
    int before, ways = 0;

    launch(4 * LAUNCHES);
    printf("no wait: %d by the program, %d by others\n", asked->program, by_others());
    for (int way = 0; way < WAYS; way++) {
        launch(LAUNCHES);
        before = by_others();
        asked->hold = before + LAUNCHES; /* the wait lasts until others have asked */
        if (way != WAIT)
            asked->waits = 1;
        wait_by(way);
        asked->hold = 0;
        ways += by_others() >= before + LAUNCHES;
    }
    printf("waits of %d kinds: others ask in %d, the program asks %d times\n", WAYS, ways, asked->program);
    printf("beside waits: %s\n", asked->beside <= EACH * WAYS ? "none" : "some");
    printf("another thread enqueues: %s\n", beside_another() <= EACH ? "none" : "some");
    launch(LAUNCHES);
    clReleaseCommandQueue(queue);
    printf("behind the queue's release: %d events\n", asked->events);
}

static void many(int most)
{
    launch(most);
    printf("%d pending: %d questions\n", asked->events == most, asked->program + by_others());
    launch(1000);
    printf("%d pending at most: the program asks for %d\n", asked->most == most + 1, asked->program >= 2000);
    printf("others ask %d times\n", by_others());
}

static void steps(int n)
{
    struct timespec a, b;

    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < n; i++) {
        launch(33);
        wait_by(FINISH);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.1f us\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / n / 1e3);
}

static int prepare(void)
{
    const char *source = "kernel void k(global int *a) { }";
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_platform_id platform;
    cl_program program;
    cl_device_id device;

    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    other = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    kernel = clCreateKernel(program, "k", NULL);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    image = clCreateImage(
        context, CL_MEM_READ_WRITE, &format,
        &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4}, NULL,
        NULL);
    svm = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof data, 0);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    return !kernel || !buffer || !image || !svm;
}

int main(int argc, char **argv)
{
    void *layer;
    int status = prepare();

    if (status || argc < 3)
        return status ? status : 2;
    layer = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    asked = layer ? dlsym(layer, "askedcl") : NULL;
    if (!asked)
        return 1;
    if (!strcmp(argv[2], "waits"))
        waits();
    else if (!strcmp(argv[2], "many"))
        many(atoi(argv[3]));
    else
        steps(atoi(argv[3]));
    return 0;
}
