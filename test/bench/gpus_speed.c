/* gpus_speed.c - large launches, by which other GPUs that help the program's are judged: one device, one
 * in-order queue; plain OpenCL, nothing of clweave.
 *
 * usage: gpus_speed CASE [size [rounds]]
 *
 *   matmul   a matrix product of that edge, from matrices that each round writes
 *   resident the same from matrices that are written once
 *   bodies   so many bodies, which go on from round to round
 *   fractal  an image of that edge, each point by its own number of turns
 *   blur     an image of that edge
 *   options  so many prices
 *   prices   the same with less work for each, in smaller work-groups: short launches that can be cut finely
 *   sparse   a sparse matrix of so many rows times a vector, 8 times a round
 *   pi       so many streams of random points
 *   jacobi   64 steps of a grid of that edge, then a read of a row of it
 *   lu       a matrix of that edge, a multiple of 128, that each round writes, becomes L and U in place
 *   cholesky the same for the lower half of a symmetric matrix
 *   sort     so many words, a power of two, by all steps of a bitonic sort
 *   histogram  so many words, counted by 1024 counters
 *   search   so many numbers of which the hash, after 2000 turns, is one of 32
 *
 * The last three are integers alone, which devices of other vendors compute alike.
 *
 * Each round ends with a blocking read of its result. Prints "first_ns N", the first round with all that is
 * done once, "span_ns N", the median of the other rounds, and the samples' line with the hash of all that was
 * read. */
#include "../apps/common.h"
#include "speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 64, WIDTH = 32, PRODUCTS = 8, STEPS = 64, COUNTERS = 1024, BLOCK = 128, KERNELS = 4 };

