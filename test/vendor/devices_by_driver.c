/* devices_by_driver.c - run mode asks PoCL for `basic` devices by POCL_DEVICES: PoCL reads the variable when
 * devices are first asked for, not when it is loaded or its platform is (so it may be shown for that moment
 * only); counts names by driver, whatever blanks are between them; and lists the devices by driver, `basic`
 * first, not in the variable's order. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    static const char *const want[] = {"basic", "basic", "pthread"};
    cl_platform_id p;
    cl_device_id d[8];
    cl_uint n = 0;
    char name[256];
    bool same;

    unsetenv("POCL_DEVICES");
    APP_CHECK(clGetPlatformIDs(1, &p, NULL));
    APP_CHECK(clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL));
    if (strcmp(name, "Portable Computing Language"))
        vendor_skip("another implementation");
    setenv("POCL_DEVICES", "pthread  basic basic  ", 1);
    APP_CHECK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 8, d, &n));
    setenv("POCL_DEVICES", "pthread", 1);
    same = n == 3;
    for (cl_uint i = 0; same && i < n; i++) {
        APP_CHECK(clGetDeviceInfo(d[i], CL_DEVICE_NAME, sizeof name, name, NULL));
        same = !strncmp(name, want[i], strlen(want[i]));
    }
    n = 0;
    APP_CHECK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 8, d, &n));
    same = same && n == 3;
    printf("%u devices, %s\n", n, same ? "by driver" : "otherwise");
    return !same;
}
