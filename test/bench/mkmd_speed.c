/* mkmd_speed.c - many kernels for many devices: the mix by which helpers with memories of their own are
 * judged; plain OpenCL, nothing of clweave.
 *
 * usage: mkmd_speed CASE [rounds]
 *
 *   mix     six kernels a round: a matrix product, bodies, options and a blurred image do not depend on each
 *           other; a table of the product and the options, and a tone of the image, do. Bodies and image go
 *           on from round to round. Blocking reads of 12 to 256 KiB end each round
 *   chain   the image alone, blurred six times a round, and a blocking read: no two launches overlap
 *   stream  six kernels a round over 4 MiB each, which do little with it, and blocking reads of all of it
 *
 * Prints "span_ns N" (from the first enqueue to the last read, after warm-up rounds; wall), then the samples'
 * line with the hash of all that was read. */
#include "../apps/common.h"
#include "speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EDGE = 128, /* of the matrices */
    BODIES = 768,
    OPTIONS = 1 << 14,
    SIDE = 256, /* of the image */
    STREAM = 1 << 20,
    STREAMS = 6,
    WARM = 3
};

static const char source[] =
    "__kernel void product(__global const float *a, __global const float *b, __global float *c, uint n) {\n"
    "    uint x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (uint k = 0; k < n; k++)\n"
    "        sum += a[y * n + k] * b[k * n + x];\n"
    "    c[y * n + x] = sum;\n"
    "}\n" SPEED_BODIES SPEED_OPTIONS
    "__kernel void blur(__global const float *from, __global float *to, uint side) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (int v = -3; v <= 3; v++)\n"
    "        for (int u = -3; u <= 3; u++)\n"
    "            sum += from[clamp(y + v, 0, (int)side - 1) * (int)side + clamp(x + u, 0, (int)side - 1)];\n"
    "    to[y * (int)side + x] = sum / 49;\n"
    "}\n"
    "__kernel void table(__global const float *c, __global const float *worth, __global float *out, uint n, "
    "uint m) {\n"
    "    uint i = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (uint k = 0; k < 16; k++)\n"
    "        sum += sin(c[(i * 7 + k * 13) % n] + worth[(i * 5 + k) % m]);\n"
    "    out[i] = sum;\n"
    "}\n"
    "__kernel void tone(__global const float *from, __global float *out) {\n"
    "    uint i = get_global_id(0);\n"
    "    float v = from[i];\n"
    "    for (int k = 0; k < 8; k++)\n"
    "        v = sqrt(v * v + 0.25f) - 0.25f * v;\n"
    "    out[i] = v;\n"
    "}\n"
    "__kernel void light(__global const float *from, __global float *to) {\n"
    "    uint i = get_global_id(0);\n"
    "    to[i] = from[i] * 0.5f + 1;\n"
    "}\n";

struct mix {
    struct app app;
    cl_kernel product, bodies, options, blur, table, tone, light;
    cl_mem a, b, c, body[2], price, worth, image[2], out, toned, stream[2 * STREAMS];
    float *host;
    size_t round;
};

static void run_blur(struct mix *m)
{
    size_t k = m->round % 2;

    app_args(m->blur, "mmu", m->image[k], m->image[!k], SIDE);
    app_run_2d(m->app.queue, m->blur, SIDE, SIDE, 16);
}

static void mix(struct mix *m)
{
    cl_command_queue q = m->app.queue;
    size_t k = m->round % 2;

    app_args(m->product, "mmmu", m->a, m->b, m->c, EDGE);
    app_run_2d(q, m->product, EDGE, EDGE, 16);
    app_args(m->bodies, "mmu", m->body[k], m->body[!k], BODIES);
    app_run(q, m->bodies, BODIES, 64, 0, NULL, NULL);
    app_args(m->options, "mmu", m->price, m->worth, 4);
    app_run(q, m->options, OPTIONS, 64, 0, NULL, NULL);
    run_blur(m);
    app_args(m->table, "mmmuu", m->c, m->worth, m->out, EDGE * EDGE, OPTIONS);
    app_run(q, m->table, 4096, 64, 0, NULL, NULL);
    app_args(m->tone, "mm", m->image[!k], m->toned);
    app_run(q, m->tone, SIDE * SIDE, 64, 0, NULL, NULL);
    app_read(&m->app, m->out, 0, 4096 * sizeof *m->host, m->host);
    app_read(&m->app, m->toned, 0, SIDE * SIDE * sizeof *m->host, m->host);
    app_read(&m->app, m->body[!k], 0, BODIES * 4 * sizeof *m->host, m->host);
}