static const char source[] =
    "__kernel void matmul(__global const float *a, __global const float *b, __global float *c, uint n) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (uint k = 0; k < n; k++)\n"
    "        sum += a[y * n + k] * b[k * n + x];\n"
    "    c[y * n + x] = sum;\n"
    "}\n" SPEED_BODIES "__kernel void fractal(__global uint *turns, uint n, uint most) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1);\n"
    "    float cx = 3.0f * x / n - 2, cy = 2.0f * y / n - 1, u = 0, v = 0, w;\n"
    "    uint t = 0;\n"
    "    for (; t < most && u * u + v * v < 4; t++) {\n"
    "        w = u * u - v * v + cx;\n"
    "        v = 2 * u * v + cy;\n"
    "        u = w;\n"
    "    }\n"
    "    turns[y * n + x] = t;\n"
    "}\n"
    "__kernel void blur(__global const float *from, __global float *to, int side) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (int v = -12; v <= 12; v++)\n"
    "        for (int u = -12; u <= 12; u++)\n"
    "            sum += from[clamp(y + v, 0, side - 1) * side + clamp(x + u, 0, side - 1)] / (1 + u * u + v "
    "* v);\n"
    "    to[y * side + x] = sum;\n"
    "}\n" SPEED_OPTIONS
    "__kernel void sparse(__global const float *value, __global const uint *column, __global const float "
    "*x,\n"
    "                     __global float *y, uint width) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (uint k = 0; k < width; k++)\n"
    "        sum += value[i * width + k] * x[column[i * width + k]];\n"
    "    y[i] = sum;\n"
    "}\n"
    "__kernel void pi(__global uint *hits, uint points) {\n"
    "    uint i = get_global_id(0), s = i * 2654435761u + 1, n = 0;\n"
    "    for (uint k = 0; k < points; k++) {\n"
    "        s = s * 1664525u + 1013904223u;\n"
    "        float x = (s >> 8) / 16777216.0f;\n"
    "        s = s * 1664525u + 1013904223u;\n"
    "        float y = (s >> 8) / 16777216.0f;\n"
    "        n += x * x + y * y < 1;\n"
    "    }\n"
    "    hits[i] = n;\n"
    "}\n"
    "__kernel void jacobi(__global const float *a, __global float *b, int n) {\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)\n"
    "        b[y * n + x] = 0.25f * (a[y * n + x - 1] + a[y * n + x + 1] + a[y * n - n + x] + a[y * n + n + "
    "x]);\n"
    "    else\n"
    "        b[y * n + x] = a[y * n + x];\n"
    "}\n"
    "__kernel void exchange(__global const uint *from, __global uint *to, uint j, uint k) {\n"
    "    uint i = get_global_id(0), p = i ^ j, a = from[i], b = from[p];\n"
    "    to[i] = ((i & k) == 0) == (i < p) ? min(a, b) : max(a, b);\n"
    "}\n"
    "__kernel void count(__global const uint *in, __global uint *bins) {\n"
    "    uint h = in[get_global_id(0)];\n"
    "    h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15;\n"
    "    atomic_inc(&bins[h & 1023]);\n"
    "}\n"
    "__kernel void search(__global const uint *target, __global uint *least, uint turns) {\n"
    "    uint i = get_global_id(0), h = i;\n"
    "    for (uint k = 0; k < turns; k++) {\n"
    "        h ^= h >> 16; h *= 0x7feb352du; h ^= rotate(h, 15u) >> 7; h += k;\n"
    "    }\n"
    "    for (uint t = 0; t < 32; t++)\n"
    "        if (h >> 8 == target[t] >> 8)\n"
    "            atomic_min(&least[t], i);\n"
    "}\n"
    /* Factorizations by blocks of 128 columns, without pivoting. `k`: the block's first row and column. */
    "#define B 128\n"
    /* one work-group */
    "__kernel void lu(__global float *a, int n, int k) {\n"
    "    int i = get_local_id(0);\n"
    "    __global float *d = a + (size_t)k * n + k;\n"
    "    for (int p = 0; p < B; p++) {\n"
    "        if (i > p) {\n"
    "            float l = d[i * n + p] / d[p * n + p];\n"
    "            d[i * n + p] = l;\n"
    "            for (int j = p + 1; j < B; j++) d[i * n + j] -= l * d[p * n + j];\n"
    "        }\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    /* a work-item for each row below the block */
    "__kernel void lu_below(__global float *a, int n, int k) {\n"
    "    size_t y = k + B + get_global_id(0);\n"
    "    for (int j = 0; j < B; j++) {\n"
    "        float sum = a[y * n + k + j];\n"
    "        for (int p = 0; p < j; p++) sum -= a[y * n + k + p] * a[(size_t)(k + p) * n + k + j];\n"
    "        a[y * n + k + j] = sum / a[(size_t)(k + j) * n + k + j];\n"
    "    }\n"
    "}\n"
    /* a work-item for each column right of the block */
    "__kernel void lu_right(__global float *a, int n, int k) {\n"
    "    size_t x = k + B + get_global_id(0);\n"
    "    for (int i = 1; i < B; i++) {\n"
    "        float sum = a[(size_t)(k + i) * n + x];\n"
    "        for (int p = 0; p < i; p++) sum -= a[(size_t)(k + i) * n + k + p] * a[(size_t)(k + p) * n + "
    "x];\n"
    "        a[(size_t)(k + i) * n + x] = sum;\n"
    "    }\n"
    "}\n"
    "__kernel void lu_update(__global float *a, int n, int k) {\n"
    "    size_t x = k + B + get_global_id(0), y = k + B + get_global_id(1);\n"
    "    float sum = a[y * n + x];\n"
    "    for (int p = 0; p < B; p++) sum -= a[y * n + k + p] * a[(size_t)(k + p) * n + x];\n"
    "    a[y * n + x] = sum;\n"
    "}\n"
    "__kernel void cholesky(__global float *a, int n, int k) {\n"
    "    int i = get_local_id(0);\n"
    "    __global float *d = a + (size_t)k * n + k;\n"
    "    for (int p = 0; p < B; p++) {\n"
    "        if (i == p) d[p * n + p] = sqrt(d[p * n + p]);\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "        if (i > p) d[i * n + p] /= d[p * n + p];\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "        for (int j = p + 1; j <= i; j++) d[i * n + j] -= d[i * n + p] * d[j * n + p];\n"
    "        barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    }\n"
    "}\n"
    /* the panel holds the block's columns apart: work-items that are neighbours read what lies close */
    "__kernel void cholesky_below(__global float *a, int n, int k, __global float *panel) {\n"
    "    size_t y = k + B + get_global_id(0);\n"
    "    for (int j = 0; j < B; j++) {\n"
    "        float sum = a[y * n + k + j];\n"
    "        for (int p = 0; p < j; p++) sum -= a[y * n + k + p] * a[(size_t)(k + j) * n + k + p];\n"
    "        a[y * n + k + j] = panel[y * B + j] = sum / a[(size_t)(k + j) * n + k + j];\n"
    "    }\n"
    "}\n"
    "__kernel void cholesky_update(__global float *a, int n, int k, __global const float *panel) {\n"
    "    size_t x = k + B + get_global_id(0), y = k + B + get_global_id(1);\n"
    "    if (x > y) return;\n"
    "    float sum = a[y * n + x];\n"
    "    for (int p = 0; p < B; p++) sum -= panel[y * B + p] * panel[x * B + p];\n"
    "    a[y * n + x] = sum;\n"
    "}\n";

