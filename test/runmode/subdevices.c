/* subdevices.c - a context of sub-devices that the program has made: its devices, its reference counts, and
 * launches that several of them may share; one of them is released while it is still in the context, one
 * queue is on each. */
#include "common.h"

#include <stdio.h>
#include <string.h>

#define ITEMS      8192
#define TIMES      12
#define WATCHED_MS 150

static const char source[] =
    "__kernel void turn(__global uint *x, uint salt) {\n"
    "    uint i = get_global_id(0), v = x[i] + salt + (uint)get_group_id(0) + (uint)get_num_groups(0);\n"
    "    for (uint s = 0; s < 1600; s++) v = v * 1664525u + (v >> 7);\n"
    "    x[i] = v;\n"
    "}\n";

static cl_uint references(cl_device_id d)
{
    cl_uint n = 0;

    APP_CHECK(clGetDeviceInfo(d, CL_DEVICE_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

static cl_uint counted(cl_context c)
{
    cl_uint n = 0;

    APP_CHECK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

static void show(const char *when, cl_context c, cl_device_id d)
{
    cl_uint devices = 0, count = counted(c), others = 0;

    APP_CHECK(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof devices, &devices, NULL));
    for (int i = 0; i < WATCHED_MS * 4;
         i++) { /* what is made of the program's behind its back does not show */
        others += counted(c) != count;
        if (i % 4 == 3)
            rm_sleep_ms(1);
    }
    printf("%s: %u devices, context %u, %u times another number, sub-device %u\n", when, devices, count,
           others, references(d));
}

static void turn(struct app *a, cl_command_queue q, cl_kernel k, cl_mem x)
{
    uint32_t *got = app_alloc(ITEMS * sizeof *got);

    for (cl_uint i = 0; i < TIMES; i++) {
        app_args(k, "mu", x, i);
        app_run(q, k, ITEMS, 64, 0, NULL, NULL);
    }
    APP_CHECK(clEnqueueReadBuffer(q, x, CL_TRUE, 0, ITEMS * sizeof *got, got, 0, NULL, NULL));
    app_hash(a, got, ITEMS * sizeof *got);
    free(got);
}

int main(void)
{
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                  CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id sub[2], named[3];
    uint32_t start[ITEMS];
    cl_command_queue other;
    struct app a;
    cl_kernel k;
    cl_int err;
    cl_mem x;

    app_open(&a, "subdevices", 0, NULL);
    APP_CHECK(clReleaseCommandQueue(a.queue));
    APP_CHECK(clReleaseContext(a.context));
    if (clCreateSubDevices(a.device, parts, 2, sub, NULL) != CL_SUCCESS)
        app_skip("subdevices", "the device cannot be divided");
    named[0] = sub[0];
    named[1] = sub[1];
    named[2] = sub[0]; /* twice: it counts once */
    a.context = clCreateContext(NULL, 3, named, NULL, NULL, &err);
    APP_CHECK(err);
    show("made", a.context, sub[0]);
    a.device = sub[0];
    a.queue = app_queue(&a, 0);
    a.device = sub[1];
    other = app_queue(&a, 0);
    a.program = clCreateProgramWithSource(a.context, 1, &(const char *){source}, NULL, &err);
    APP_CHECK(clBuildProgram(a.program, 0, NULL, "", NULL, NULL));
    k = app_kernel(&a, "turn");
    for (int i = 0; i < ITEMS; i++)
        start[i] = (uint32_t)i;
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof start, start);
    turn(&a, other, k, x);
    APP_CHECK(clReleaseCommandQueue(other));
    turn(&a, a.queue, k, x);
    show("used", a.context, sub[0]);
    APP_CHECK(clReleaseDevice(sub[1]));
    turn(&a, a.queue, k, x);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(k));
    show("over", a.context, sub[0]);
    err = app_close(&a);
    APP_CHECK(clReleaseDevice(sub[0]));
    return err;
}
