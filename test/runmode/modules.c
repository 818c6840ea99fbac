/* modules.c - programs that are made of a SPIR-V module: built, with specialisation constants, compiled and
 * linked; by OpenCL 2.1's function and by the extension's. Chains of launches in one queue, on buffers of
 * their own, and launches that meet them all. */
#include "common.h"

#include <CL/cl_ext.h>

enum { COUNT = 4096, CHAINS = 6, ROUNDS = 5, ITEMS = 64, PIECES = 24 };

static const cl_uint module[] = {
#include "module.inc"
};

static cl_program make(const struct app *a, bool khr, size_t bytes, cl_int *err)
{
    cl_program(CL_API_CALL * create)(cl_context, const void *, size_t, cl_int *) = clCreateProgramWithIL;
    cl_platform_id platform = NULL;
    void *found;

    clGetDeviceInfo(a->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    found = khr ? clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR") : NULL;
    if (found)
        memcpy(&create, &found, sizeof create);
    return create(a->context, module, bytes, err);
}

/* Runs the chains of `blend` in the queue, and `fill` of the program on one more buffer. */
static void run(struct app *a, cl_program program, const char *name)
{
    static cl_int words[COUNT], result[2 * COUNT];
    cl_mem chain[CHAINS], meeting, filled;
    cl_kernel blend, fill;
    cl_int err;

    blend = clCreateKernel(program, "blend", &err);
    fill = clCreateKernel(program, "fill", &err);
    if (!blend || !fill) {
        printf("%s: no kernel: %d\n", name, err);
        return;
    }
    for (int i = 0; i < COUNT; i++)
        words[i] = 7 * i;
    memset(result, 0, sizeof result);
    for (int c = 0; c < CHAINS; c++)
        chain[c] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    meeting = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    filled = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof result, result);
    for (int r = 0; r < ROUNDS; r++)
        for (int c = 0; c < CHAINS; c++) {
            app_args(blend, "mmi", chain[c], c ? chain[c - c % 2] : chain[1], r + c);
            app_run(a->queue, blend, COUNT, 64, 0, NULL, NULL);
        }
    for (int c = 0; c < CHAINS; c++) {
        app_args(blend, "mmi", meeting, chain[c], c);
        app_run(a->queue, blend, COUNT, 64, 0, NULL, NULL);
    }
    for (size_t i = 0; i < PIECES; i++) { /* each has one element in common with the one before */
        size_t offset = (ITEMS - 1) * i, items = ITEMS;
        app_args(blend, "mmi", meeting, chain[i % CHAINS], (int)i);
        APP_CHECK(clEnqueueNDRangeKernel(a->queue, blend, 1, &offset, &items, &items, 0, NULL, NULL));
    }
    app_args(fill, "m", filled);
    app_run(a->queue, fill, COUNT, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(a->queue));
    for (int c = 0; c < CHAINS; c++)
        app_read(a, chain[c], 0, sizeof words, words);
    app_read(a, meeting, 0, sizeof words, words);
    app_read(a, filled, 0, sizeof result, result);
    printf("%s: %d %d %d %d, hash %016llx\n", name, words[1], result[0], result[1], result[COUNT],
           (unsigned long long)a->hash);
    app_release_mems(chain, CHAINS);
    APP_CHECK(clReleaseMemObject(meeting));
    APP_CHECK(clReleaseMemObject(filled));
    APP_CHECK(clReleaseKernel(blend));
    APP_CHECK(clReleaseKernel(fill));
}

static void build(struct app *a, const char *name, bool khr, bool set)
{
    static const cl_long stride = 2;
    static const cl_short first = 1;
    static const cl_int value = 77;
    static const cl_uchar more = 1;
    cl_int err;
    cl_program program = make(a, khr, sizeof module, &err);

    if (!program) {
        printf("%s: %d\n", name, err);
        return;
    }
    if (set && (clSetProgramSpecializationConstant(program, 10, sizeof stride, &stride) ||
                clSetProgramSpecializationConstant(program, 11, sizeof first, &first) ||
                clSetProgramSpecializationConstant(program, 12, sizeof value, &value) ||
                clSetProgramSpecializationConstant(program, 13, sizeof more, &more)))
        printf("%s: not all constants are set\n", name);
    err = clBuildProgram(program, 1, &a->device, "", NULL, NULL);
    if (err == CL_SUCCESS)
        run(a, program, name);
    else
        printf("%s: build: %d\n", name, err);
    APP_CHECK(clReleaseProgram(program));
}

static void link(struct app *a)
{
    cl_int err;
    cl_program part = make(a, false, sizeof module, &err), whole = NULL;

    if (part)
        err = clCompileProgram(part, 1, &a->device, "", 0, NULL, NULL, NULL, NULL);
    if (part && err == CL_SUCCESS)
        whole = clLinkProgram(a->context, 1, &a->device, "", 1, &part, NULL, NULL, &err);
    if (whole && err == CL_SUCCESS)
        run(a, whole, "linked");
    else
        printf("linked: %d\n", err);
    if (whole)
        APP_CHECK(clReleaseProgram(whole));
    if (part)
        APP_CHECK(clReleaseProgram(part));
}

int main(void)
{
    char il[256] = "";
    struct app a;

    app_open(&a, "modules", 0, RM_SOURCE);
    clGetDeviceInfo(a.device, CL_DEVICE_IL_VERSION, sizeof il - 1, il, NULL);
    if (!strstr(il, "SPIR-V")) {
        printf("the device takes no SPIR-V\n");
        return 77;
    }
    build(&a, "built", false, false);
    build(&a, "by the extension", true, false);
    build(&a, "with constants", false, true);
    link(&a);
    return app_close(&a);
}
