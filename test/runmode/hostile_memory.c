/* hostile_memory.c - programs that overwrite arguments at once, overlap sub-buffers, and use host memory that
 * comes, goes and cannot be written. */
#include "hostile.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- arguments */

struct big {
    cl_int4 a;
    cl_float8 b;
    char c[24];
};

/* Arguments, patterns and values are overwritten as soon as the call is back. */
static void overwritten(void)
{
    struct big *v = aligned_alloc(32, sizeof *v);
    cl_mem x = filled(1, 0, NULL), y = filled(2, 0, NULL);
    int pattern[4], bytes;
    size_t offset[1], global[1], local[1];

    for (int i = 0; i < 60; i++) {
        cl_mem m = i % 3 ? x : y;

        memset(v, 0, sizeof *v);
        v->a.s[1] = i;
        v->b.s[5] = (float)i * 2;
        v->c[i % 24] = (char)i;
        APP_CHECK(clSetKernelArg(large, 0, sizeof m, &m));
        APP_CHECK(clSetKernelArg(large, 1, sizeof *v, v));
        APP_CHECK(clSetKernelArg(large, 2, 64 * sizeof(int), NULL));
        memset(v, 0x77, sizeof *v);
        m = NULL;
        offset[0] = 0, global[0] = WORDS, local[0] = 64;
        APP_CHECK(clEnqueueNDRangeKernel(a.queue, large, 1, offset, global, local, 0, NULL, NULL));
        offset[0] = 5, global[0] = local[0] = 3;
        APP_CHECK(clSetKernelArg(large, 2, 256 * sizeof(int), NULL));
        memset(v, 0x55, sizeof *v);
        APP_CHECK(clSetKernelArg(large, 1, sizeof *v, v));
        for (int k = 0; k < 4; k++)
            pattern[k] = i + k;
        bytes = 4 << i % 3;
        APP_CHECK(
            clEnqueueFillBuffer(a.queue, i % 2 ? x : y, pattern, (size_t)bytes, 64, 128, 0, NULL, NULL));
        memset(pattern, 0x33, sizeof pattern);
    }
    look("overwritten", x);
    look("overwritten", y);
    clReleaseMemObject(x), clReleaseMemObject(y);
    free(v);
}

/* A cloned kernel has the arguments of its moment. */
static void cloned(void)
{
    cl_mem x = filled(1, 0, NULL), y = filled(2, 0, NULL);
    cl_kernel clone;
    cl_int err;

    for (int i = 0; i < 10; i++) {
        app_args(add, "mi", x, i);
        clone = clCloneKernel(add, &err);
        app_args(add, "mi", y, 100 + i);
        if (err == CL_SUCCESS) {
            app_run(a.queue, clone, WORDS, 64, 0, NULL, NULL);
            app_run(a.queue, add, WORDS, 64, 0, NULL, NULL);
            clReleaseKernel(clone);
        } else if (!i) {
            printf("no clones: %d\n", err);
        }
    }
    look("cloned", x);
    look("cloned", y);
    clReleaseMemObject(x), clReleaseMemObject(y);
}

/* ---- memory */

/* Sub-buffers that overlap, on one queue: launches, fills, copies, reads into memory of another buffer. */
static void overlapping(void)
{
    static int host[WORDS * 8] __attribute__((aligned(4096)));
    cl_mem root = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof host, host), sub[6], other = filled(3, 0, NULL);
    uint32_t random = 77;

    for (int i = 0; i < 6; i++)
        sub[i] = app_sub_buffer(root, 0, (size_t)i * 128 * sizeof(int), BYTES);
    for (int i = 0; i < 400; i++) {
        uint32_t s = app_random(&random) % 6, t = app_random(&random) % 6, how = app_random(&random) % 6;
        int one = i;

        if (how < 3)
            launch(a.queue, how ? add : mul, sub[s], how ? i : 3, NULL);
        else if (how == 3)
            APP_CHECK(clEnqueueFillBuffer(a.queue, sub[s], &one, sizeof one, 64, 192, 0, NULL, NULL));
        else if (how == 4 && s + 2 <= t)
            APP_CHECK(clEnqueueCopyBuffer(a.queue, sub[s], sub[t], 0, 0, BYTES, 0, NULL, NULL));
        else if (how == 4)
            APP_CHECK(clEnqueueCopyBuffer(a.queue, other, sub[t], 0, 256, 512, 0, NULL, NULL));
        else
            APP_CHECK(clEnqueueReadBuffer(a.queue, sub[s], CL_FALSE, 0, 512, host + 7 * WORDS + 128 * (s % 2),
                                          0, NULL, NULL));
    }
    APP_CHECK(clFinish(a.queue));
    app_hash(&a, host, sizeof host);
    look("overlapping", sub[2]);
    for (int i = 0; i < 6; i++)
        look("part", sub[i]);
    app_release_mems(sub, 6);
    clReleaseMemObject(other);
    clReleaseMemObject(root);
}

/* Host memory that comes and goes at one address; memory that cannot be written; maps that overlap. */
static void host_memory(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    static const int constant[WORDS] = {1, 2, 3, [WORDS - 1] = 9};
    void *at = NULL;
    cl_int err;

    for (int i = 0; i < 20; i++) {
        int *p = mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0),
                      -1, 0),
            *one, *two;
        cl_mem m = filled(i, 0, p), c = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                                   sizeof constant, (void *)(uintptr_t)constant);

        at = p;
        launch(a.queue, add, m, i, NULL);
        app_args(sum, "mmm", c, m, m);
        app_run(a.queue, sum, WORDS, 64, 0, NULL, NULL);
        one = clEnqueueMapBuffer(a.queue, m, CL_FALSE, CL_MAP_READ, 0, 512, 0, NULL, NULL, &err);
        two = clEnqueueMapBuffer(a.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 256, 512, 0, NULL, NULL,
                                 &err);
        if (one != p || two != p + 64)
            printf("maps elsewhere\n");
        two[3] = one[5];
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, one, 0, NULL, NULL));
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, two, 0, NULL, NULL));
        launch(a.queue, mul, m, 3, NULL);
        APP_CHECK(clFinish(a.queue));
        if (i % 5 == 4)
            printf("host %d %d\n", p[3], p[67]);
        app_hash(&a, p, BYTES);
        clReleaseMemObject(m);
        clReleaseMemObject(c);
        munmap(p, page);
    }
}

int main(int argc, char **argv)
{
    static const struct hostile_case cases[] = {
        {"overwritten", overwritten},
        {"cloned", cloned},
        {"overlapping", overlapping},
        {"host_memory", host_memory},
        {0},
    };

    return hostile_run("hostile_memory", cases, argc, argv);
}
