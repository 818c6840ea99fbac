/* pixels.c - random legal programs on images and buffers, as anything.c: launches with samplers, tasks,
 * reads, writes, copies, fills and maps on several queues, ordered exactly where their bytes meet; a model
 * in plain C gives the expected bytes. The kernels are of two programs: one of source, with assembly,
 * dates and output in other kernels and dead code, and one of its binary. Most launches have a kernel of
 * their own.
 *
 * pixels [SEED [COMMANDS]] */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "anything.h"

enum { IMAGES = 3, WIDE = CELL / 4 }; /* a cell is a row of an image: pixels of four bytes */

/* A pixel is a number of 32 bits in four channels: some vendors have images of four channels alone. */
static const char source[] =
    "#define GET(in, s, at) as_uint(convert_uchar4(read_imageui(in, s, at)))\n"
    "#define PUT(out, at, value) write_imageui(out, at, convert_uint4(as_uchar4((uint)(value))))\n"
    "#if 0\n void dead(void) { asm(\"none\"); printf(__DATE__); }\n#endif\n"
    "kernel void other(global uint *x) { if (x[0]) printf(\"%u\\n\", x[0]); x[1] = __TIME__[0]; }\n"
    "kernel void shift(read_only image2d_t in, sampler_t s, write_only image2d_t out, int lo, uint a) {\n"
    "    int x = get_global_id(0), y = get_global_id(1) + lo;\n"
    "    PUT(out, (int2)(x, y), GET(in, s, (int2)(x + 1, y - 1)) * a + x);\n"
    "}\n"
    "kernel void gather(read_only image2d_t in, sampler_t s, global uint *out, int from, int to) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);\n"
    "    uint v = GET(in, s, (int2)(x, y + from));\n"
    "    out[(y + to) * w + x] = out[(y + to) * w + x] * 3 + v;\n"
    "}\n"
    "kernel void spread(global const uint *in, int from, write_only image2d_t out, int to) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);\n"
    "    if ((x ^ y) & 1) PUT(out, (int2)(x, y + to), in[(y + from) * w + x] ^ x);\n"
    "}\n"
    "kernel void stamp(write_only image2d_t out, int y, global uint *x, int at) {\n"
    "    PUT(out, (int2)(y, y), x[at]);\n"
    "    x[at] = x[at] * 5 + y;\n"
    "}\n";

static cl_program programs[2];
static cl_sampler clamps[2]; /* to the edge; to a border of zeros */

static uint32_t *row(struct area *t, int cell)
{
    return (uint32_t *)(void *)(t->model + cell * CELL);
}

static struct window *any_image(void)
{
    return &windows[any(IMAGES)];
}

static struct window *any_buffer(void)
{
    return &windows[IMAGES + any(BUFFERS - IMAGES)];
}

/* One that a user event holds is native, and so is what waits for it. */
static void maybe_held(void)
{
    if (!any(5))
        maybe_user();
}

/* A kernel of either program, which is released when it has been launched. */
static cl_kernel kernel(const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(programs[any(2)], name, &err);

    APP_CHECK(err);
    return k;
}

/* Vendors compile a kernel for each local size: one is left to them for one number of rows only. */
static void run(int q, cl_kernel k, int rows, cl_event *e)
{
    const size_t global[2] = {WIDE, (size_t)rows}, local[2] = {16, 1};

    maybe_held();
    APP_CHECK(clEnqueueNDRangeKernel(queues[q], k, 2, NULL, global, rows == 8 ? NULL : local, WAITS, e));
    APP_CHECK(clReleaseKernel(k));
    end();
}

/* The pixel that a sampler finds. */
static uint32_t pixel(struct area *t, bool border, int x, int y)
{
    int nx = x < 0 ? 0 : x < WIDE ? x : WIDE - 1, ny = y < 0 ? 0 : y < CELLS ? y : CELLS - 1;

    return border && (nx != x || ny != y) ? 0 : row(t, ny)[nx];
}

static void shift(int q)
{
    struct window *s = any_image(), *t = any_image();
    int n = 1 + (int)any(CELLS), lo = (int)any((uint32_t)(CELLS - n + 1)), border = (int)any(2);
    cl_uint by = any(9);
    cl_kernel k;
    cl_event *e;

    if (s == t)
        return;
    e = begin(q);
    touch(s->area, 0, CELLS, false, q);
    touch(t->area, 0, CELLS, true, q);
    k = kernel("shift");
    app_args(k, "msmiu", s->mem, clamps[border], t->mem, lo, by);
    run(q, k, n, e);
    for (int y = lo; y < lo + n; y++)
        for (int x = 0; x < WIDE; x++)
            row(t->area, y)[x] = pixel(s->area, border, x + 1, y - 1) * by + (uint32_t)x;
}