static void chain(struct mix *m)
{
    for (int i = 0; i < 6; i++, m->round++)
        run_blur(m);
    app_read(&m->app, m->image[m->round % 2], 0, SIDE * SIDE * sizeof *m->host, m->host);
    m->round--;
}

static void stream(struct mix *m)
{
    for (size_t i = 0; i < STREAMS; i++) {
        app_args(m->light, "mm", m->stream[2 * i + m->round % 2], m->stream[2 * i + !(m->round % 2)]);
        app_run(m->app.queue, m->light, STREAM, 64, 0, NULL, NULL);
    }
    for (size_t i = 0; i < STREAMS; i++)
        app_read(&m->app, m->stream[2 * i + !(m->round % 2)], 0, STREAM * sizeof *m->host, m->host);
}

static const struct {
    const char *name;
    void (*run)(struct mix *m);
    size_t rounds;
} cases[] = {{"mix", mix, 12}, {"chain", chain, 6}, {"stream", stream, 6}};

static cl_mem buffer(struct mix *m, size_t floats)
{
    return app_buffer(&m->app, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, floats * sizeof *m->host, m->host);
}

static void open_mix(struct mix *m)
{
    uint32_t random = 1;

    app_open(&m->app, "mkmd_speed", 0, source);
    m->host = app_alloc(STREAM * sizeof *m->host);
    for (size_t i = 0; i < STREAM; i++)
        m->host[i] = (float)(app_random(&random) % 1000) / 1000;
    m->product = app_kernel(&m->app, "product"), m->bodies = app_kernel(&m->app, "bodies");
    m->options = app_kernel(&m->app, "options"), m->blur = app_kernel(&m->app, "blur");
    m->table = app_kernel(&m->app, "table"), m->tone = app_kernel(&m->app, "tone");
    m->light = app_kernel(&m->app, "light");
    m->a = buffer(m, EDGE * EDGE), m->b = buffer(m, EDGE * EDGE), m->c = buffer(m, EDGE * EDGE);
    m->body[0] = buffer(m, 4 * BODIES), m->body[1] = buffer(m, 4 * BODIES);
    m->price = buffer(m, OPTIONS), m->worth = buffer(m, OPTIONS);
    m->image[0] = buffer(m, SIDE * SIDE), m->image[1] = buffer(m, SIDE * SIDE);
    m->out = buffer(m, 4096), m->toned = buffer(m, SIDE * SIDE);
    for (size_t i = 0; i < 2 * STREAMS; i++)
        m->stream[i] = buffer(m, STREAM);
}

static int close_mix(struct mix *m)
{
    cl_kernel kernels[] = {m->product, m->bodies, m->options, m->blur, m->table, m->tone, m->light};
    cl_mem mems[] = {m->a,     m->b,        m->c,        m->body[0], m->body[1], m->price,
                     m->worth, m->image[0], m->image[1], m->out,     m->toned};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        APP_CHECK(clReleaseKernel(kernels[i]));
    app_release_mems(mems, sizeof mems / sizeof *mems);
    app_release_mems(m->stream, 2 * STREAMS);
    free(m->host);
    return app_close(&m->app);
}

int main(int argc, char **argv)
{
    struct mix m = {0};
    uint64_t begin = 0;
    size_t c = 0, rounds;

    while (argc > 1 && c < sizeof cases / sizeof *cases && strcmp(argv[1], cases[c].name) != 0)
        c++;
    if (argc < 2 || c == sizeof cases / sizeof *cases) {
        fprintf(stderr, "usage: mkmd_speed mix|chain|stream [rounds]\n");
        return 2;
    }
    rounds = WARM + app_size(argc, argv, 2, cases[c].rounds, 1, 1 << 20);
    open_mix(&m);
    for (size_t r = 0; r < rounds; r++, m.round++) {
        begin = r == WARM ? speed_now_ns() : begin;
        cases[c].run(&m);
    }
    printf("span_ns %llu\n", (unsigned long long)(speed_now_ns() - begin));
    return close_mix(&m);
}
