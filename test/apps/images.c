/* images.c - a picture in image2d objects: write, fill, sample through kernels, copy to and from a buffer,
 * map, read.
 *
 * usage: images [side]   default 64 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

static const char source[] =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "__kernel void shift(read_only image2d_t in, write_only image2d_t out, sampler_t given, int by) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    uint4 a = read_imageui(in, given, at + (int2)(by, 0)), b = read_imageui(in, nearest, at - (int2)(0, "
    "by));\n"
    "    write_imageui(out, at, (a + b * 3u) & 255u);\n"
    "}\n";

static size_t clamped(long v, size_t n)
{
    return v < 0 ? 0 : (size_t)v >= n ? n - 1 : (size_t)v;
}

static void shift_plainly(const uint8_t *in, uint8_t *out, size_t n, long by)
{
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++)
            for (size_t c = 0; c < 4; c++) {
                uint8_t a = in[(y * n + clamped((long)x + by, n)) * 4 + c];
                uint8_t b = in[(clamped((long)y - by, n) * n + x) * 4 + c];
                out[(y * n + x) * 4 + c] = (uint8_t)(a + b * 3);
            }
}

static cl_mem image(const struct app *a, size_t n)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = n, .image_height = n};
    cl_int err;
    cl_mem m = clCreateImage(a->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    APP_CHECK(err);
    return m;
}

/* Fills a corner of `m`, copies its upper half through a buffer to its lower half; the same on `want`. */
static void rearrange(struct app *a, cl_mem m, uint8_t *want, size_t n)
{
    const cl_uint colour[4] = {1, 2, 3, 4};
    const size_t origin[3] = {0, 0, 0}, corner[3] = {n / 4, n / 4, 1}, half[3] = {n, n / 2, 1},
                 below[3] = {0, n / 2, 0};
    cl_mem buffer = app_buffer(a, CL_MEM_READ_WRITE, n * n * 4, NULL);
    APP_CHECK(clEnqueueFillImage(a->queue, m, colour, origin, corner, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyImageToBuffer(a->queue, m, buffer, origin, half, 64, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyBufferToImage(a->queue, buffer, m, 64, below, half, 0, NULL, NULL));
    APP_CHECK(clFinish(a->queue));
    for (size_t y = 0; y < n / 4; y++)
        for (size_t x = 0; x < n / 4; x++)
            memcpy(&want[(y * n + x) * 4], (const uint8_t[]){1, 2, 3, 4}, 4);
    memcpy(want + n / 2 * n * 4, want, n * (n / 2) * 4);
    app_release_mems(&buffer, 1);
}

static void expect_picture(struct app *a, const char *what, const uint8_t *got, const uint8_t *want,
                           size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!app_expect(a, got[i] == want[i], "%s: byte %zu is %d, expected %d", what, i, got[i], want[i]))
            return;
}

/* Reads `m` through a map, row by row because rows may be padded. */
static void read_by_map(struct app *a, cl_mem m, uint8_t *got, size_t n)
{
    const size_t origin[3] = {0, 0, 0}, all[3] = {n, n, 1};
    size_t pitch = 0;
    cl_int err;
    uint8_t *p =
        clEnqueueMapImage(a->queue, m, CL_TRUE, CL_MAP_READ, origin, all, &pitch, NULL, 0, NULL, NULL, &err);
    APP_CHECK(err);
    for (size_t y = 0; y < n; y++)
        memcpy(got + y * n * 4, p + y * pitch, n * 4);
    APP_CHECK(clEnqueueUnmapMemObject(a->queue, m, p, 0, NULL, NULL));
    APP_CHECK(clFinish(a->queue));
    app_hash(a, got, n * n * 4);
}

int main(int argc, char **argv)
{
    size_t n = app_size(argc, argv, 1, 64, 8, 4096) / 8 * 8, bytes = n * n * 4;
    struct app a;
    app_open(&a, "images", 0, NULL);
    cl_bool able = CL_FALSE;
    cl_int err;
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof able, &able, NULL));
    if (!able)
        app_skip("images", "the device has no images");
    APP_CHECK(clReleaseCommandQueue(a.queue));
    APP_CHECK(clReleaseContext(a.context));
    app_open(&a, "images", 0, source);
    const cl_sampler_properties how[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                         CL_FALSE,
                                         CL_SAMPLER_ADDRESSING_MODE,
                                         CL_ADDRESS_CLAMP_TO_EDGE,
                                         CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_NEAREST,
                                         0};
    cl_sampler sampler = clCreateSamplerWithProperties(a.context, how, &err);
    APP_CHECK(err);
    cl_kernel shift = app_kernel(&a, "shift");
    uint8_t *want[2] = {app_alloc(bytes), app_alloc(bytes)}, *got = app_alloc(bytes);
    uint32_t seed = 41;
    for (size_t i = 0; i < bytes; i++)
        want[0][i] = (uint8_t)app_random(&seed);
    const size_t origin[3] = {0, 0, 0}, all[3] = {n, n, 1};
    cl_mem m[3] = {image(&a, n), image(&a, n), image(&a, n)};
    APP_CHECK(clEnqueueWriteImage(a.queue, m[0], CL_FALSE, origin, all, 0, 0, want[0], 0, NULL, NULL));
    app_args(shift, "mmsi", m[0], m[1], sampler, 3);
    app_run_2d(a.queue, shift, n, n, 0);
    shift_plainly(want[0], want[1], n, 3);
    APP_CHECK(clFinish(a.queue));
    rearrange(&a, m[1], want[1], n);
    APP_CHECK(clEnqueueCopyImage(a.queue, m[1], m[2], origin, origin, all, 0, NULL, NULL));
    read_by_map(&a, m[1], got, n);
    expect_picture(&a, "mapped", got, want[1], bytes);
    APP_CHECK(clEnqueueReadImage(a.queue, m[2], CL_TRUE, origin, all, 0, 0, got, 0, NULL, NULL));
    app_hash(&a, got, bytes);
    expect_picture(&a, "copied", got, want[1], bytes);

    app_release_mems(m, 3);
    APP_CHECK(clReleaseSampler(sampler));
    APP_CHECK(clReleaseKernel(shift));
    free(want[0]), free(want[1]), free(got);
    return app_close(&a);
}