static void gather(int q)
{
    struct window *s = any_image(), *t = any_buffer();
    int n = 1 + (int)any(CELLS / 2), from = (int)any(CELLS), border = (int)any(2),
        to = (int)any((uint32_t)(CELLS - n + 1));
    cl_event *e = begin(q);
    cl_kernel k = kernel("gather");

    touch(s->area, 0, CELLS, false, q);
    touch(t->area, to, n, true, q);
    app_args(k, "msmii", s->mem, clamps[border], t->mem, from, to);
    run(q, k, n, e);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < WIDE; x++)
            row(t->area, to + y)[x] = row(t->area, to + y)[x] * 3 + pixel(s->area, border, x, y + from);
}

static void spread(int q)
{
    struct window *s = any_buffer(), *t = any_image();
    int n = 1 + (int)any(CELLS / 2), from = (int)any((uint32_t)(CELLS - n + 1)),
        to = (int)any((uint32_t)(CELLS - n + 1));
    cl_event *e = begin(q);
    cl_kernel k = kernel("spread");

    touch(s->area, from, n, false, q);
    touch(t->area, 0, CELLS, true, q);
    app_args(k, "mimi", s->mem, from, t->mem, to);
    run(q, k, n, e);
    for (int y = 0; y < n; y++)
        for (int x = (y & 1) ^ 1; x < WIDE; x += 2)
            row(t->area, to + y)[x] = row(s->area, from + y)[x] ^ (uint32_t)x;
}

static void stamp(int q)
{
    struct window *s = any_buffer(), *t = any_image();
    int y = (int)any(CELLS), cell = (int)any(CELLS);
    uint32_t *at = row(s->area, cell) + y;
    cl_event *e = begin(q);
    cl_kernel k = kernel("stamp");

    touch(s->area, cell, 1, true, q);
    touch(t->area, 0, CELLS, true, q);
    maybe_held();
    app_args(k, "mimi", t->mem, y, s->mem, cell * WIDE + y);
    APP_CHECK(clEnqueueTask(queues[q], k, WAITS, e));
    APP_CHECK(clReleaseKernel(k));
    end();
    row(t->area, y)[y] = *at;
    *at = *at * 5 + (uint32_t)y;
}

/* A part of `n` rows of an image, or of two objects. */
struct part {
    int n, from, to, first, width; /* rows; the first pixel and the number of pixels of each */
};

static struct part any_part(void)
{
    int n = 1 + (int)any(6), first = (int)any(WIDE / 2);

    return (struct part){n, (int)any((uint32_t)(CELLS - n + 1)), (int)any((uint32_t)(CELLS - n + 1)), first,
                         1 + (int)any((uint32_t)(WIDE - first))};
}

static void copy_model(struct area *to, const struct area *from, const struct part *p)
{
    for (int y = 0; y < p->n; y++)
        memcpy(to->model + (p->to + y) * CELL + p->first * 4,
               from->model + (p->from + y) * CELL + p->first * 4, (size_t)p->width * 4);
}

/* Between a stage of the host and an image. */
static void transfer(int q)
{
    struct window *w = any_image();
    struct area *s = &areas[BUFFERS + any(STAGES)];
    struct part p = any_part();
    bool write = any(2);
    uint8_t *host = s->host + (write ? p.from : p.to) * CELL + p.first * 4;
    const size_t origin[3] = {(size_t)p.first, (size_t)(write ? p.to : p.from), 0},
                 region[3] = {(size_t)p.width, (size_t)p.n, 1};
    cl_event *e = begin(q);

    touch(w->area, write ? p.to : p.from, p.n, write, q);
    touch(s, write ? p.from : p.to, p.n, !write, q);
    maybe_held();
    if (write)
        APP_CHECK(clEnqueueWriteImage(queues[q], w->mem, CL_FALSE, origin, region, CELL, 0, host, WAITS, e));
    else
        APP_CHECK(clEnqueueReadImage(queues[q], w->mem, CL_FALSE, origin, region, CELL, 0, host, WAITS, e));
    end();
    copy_model(write ? w->area : s, write ? s : w->area, &p);
}

