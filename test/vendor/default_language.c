/* default_language.c - the language of a build that names no standard (kernels/source/cl_language.h): PoCL
 * takes OpenCL C 3.0, where OpenCL 3.0 lets it take 1.2. PoCL 3 has none of what is optional in it; PoCL 4
 * to 6 have variables of program scope and generic pointers, PoCL 7 generic pointers alone. A device with one
 * of them says so in CL_DEVICE_OPENCL_C_FEATURES. */
#include "common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_device_id device;

static bool builds(const char *source, const char *options)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);

    APP_CHECK(err);
    err = clBuildProgram(p, 1, &device, options, NULL, NULL);
    APP_CHECK(clReleaseProgram(p));
    return err == CL_SUCCESS;
}

static bool offers(const char *feature)
{
    cl_name_version all[256];
    size_t bytes = 0;
    bool found = false;

    APP_CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof all, all, &bytes));
    for (size_t i = 0; i < bytes / sizeof *all; i++)
        found |= !strcmp(all[i].name, feature);
    return found;
}

static cl_platform_id find_pocl(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    char name[256];

    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        vendor_skip("there is no OpenCL platform");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        APP_CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (!strcmp(name, "Portable Computing Language"))
            return platforms[i];
    }
    vendor_skip("no platform is PoCL");
}

int main(void)
{
    static const char is_3[] = "#if __OPENCL_C_VERSION__ != 300\n#error another\n#endif\n",
                      variable[] = "global int n = 3; kernel void k(global int *x) { x[0] = n++; }\n",
                      generic[] = "kernel void k(global int *x) { int *p = x; p[0] = 1; }\n";
    cl_platform_id platform = find_pocl();
    char version[256], device_version[256];
    cl_int err;
    double number;
    bool variables, pointers;

    APP_CHECK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL));
    APP_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    APP_CHECK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof device_version, device_version, NULL));
    if (strncmp(device_version, "OpenCL 3.0", 10))
        vendor_skip("PoCL of another OpenCL than 3.0");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    APP_CHECK(err);
    number = strncmp(version, "OpenCL 3.0 PoCL ", 16) ? HUGE_VAL : atof(version + 16);
    variables = number >= 4 && offers("__opencl_c_program_scope_global_variables");
    pointers = number >= 4 && offers("__opencl_c_generic_address_space");
    vendor_expect(builds(is_3, ""), "%.20s compiles OpenCL C 3.0 where no standard is named", version + 11);
    vendor_expect(builds(variable, "") == variables, "variables of program scope: %d", variables);
    vendor_expect(builds(generic, "") == pointers, "generic pointers: %d", pointers);
    vendor_expect(!builds(variable, "-cl-std=CL1.2"), "no variables of program scope in OpenCL C 1.2");
    APP_CHECK(clReleaseContext(context));
    return vendor_status();
}
