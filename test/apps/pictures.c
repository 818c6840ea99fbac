/* pictures.c - kernels that read images and write buffers, between everything that changes images: writes,
 * copies from buffers, fills, maps, kernels that write images; in two and three dimensions, arrays of images,
 * bytes and floats.
 *
 * usage: pictures [rounds]   default 3 */
#include "common.h"

#include <stdlib.h>
#include <string.h>

#define WIDE 96
#define TALL 61
#define DEEP 5

static const char source[] =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "__kernel void spread(__read_only image2d_t in, __global uint *out, int by) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    uint4 a = read_imageui(in, nearest, (int2)(x + by, y)), b = read_imageui(in, nearest, (int2)(x, y - "
    "by));\n"
    "    out[y * get_global_size(0) + x] = a.x + b.y * 256u + a.z * 65536u + b.w * 16777216u + "
    "(uint)get_group_id(1);\n"
    "}\n"
    "__kernel void stack(__read_only image3d_t in, __read_only image2d_array_t sheets, __global float *out) "
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    float4 at = read_imagef(in, nearest, (int4)(x, y, z, 0)), above = read_imagef(in, nearest, "
    "(int4)(x, y, z + 1, 0));\n"
    "    out[i] = at.x + 2.0f * above.x + 4.0f * read_imagef(sheets, nearest, (int4)(x, y, z, 0)).x;\n"
    "}\n"
    "__kernel void paint(__write_only image2d_t out, uint salt) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    write_imageui(out, (int2)(x, y), (uint4)(x + salt, y, x ^ y, salt) & 255u);\n"
    "}\n";

struct data {
    struct app a;
    uint8_t picture[WIDE * TALL * 4];
    float cube[WIDE * TALL * DEEP][4], sheets[WIDE * TALL * DEEP][4]; /* pixels */
    uint32_t words[WIDE * TALL], want[WIDE * TALL];
    float floats[WIDE * TALL * DEEP], sums[WIDE * TALL * DEEP];
    cl_mem image, solid, array, bytes, out, real;
};

static cl_mem image(const struct app *a, cl_mem_flags flags, cl_image_format format, cl_mem_object_type type,
                    size_t depth, void *host)
{
    const cl_image_desc desc = {.image_type = type,
                                .image_width = WIDE,
                                .image_height = TALL,
                                .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? depth : 0,
                                .image_array_size = type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? depth : 0};
    size_t pitch = 0, slice = 0, element = 0, bytes = 0;
    cl_mem_flags told = 0;
    void *pointer = &pitch;
    cl_int err;
    cl_mem m = clCreateImage(a->context, flags, &format, &desc, host, &err);

    APP_CHECK(err);
    APP_CHECK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
    APP_CHECK(clGetImageInfo(m, CL_IMAGE_SLICE_PITCH, sizeof slice, &slice, NULL));
    APP_CHECK(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL));
    APP_CHECK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    APP_CHECK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof told, &told, NULL));
    APP_CHECK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    app_hash((struct app *)(uintptr_t)a,
             (const size_t[]){pitch, slice, element, bytes, told, pointer != NULL}, 6 * sizeof(size_t));
    return m;
}

static size_t clamped(long v, size_t n)
{
    return v < 0 ? 0 : (size_t)v >= n ? n - 1 : (size_t)v;
}

static void spread(struct data *d, long by, size_t local)
{
    cl_kernel k = app_kernel(&d->a, "spread");

    app_args(k, "mmi", d->image, d->out, (cl_int)by);
    APP_CHECK(clEnqueueNDRangeKernel(d->a.queue, k, 2, NULL, (const size_t[]){WIDE, TALL},
                                     (const size_t[]){local, 1}, 0, NULL, NULL));
    for (size_t i = 0; i < WIDE * TALL; i++) {
        size_t x = i % WIDE, y = i / WIDE;
        const uint8_t *a = &d->picture[(y * WIDE + clamped((long)x + by, WIDE)) * 4];
        const uint8_t *b = &d->picture[(clamped((long)y - by, TALL) * WIDE + x) * 4];
        d->want[i] = a[0] + b[1] * 256u + a[2] * 65536u + b[3] * 16777216u + (uint32_t)y;
    }
    app_read(&d->a, d->out, 0, sizeof d->words, d->words);
    app_expect_words(&d->a, "spread", d->words, d->want, WIDE * TALL);
    APP_CHECK(clReleaseKernel(k));
}

static void stack(struct data *d)
{
    const size_t sheet = WIDE * TALL;
    cl_kernel k = app_kernel(&d->a, "stack");

    app_args(k, "mmm", d->solid, d->array, d->real);
    APP_CHECK(clEnqueueNDRangeKernel(d->a.queue, k, 3, NULL, (const size_t[]){WIDE, TALL, DEEP},
                                     (const size_t[]){32, 1, 1}, 0, NULL, NULL));
    for (size_t i = 0; i < sheet * DEEP; i++)
        d->sums[i] = d->cube[i][0] + 2.0f * d->cube[i + sheet < sheet * DEEP ? i + sheet : i][0] +
                     4.0f * d->sheets[i][0];
    app_read(&d->a, d->real, 0, sizeof d->floats, d->floats);
    app_expect_floats(&d->a, "stack", d->floats, d->sums, sheet * DEEP);
    APP_CHECK(clReleaseKernel(k));
}