/* Between images, or an image and a buffer, where the pixels lie row by row. */
static void copy(int q)
{
    struct window *s = any(2) ? any_image() : any_buffer(), *t = any_image(), *swapped = s;
    struct part p = any_part();
    bool buffer = s >= windows + IMAGES, back = buffer && any(2);
    size_t from[3] = {0}, to[3] = {0}, region[3] = {0};
    cl_event *e;

    if (buffer)
        p.first = 0, p.width = WIDE;
    if (back)
        s = t, t = swapped;
    if (s == t)
        return;
    e = begin(q);
    touch(s->area, p.from, p.n, false, q);
    touch(t->area, p.to, p.n, true, q);
    maybe_held();
    memcpy(from, (size_t[]){(size_t)p.first, (size_t)p.from, 0}, sizeof from);
    memcpy(to, (size_t[]){(size_t)p.first, (size_t)p.to, 0}, sizeof to);
    memcpy(region, (size_t[]){(size_t)p.width, (size_t)p.n, 1}, sizeof region);
    if (back)
        APP_CHECK(
            clEnqueueCopyImageToBuffer(queues[q], s->mem, t->mem, from, region, to[1] * CELL, WAITS, e));
    else if (buffer)
        APP_CHECK(
            clEnqueueCopyBufferToImage(queues[q], s->mem, t->mem, from[1] * CELL, to, region, WAITS, e));
    else
        APP_CHECK(clEnqueueCopyImage(queues[q], s->mem, t->mem, from, to, region, WAITS, e));
    end();
    copy_model(t->area, s->area, &p);
}

static void fill(int q)
{
    struct window *w = any_image();
    struct part p = any_part();
    const uint32_t value = (uint32_t)any(1000);
    const cl_uint colour[4] = {value & 255, value >> 8};
    cl_event *e = begin(q);

    touch(w->area, p.to, p.n, true, q);
    maybe_held();
    APP_CHECK(clEnqueueFillImage(queues[q], w->mem, colour, (size_t[]){(size_t)p.first, (size_t)p.to, 0},
                                 (size_t[]){(size_t)p.width, (size_t)p.n, 1}, WAITS, e));
    end();
    for (int y = p.to; y < p.to + p.n; y++)
        for (int x = p.first; x < p.first + p.width; x++)
            row(w->area, y)[x] = value;
}

static void map(int q)
{
    struct window *w = any_image();
    struct part p = any_part();
    cl_event *e = begin(q), unmapped;
    size_t pitch;
    uint8_t *at;
    cl_int err;

    touch(w->area, p.to, p.n, true, q);
    maybe_held();
    at = clEnqueueMapImage(queues[q], w->mem, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE,
                           (size_t[]){(size_t)p.first, (size_t)p.to, 0},
                           (size_t[]){(size_t)p.width, (size_t)p.n, 1}, &pitch, NULL, WAITS, e, &err);
    APP_CHECK(err);
    end();
    set_users();
    APP_CHECK(clWaitForEvents(1, &ops[num_ops - 1].event));
    for (int y = 0; y < p.n; y++) {
        uint8_t *model = w->area->model + (p.to + y) * CELL + p.first * 4;

        app_expect(&a, !memcmp(at + (size_t)y * pitch, model, (size_t)p.width * 4),
                   "op %d: mapped bytes differ", num_ops - 1);
        at[(size_t)y * pitch] ^= 0x5a;
        model[0] ^= 0x5a;
    }
    e = begin(q);
    touch(w->area, p.to, p.n, true, q);
    APP_CHECK(clEnqueueUnmapMemObject(queues[q], w->mem, at, WAITS, &unmapped));
    *e = unmapped;
    end();
}

/* All of an image or buffer, into `got`. */
static void read_all(int q, const struct window *w, uint8_t *got, cl_uint n, const cl_event *list,
                     cl_event *e)
{
    if (w < windows + IMAGES)
        APP_CHECK(clEnqueueReadImage(queues[q], w->mem, CL_TRUE, (size_t[]){0, 0, 0},
                                     (size_t[]){WIDE, CELLS, 1}, 0, 0, got, n, list, e));
    else
        APP_CHECK(clEnqueueReadBuffer(queues[q], w->mem, CL_TRUE, 0, BYTES, got, n, list, e));
}

static void check(int q)
{
    struct window *w = &windows[any(BUFFERS)];
    uint8_t got[BYTES];
    cl_event *e = begin(q);

    touch(w->area, 0, CELLS, false, q);
    set_users();
    read_all(q, w, got, WAITS, e);
    end();
    app_expect(&a, !memcmp(got, w->area->model, BYTES), "op %d: other bytes in object %d", num_ops - 1,
               (int)(w - windows));
}

static void step(void)
{
    static void (*const of[])(int) = {shift, shift, shift,    gather,   gather, spread, spread, stamp,
                                      stamp, stamp, transfer, transfer, copy,   copy,   copy,   fill};
    int q = (int)any(QUEUES);
    uint32_t what = any(20);

    if (what < sizeof of / sizeof *of)
        of[what](q);
    else if (what < 17)
        map(q);
    else if (what < 18)
        check(q);
    else if (what < 19)
        APP_CHECK(clFlush(queues[q]));
    else if (!any(3))
        finish_all();
    if (num_users && !any(20))
        set_users();
}

