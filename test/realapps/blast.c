/* blast.c - a client of CLBlast: products, a triangular solve, vector operations in a row on one queue,
 * events wanted for some of them, nobody waiting before the end. Prints a hash of every result; two runs of
 * one library must agree. */
#include <clblast_c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N      96
#define ROUNDS 6

static void check(int code, int line)
{
    if (code) {
        fprintf(stderr, "blast.c:%d: error %d\n", line, code);
        exit(1);
    }
}
#define CHECK(call) check((int)(call), __LINE__)

static uint64_t hash(const float *x, size_t count)
{
    const unsigned char *bytes = (const unsigned char *)x;
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < count * sizeof *x; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

static cl_mem filled(cl_context context, float scale)
{
    static float x[N * N];
    cl_int err;

    for (int i = 0; i < N * N; i++)
        x[i] = scale * (float)((i * 37 + 11) % 101 - 50) / 50 +
               (i % (N + 1) == 0 ? 4 : 0); /* a strong diagonal */
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &err);
    CHECK(err);
    return m;
}

static void print(cl_command_queue queue, const char *name, cl_mem m)
{
    static float x[N * N];

    CHECK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
    printf("%s %016llx %g\n", name, (unsigned long long)hash(x, N * N), x[N + 1]);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_event event;
    cl_int err;

    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    CHECK(err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    CHECK(err);
    cl_mem a = filled(context, .01f), b = filled(context, .02f), c = filled(context, .5f),
           x = filled(context, .7f);

    for (int i = 0; i < ROUNDS; i++) {
        CHECK(CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo,
                           i % 2 ? CLBlastTransposeYes : CLBlastTransposeNo, N, N, N, .125f, a, 0, N, b, 0, N,
                           .25f, c, 0, N, &queue, NULL));
        CHECK(CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, N, N, .5f, c, 0, N, x, 0, 1, .5f, x, N,
                           1, &queue, &event));
        CHECK(
            CLBlastSaxpy(N * N / 2, -.25f, a, 0, 1, b, N * N / 2, 1, &queue, NULL)); /* the upper half only */
        CHECK(CLBlastSscal(N, 1.5f, x, 2 * N, 1, &queue, NULL)); /* apart from the product */
        CHECK(clReleaseEvent(event));
    }
    CHECK(CLBlastStrsm(CLBlastLayoutRowMajor, CLBlastSideLeft, CLBlastTriangleLower, CLBlastTransposeNo,
                       CLBlastDiagonalNonUnit, N, N, 1, a, 0, N, c, 0, N, &queue, NULL));
    CHECK(CLBlastSdot(N, x, 3 * N, x, 0, 1, x, N, 1, &queue, NULL));
    const cl_mem all[4] = {a, b, c, x};
    for (int i = 0; i < 4; i++) {
        print(queue, (const char *[]){"a", "b", "c", "x"}[i], all[i]);
        CHECK(clReleaseMemObject(all[i]));
    }
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    puts("done");
    return 0;
}
