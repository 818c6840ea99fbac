/* icd_truncates_layers.c - the ocl-icd loader cuts OPENCL_LAYERS at its separators in the environment itself,
 * so that children inherit the first name only. Design, section 4, known traps. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS /* the loader answers for itself through the old call only */
#include "common.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS "/nonexistent/first.so:/nonexistent/second.so"

#define ICDL_VENDOR 4 /* CL_ICDL_VENDOR of the cl_loader_info extension */

typedef cl_int(CL_API_CALL *loader_info_fn)(cl_uint, size_t, void *, size_t *);

int main(void)
{
    cl_platform_id platform;
    setenv("OPENCL_LAYERS", LAYERS, 1);
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        vendor_skip("there is no OpenCL platform");
    void *address = clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD");
    loader_info_fn loader_info;
    memcpy(&loader_info, &address, sizeof address);
    char name[128] = "";
    if (!loader_info || loader_info(ICDL_VENDOR, sizeof name, name, NULL) != CL_SUCCESS ||
        !strstr(name, "OCL Icd"))
        vendor_skip("the OpenCL loader is not ocl-icd");
    const char *left = getenv("OPENCL_LAYERS");
    vendor_expect(left && strcmp(left, "/nonexistent/first.so") == 0,
                  "after the first call OPENCL_LAYERS=" LAYERS " has become %s", left ? left : "(unset)");
    return vendor_status();
}
