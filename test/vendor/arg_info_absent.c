/* arg_info_absent.c - clGetKernelArgInfo answers CL_KERNEL_ARG_INFO_NOT_AVAILABLE (-19) unless the program
 * was built with -cl-kernel-arg-info. Design, section 5: qualifiers come from elsewhere. */
#include "common.h"

static const char source[] =
    "__kernel void k(__global const uint *restrict in, __global uint *out) { *out = *in; }\n";

static cl_int ask(const char *options, cl_kernel_arg_type_qualifier *qualifier)
{
    struct vendor v;
    vendor_open(&v, "pthread", source, options);
    cl_kernel k = vendor_kernel(&v, "k");
    cl_int answer =
        clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof *qualifier, qualifier, NULL);
    APP_CHECK(clReleaseKernel(k));
    vendor_close(&v);
    return answer;
}

int main(void)
{
    cl_kernel_arg_type_qualifier qualifier = 0;
    cl_int bare = ask("", &qualifier);
    vendor_expect(bare == CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "without the option the answer is %d", bare);
    cl_int asked = ask("-cl-kernel-arg-info", &qualifier);
    vendor_expect(asked == CL_SUCCESS && (qualifier & CL_KERNEL_ARG_TYPE_CONST),
                  "with the option it is %d and the qualifiers are %#llx", asked,
                  (unsigned long long)qualifier);
    return vendor_status();
}
