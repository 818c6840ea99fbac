/* filters.c - images in every use: filters with samplers from one image to the next, fills of every format,
 * copies inside and between images and buffers, maps, images over the program's memory and in a buffer, one
 * to three dimensions and arrays; calls that are wrong; reference counts. */
#include "common.h"

enum { WIDE = 48, TALL = 40, DEEP = 3, STEPS = 4 };

static const char source[] =
    "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "kernel void soften(read_only image2d_t in, write_only image2d_t out, sampler_t s, float2 step) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float2 f = (convert_float2(at) + 0.5f) * step;\n"
    "    float4 sum = read_imagef(in, nearest, at) * 0.5f;\n"
    "    sum += read_imagef(in, s, f + (float2)(step.x, 0)) * 0.25f + read_imagef(in, s, f - (float2)(0, "
    "step.y)) * 0.25f;\n"
    "    write_imagef(out, at, sum);\n"
    "}\n"
    "kernel void halve(read_only image2d_t in, write_only image2d_t out) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    if ((at.x + at.y) & 1) write_imagef(out, at, read_imagef(in, nearest, at.yx) * 0.5f);\n"
    "}\n"
    "kernel void weigh(read_only image2d_t in, sampler_t s, long more, global float *out) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float4 v = read_imagef(in, s, (int2)(x - 2, y + 3));\n"
    "    out[y * get_global_size(0) + x] = v.x + 2 * v.y + 3 * v.z + 4 * v.w + more;\n"
    "}\n"
    "kernel void stack(read_only image2d_array_t sheets, read_only image3d_t solid, write_only "
    "image1d_array_t rows) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float4 v = read_imagef(solid, nearest, (int4)(x, y, y % 3, 0));\n"
    "    write_imagef(rows, (int2)(x, y), v + read_imagef(sheets, nearest, (int4)(y, x, x % 3, 0)));\n"
    "}\n"
    "kernel void line(read_only image1d_t in, write_only image1d_buffer_t out) {\n"
    "    int x = get_global_id(0);\n"
    "    write_imageui(out, x, read_imageui(in, x) * 3u + 1u);\n"
    "}\n"
    "kernel void relay(read_only image1d_buffer_t in, global uint4 *out) {\n"
    "    int x = get_global_id(0);\n"
    "    out[x] += read_imageui(in, (int)get_global_size(0) - 1 - x);\n"
    "}\n";

/* OpenCL C 3.0 */
static const char in_place_source[] =
    "kernel void over(read_write image2d_t io, uint more) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(io, at, read_imageui(io, at) * 3u + (uint4)(at.x, at.y, more, 1));\n"
    "}\n";

static struct app a;
static const size_t origin[3], all[3] = {WIDE, TALL, 1};
static const cl_image_format colours = {CL_RGBA, CL_UNORM_INT8}, real = {CL_RGBA, CL_FLOAT},
                             counts = {CL_RGBA, CL_UNSIGNED_INT32};

static cl_mem image(cl_mem_flags flags, cl_image_format format, cl_image_desc desc, void *host)
{
    cl_int err;
    cl_mem m = clCreateImage(a.context, flags, &format, &desc, host, &err);

    APP_CHECK(err);
    return m;
}

static cl_image_desc flat(size_t row)
{
    return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = WIDE,
                           .image_height = TALL,
                           .image_row_pitch = row};
}

static cl_sampler sampler(cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter)
{
    cl_int err;
    const cl_sampler_properties how[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                         normalized,
                                         CL_SAMPLER_ADDRESSING_MODE,
                                         addressing,
                                         CL_SAMPLER_FILTER_MODE,
                                         filter,
                                         0};
    cl_sampler s = clCreateSamplerWithProperties(a.context, how, &err);

    APP_CHECK(err);
    return s;
}

static void show(const char *what, const void *bytes, size_t size)
{
    a.hash = 0;
    app_hash(&a, bytes, size);
    printf("%s: %016llx\n", what, (unsigned long long)a.hash);
}

static uint8_t pixels[DEEP * WIDE * TALL * 16];

