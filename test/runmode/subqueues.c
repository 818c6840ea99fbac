/* subqueues.c - a queue on a device that its context does not name: a sub-device of the context's device.
 * Commands behind a user event there, and those of other queues behind them, wait and fail as bare. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

static struct app a;
static cl_kernel add;
static cl_mem x;

static cl_device_id half(void)
{
    cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                            CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id sub = NULL;

    if (clCreateSubDevices(a.device, parts, 1, &sub, NULL) != CL_SUCCESS)
        app_skip("subqueues", "the device cannot be divided");
    return sub;
}

/* A command of `q` behind a user event, one of the program's own queue behind that, and another behind this.
 */
static void held(cl_command_queue q, cl_int status)
{
    cl_event user = clCreateUserEvent(a.context, NULL), e[3];
    int one = 1;

    APP_CHECK(clEnqueueFillBuffer(q, x, &one, 4, 0, 256, 1, &user, &e[0]));
    app_args(add, "mi", x, 5);
    app_run(a.queue, add, 64, 0, 1, &e[0], &e[1]);
    app_run(a.queue, add, 64, 0, 0, NULL, &e[2]);
    APP_CHECK(clFlush(q));
    APP_CHECK(clFlush(a.queue));
    rm_sleep_ms(20);
    printf("held: %d\n",
           rm_status(e[0]) > CL_COMPLETE && rm_status(e[1]) > CL_COMPLETE && rm_status(e[2]) > CL_COMPLETE);
    APP_CHECK(clSetUserEventStatus(user, status));
    printf("set to %d:", status);
    for (int i = 0; i < 3; i++)
        printf(" %d", rm_poll(e[i]));
    printf("\n");
    clReleaseEvent(user);
    app_release_events(e, 3);
}

int main(void)
{
    cl_command_queue q;
    cl_device_id sub;
    cl_int err;
    int v[64];

    app_open(&a, "subqueues", 0, RM_SOURCE);
    sub = half();
    q = clCreateCommandQueue(a.context, sub, 0, &err);
    if (!q)
        app_skip("subqueues", "only devices of the context have queues");
    add = app_kernel(&a, "add");
    x = app_buffer(&a, 0, 256, NULL);
    rm_warm(&a, add, x);
    held(q, CL_COMPLETE);
    app_read(&a, x, 0, sizeof v, v);
    printf("then %d\n", v[63]);
    clReleaseCommandQueue(a.queue); /* another one: what has failed may block it */
    a.queue = app_queue(&a, 0);
    held(q, -5);
    clReleaseMemObject(x);
    clReleaseKernel(add);
    clReleaseCommandQueue(q);
    clReleaseDevice(sub);
    return app_close(&a);
}
