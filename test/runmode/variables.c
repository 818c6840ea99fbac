/* variables.c - a program keeps values between its kernels, in variables that no argument shows: each way
 * of running must give the bare results, whether the language that has such variables is named, or the
 * vendor's default. */
#include "common.h"

enum { ITEMS = 16384, BUFFERS = 4, ROUNDS = 12, STEPS = 200, VALUES = 4 };

static const char source[] = "__global int v[4] = {5, 6, 7, 8};\n"
                             "__kernel void look(__global int *x, int n) {\n"
                             "    int a = 0;\n"
                             "    for (int i = 0; i < n; i++) a = a * 3 + i;\n"
                             "    x[get_global_id(0)] = v[get_global_id(0) & 3] + a;\n"
                             "}\n"
                             "__kernel void count(void) { v[get_global_id(0)]++; }\n";

static void round_of(struct app *a, cl_command_queue other, cl_kernel look, cl_kernel count, cl_mem *to)
{
    static cl_int out[ITEMS];

    for (int i = 0; i < BUFFERS; i++) {
        app_args(look, "mi", to[i], STEPS);
        app_run(i & 1 ? other : a->queue, look, ITEMS, 0, 0, NULL, NULL);
    }
    APP_CHECK(clFinish(a->queue));
    APP_CHECK(clFinish(other));
    app_run(a->queue, count, VALUES, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(a->queue));
    for (int i = 0; i < BUFFERS; i++)
        app_read(a, to[i], 0, sizeof out, out);
}

static void show(struct app *a, const char *options)
{
    const char *text = source;
    cl_int err;
    cl_program program = clCreateProgramWithSource(a->context, 1, &text, NULL, &err);
    cl_command_queue other;
    cl_kernel look, count;
    cl_mem to[BUFFERS];

    APP_CHECK(err);
    if (clBuildProgram(program, 1, &a->device, options, NULL, NULL) != CL_SUCCESS) {
        printf("'%s': does not build\n", options);
        APP_CHECK(clReleaseProgram(program));
        return;
    }
    other = app_queue(a, 0);
    look = clCreateKernel(program, "look", &err);
    APP_CHECK(err);
    count = clCreateKernel(program, "count", &err);
    APP_CHECK(err);
    for (int i = 0; i < BUFFERS; i++)
        to[i] = app_buffer(a, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_int), NULL);
    app_args(look, "mi", to[0], STEPS); /* PoCL 6.0 sets the variables at the first launch, for each queue */
    app_run(a->queue, look, ITEMS, 0, 0, NULL, NULL);
    APP_CHECK(clFinish(a->queue));
    for (int i = 0; i < ROUNDS; i++)
        round_of(a, other, look, count, to);
    printf("'%s': %016llx\n", options, (unsigned long long)a->hash);
    app_release_mems(to, BUFFERS);
    APP_CHECK(clReleaseKernel(look));
    APP_CHECK(clReleaseKernel(count));
    APP_CHECK(clReleaseCommandQueue(other));
    APP_CHECK(clReleaseProgram(program));
}

int main(void)
{
    struct app a;

    app_open(&a, "variables", 0, "__kernel void other(__global int *x) { x[get_global_id(0)] = 1; }");
    show(&a, "");
    show(&a, "-cl-std=CL2.0");
    show(&a, "-cl-std=CL3.0");
    return app_close(&a);
}
