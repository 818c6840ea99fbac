/* shared_address.c - POCL_DEVICES gives one platform with several devices, which one context joins, and a
 * buffer lies at one address for all of them and for the host. The devices come sorted by driver, not in the
 * order named. Design, sections 6 and 7: the shared DDR of the emulated board. */
#include "common.h"

static const char source[] =
    "__kernel void where(__global ulong *restrict x, uint i) { x[i] = (ulong)x; x[8] += 1; }\n";

static cl_ulong memory[512] __attribute__((aligned(4096)));

/* Returns how often devices ran; at[i] is the buffer's address as device i saw it. */
static cl_ulong addresses(const struct vendor *v, void *host, cl_ulong *at)
{
    cl_kernel k = vendor_kernel(v, "where");
    cl_mem m = vendor_buffer(v, sizeof memory, host);
    const cl_ulong zero = 0;
    cl_ulong got[9];
    for (cl_uint i = 0; i < v->count; i++) {
        cl_command_queue q = vendor_queue(v, i);
        if (i == 0)
            APP_CHECK(clEnqueueFillBuffer(q, m, &zero, sizeof zero, 0, sizeof memory, 0, NULL, NULL));
        app_args(k, "mu", m, i);
        app_run(q, k, 1, 1, 0, NULL, NULL);
        APP_CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        APP_CHECK(clReleaseCommandQueue(q));
        at[i] = got[i];
    }
    app_release_mems(&m, 1);
    APP_CHECK(clReleaseKernel(k));
    return got[8];
}

int main(void)
{
    struct vendor v;
    cl_ulong at[VENDOR_MOST_DEVICES];
    vendor_open(&v, "pthread basic basic", source, "");
    cl_ulong runs = addresses(&v, NULL, at);
    vendor_expect(v.count == 3 && runs == 3,
                  "%u devices in one context, all worked on one buffer (%llu runs)", v.count,
                  (unsigned long long)runs);
    vendor_expect(at[0] && at[0] == at[1] && at[1] == at[2],
                  "the buffer's address on the devices: %#llx %#llx %#llx", (unsigned long long)at[0],
                  (unsigned long long)at[1], (unsigned long long)at[2]);
    vendor_expect(vendor_find(&v, "basic") == 0 && vendor_find(&v, "pthread") == 2,
                  "POCL_DEVICES=\"pthread basic basic\" puts pthread at place %u",
                  vendor_find(&v, "pthread"));
    addresses(&v, memory, at);
    vendor_expect(at[0] == (cl_ulong)(uintptr_t)memory && at[0] == at[1] && at[1] == at[2],
                  "a USE_HOST_PTR buffer is used in place on every device");
    vendor_close(&v);
    return vendor_status();
}