/* All of `m`, of `region`, whose pixels have `size` bytes. */
static void show_image(const char *what, cl_mem m, const size_t *region, size_t size)
{
    APP_CHECK(clEnqueueReadImage(a.queue, m, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    show(what, pixels, region[0] * region[1] * region[2] * size);
}

static void fill_random(void *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)app_random(&seed);
}

static void clear(cl_mem m, const size_t *region)
{
    APP_CHECK(clEnqueueFillImage(a.queue, m, (const cl_uint[4]){0}, origin, region, 0, NULL, NULL));
}

static void launch(cl_kernel k, size_t width, size_t height)
{
    app_run_2d(a.queue, k, width, height, 0);
}

/* A pipeline: each step softens with another sampler, thins in place of every second pixel, and weighs. */
static void pipeline(void)
{
    static const cl_addressing_mode modes[STEPS] = {CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                                    CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_CLAMP_TO_EDGE};
    const float step[2] = {1.0f / WIDE, 1.0f / TALL};
    cl_kernel soften = app_kernel(&a, "soften"), halve = app_kernel(&a, "halve"),
              weigh = app_kernel(&a, "weigh");
    cl_mem m[2] = {image(CL_MEM_READ_WRITE, colours, flat(0), NULL), image(0, colours, flat(0), NULL)},
           sums = app_buffer(&a, CL_MEM_WRITE_ONLY, WIDE * TALL * sizeof(float), NULL);
    cl_sampler edge = sampler(CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);

    fill_random(pixels, WIDE * TALL * 4, 5);
    APP_CHECK(clEnqueueWriteImage(a.queue, m[0], CL_FALSE, origin, all, 0, 0, pixels, 0, NULL, NULL));
    APP_CHECK(clFinish(a.queue));
    for (int i = 0; i < STEPS; i++) {
        cl_sampler s = sampler(CL_TRUE, modes[i], CL_FILTER_NEAREST);
        cl_long more = i;
        app_args(soften, "mms", m[i & 1], m[~i & 1], s);
        APP_CHECK(clSetKernelArg(soften, 3, sizeof step, step));
        launch(soften, WIDE, TALL);
        app_args(halve, "mm", m[~i & 1], m[i & 1]);
        launch(halve, TALL, TALL);
        APP_CHECK(clEnqueueCopyImage(a.queue, m[i & 1], m[~i & 1], (const size_t[]){1, 2, 0},
                                     (const size_t[]){20, 17, 0}, (const size_t[]){9, 8, 1}, 0, NULL, NULL));
        app_args(weigh, "ms", m[~i & 1], edge);
        APP_CHECK(clSetKernelArg(weigh, 2, sizeof more, &more));
        APP_CHECK(clSetKernelArg(weigh, 3, sizeof sums, &sums));
        launch(weigh, WIDE, TALL);
        APP_CHECK(clEnqueueReadBuffer(a.queue, sums, CL_TRUE, 0, WIDE * TALL * sizeof(float), pixels, 0, NULL,
                                      NULL));
        show("weighed", pixels, WIDE * TALL * sizeof(float));
        APP_CHECK(clReleaseSampler(s));
    }
    show_image("softened", m[0], all, 4);
    app_release_mems((cl_mem[]){m[0], m[1], sums}, 3);
    APP_CHECK(clReleaseSampler(edge));
    APP_CHECK(clReleaseKernel(soften));
    APP_CHECK(clReleaseKernel(halve));
    APP_CHECK(clReleaseKernel(weigh));
}

/* Kernels that read and write one image, filled and copied in between. */
static void in_place(void)
{
    const char *text = in_place_source;
    cl_int err;
    cl_program program = clCreateProgramWithSource(a.context, 1, &text, NULL, &err);
    cl_mem m[2] = {image(0, counts, flat(0), NULL), image(0, counts, flat(0), NULL)};
    cl_uint able = 0;
    cl_kernel over;

    APP_CHECK(err);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, sizeof able, &able, NULL));
    if (able) {
        APP_CHECK(clBuildProgram(program, 1, &a.device, "-cl-std=CL3.0", NULL, NULL));
        over = clCreateKernel(program, "over", &err);
        APP_CHECK(err);
        clear(m[0], all);
        clear(m[1], all);
        for (int i = 0; i < 2 * STEPS; i++) {
            app_args(over, "mu", m[i & 1], (cl_uint)i);
            launch(over, WIDE, TALL);
            APP_CHECK(clEnqueueCopyImage(a.queue, m[i & 1], m[~i & 1], (const size_t[]){4, 4, 0},
                                         (const size_t[]){1, 2, 0}, (const size_t[]){30, 30, 1}, 0, NULL,
                                         NULL));
        }
        show_image("in place", m[0], all, 16);
        show_image("in place", m[1], all, 16);
        APP_CHECK(clReleaseKernel(over));
    }
    app_release_mems(m, 2);
    APP_CHECK(clReleaseProgram(program));
}