struct work {
    struct app app;
    cl_kernel kernel[KERNELS]; /* factorizations: of the block, below it, behind it, right of it */
    cl_mem mem[4];
    float *host, *result;
    size_t n, items, round, bytes; /* bytes: of the result */
};

static cl_mem buffer(struct work *w, size_t floats, bool filled)
{
    return app_buffer(&w->app, CL_MEM_READ_WRITE | (filled ? CL_MEM_COPY_HOST_PTR : 0),
                      floats * sizeof *w->host, filled ? w->host : NULL);
}

static void read_result(struct work *w, cl_mem from, size_t floats)
{
    w->bytes = floats * sizeof *w->result;
    APP_CHECK(clEnqueueReadBuffer(w->app.queue, from, CL_TRUE, 0, w->bytes, w->result, 0, NULL, NULL));
}

static void multiply(struct work *w)
{
    app_args(w->kernel[0], "mmmu", w->mem[0], w->mem[1], w->mem[2], w->n);
    app_run_2d(w->app.queue, w->kernel[0], w->n, w->n, 16);
    read_result(w, w->mem[2], w->items);
}

static void open_multiply(struct work *w, const char *name)
{
    bool resident = !strcmp(name, "resident");

    w->mem[0] = buffer(w, w->items, resident);
    w->mem[1] = buffer(w, w->items, resident);
    w->mem[2] = buffer(w, w->items, false);
}

static void matmul(struct work *w)
{
    for (int i = 0; i < 2; i++)
        APP_CHECK(clEnqueueWriteBuffer(w->app.queue, w->mem[i], CL_FALSE, 0, w->items * sizeof *w->host,
                                       w->host, 0, NULL, NULL));
    multiply(w);
}

static void open_two(struct work *w, const char *name)
{
    size_t floats = !strcmp(name, "bodies") ? 4 * w->items : w->items;

    w->mem[0] = buffer(w, floats, true);
    w->mem[1] = buffer(w, floats, true);
}

static void bodies(struct work *w)
{
    app_args(w->kernel[0], "mmu", w->mem[w->round % 2], w->mem[!(w->round % 2)], w->n);
    app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
    read_result(w, w->mem[!(w->round % 2)], 4 * w->items);
}

static void fractal(struct work *w)
{
    app_args(w->kernel[0], "muu", w->mem[0], w->n, 2000);
    app_run_2d(w->app.queue, w->kernel[0], w->n, w->n, 16);
    read_result(w, w->mem[0], w->items);
}

static void blur(struct work *w)
{
    app_args(w->kernel[0], "mmi", w->mem[0], w->mem[1], w->n);
    app_run_2d(w->app.queue, w->kernel[0], w->n, w->n, 16);
    read_result(w, w->mem[1], w->items);
}

static void options(struct work *w)
{
    app_args(w->kernel[0], "mmu", w->mem[0], w->mem[1], 1000);
    app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
    read_result(w, w->mem[1], w->items);
}

static void open_sparse(struct work *w, const char *name)
{
    cl_uint *column = (cl_uint *)w->result;
    uint32_t random = 7;

    (void)name;
    w->mem[0] = buffer(w, WIDTH * w->items, true);
    for (size_t i = 0; i < WIDTH * w->items; i++)
        column[i] = app_random(&random) % (cl_uint)w->items;
    w->mem[1] = app_buffer(&w->app, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           WIDTH * w->items * sizeof *column, column);
    w->mem[2] = buffer(w, w->items, true);
    w->mem[3] = buffer(w, w->items, false);
}