static void make_programs(void)
{
    const char *text = source, *options = any(2) ? "-cl-mad-enable" : "";
    unsigned char *bytes;
    size_t size;
    cl_int err;

    programs[0] = clCreateProgramWithSource(a.context, 1, &text, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(programs[0], 1, &a.device, options, NULL, NULL));
    APP_CHECK(clGetProgramInfo(programs[0], CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    bytes = malloc(size);
    APP_CHECK(clGetProgramInfo(programs[0], CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    programs[1] =
        clCreateProgramWithBinary(a.context, 1, &a.device, &size, (const unsigned char **)&bytes, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clBuildProgram(programs[1], 1, &a.device, options, NULL, NULL));
    free(bytes);
}

static void make_memory(void)
{
    static const cl_mem_flags flags[BUFFERS] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                                CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
                                                CL_MEM_USE_HOST_PTR,  CL_MEM_COPY_HOST_PTR};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDE, .image_height = CELLS};

    for (int i = 0; i < BUFFERS + STAGES; i++) {
        areas[i].host = aligned_alloc(4096, BYTES);
        for (int k = 0; k < BYTES; k++)
            areas[i].model[k] = areas[i].host[k] = (uint8_t)any(256);
    }
    for (int i = 0; i < BUFFERS; i++) {
        cl_mem_flags f = flags[i] | (flags[i] == CL_MEM_ALLOC_HOST_PTR ? CL_MEM_COPY_HOST_PTR : 0);
        cl_int err;

        windows[i] = (struct window){&areas[i], NULL, 0, CELLS};
        windows[i].mem = i < IMAGES ? clCreateImage(a.context, f, &format, &desc, areas[i].host, &err)
                                    : clCreateBuffer(a.context, f, BYTES, areas[i].host, &err);
        APP_CHECK(err);
    }
    for (int i = 0; i < 2; i++) {
        const cl_sampler_properties how[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                             CL_FALSE,
                                             CL_SAMPLER_ADDRESSING_MODE,
                                             i ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE,
                                             CL_SAMPLER_FILTER_MODE,
                                             CL_FILTER_NEAREST,
                                             0};
        cl_int err;

        clamps[i] = clCreateSamplerWithProperties(a.context, how, &err);
        APP_CHECK(err);
    }
}

static void check_all(void)
{
    uint8_t got[BYTES];

    finish_all();
    for (int i = 0; i < BUFFERS; i++) {
        read_all(i % QUEUES, &windows[i], got, 0, NULL, NULL);
        app_hash(&a, got, BYTES);
        for (int c = 0; c < CELLS; c++)
            app_expect(&a, !memcmp(got + c * CELL, windows[i].area->model + c * CELL, CELL),
                       "object %d row %d differs", i, c);
    }
    for (int i = BUFFERS; i < BUFFERS + STAGES; i++) {
        app_hash(&a, areas[i].host, BYTES);
        app_expect(&a, !memcmp(areas[i].host, areas[i].model, BYTES), "stage %d differs", i - BUFFERS);
    }
}

int main(int argc, char **argv)
{
    size_t commands = app_size(argc, argv, 2, 250, 1, MAX_OPS / 2);
    cl_bool able = CL_FALSE;

    seed = (uint32_t)app_size(argc, argv, 1, 1, 1, 1u << 30);
    app_open(&a, "pixels", 0, NULL);
    APP_CHECK(clGetDeviceInfo(a.device, CL_DEVICE_IMAGE_SUPPORT, sizeof able, &able, NULL));
    if (!able)
        app_skip("pixels", "the device has no images");
    make_programs();
    make_memory();
    for (int i = 0; i < QUEUES; i++) {
        in_order[i] = i < 3;
        queues[i] = app_queue(&a, in_order[i] ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    }
    for (size_t i = 0; i < commands; i++)
        step();
    check_all();
    for (int i = 0; i < QUEUES; i++)
        APP_CHECK(clReleaseCommandQueue(queues[i]));
    for (int i = BUFFERS; i--;)
        APP_CHECK(clReleaseMemObject(windows[i].mem));
    for (int i = 0; i < BUFFERS + STAGES; i++)
        free(areas[i].host);
    for (int i = 0; i < 2; i++) {
        APP_CHECK(clReleaseSampler(clamps[i]));
        APP_CHECK(clReleaseProgram(programs[i]));
    }
    return app_close(&a);
}
