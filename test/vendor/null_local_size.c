/* null_local_size.c - the local size that NULL stands for depends on the device: `pthread` spreads 64 items
 * over its compute units, `basic` makes one group of them. Design, section 5: so it is probed and pinned. */
#include "common.h"

static const char source[] =
    "__kernel void local_size(__global uint *restrict out) { out[get_global_id(0)] = get_local_size(0); }\n";

static cl_uint size_on(const struct vendor *v, cl_uint device, cl_kernel k, size_t items)
{
    cl_uint size = 0;
    cl_command_queue q = vendor_queue(v, device);
    cl_mem m = vendor_buffer(v, items * sizeof(cl_uint), NULL);
    app_args(k, "m", m);
    app_run(q, k, items, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof size, &size, 0, NULL, NULL));
    app_release_mems(&m, 1);
    APP_CHECK(clReleaseCommandQueue(q));
    return size;
}

int main(void)
{
    struct vendor v;
    cl_uint units = 0;
    vendor_open(&v, "pthread basic", source, "");
    cl_uint pthread = vendor_find(&v, "pthread"), basic = vendor_find(&v, "basic");
    APP_CHECK(clGetDeviceInfo(v.devices[pthread], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2)
        vendor_skip("one compute unit: pthread has nothing to spread over");
    cl_kernel k = vendor_kernel(&v, "local_size");
    cl_uint on_pthread = size_on(&v, pthread, k, 64), on_basic = size_on(&v, basic, k, 64);
    vendor_expect(on_pthread < 64, "64 items, local size NULL, pthread with %u compute units: %u", units,
                  on_pthread);
    vendor_expect(on_basic == 64, "64 items, local size NULL, basic: %u", on_basic);
    vendor_expect(units != 2 || on_pthread == 32, "two compute units make 32 of 64");
    APP_CHECK(clReleaseKernel(k));
    vendor_close(&v);
    return vendor_status();
}
