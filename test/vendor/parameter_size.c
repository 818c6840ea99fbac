/* parameter_size.c - CL_DEVICE_MAX_PARAMETER_SIZE is 1024 on every PoCL device. Design, section 5: a kernel
 * is not rewritten when its arguments and the hidden one would exceed it. */
#include "common.h"

int main(void)
{
    struct vendor v;
    vendor_open(&v, "pthread basic", NULL, "");
    for (cl_uint i = 0; i < v.count; i++) {
        size_t bytes = 0;
        APP_CHECK(clGetDeviceInfo(v.devices[i], CL_DEVICE_MAX_PARAMETER_SIZE, sizeof bytes, &bytes, NULL));
        vendor_expect(bytes == 1024, "device %u takes %zu bytes of arguments", i, bytes);
    }
    vendor_close(&v);
    return vendor_status();
}
