/* alike.c - programs that differ, though the text of source and options together is the same: what an earlier one has left in a
 * cache must not be taken for the next one's. Each is run until helpers have taken some of its launches. */
#include "common.h"

#define N     4096u
#define STEPS 24u

#define KERNELS                                                                                  \
    "#ifdef A\n#define MORE 7\n#else\n#define MORE 1\n#endif\n"                                 \
    "kernel void turn(global uint *x, uint v) {\n"                                               \
    "    uint i = (uint)get_global_id(0);\n"                                                     \
    "    x[i] = x[i] * 31 + v * MORE + (i ^ B);\n"                                               \
    "}\n"                                                                                        \
    "kernel void other(global uint *x, uint v) { x[get_global_id(0)] ^= v * MORE; }\n"           \
    "//"

static void use(struct app *a, const char *source, const char *options, uint32_t more)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(a->context, 1, &source, NULL, &err);
    cl_kernel turn, other;
    uint32_t *got = calloc(N, sizeof *got), *want = calloc(N, sizeof *want);
    cl_mem x[4];

    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 1, &a->device, options, NULL, NULL));
    turn = clCreateKernel(p, "turn", &err);
    APP_CHECK(err);
    other = clCreateKernel(p, "other", &err);
    APP_CHECK(err);
    for (int k = 0; k < 4; k++)
        x[k] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof *got, got);
    for (uint32_t v = 0; v < STEPS; v++)
        for (int k = 0; k < 4; k++) { /* chains that depend on nothing but themselves */
            app_args(turn, "mu", x[k], v);
            app_run(a->queue, turn, N, 64, 0, NULL, NULL);
            app_args(other, "mu", x[k], v);
            app_run(a->queue, other, N, 64, 0, NULL, NULL);
        }
    for (uint32_t v = 0; v < STEPS; v++)
        for (uint32_t i = 0; i < N; i++)
            want[i] = (want[i] * 31 + v * more + (i ^ 2)) ^ v * more;
    for (int k = 0; k < 4; k++) {
        app_read(a, x[k], 0, N * sizeof *got, got);
        app_expect_words(a, options, got, want, N);
    }
    free(got);
    free(want);
    app_release_mems(x, 4);
    APP_CHECK(clReleaseKernel(turn));
    APP_CHECK(clReleaseKernel(other));
    APP_CHECK(clReleaseProgram(p));
}

int main(void)
{
    struct app a;

    app_open(&a, "alike", 0, NULL);
    use(&a, KERNELS " -DA=1", " -DB=2", 1);
    use(&a, KERNELS, " -DA=1 -DB=2", 7);
    use(&a, KERNELS " -DA=1", " -DB=2", 1);
    return app_close(&a);
}