static void sparse(struct work *w)
{
    for (int i = 0; i < PRODUCTS; i++) {
        app_args(w->kernel[0], "mmmmu", w->mem[0], w->mem[1], w->mem[2 + i % 2], w->mem[3 - i % 2], WIDTH);
        app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
    }
    read_result(w, w->mem[2], w->items);
}

static void prices(struct work *w)
{
    app_args(w->kernel[0], "mmu", w->mem[0], w->mem[1], 16);
    app_run(w->app.queue, w->kernel[0], w->items, 64, 0, NULL, NULL);
    read_result(w, w->mem[1], w->items);
}

static void pi(struct work *w)
{
    app_args(w->kernel[0], "mu", w->mem[0], 20000);
    app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
    read_result(w, w->mem[0], w->items);
}

static void jacobi(struct work *w)
{
    for (int i = 0; i < STEPS; i++) {
        app_args(w->kernel[0], "mmi", w->mem[i % 2], w->mem[!(i % 2)], w->n);
        app_run_2d(w->app.queue, w->kernel[0], w->n, w->n, 16);
    }
    read_result(w, w->mem[0], w->n);
}

/* All steps, from words that are written before: the result is in the first buffer. */
static void sort(struct work *w)
{
    size_t from = 0;

    APP_CHECK(clEnqueueWriteBuffer(w->app.queue, w->mem[0], CL_FALSE, 0, w->items * sizeof *w->host, w->host,
                                   0, NULL, NULL));
    for (size_t k = 2; k <= w->items; k *= 2)
        for (size_t j = k / 2; j; j /= 2, from = !from) {
            app_args(w->kernel[0], "mmuu", w->mem[from], w->mem[!from], (cl_uint)j, (cl_uint)k);
            app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
        }
    read_result(w, w->mem[from], w->items);
}

static void open_square(struct work *w, const char *below, const char *update)
{
    for (size_t i = 0; i < w->n; i++)
        w->host[i * w->n + i] += (float)w->n;
    w->mem[0] = buffer(w, w->items, false);
    w->kernel[1] = app_kernel(&w->app, below);
    w->kernel[2] = app_kernel(&w->app, update);
}

static void open_lu(struct work *w, const char *name)
{
    (void)name;
    open_square(w, "lu_below", "lu_update");
    w->kernel[3] = app_kernel(&w->app, "lu_right");
}

static void open_cholesky(struct work *w, const char *name)
{
    (void)name;
    open_square(w, "cholesky_below", "cholesky_update");
    w->mem[1] = buffer(w, BLOCK * w->n, false);
    for (int i = 1; i < 3; i++)
        APP_CHECK(clSetKernelArg(w->kernel[i], 3, sizeof(cl_mem), &w->mem[1]));
}

static void run_block(struct work *w, cl_kernel kernel, size_t k, size_t items)
{
    app_args(kernel, "mii", w->mem[0], (cl_int)w->n, (cl_int)k);
    app_run(w->app.queue, kernel, items, BLOCK, 0, NULL, NULL);
}

static void factorize(struct work *w)
{
    size_t rest;

    APP_CHECK(clEnqueueWriteBuffer(w->app.queue, w->mem[0], CL_FALSE, 0, w->items * sizeof *w->host, w->host,
                                   0, NULL, NULL));
    for (size_t k = 0; k < w->n; k += BLOCK) {
        run_block(w, w->kernel[0], k, BLOCK);
        rest = w->n - k - BLOCK;
        if (!rest)
            break;
        run_block(w, w->kernel[1], k, rest);
        if (w->kernel[3])
            run_block(w, w->kernel[3], k, rest);
        app_args(w->kernel[2], "mii", w->mem[0], (cl_int)w->n, (cl_int)k);
        app_run_2d(w->app.queue, w->kernel[2], rest, rest, 16);
    }
    read_result(w, w->mem[0], w->items);
}

static void open_counters(struct work *w, const char *name)
{
    w->mem[0] = buffer(w, !strcmp(name, "search") ? COUNTERS : w->items, true);
    w->mem[1] = buffer(w, COUNTERS, true);
}

static void histogram(struct work *w)
{
    app_args(w->kernel[0], "mm", w->mem[0], w->mem[1]);
    app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
    read_result(w, w->mem[1], COUNTERS);
}

static void search(struct work *w)
{
    app_args(w->kernel[0], "mmu", w->mem[0], w->mem[1], 2000);
    app_run(w->app.queue, w->kernel[0], w->items, 128, 0, NULL, NULL);
    read_result(w, w->mem[1], 32);
}

