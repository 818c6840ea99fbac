/* sub_devices.c - a `pthread` device cut by counts gives sub-devices that one thread keeps busy at the same
 * time. Design, section 6, table of facts.
 *
 * Shown by rendezvous, not by time: two kernels, enqueued by one thread, wait for each other through memory.
 */
#include "common.h"

static const char source[] =
    "__kernel void meet(volatile __global uint *restrict begun, __global uint *restrict met, uint role) {\n"
    "    begun[role] = 1;\n"
    "    for (uint i = 0; begun[1 - role] == 0 && i < 4000000000u; i++) { }\n"
    "    met[role] = begun[1 - role];\n"
    "}\n";

static void meet(struct vendor *v)
{
    const cl_uint zero = 0;
    cl_uint met[2] = {0, 0};
    cl_mem m[2] = {vendor_buffer(v, 8, NULL), vendor_buffer(v, 8, NULL)};
    cl_command_queue q[2] = {vendor_queue(v, 0), vendor_queue(v, 1)};
    cl_kernel k = vendor_kernel(v, "meet");

    APP_CHECK(clEnqueueFillBuffer(q[0], m[0], &zero, sizeof zero, 0, 8, 0, NULL, NULL));
    APP_CHECK(clFinish(q[0]));
    for (cl_uint role = 0; role < 2; role++) {
        app_args(k, "mmu", m[0], m[1], role);
        app_run(q[role], k, 1, 1, 0, NULL, NULL);
        APP_CHECK(clFlush(q[role]));
    }
    APP_CHECK(clFinish(q[0]));
    APP_CHECK(clFinish(q[1]));
    APP_CHECK(clEnqueueReadBuffer(q[0], m[1], CL_TRUE, 0, sizeof met, met, 0, NULL, NULL));
    vendor_expect(met[0] && met[1],
                  "kernels on two sub-devices, enqueued by one thread, see each other run: %u %u", met[0],
                  met[1]);
    app_release_mems(m, 2);
    APP_CHECK(clReleaseKernel(k));
    for (int i = 0; i < 2; i++)
        APP_CHECK(clReleaseCommandQueue(q[i]));
}

int main(void)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    struct vendor whole, v = {.count = 2};
    cl_int err;
    const char *text = source;
    vendor_open(&whole, "pthread", NULL, "");
    if (clCreateSubDevices(whole.devices[0], halves, 2, v.devices, NULL) != CL_SUCCESS)
        vendor_skip("the device has too few compute units to be cut");
    v.context = clCreateContext(NULL, 2, v.devices, NULL, NULL, &err);
    APP_CHECK(err);
    v.program = clCreateProgramWithSource(v.context, 1, &text, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(v.program, 0, NULL, "", NULL, NULL));
    meet(&v);
    vendor_close(&v);
    for (int i = 0; i < 2; i++)
        APP_CHECK(clReleaseDevice(v.devices[i]));
    vendor_close(&whole);
    return vendor_status();
}
