/* devices_by_driver.c - run mode asks PoCL for `basic` devices by POCL_DEVICES: PoCL reads the variable when
 * devices are first asked for, not when it is loaded or its platform is (so it may be shown for that moment
 * only); counts names by driver, whatever blanks are between them; and lists the devices by driver, `basic`
 * first, not in the variable's order. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_basic(const char *name) /* PoCL 6.0 has the second name, and `cpu` for `pthread` */
{
    return !strncmp(name, "basic", 5) || !strncmp(name, "cpu-minimal", 11);
}

static bool is_pthread(const char *name)
{
    return !strncmp(name, "pthread", 7) || (!strncmp(name, "cpu-", 4) && !is_basic(name));
}

int main(void)
{
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
        same = i < 2 ? is_basic(name) : is_pthread(name);
    }
    n = 0;
    APP_CHECK(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 8, d, &n));
    same = same && n == 3;
    printf("%u devices, %s\n", n, same ? "by driver" : "otherwise");
    return !same;
}