static const struct {
    const char *name, *kernel;
    void (*open)(struct work *w, const char *name);
    void (*run)(struct work *w);
    size_t size;
    bool square;
    size_t floats; /* of the host's memory, for each item */
} cases[] = {{"matmul", "matmul", open_multiply, matmul, 256, true, 1},
             {"resident", "matmul", open_multiply, multiply, 256, true, 1},
             {"bodies", "bodies", open_two, bodies, 2048, false, 4},
             {"fractal", "fractal", open_two, fractal, 256, true, 1},
             {"blur", "blur", open_two, blur, 256, true, 1},
             {"options", "options", open_two, options, 4096, false, 1},
             {"prices", "options", open_two, prices, 1 << 15, false, 1},
             {"sparse", "sparse", open_sparse, sparse, 1 << 14, false, WIDTH},
             {"pi", "pi", open_two, pi, 1024, false, 1},
             {"jacobi", "jacobi", open_two, jacobi, 256, true, 1},
             {"lu", "lu", open_lu, factorize, 256, true, 1},
             {"cholesky", "cholesky", open_cholesky, factorize, 256, true, 1},
             {"sort", "exchange", open_two, sort, 1 << 12, false, 1},
             {"histogram", "count", open_counters, histogram, 1 << 16, false, 1},
             {"search", "search", open_counters, search, 1 << 12, false, 1}};
enum { CASES = sizeof cases / sizeof *cases };

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void measure(struct work *w, void (*run)(struct work *w), size_t rounds)
{
    uint64_t span[ROUNDS_MAX], begin;

    for (w->round = 0; w->round < rounds; w->round++) {
        begin = speed_now_ns();
        run(w);
        span[w->round] = speed_now_ns() - begin;
        app_hash(&w->app, w->result, w->bytes); /* takes longer than some rounds */
    }
    printf("first_ns %llu\n", (unsigned long long)span[0]);
    qsort(span + 1, rounds - 1, sizeof *span, by_size);
    printf("span_ns %llu\n", (unsigned long long)span[1 + (rounds - 1) / 2]);
}

int main(int argc, char **argv)
{
    struct work w = {0};
    uint32_t random = 1;
    size_t c = 0, rounds, floats;

    while (argc > 1 && c < CASES && strcmp(argv[1], cases[c].name) != 0)
        c++;
    if (argc < 2 || c == CASES) {
        fprintf(stderr,
                "usage: gpus_speed matmul|resident|bodies|fractal|blur|options|prices|sparse|pi|jacobi|lu|"
                "cholesky|sort|histogram|search [size [rounds]]\n");
        return 2;
    }
    w.n = app_size(argc, argv, 2, cases[c].size, 128, 1 << 27);
    rounds = app_size(argc, argv, 3, 5, 2, ROUNDS_MAX);
    w.items = cases[c].square ? w.n * w.n : w.n;
    if (!strcmp(cases[c].name, "sort") && w.items & (w.items - 1)) {
        fputs("gpus_speed: sort takes a power of two\n", stderr);
        return 2;
    }
    if (cases[c].run == factorize && w.n % BLOCK) {
        fprintf(stderr, "gpus_speed: %s takes a multiple of %d\n", cases[c].name, BLOCK);
        return 2;
    }
    floats = cases[c].floats * w.items;
    floats = floats < COUNTERS ? COUNTERS : floats;
    w.host = app_alloc(floats * sizeof *w.host);
    w.result = app_alloc(floats * sizeof *w.result);
    for (size_t i = 0; i < floats; i++)
        w.host[i] = (float)(app_random(&random) % 1000) / 1000;
    app_open(&w.app, "gpus_speed", 0, source);
    w.kernel[0] = app_kernel(&w.app, cases[c].kernel);
    cases[c].open(&w, cases[c].name);
    measure(&w, cases[c].run, rounds);
    for (int i = 0; i < KERNELS; i++)
        if (w.kernel[i])
            APP_CHECK(clReleaseKernel(w.kernel[i]));
    for (int i = 0; i < 4; i++)
        if (w.mem[i])
            APP_CHECK(clReleaseMemObject(w.mem[i]));
    free(w.host);
    free(w.result);
    return app_close(&w.app);
}