/* Every format that the device offers, filled with a colour that has to be rounded and cut off. */
static void fills(void)
{
    static const cl_float colour[4] = {0.3f, 1.7f, -0.6f, 0.501f};
    static const cl_int whole[4] = {70000, -3, 200, 40};
    cl_image_format formats[128];
    cl_uint n = 0;

    APP_CHECK(
        clGetSupportedImageFormats(a.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 128, formats, &n));
    for (cl_uint i = 0; i < n && i < 128; i++) {
        cl_channel_type type = formats[i].image_channel_data_type;
        bool integers = type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
        cl_mem m = image(0, formats[i], flat(0), NULL);
        size_t size;

        APP_CHECK(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
        clear(m, all);
        APP_CHECK(clEnqueueFillImage(a.queue, m, integers ? (const void *)whole : (const void *)colour,
                                     (const size_t[]){3, 4, 0}, (const size_t[]){20, 30, 1}, 0, NULL, NULL));
        APP_CHECK(clEnqueueReadImage(a.queue, m, CL_TRUE, origin, all, 0, 0, pixels, 0, NULL, NULL));
        printf("%x %x ", formats[i].image_channel_order, type);
        show("filled", pixels, WIDE * TALL * size);
        APP_CHECK(clReleaseMemObject(m));
    }
}

/* Images over the program's memory and copies of it, with gaps between the rows; maps of both. */
static void own_memory(void)
{
    enum { ROW = WIDE * 4 + 64 };
    static uint8_t host[2][ROW * TALL];
    static const cl_mem_flags how[2] = {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR};
    cl_mem m[2], buffer = app_buffer(&a, CL_MEM_READ_WRITE, ROW * TALL, NULL);
    cl_kernel halve = app_kernel(&a, "halve");

    for (int i = 0; i < 2; i++) {
        fill_random(host[i], sizeof host[i], (uint32_t)i + 1);
        m[i] = image(how[i] | CL_MEM_READ_WRITE, colours, flat(ROW), host[i]);
    }
    app_args(halve, "mm", m[1], m[0]);
    launch(halve, TALL, TALL);
    APP_CHECK(clEnqueueCopyImageToBuffer(a.queue, m[0], buffer, (const size_t[]){4, 5, 0},
                                         (const size_t[]){30, 20, 1}, 12, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyBufferToImage(a.queue, buffer, m[1], 40, (const size_t[]){10, 3, 0},
                                         (const size_t[]){11, 12, 1}, 0, NULL, NULL));
    for (int i = 0; i < 2; i++) {
        size_t row = 77, slice = 77;
        cl_uint maps = 0;
        cl_int err;
        uint8_t *p =
            clEnqueueMapImage(a.queue, m[i], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, (const size_t[]){2, 6, 0},
                              (const size_t[]){40, 30, 1}, &row, &slice, 0, NULL, NULL, &err);
        APP_CHECK(err);
        APP_CHECK(clGetMemObjectInfo(m[i], CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
        printf("mapped: row %zu, slice %zu, %u maps, in place %d\n", row, slice, maps,
               !i && p == host[0] + 6 * ROW + 8);
        for (size_t y = 0; y < 30; y++)
            p[y * row + y] ^= 0x5a;
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, m[i], p, 0, NULL, NULL));
        show_image("own memory", m[i], all, 4);
    }
    APP_CHECK(clFinish(a.queue));
    show("the program's", host[0], sizeof host[0]);
    app_release_mems((cl_mem[]){m[0], m[1], buffer}, 3);
    APP_CHECK(clReleaseKernel(halve));
}

static cl_mem layers(cl_mem_object_type type, cl_image_format format, void *host)
{
    bool solid = type == CL_MEM_OBJECT_IMAGE3D, rows = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

    return image(host ? CL_MEM_COPY_HOST_PTR : 0, format,
                 (cl_image_desc){.image_type = type,
                                 .image_width = WIDE,
                                 .image_height = rows ? 0 : TALL,
                                 .image_depth = solid ? DEEP : 0,
                                 .image_array_size = solid  ? 0
                                                     : rows ? TALL
                                                            : DEEP},
                 host);
}

/* Other shapes, from one to the next, with parts copied about inside them. */
static void shapes(void)
{
    static float values[DEEP * WIDE * TALL * 4];
    const size_t deep[3] = {WIDE, TALL, DEEP}, part[3] = {7, 8, 2};
    cl_kernel stack = app_kernel(&a, "stack");
    cl_mem m[3];
    size_t row, slice;
    cl_int err;
    float *p;

    for (size_t i = 0; i < DEEP * WIDE * TALL * 4; i++)
        values[i] = (float)(i % 1013);
    m[0] = layers(CL_MEM_OBJECT_IMAGE2D_ARRAY, real, values);
    m[1] = layers(CL_MEM_OBJECT_IMAGE3D, real, NULL);
    m[2] = layers(CL_MEM_OBJECT_IMAGE1D_ARRAY, real, NULL);
    clear(m[1], deep);
    clear(m[2], all);
    APP_CHECK(clEnqueueCopyImage(a.queue, m[0], m[1], (const size_t[]){1, 2, 1}, (const size_t[]){5, 6, 0},
                                 part, 0, NULL, NULL));
    APP_CHECK(clEnqueueCopyImage(a.queue, m[0], m[0], (const size_t[]){0, 0, 0}, (const size_t[]){7, 0, 0},
                                 part, 0, NULL, NULL)); /* side by side */
    APP_CHECK(clEnqueueFillImage(a.queue, m[1], (const cl_float[]){2, 0, 0, 0}, (const size_t[]){20, 20, 1},
                                 part, 0, NULL, NULL));
    app_args(stack, "mmm", m[0], m[1], m[2]);
    launch(stack, TALL, TALL);
    p = clEnqueueMapImage(a.queue, m[1], CL_FALSE, CL_MAP_READ, (const size_t[]){5, 6, 1}, part, &row, &slice,
                          0, NULL, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clFinish(a.queue));
    printf("pitches %zu %zu, first %g\n", row, slice, (double)*p);
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, m[1], p, 0, NULL, NULL));
    show_image("sheets", m[0], deep, 16);
    show_image("solid", m[1], deep, 16);
    show_image("rows", m[2], all, 16);
    app_release_mems(m, 3);
    APP_CHECK(clReleaseKernel(stack));
}

