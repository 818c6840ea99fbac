/* alike.c - programs that differ, though the text of source and options together is the same: the cache
 * entries of one must not be taken for the other's, nor the byte ranges that its kernels write. Each is built
 * of its source, and of its binary. */
#include "common.h"

#define N     2048u
#define STEPS 12u

#define KERNELS                                                                                              \
    "#ifdef A\n#define AT(i, n) ((n) - 1 - (i))\n#else\n#define AT(i, n) (i)\n#endif\n"                      \
    "kernel void turned(global uint *x, uint n, uint first, uint v) {\n"                                     \
    "    uint i = AT(first + (uint)get_global_id(0), n);\n"                                                  \
    "    x[i] = x[i] * 31 + v * B;\n"                                                                        \
    "}\n"                                                                                                    \
    "kernel void plain(global uint *x, uint n, uint first, uint v) {\n"                                      \
    "    uint i = first + (uint)get_global_id(0);\n"                                                         \
    "    x[i] = (x[i] ^ v) * 2654435761u;\n"                                                                 \
    "}\n"                                                                                                    \
    "//"

static const char longer[] = KERNELS " -DA=1", shorter[] = KERNELS;

static uint32_t first_of(uint32_t step, bool turned)
{
    return (turned ? step : step / 2 + 1) % 2 * N / 2;
}

static void expect(uint32_t *want, bool turns)
{
    memset(want, 0, N * sizeof *want);
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t i = first_of(step, true), end = i + N / 2; i < end; i++) {
            uint32_t *x = &want[turns ? N - 1 - i : i];

            *x = *x * 31 + step * 2;
        }
        for (uint32_t i = first_of(step, false), end = i + N / 2; i < end; i++)
            want[i] = (want[i] ^ step) * 2654435761u;
    }
}

static void use(struct app *a, cl_program p, bool turns, const char *what)
{
    cl_int err[2];
    cl_kernel turned = clCreateKernel(p, "turned", &err[0]), plain = clCreateKernel(p, "plain", &err[1]);
    uint32_t *got = calloc(N, sizeof *got), *want = calloc(N, sizeof *want);
    cl_mem x = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof *got, got);

    APP_CHECK(err[0]);
    APP_CHECK(err[1]);
    for (uint32_t step = 0; step < STEPS; step++) {
        app_args(turned, "muuu", x, N, first_of(step, true), step);
        app_run(a->queue, turned, N / 2, 64, 0, NULL, NULL);
        app_args(plain, "muuu", x, N, first_of(step, false), step);
        app_run(a->queue, plain, N / 2, 64, 0, NULL, NULL);
    }
    expect(want, turns);
    app_read(a, x, 0, N * sizeof *got, got);
    app_expect_words(a, what, got, want, N);
    free(got);
    free(want);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(turned));
    APP_CHECK(clReleaseKernel(plain));
}

static cl_program of_source(const struct app *a, const char *source, const char *options)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(a->context, 1, &source, NULL, &err);

    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 1, &a->device, options, NULL, NULL));
    return p;
}

struct binary {
    unsigned char *data;
    size_t bytes;
};

static struct binary fetch(cl_program p)
{
    struct binary b;

    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof b.bytes, &b.bytes, NULL));
    b.data = app_alloc(b.bytes);
    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof b.data, &b.data, NULL));
    return b;
}

static cl_program of_binary(const struct app *a, struct binary b)
{
    cl_int status, err;
    cl_program p = clCreateProgramWithBinary(a->context, 1, &a->device, &b.bytes,
                                             (const unsigned char **)&b.data, &status, &err);

    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 1, &a->device, "", NULL, NULL));
    free(b.data);
    return p;
}

int main(int argc, char **argv)
{
    int n = argc > 1 && !strcmp(argv[1], "sources") ? 2 : 4;
    struct binary binary[2];
    cl_program program[4];
    struct app a;

    app_open(&a, "alike", 0, NULL);
    program[0] = of_source(&a, longer, " -DB=2");
    program[1] = of_source(&a, shorter, " -DA=1 -DB=2");
    for (int i = 0; i + 2 < n; i++)
        binary[i] = fetch(program[i]);
    for (int i = 2; i < n; i++)
        program[i] = of_binary(&a, binary[i - 2]);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < n; i++)
            use(&a, program[i], i % 2, i % 2 ? "turned" : "as it is");
    for (int i = 0; i < n; i++)
        APP_CHECK(clReleaseProgram(program[i]));
    return app_close(&a);
}
