/* firsts.c - the first launches of kernels, good and bad: the codes of all, and what the good ones wrote.
 * Kernels that demand a local size, that have all of the device's work-items and most of its local memory,
 * a source that pastes names together, and a program that is built again and again, each time with another
 * demand. With an argument: a launch on a device for which the program is not built, which PoCL answers
 * with abort(). */
#include "common.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "#define NAME(x) pasted_##x\n"
    "#define AT (get_global_id(0) + get_global_size(0) * get_global_id(1))\n"
    "kernel void NAME(one)(global uint *x) { x[AT] = x[AT] * 3 + (uint)get_local_size(0); }\n"
    "kernel void NAME(two)(global uint *x) { x[AT] = x[AT] * 5 + (uint)get_local_size(1); }\n"
    "kernel void wide(global uint *x) { x[AT] += (uint)get_local_id(0); }\n"
    "kernel void offset(global uint *x) { x[AT] += (uint)get_global_offset(0); }\n"
    "kernel void open(global uint *x) { x[AT] += 7; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void demands(global uint *x) { x[AT] ^= "
    "(uint)(get_local_id(0) + 8 * get_local_id(1)); }\n"
    "kernel void keeps(global uint *x, local uint *l) { local uint own[16]; own[get_local_id(0)] = x[AT];\n"
    "  l[get_local_id(0)] = own[get_local_id(0)] * 3; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  x[AT] = l[15 - get_local_id(0)]; }\n";

static const char demanding[] =
    "kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void demands(global uint *x) {\n"
    "  x[get_global_id(0)] += SIZE + get_local_id(0); }\n";

enum { WIDTH = 8192, BUILDS = 12 };
static struct app a;
static cl_mem x;

static void launch(const char *name, cl_uint dims, const size_t *offset, const size_t *global,
                   const size_t *local, size_t local_bytes)
{
    cl_kernel k = app_kernel(&a, name);

    APP_CHECK(clSetKernelArg(k, 0, sizeof x, &x));
    if (local_bytes)
        APP_CHECK(clSetKernelArg(k, 1, local_bytes, NULL));
    printf("%s %u: %d\n", name, dims,
           clEnqueueNDRangeKernel(a.queue, k, dims, offset, global, local, 0, NULL, NULL));
    APP_CHECK(clReleaseKernel(k));
}

static void good(size_t most)
{
    const size_t line[] = {WIDTH}, plane[] = {128, 64}, l16[] = {16}, l16x8[] = {16, 8}, all[] = {most},
                 demanded[] = {8, 4}, from[] = {64}, part[] = {1024};

    launch("pasted_one", 1, NULL, line, l16, 0);
    launch("pasted_two", 2, NULL, plane, l16x8, 0);
    launch("wide", 1, NULL, line, all, 0);
    launch("offset", 1, from, part, l16, 0);
    launch("open", 2, NULL, plane, NULL, 0);
    launch("demands", 2, NULL, plane, demanded, 0);
    launch("keeps", 1, NULL, line, l16, 16384);
}

static void bad(size_t most)
{
    const size_t line[] = {WIDTH}, plane[] = {128, 64}, odd[] = {15}, none[] = {0}, l16x8[] = {16, 8},
                 above[] = {2 * most}, twice[] = {most, 2};

    launch("pasted_one", 1, NULL, line, odd, 0);
    launch("pasted_one", 1, NULL, none, NULL, 0);
    launch("wide", 1, NULL, line, above, 0);
    launch("wide", 2, NULL, plane, twice, 0);
    launch("demands", 2, NULL, plane, l16x8, 0);
    launch("demands", 2, NULL, plane, NULL, 0);
}

static void build_again(void)
{
    const size_t line[] = {WIDTH}, local[] = {8, 16};
    char options[16];

    APP_CHECK(clReleaseProgram(a.program));
    a.program = clCreateProgramWithSource(a.context, 1, (const char *[]){demanding}, NULL, NULL);
    for (size_t i = 0; i < BUILDS; i++) {
        snprintf(options, sizeof options, "-DSIZE=%zu", local[i % 2]);
        RM_WAIT(rm_references(a.program) == 1); /* see vendor/kernels_let_go_late */
        printf("%s: %d\n", options, clBuildProgram(a.program, 1, &a.device, options, NULL, NULL));
        launch("demands", 1, NULL, line, &local[0], 0);
        launch("demands", 1, NULL, line, &local[1], 0);
        APP_CHECK(clFinish(a.queue));
    }
}

/* For one of two devices. */
static void build_partly(void)
{
    cl_device_id devices[2];
    cl_platform_id platform;
    cl_int err;

    APP_CHECK(clGetPlatformIDs(1, &platform, NULL));
    APP_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    a.context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
    APP_CHECK(err);
    a.program = clCreateProgramWithSource(a.context, 1, (const char *[]){source}, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(a.program, 1, devices, NULL, NULL, NULL));
    x = app_buffer(&a, 0, WIDTH * sizeof(cl_uint), NULL);
    for (int i = 0; i < 2; i++) {
        a.queue = clCreateCommandQueueWithProperties(a.context, devices[i], NULL, &err);
        APP_CHECK(err);
        launch("open", 1, NULL, (size_t[]){64}, (size_t[]){8}, 0);
        APP_CHECK(clFinish(a.queue));
    }
}

static int aborts(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        freopen("/dev/null", "w", stderr); /* PoCL says so */
        build_partly();
        exit(0);
    }
    printf("child: %s\n", waitpid(child, &status, 0) != child ? "none"
                          : WIFSIGNALED(status)               ? strsignal(WTERMSIG(status))
                                                              : "exited");
    return 0;
}

int main(int count, char **arguments)
{
    static cl_uint host[WIDTH];
    size_t most;

    (void)arguments;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (count > 1)
        return aborts();

    app_open(&a, "firsts", 0, source);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    good(most);
    bad(most);
    good(most);
    build_again();
    app_read(&a, x, 0, sizeof host, host);
    clReleaseMemObject(x);
    return app_close(&a);
}
