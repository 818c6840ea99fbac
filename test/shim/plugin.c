/* plugin.c - a program whose plug-in (-DPLUGIN) enqueues commands, waits for them, reads and releases
 * everything in its destructor, within dlclose(), where the dynamic loader's lock is held. The vendor has
 * loaded the kernel's code before. With -DPAUSE_MS=N it sleeps first: commands of before are under way then.
 * Call: plugin FILE, the plug-in's. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef PAUSE_MS
#define PAUSE_MS 0
#endif

enum { N = 16384, LAUNCHES = 40, ROUNDS = 4 };

struct work {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem x;
};

static void check(cl_int err, int line)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "plugin.c:%d: OpenCL error %d\n", line, err);
    exit(1);
}
#define CHECK(err) check(err, __LINE__)

static void begin(struct work *w)
{
    static const char *source =
        "kernel void add(global int *x, int y) { size_t i = get_global_id(0); x[i] = x[i] * 3 + y; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_int err, zero = 0;

    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    w->context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    w->queue = clCreateCommandQueue(w->context, device, 0, &err);
    w->program = clCreateProgramWithSource(w->context, 1, &source, NULL, &err);
    CHECK(clBuildProgram(w->program, 0, NULL, "", NULL, NULL));
    w->kernel = clCreateKernel(w->program, "add", &err);
    w->x = clCreateBuffer(w->context, CL_MEM_READ_WRITE, N * sizeof(cl_int), NULL, &err);
    CHECK(clEnqueueFillBuffer(w->queue, w->x, &zero, sizeof zero, 0, N * sizeof zero, 0, NULL, NULL));
    CHECK(clSetKernelArg(w->kernel, 0, sizeof w->x, &w->x));
}

static void launch(const struct work *w, int n)
{
    size_t global = N, local = 64;

    for (cl_int i = 0; i < n; i++) {
        CHECK(clSetKernelArg(w->kernel, 1, sizeof i, &i));
        CHECK(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    }
}

static void show(const struct work *w, const char *where)
{
    static cl_int host[N];
    unsigned hash = 0;

    CHECK(clFinish(w->queue));
    CHECK(clEnqueueReadBuffer(w->queue, w->x, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        hash = hash * 31 + (unsigned)host[i];
    printf("%s %08x\n", where, hash);
}

static void end(const struct work *w)
{
    CHECK(clReleaseMemObject(w->x));
    CHECK(clReleaseKernel(w->kernel));
    CHECK(clReleaseProgram(w->program));
    CHECK(clReleaseCommandQueue(w->queue));
    CHECK(clReleaseContext(w->context));
}

#ifdef PLUGIN
static struct work own;

void go(int round);
void go(int round)
{
    begin(&own);
    launch(&own, 1);
    show(&own, "plug-in");
    launch(&own, round);
}

__attribute__((destructor)) static void unloaded(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    launch(&own, LAUNCHES);
    show(&own, "destructor");
    end(&own);
}
#else
int main(int argc, char **argv)
{
    struct work w;
    void *library, (*go)(int);

    begin(&w);
    for (int i = 0; i < 10; i++) {
        launch(&w, LAUNCHES);
        show(&w, "main");
    }
    for (int round = 0; argc > 1 && round < ROUNDS; round++) {
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        *(void **)&go = dlsym(library, "go");
        go(round);
        dlclose(library);
        launch(&w, LAUNCHES);
        show(&w, "main");
    }
    end(&w);
    return 0;
}
#endif
