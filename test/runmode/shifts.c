/* shifts.c - a filter of images that sums over shifts: launches that sum rows of an image into a buffer, sum
 * its columns in place and count what overflows, and weigh with image and buffer, again and again on one
 * in-order queue, between images that the host writes and reads. "shifts [FRAMES [WIDTH HEIGHT]]" */
#include "common.h"

enum { FRAMES = 2, ROUNDS = 6, PLANES = 3, PIXEL = 4 /* bytes */ };

static const char source[] =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void along(global uint4 *sums, read_only image2d_t in, int width, int4 dx, int4 dy) {\n"
    "    int y = get_global_id(0);\n"
    "    uint4 sum = 0, v;\n"
    "    for (int x = 0; x < width; x++) {\n"
    "        uint at = read_imageui(in, nearest, (int2)(x, y)).x;\n"
    "        v.x = read_imageui(in, nearest, (int2)(x + dx.x, y + dy.x)).x;\n"
    "        v.y = read_imageui(in, nearest, (int2)(x + dx.y, y + dy.y)).x;\n"
    "        v.z = read_imageui(in, nearest, (int2)(x + dx.z, y + dy.z)).x;\n"
    "        v.w = read_imageui(in, nearest, (int2)(x + dx.w, y + dy.w)).x;\n"
    "        sum += (v - at) * (v - at);\n"
    "        sums[y * width + x] = sum;\n"
    "    }\n"
    "}\n"
    "kernel void down(global uint4 *sums, global int *over, int width, int height) {\n"
    "    int x = get_global_id(0);\n"
    "    uint4 sum = 0;\n"
    "    for (int y = 0; y < height; y++) {\n"
    "        if (any((uint4)(UINT_MAX) - sums[y * width + x] < sum)) atomic_inc(over);\n"
    "        sums[y * width + x] += sum;\n"
    "        sum = sums[y * width + x];\n"
    "    }\n"
    "}\n"
    "kernel void weigh(global uint *total, global const uint4 *sums, read_only image2d_t in, int width, "
    "int height, int p) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    uint4 w = 0;\n"
    "    if (x >= p && y >= p && x + p < width && y + p < height)\n"
    "        w = sums[(y + p) * width + x + p] + sums[(y - p) * width + x - p]\n"
    "          - sums[(y + p) * width + x - p] - sums[(y - p) * width + x + p];\n"
    "    total[y * width + x] += (w.x ^ w.y ^ w.z ^ w.w) + read_imageui(in, nearest, (int2)(x, y)).x;\n"
    "}\n"
    "kernel void blend(write_only image2d_t out, read_only image2d_t in, global const uint *total, int "
    "width) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    uint v = read_imageui(in, nearest, at).x;\n"
    "    write_imageui(out, at, (uint4)((v + total[at.y * width + at.x]) & 255, 0, 0, 0));\n"
    "}\n";

static struct app a;
static cl_kernel along, down, weigh, blend;
static cl_mem sums, total, over, in, out;
static size_t width = 128, height = 48;
static const size_t origin[3];

static cl_mem image(size_t w, size_t h)
{
    const cl_image_format bytes = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = w, .image_height = h};
    cl_int err;
    cl_mem m = clCreateImage(a.context, CL_MEM_READ_WRITE, &bytes, &desc, NULL, &err);

    APP_CHECK(err);
    return m;
}

static void plane(size_t w, size_t h)
{
    const cl_uint none = 0;

    APP_CHECK(clEnqueueFillBuffer(a.queue, total, &none, sizeof none, 0, w * h * sizeof none, 0, NULL, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        const cl_int dx[4] = {i, -i, 2, -2}, dy[4] = {1 - i, 3, i, -1};

        app_args(along, "mmi", sums, in, (cl_int)w);
        APP_CHECK(clSetKernelArg(along, 3, sizeof dx, dx));
        APP_CHECK(clSetKernelArg(along, 4, sizeof dy, dy));
        app_run(a.queue, along, h, 0, 0, NULL, NULL);
        app_args(down, "mmii", sums, over, (cl_int)w, (cl_int)h);
        app_run(a.queue, down, w, 0, 0, NULL, NULL);
        app_args(weigh, "mmmiii", total, sums, in, (cl_int)w, (cl_int)h, 2);
        app_run_2d(a.queue, weigh, w, h, 0);
    }
    app_args(blend, "mmmi", out, in, total, (cl_int)w);
    app_run_2d(a.queue, blend, w, h, 0);
    APP_CHECK(clFlush(a.queue));
}

static void frame(uint8_t *pixels, size_t w, size_t h)
{
    const size_t all[3] = {w, h, 1};

    APP_CHECK(clEnqueueWriteImage(a.queue, in, CL_FALSE, origin, all, 0, 0, pixels, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    plane(w, h);
    APP_CHECK(clEnqueueReadImage(a.queue, out, CL_TRUE, origin, all, 0, 0, pixels, 0, NULL, NULL));
    app_hash(&a, pixels, w * h * PIXEL);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : FRAMES;
    const cl_int zero = 0;
    cl_int overflows;
    uint8_t *pixels;

    if (argc > 3) {
        width = (size_t)atoi(argv[2]);
        height = (size_t)atoi(argv[3]);
    }
    app_open(&a, "shifts", 0, source);
    along = app_kernel(&a, "along"), down = app_kernel(&a, "down");
    weigh = app_kernel(&a, "weigh"), blend = app_kernel(&a, "blend");
    sums = app_buffer(&a, CL_MEM_READ_WRITE, width * height * 16, NULL);
    total = app_buffer(&a, CL_MEM_READ_WRITE, width * height * 4, NULL);
    over = app_buffer(&a, CL_MEM_READ_WRITE, sizeof zero, NULL);
    in = image(width, height);
    out = image(width, height);
    pixels = malloc(width * height * PIXEL);
    for (size_t i = 0; i < width * height * PIXEL; i++)
        pixels[i] = (uint8_t)(i * i >> 5);
    for (int f = 0; f < frames; f++) {
        APP_CHECK(clEnqueueWriteBuffer(a.queue, over, CL_FALSE, 0, sizeof zero, &zero, 0, NULL, NULL));
        for (int p = 0; p < PLANES; p++)
            frame(pixels, p ? width / 2 : width, p ? height / 2 : height);
        APP_CHECK(
            clEnqueueReadBuffer(a.queue, over, CL_FALSE, 0, sizeof overflows, &overflows, 0, NULL, NULL));
        APP_CHECK(clFinish(a.queue));
        app_hash(&a, &overflows, sizeof overflows);
    }
    free(pixels);
    app_release_mems((cl_mem[]){sums, total, over, in, out}, 5);
    APP_CHECK(clReleaseKernel(along));
    APP_CHECK(clReleaseKernel(down));
    APP_CHECK(clReleaseKernel(weigh));
    APP_CHECK(clReleaseKernel(blend));
    return app_close(&a);
}
