/* groups_speed.c - a five-point stencil over a large grid: rounds of steps, each waited for, and how long
 * each round took.
 *
 * usage: groups_speed SIDE STEPS ROUNDS [BAND]
 *   BAND  0 (default): each step is one launch. Else the best that can be done by hand without touching the
 *         kernel: bands of so many rows by global offsets, in wavefronts over all steps of the round
 * Prints one line a round, milliseconds, and at the end a hash of the grid. */
#include "../apps/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char source[] =
    "__kernel void five(__global const float *in, __global float *out, int n) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1), i = y * n + x;\n"
    "    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)\n"
    "        out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);\n"
    "}\n";

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void launch(struct app *a, cl_kernel k, cl_mem *grid, size_t step, size_t n, size_t first, size_t rows)
{
    size_t offset[2] = {0, first}, global[2] = {n, rows}, local[2] = {256, 1};

    app_args(k, "mmi", grid[step % 2], grid[(step + 1) % 2], (cl_int)n);
    APP_CHECK(clEnqueueNDRangeKernel(a->queue, k, 2, first ? offset : NULL, global, local, 0, NULL, NULL));
}

static void enqueue(struct app *a, cl_kernel k, cl_mem *grid, size_t n, size_t steps, size_t band)
{
    if (!band) {
        for (size_t s = 0; s < steps; s++)
            launch(a, k, grid, s, n, 0, n);
        return;
    }
    for (size_t wave = 0; wave < n / band + steps; wave++)
        for (size_t s = 0; s < steps && s <= wave; s++)
            if (wave - s < n / band)
                launch(a, k, grid, s, n, (wave - s) * band, band);
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 1024, 256, 32768), steps = app_size(argc, argv, 2, 16, 2, 64);
    size_t rounds = app_size(argc, argv, 3, 3, 1, 1000), band = app_size(argc, argv, 4, 0, 0, 4096),
           bytes = n * n * sizeof(float);
    float *data = app_alloc(bytes);
    struct app a;

    for (size_t i = 0; i < n * n; i++)
        data[i] = (float)(i * 2654435761u % 1000) / 1000.0f;
    app_open(&a, "groups_speed", 0, source);
    cl_kernel five = app_kernel(&a, "five");
    cl_mem grid[2];
    for (int g = 0; g < 2; g++) {
        grid[g] = app_buffer(&a, CL_MEM_READ_WRITE, bytes, NULL);
        APP_CHECK(clEnqueueWriteBuffer(a.queue, grid[g], CL_TRUE, 0, bytes, data, 0, NULL, NULL));
    }
    for (size_t r = 0; r < rounds; r++) {
        double begin = now_ms();
        enqueue(&a, five, grid, n, steps, band);
        APP_CHECK(clFinish(a.queue));
        fprintf(stderr, "%.2f\n", now_ms() - begin);
    }
    app_read(&a, grid[rounds * steps % 2], 0, bytes, data);
    app_release_mems(grid, 2);
    APP_CHECK(clReleaseKernel(five));
    free(data);
    return app_close(&a);
}
