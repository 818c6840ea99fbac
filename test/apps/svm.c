/* svm.c - shared virtual memory: fill, copy, map, kernel arguments that are pointers, and a pointer inside
 * memory.
 *
 * usage: svm [items]   default 1024 */
#include "common.h"

#include <stdlib.h>

static const char source[] =
    "__kernel void twice(__global const uint *restrict in, __global uint *restrict out) {\n"
    "    uint i = get_global_id(0);\n"
    "    out[i] = in[i] * 2 + i;\n"
    "}\n"
    /* an address as a number: compilers of OpenCL C 1.2 refuse a pointer to a pointer */
    "__kernel void follow(__global const ulong *table) {\n"
    "    ((__global uint *)table[0])[get_global_id(0)] += 5;\n"
    "}\n";

static uint32_t *allocate(const struct app *a, size_t bytes)
{
    uint32_t *p = clSVMAlloc(a->context, CL_MEM_READ_WRITE, bytes, 0);
    if (!p)
        exit(1);
    return p;
}

/* Runs follow on `x` through a table that holds its address. */
static void follow_pointer(struct app *a, uint32_t *x, size_t n)
{
    cl_kernel follow = app_kernel(a, "follow");
    cl_ulong *table = (cl_ulong *)allocate(a, sizeof *table);
    void *reached[1] = {x};
    APP_CHECK(clEnqueueSVMMap(a->queue, CL_TRUE, CL_MAP_WRITE, table, sizeof *table, 0, NULL, NULL));
    table[0] = (uintptr_t)x;
    APP_CHECK(clEnqueueSVMUnmap(a->queue, table, 0, NULL, NULL));
    APP_CHECK(clSetKernelArgSVMPointer(follow, 0, table));
    APP_CHECK(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
    app_run(a->queue, follow, n, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(a->queue));
    clSVMFree(a->context, table);
    APP_CHECK(clReleaseKernel(follow));
}

static void plainly(uint32_t *want, size_t n, const uint32_t pattern[2])
{
    for (size_t i = 0; i < n; i++)
        want[i] = (n % 2 && i == n - 1 ? 9 : i % 3 ? pattern[i % 2] : (uint32_t)i) * 2 + (uint32_t)i + 5;
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 1024, 4, 1 << 24), bytes = n * sizeof(uint32_t);
    struct app a;
    app_open(&a, "svm", 0, NULL);
    cl_device_svm_capabilities able = 0;
    if (clGetDeviceInfo(a.device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL) != CL_SUCCESS ||
        !(able & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
        app_skip("svm", "the device has no shared virtual memory");
    APP_CHECK(clReleaseCommandQueue(a.queue));
    APP_CHECK(clReleaseContext(a.context));
    app_open(&a, "svm", 0, source);
    cl_kernel twice = app_kernel(&a, "twice");
    uint32_t *in = allocate(&a, bytes), *out = allocate(&a, bytes), *copy = allocate(&a, bytes),
             *want = app_alloc(bytes);
    const uint32_t pattern[2] = {7, 1000};
    APP_CHECK(clEnqueueSVMMemFill(a.queue, in, pattern, sizeof pattern, bytes / 8 * 8, 0, NULL, NULL));
    APP_CHECK(clEnqueueSVMMap(a.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, in, bytes, 0, NULL, NULL));
    for (size_t i = 0; i < n; i += 3)
        in[i] = (uint32_t)i;
    if (n % 2)
        in[n - 1] = 9;
    plainly(want, n, pattern);
    APP_CHECK(clEnqueueSVMUnmap(a.queue, in, 0, NULL, NULL));
    APP_CHECK(clSetKernelArgSVMPointer(twice, 0, in));
    APP_CHECK(clSetKernelArgSVMPointer(twice, 1, out));
    app_run(a.queue, twice, n, 0, 0, NULL, NULL);
    follow_pointer(&a, out, n);
    APP_CHECK(clEnqueueSVMMemcpy(a.queue, CL_TRUE, copy, out, bytes, 0, NULL, NULL));
    APP_CHECK(clEnqueueSVMMap(a.queue, CL_TRUE, CL_MAP_READ, copy, bytes, 0, NULL, NULL));
    app_hash(&a, copy, bytes);
    app_expect_words(&a, "copy", copy, want, n);
    APP_CHECK(clEnqueueSVMUnmap(a.queue, copy, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));

    APP_CHECK(clReleaseKernel(twice));
    clSVMFree(a.context, in), clSVMFree(a.context, out), clSVMFree(a.context, copy);
    free(want);
    return app_close(&a);
}