/* A kernel changes all of the picture. */
static void paint(struct data *d, uint32_t salt)
{
    cl_kernel k = app_kernel(&d->a, "paint");

    app_args(k, "mu", d->image, (cl_uint)salt);
    app_run_2d(d->a.queue, k, WIDE, TALL, 0);
    for (size_t i = 0; i < WIDE * TALL; i++) {
        uint8_t *p = &d->picture[i * 4];
        p[0] = (uint8_t)(i % WIDE + salt), p[1] = (uint8_t)(i / WIDE), p[2] = (uint8_t)(i % WIDE ^ i / WIDE),
        p[3] = (uint8_t)salt;
    }
    APP_CHECK(clReleaseKernel(k));
}

/* Commands change some of it: a rectangle from the host, one from a buffer, one of a colour, one through a
 * map. */
static void retouch(struct data *d, uint32_t *seed)
{
    const size_t origin[3] = {8, 4, 0}, below[3] = {8, 30, 0}, region[3] = {32, 8, 1}, row = 32 * 4;
    uint8_t piece[32 * 8 * 4];
    size_t pitch, slice;
    uint8_t *map;
    cl_int err;

    for (size_t i = 0; i < sizeof piece; i++)
        piece[i] = (uint8_t)app_random(seed);
    APP_CHECK(
        clEnqueueWriteImage(d->a.queue, d->image, CL_FALSE, origin, region, 0, 0, piece, 0, NULL, NULL));
    APP_CHECK(clEnqueueWriteBuffer(d->a.queue, d->bytes, CL_TRUE, 0, sizeof piece, piece, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyBufferToImage(d->a.queue, d->bytes, d->image, 0, below, region, 0, NULL, NULL));
    APP_CHECK(clEnqueueFillImage(d->a.queue, d->image, (const cl_uint[]){9, 8, 7, 6},
                                 (const size_t[]){60, 20, 0}, (const size_t[]){10, 1, 1}, 0, NULL, NULL));
    map = clEnqueueMapImage(d->a.queue, d->image, CL_TRUE, CL_MAP_WRITE | CL_MAP_READ,
                            (const size_t[]){0, 50, 0}, (const size_t[]){WIDE, 1, 1}, &pitch, &slice, 0, NULL,
                            NULL, &err);
    APP_CHECK(err);
    for (size_t i = 0; i < WIDE * 4; i++)
        map[i] ^= piece[i];
    APP_CHECK(clEnqueueUnmapMemObject(d->a.queue, d->image, map, 0, NULL, NULL));
    for (size_t y = 0; y < 8; y++)
        for (int half = 0; half < 2; half++)
            memcpy(&d->picture[(((half ? 30 : 4) + y) * WIDE + 8) * 4], piece + y * row, row);
    for (size_t x = 60; x < 70; x++)
        memcpy(&d->picture[(20 * WIDE + x) * 4], (const uint8_t[]){9, 8, 7, 6}, 4);
    for (size_t i = 0; i < WIDE * 4; i++)
        d->picture[50 * WIDE * 4 + i] ^= piece[i];
}

static void open_images(struct data *d, uint32_t *seed)
{
    const cl_image_format bytes = {CL_RGBA, CL_UNSIGNED_INT8}, real = {CL_RGBA, CL_FLOAT};

    for (size_t i = 0; i < sizeof d->picture; i++)
        d->picture[i] = (uint8_t)app_random(seed);
    for (size_t i = 0; i < WIDE * TALL * DEEP; i++) {
        d->cube[i][0] = (float)(app_random(seed) % 1000);
        d->sheets[i][0] = (float)(app_random(seed) % 1000);
    }
    d->image =
        image(&d->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, CL_MEM_OBJECT_IMAGE2D, 0, d->picture);
    d->solid = image(&d->a, CL_MEM_READ_ONLY, real, CL_MEM_OBJECT_IMAGE3D, DEEP, NULL);
    d->array = image(&d->a, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, real, CL_MEM_OBJECT_IMAGE2D_ARRAY, DEEP,
                     d->sheets);
    APP_CHECK(clEnqueueWriteImage(d->a.queue, d->solid, CL_FALSE, (const size_t[]){0, 0, 0},
                                  (const size_t[]){WIDE, TALL, DEEP}, 0, 0, d->cube, 0, NULL, NULL));
    d->bytes = app_buffer(&d->a, CL_MEM_READ_WRITE, 4096, NULL);
    d->out = app_buffer(&d->a, CL_MEM_READ_WRITE, sizeof d->words, NULL);
    d->real = app_buffer(&d->a, CL_MEM_WRITE_ONLY, sizeof d->floats, NULL);
}

int main(int argc, char **argv)
{
    size_t rounds = app_size(argc, argv, 1, 3, 1, 1000);
    struct data *d = app_alloc(sizeof *d);
    uint32_t seed = 11;
    cl_bool able = CL_FALSE;

    memset(d, 0, sizeof *d);
    app_open(&d->a, "pictures", 0, source);
    APP_CHECK(clGetDeviceInfo(d->a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof able, &able, NULL));
    if (!able)
        app_skip("pictures", "the device has no images");
    open_images(d, &seed);
    for (uint32_t round = 0; round < rounds; round++) {
        spread(d, (long)round + 1, 32);
        retouch(d, &seed);
        spread(d, 2, 16);
        stack(d);
        paint(d, round + 3);
        spread(d, -3, 32);
    }
    app_release_mems((cl_mem[]){d->image, d->solid, d->array, d->bytes, d->out, d->real}, 6);
    int status = app_close(&d->a);
    free(d);
    return status;
}
