/* late_arguments.c - a launch in a command buffer has the arguments that its kernel has when the command
 * buffer is enqueued, where cl_khr_command_buffer lets it have those of the recording. (PoCL from 5.0 on
 * does so.) Neither run mode nor the graph looks into command buffers: they may touch all of their
 * context. */
#include "common.h"

#include <CL/cl_ext.h>

#include <string.h>

int main(void)
{
    static const char *const names[] = {"clCreateCommandBufferKHR", "clCommandNDRangeKernelKHR",
                                        "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR",
                                        "clReleaseCommandBufferKHR"};
    const size_t one = 1;
    cl_int recorded = 0, enqueued = 0, err;
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn command;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
    void *found[5];
    struct vendor v;
    cl_command_buffer_khr buffer;
    cl_command_queue queue;
    cl_kernel k;
    cl_mem x, y;

    vendor_open(&v, "pthread", "kernel void k(global int *x) { x[0] = 1; }", "");
    for (int i = 0; i < 5; i++)
        if (!(found[i] = clGetExtensionFunctionAddressForPlatform(v.platform, names[i])))
            vendor_skip("PoCL without cl_khr_command_buffer");
    memcpy(&create, &found[0], sizeof create);
    memcpy(&command, &found[1], sizeof command);
    memcpy(&finalize, &found[2], sizeof finalize);
    memcpy(&enqueue, &found[3], sizeof enqueue);
    memcpy(&release, &found[4], sizeof release);
    queue = vendor_queue(&v, 0);
    k = vendor_kernel(&v, "k");
    x = vendor_buffer(&v, sizeof recorded, &recorded);
    y = vendor_buffer(&v, sizeof enqueued, &enqueued);
    APP_CHECK(clSetKernelArg(k, 0, sizeof y, &y)); /* PoCL has memory for a buffer that was used before */
    app_run(queue, k, 1, 1, 0, NULL, NULL);
    APP_CHECK(clFinish(queue));
    enqueued = 0;
    APP_CHECK(clSetKernelArg(k, 0, sizeof x, &x));
    buffer = create(1, &queue, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(command(buffer, NULL, NULL, k, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    APP_CHECK(finalize(buffer));
    APP_CHECK(clSetKernelArg(k, 0, sizeof y, &y));
    APP_CHECK(enqueue(0, NULL, buffer, 0, NULL, NULL));
    APP_CHECK(clFinish(queue));
    vendor_expect(enqueued == 1 && recorded == 0, "a command buffer has the arguments of its enqueue");
    APP_CHECK(release(buffer));
    app_release_mems((cl_mem[]){x, y}, 2);
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseCommandQueue(queue));
    vendor_close(&v);
    return vendor_status();
}