static cl_uint of_memory(cl_mem m)
{
    cl_uint refs = 0;

    APP_CHECK(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    return refs;
}

static cl_uint of_context(void)
{
    cl_uint refs = 0;

    APP_CHECK(clGetContextInfo(a.context, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    return refs;
}

/* A line of pixels in a buffer, which kernels and commands meet under both names. */
static void in_buffer(void)
{
    static cl_uint words[WIDE * 4];
    cl_kernel line = app_kernel(&a, "line"), relay = app_kernel(&a, "relay");
    cl_mem buffer = app_buffer(&a, CL_MEM_READ_WRITE, sizeof words, NULL),
           other = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words), m[2];
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = WIDE};

    for (cl_uint i = 0; i < WIDE * 4; i++)
        words[i] = i * i;
    m[0] = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, counts, desc, words);
    desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    desc.mem_object = buffer;
    m[1] = image(CL_MEM_READ_WRITE, counts, desc, NULL);
    for (int i = 0; i < STEPS; i++) {
        app_args(line, "mm", m[0], m[1]);
        app_run(a.queue, line, WIDE, 16, 0, NULL, NULL);
        APP_CHECK(clEnqueueFillBuffer(a.queue, buffer, &i, sizeof i, 64, 32, 0, NULL, NULL));
        app_args(relay, "mm", m[1], other);
        app_run(a.queue, relay, WIDE, 16, 0, NULL, NULL);
        APP_CHECK(clEnqueueCopyBuffer(a.queue, other, buffer, 128, 0, 64, 0, NULL, NULL));
    }
    APP_CHECK(clEnqueueReadImage(a.queue, m[1], CL_TRUE, origin, (const size_t[]){WIDE, 1, 1}, 0, 0, words, 0,
                                 NULL, NULL));
    show("image in a buffer", words, sizeof words);
    app_read(&a, other, 0, sizeof words, words);
    show("its reader's", words, sizeof words);
    app_args(line, "mm", m[0], m[1]);
    app_run(a.queue, line, WIDE, 16, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    printf("references: %d\n", RM_SETTLED(of_memory(buffer), 2)); /* m[1] lies in it */
    for (int i = 0; i < 2; i++)
        printf("references: %d\n", RM_SETTLED(of_memory(m[i]), 1));
    app_release_mems((cl_mem[]){m[0], m[1], buffer, other}, 4);
    APP_CHECK(clReleaseKernel(line));
    APP_CHECK(clReleaseKernel(relay));
}

/* What the vendor says of calls that are wrong, of types of commands, and of counts. Without these images the
 * context has so many references. */
static void answers(int objects)
{
    cl_mem m = image(CL_MEM_HOST_READ_ONLY, colours, flat(0), NULL), n = image(0, real, flat(0), NULL), o;
    const size_t wide[3] = {WIDE + 1, 1, 1}, deep[3] = {1, 1, 2}, five[3] = {5, 5, 1}, two[3] = {2, 2, 0};
    cl_event e[2];
    cl_command_type type[2];
    size_t row;
    cl_int err[10];

    o = image(CL_MEM_HOST_NO_ACCESS, colours, flat(0), NULL);
    err[0] = clEnqueueReadImage(a.queue, n, CL_TRUE, origin, wide, 0, 0, pixels, 0, NULL, NULL);
    err[1] = clEnqueueReadImage(a.queue, n, CL_TRUE, origin, deep, 0, 0, pixels, 0, NULL, NULL);
    err[2] = clEnqueueReadImage(a.queue, o, CL_TRUE, origin, five, 0, 0, pixels, 0, NULL, NULL);
    err[3] = clEnqueueWriteImage(a.queue, m, CL_TRUE, origin, five, 0, 0, pixels, 0, NULL, NULL);
    err[4] = clEnqueueCopyImage(a.queue, m, n, origin, origin, five, 0, NULL, NULL);
    err[5] = clEnqueueCopyImage(a.queue, n, n, origin, two, five, 0, NULL, NULL);
    err[6] = clEnqueueFillImage(a.queue, n, NULL, origin, five, 0, NULL, NULL);
    clEnqueueMapImage(a.queue, n, CL_TRUE, CL_MAP_READ, origin, five, NULL, NULL, 0, NULL, NULL, &err[7]);
    clEnqueueMapImage(a.queue, m, CL_TRUE, CL_MAP_WRITE, origin, five, &row, NULL, 0, NULL, NULL, &err[8]);
    err[9] = clEnqueueUnmapMemObject(a.queue, n, pixels, 0, NULL, NULL);
    for (int i = 0; i < 10; i++)
        printf("error %d\n", err[i]);
    APP_CHECK(clEnqueueCopyImage(a.queue, m, o, origin, two, five, 0, NULL, &e[0]));
    APP_CHECK(clEnqueueFillImage(a.queue, n, pixels, origin, five, 1, e, &e[1]));
    APP_CHECK(clWaitForEvents(2, e));
    for (int i = 0; i < 2; i++) {
        APP_CHECK(clGetEventInfo(e[i], CL_EVENT_COMMAND_TYPE, sizeof type[i], &type[i], NULL));
        APP_CHECK(clReleaseEvent(e[i]));
        printf("type %x\n", type[i]);
    }
    APP_CHECK(clFinish(a.queue));
    printf("references: %d, %d; context %d\n", RM_SETTLED(of_memory(m), 1), RM_SETTLED(of_memory(n), 1),
           RM_SETTLED(of_context(), objects + 3));
    app_release_mems((cl_mem[]){m, n, o}, 3);
}

/* Calls that the vendor refuses, with fewer bytes behind the pointer than they say. */
static void refused(void)
{
    const cl_mem_flags copy = CL_MEM_COPY_HOST_PTR;
    size_t widest = 0;
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_height = 1024};
    cl_int err[2];

    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof widest, &widest, NULL));
    desc.image_width = widest + 1;
    clCreateImage(a.context, copy, &colours, &desc, pixels, &err[0]);
    clCreateBuffer(a.context, copy | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, widest * 4096, pixels, &err[1]);
    printf("refused: %d %d\n", err[0], err[1]);
}

int main(void)
{
    cl_bool able = CL_FALSE;
    int objects;

    app_open(&a, "filters", 0, source);
    objects = (int)of_context();
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof able, &able, NULL));
    if (!able)
        app_skip("filters", "the device has no images");
    for (int i = 0; i < 2; i++)
        pipeline();
    in_place();
    fills();
    own_memory();
    shapes();
    in_buffer();
    answers(objects);
    refused();
    a.hash = 0;
    return app_close(&a);
}
