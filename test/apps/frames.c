/* frames.c - pictures blurred over their rows, then over their columns, one after the other through one
 * scratch image, each into its own band of a tall image. Stripes of a third image have one launch each.
 *
 * The scratch image is overwritten whole by each frame, by more work-items than it has pixels: order between
 * frames is about memory alone. Bands and stripes are apart by their coordinates. The picture comes in four
 * quarters, stripes go out one by one.
 *
 * One in-order queue, everything enqueued before anything is waited for.
 *
 * usage: frames [frames]   default 6 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

enum { W = 72, H = 60, LOCAL = 8, STRIPES = 9, MOST = 64 };

static const char source[] =
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void rows(read_only image2d_t from, write_only image2d_t to, uint salt) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    uint sum = salt;\n"
    "    for (int x = -2; x <= 2; x++)\n"
    "        sum += read_imageui(from, edge, at + (int2)(x, 0)).x * (uint)(x + 3);\n"
    "    write_imageui(to, at, (uint4)(sum));\n"
    "}\n"
    "kernel void columns(read_only image2d_t from, write_only image2d_t to, int band) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), h = get_image_height(from);\n"
    "    if (y >= h)\n"
    "        return;\n"
    "    float2 at = (float2)(x + 0.5f, y + 0.5f);\n"
    "    uint sum = read_imageui(from, edge, at).x * 3u + read_imageui(from, edge, at + (float2)(0.0f, "
    "1.0f)).x;\n"
    "    write_imageui(to, (int2)(x, band * h + y), (uint4)(sum));\n"
    "}\n"
    "kernel void stripe(write_only image2d_t to, int first, uint salt) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    write_imageui(to, (int2)(first + x, y), (uint4)(x * 7u + y * 3u + salt));\n"
    "}\n";

struct sample {
    struct app a;
    cl_kernel rows, columns, stripe;
    cl_mem picture, scratch, bands, stripes;
    uint32_t pixel[W * H], blurred[W * H], got[W * H * MOST], want[W * H * MOST];
};

static cl_mem image(const struct app *a, size_t h)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = h};
    cl_int err;
    cl_mem m = clCreateImage(a->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    APP_CHECK(err);
    return m;
}

static void launch(struct sample *s, cl_kernel kernel, size_t width)
{
    const size_t size[2] = {width, (H + LOCAL - 1) / LOCAL * LOCAL}, local[2] = {LOCAL, LOCAL};
    APP_CHECK(clEnqueueNDRangeKernel(s->a.queue, kernel, 2, NULL, size, local, 0, NULL, NULL));
}

static void frame(struct sample *s, size_t band)
{
    uint32_t *want = s->want + band * W * H;
    app_args(s->rows, "mmu", s->picture, s->scratch, (unsigned)band * 7);
    launch(s, s->rows, W);
    app_args(s->columns, "mmi", s->scratch, s->bands, (int)band);
    launch(s, s->columns, W);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            s->blurred[y * W + x] = (uint32_t)band * 7;
            for (int d = -2; d <= 2; d++) {
                int at = x + d < 0 ? 0 : x + d >= W ? W - 1 : x + d;
                s->blurred[y * W + x] += s->pixel[y * W + at] * (uint32_t)(d + 3);
            }
        }
    for (int i = 0; i < W * H; i++)
        want[i] = s->blurred[i] * 3 + s->blurred[i + W < W * H ? i + W : i];
}

static void write_quarters(struct sample *s)
{
    for (size_t i = 0; i < 4; i++) {
        const size_t origin[3] = {i % 2 * (W / 2), i / 2 * (H / 2), 0}, region[3] = {W / 2, H / 2, 1};
        APP_CHECK(clEnqueueWriteImage(s->a.queue, s->picture, CL_FALSE, origin, region, W * 4, 0,
                                      s->pixel + origin[1] * W + origin[0], 0, NULL, NULL));
    }
}

/* Stripes are written, and each read into its place among the others. */
static void make_stripes(struct sample *s)
{
    const size_t width = W / STRIPES, region[3] = {W / STRIPES, H, 1};
    for (size_t i = 0; i < STRIPES; i++) {
        app_args(s->stripe, "miu", s->stripes, (int)(i * width), (unsigned)i);
        launch(s, s->stripe, width);
    }
    for (size_t i = 0; i < STRIPES; i++) {
        const size_t origin[3] = {i * width, 0, 0};
        APP_CHECK(clEnqueueReadImage(s->a.queue, s->stripes, CL_FALSE, origin, region, W * 4, 0,
                                     s->got + i * width, 0, NULL, NULL));
    }
    APP_CHECK(clFinish(s->a.queue));
    app_hash(&s->a, s->got, W * H * 4);
    for (size_t i = 0; i < W * H; i++)
        s->blurred[i] = (uint32_t)(i % W % width * 7 + i / W * 3 + i % W / width);
    app_expect_words(&s->a, "stripes", s->got, s->blurred, W * H);
}

int main(int argc, char **argv)
{
    struct sample *s = app_alloc(sizeof *s);
    const size_t frames = app_size(argc, argv, 1, 6, 1, MOST), origin[3] = {0, 0, 0};
    const size_t all[3] = {W, H * frames, 1};
    uint32_t seed = 11;
    cl_bool able = CL_FALSE;
    app_open(&s->a, "frames", 0, source);
    APP_CHECK(clGetDeviceInfo(s->a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof able, &able, NULL));
    if (!able)
        app_skip("frames", "the device has no images");
    s->rows = app_kernel(&s->a, "rows");
    s->columns = app_kernel(&s->a, "columns");
    s->stripe = app_kernel(&s->a, "stripe");
    for (size_t i = 0; i < W * H; i++)
        s->pixel[i] = app_random(&seed);
    s->picture = image(&s->a, H);
    s->scratch = image(&s->a, H);
    s->bands = image(&s->a, H * frames);
    s->stripes = image(&s->a, H);
    write_quarters(s);
    for (size_t i = 0; i < frames; i++)
        frame(s, i);
    make_stripes(s);
    APP_CHECK(clEnqueueReadImage(s->a.queue, s->bands, CL_TRUE, origin, all, 0, 0, s->got, 0, NULL, NULL));
    app_hash(&s->a, s->got, W * H * frames * 4);
    app_expect_words(&s->a, "bands", s->got, s->want, W * H * frames);
    app_release_mems((cl_mem[]){s->picture, s->scratch, s->bands, s->stripes}, 4);
    APP_CHECK(clReleaseKernel(s->rows));
    APP_CHECK(clReleaseKernel(s->columns));
    APP_CHECK(clReleaseKernel(s->stripe));
    int status = app_close(&s->a);
    free(s);
    return status;
}
