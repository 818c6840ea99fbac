/* fft.c - a client of clFFT: a two-dimensional transform there and back, in place and out of place, batches,
 * several lengths with their own generated kernels, nobody waiting before the end. Prints a hash of every
 * result. */
#include <clFFT.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST (64 * 48 * 2)

static void check(int code, int line)
{
    if (code) {
        fprintf(stderr, "fft.c:%d: error %d\n", line, code);
        exit(1);
    }
}
#define CHECK(call) check((int)(call), __LINE__)

static void print(cl_command_queue queue, const char *name, cl_mem m)
{
    static float x[MOST];
    uint64_t h = 0xcbf29ce484222325u;

    CHECK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof x; i++)
        h = (h ^ ((unsigned char *)x)[i]) * 0x100000001b3u;
    printf("%s %016llx %.3f %.3f\n", name, (unsigned long long)h, (double)x[2], (double)x[MOST - 2]);
}

static clfftPlanHandle plan(cl_context context, cl_command_queue *queue, clfftDim dims, size_t w, size_t h,
                            size_t batch, clfftResultLocation where)
{
    size_t lengths[2] = {w, h};
    clfftPlanHandle p;

    CHECK(clfftCreateDefaultPlan(&p, context, dims, lengths));
    CHECK(clfftSetPlanPrecision(p, CLFFT_SINGLE));
    CHECK(clfftSetLayout(p, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED));
    CHECK(clfftSetResultLocation(p, where));
    CHECK(clfftSetPlanBatchSize(p, batch));
    CHECK(clfftBakePlan(p, 1, queue, NULL, NULL));
    return p;
}

int main(void)
{
    static float x[MOST];
    cl_platform_id platform;
    cl_device_id device;
    clfftSetupData setup;
    cl_event event;
    cl_int err;

    for (int i = 0; i < MOST; i++)
        x[i] = (float)((i * 29 + 5) % 97) / 97;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    CHECK(err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    CHECK(err);
    CHECK(clfftInitSetupData(&setup));
    CHECK(clfftSetup(&setup));
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &err);
    CHECK(err);
    cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &err);
    CHECK(err);
    clfftPlanHandle plans[] = {plan(context, &queue, CLFFT_2D, 64, 48, 1, CLFFT_INPLACE),
                               plan(context, &queue, CLFFT_1D, 64, 1, 48, CLFFT_OUTOFPLACE),
                               plan(context, &queue, CLFFT_1D, 96, 1, 32, CLFFT_INPLACE)};

    CHECK(clfftEnqueueTransform(plans[0], CLFFT_FORWARD, 1, &queue, 0, NULL, &event, &a, NULL, NULL));
    CHECK(clfftEnqueueTransform(plans[1], CLFFT_FORWARD, 1, &queue, 1, &event, NULL, &a, &b, NULL));
    CHECK(clfftEnqueueTransform(plans[2], CLFFT_FORWARD, 1, &queue, 0, NULL, NULL, &b, NULL, NULL));
    CHECK(clfftEnqueueTransform(plans[0], CLFFT_BACKWARD, 1, &queue, 0, NULL, NULL, &a, NULL, NULL));
    CHECK(clfftEnqueueTransform(plans[2], CLFFT_BACKWARD, 1, &queue, 0, NULL, NULL, &b, NULL, NULL));
    print(queue, "a", a);
    print(queue, "b", b);
    CHECK(clReleaseEvent(event));
    for (int i = 0; i < 3; i++)
        CHECK(clfftDestroyPlan(&plans[i]));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clfftTeardown());
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    puts("done");
    return 0;
}
