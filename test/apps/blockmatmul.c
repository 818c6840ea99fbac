/* blockmatmul.c - C = A B by blocks, the example of the HXDSP paper: two kernels cut A and B into 2 x 2
 * blocks, eight multiply, one merges, all on one in-order queue.
 *
 * Its task graph is 2 splits -> 8 products -> 1 merge (11 kernels, 24 edges): each product needs both splits,
 * the merge needs all products, nothing else depends on anything. Elements are small whole numbers, so that
 * every sum is exact in float whatever the order.
 *
 * usage: blockmatmul [n] [times]   matrices of n x n elements, n even, default 64; all of it so often,
 * default 1 */
#include "common.h"

#include <stdlib.h>

#define PRODUCTS 8

static const char source[] =
    /* block (r, c) of `matrix` becomes the contiguous block 2 r + c of `blocks` */
    "__kernel void split(__global const float *restrict matrix, __global float *restrict blocks, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), h = n / 2;\n"
    "    int block = (y / h) * 2 + x / h;\n"
    "    blocks[block * h * h + (y % h) * h + x % h] = matrix[y * n + x];\n"
    "}\n"
    "__kernel void multiply(__global const float *restrict a, __global const float *restrict b,\n"
    "                       __global float *restrict product, int h, int block_a, int block_b) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = 0.0f;\n"
    "    for (int k = 0; k < h; k++)\n"
    "        sum += a[block_a * h * h + y * h + k] * b[block_b * h * h + k * h + x];\n"
    "    product[y * h + x] = sum;\n"
    "}\n"
    "__kernel void merge(__global const float *restrict p0, __global const float *restrict p1,\n"
    "                    __global const float *restrict p2, __global const float *restrict p3,\n"
    "                    __global const float *restrict p4, __global const float *restrict p5,\n"
    "                    __global const float *restrict p6, __global const float *restrict p7,\n"
    "                    __global float *restrict c, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), h = n / 2, i = (y % h) * h + x % h;\n"
    "    float sum;\n"
    "    if (y < h) sum = x < h ? p0[i] + p1[i] : p2[i] + p3[i];\n"
    "    else sum = x < h ? p4[i] + p5[i] : p6[i] + p7[i];\n"
    "    c[y * n + x] = sum;\n"
    "}\n";

static void multiply_plainly(const float *a, const float *b, float *c, size_t n)
{
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
            float sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[y * n + k] * b[k * n + x];
            c[y * n + x] = sum;
        }
}

/* Enqueues the eleven kernels; `products` and `c` are the buffers they fill. */
static void enqueue_product(struct app *a, cl_mem in_a, cl_mem in_b, cl_mem blocks_a, cl_mem blocks_b,
                            cl_mem *products, cl_mem c, size_t n)
{
    cl_kernel split = app_kernel(a, "split"), multiply = app_kernel(a, "multiply"),
              merge = app_kernel(a, "merge");
    size_t h = n / 2;
    app_args(split, "mmi", in_a, blocks_a, (cl_int)n);
    app_run_2d(a->queue, split, n, n, 0);
    app_args(split, "mmi", in_b, blocks_b, (cl_int)n);
    app_run_2d(a->queue, split, n, n, 0);
    /* product 4 r + 2 c + k = A(r, k) B(k, c) */
    for (int p = 0; p < PRODUCTS; p++) {
        int row = p / 4, column = p / 2 % 2, k = p % 2;
        app_args(multiply, "mmmiii", blocks_a, blocks_b, products[p], (cl_int)h, row * 2 + k, k * 2 + column);
        app_run_2d(a->queue, multiply, h, h, 0);
    }
    app_args(merge, "mmmmmmmmmi", products[0], products[1], products[2], products[3], products[4],
             products[5], products[6], products[7], c, (cl_int)n);
    app_run_2d(a->queue, merge, n, n, 0);
    APP_CHECK(clReleaseKernel(split));
    APP_CHECK(clReleaseKernel(multiply));
    APP_CHECK(clReleaseKernel(merge));
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 64, 2, 4096) / 2 * 2, bytes = n * n * sizeof(float),
           times = app_size(argc, argv, 2, 1, 1, 1000);
    float *data_a = app_alloc(bytes), *data_b = app_alloc(bytes), *got = app_alloc(bytes),
          *want = app_alloc(bytes);
    uint32_t seed = 1;
    for (size_t i = 0; i < n * n; i++) {
        data_a[i] = (float)(app_random(&seed) % 9) - 4;
        data_b[i] = (float)(app_random(&seed) % 9) - 4;
    }
    struct app a;
    app_open(&a, "blockmatmul", 0, source);
    const cl_mem_flags input = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    enum { IN_A, IN_B, BLOCKS_A, BLOCKS_B, C, PRODUCT, COUNT = PRODUCT + PRODUCTS };
    cl_mem m[COUNT];
    m[IN_A] = app_buffer(&a, input, bytes, data_a);
    m[IN_B] = app_buffer(&a, input, bytes, data_b);
    m[BLOCKS_A] = app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL);
    m[BLOCKS_B] = app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL);
    m[C] = app_buffer(&a, CL_MEM_WRITE_ONLY, bytes, NULL);
    for (int p = 0; p < PRODUCTS; p++)
        m[PRODUCT + p] = app_buffer(&a, CL_MEM_READ_WRITE, bytes / 4, NULL);

    for (size_t k = 0; k < times; k++) {
        enqueue_product(&a, m[IN_A], m[IN_B], m[BLOCKS_A], m[BLOCKS_B], &m[PRODUCT], m[C], n);
        app_read(&a, m[C], 0, bytes, got);
    }
    multiply_plainly(data_a, data_b, want, n);
    app_expect_floats(&a, "C", got, want, n * n);

    app_release_mems(m, COUNT);
    free(data_a), free(data_b), free(got), free(want);
    return app_close(&a);
}
