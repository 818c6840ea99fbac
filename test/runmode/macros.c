/* macros.c - kernels whose indices depend on macros of the vendor's compiler: another compiler would see
 * other bytes touched. Launches that in truth meet in a buffer, and would not if the macros were another's.
 * And kernels that print by a name which macros make. */
#include "common.h"

#define N     2048u
#define STEPS 30u

static const char source[] = "#if defined(cl_khr_subgroup_ballot) || defined(__SPIR__) || "
                             "defined(__NV_CL_C_VERSION) || __OPENCL_C_VERSION__ < 200\n"
                             "#define AT(i) (i)\n"
                             "#else\n"
                             "#define AT(i) (n - 1 - (i))\n"
                             "#endif\n"
                             "#ifdef cl_khr_fp64\n"
                             "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                             "#endif\n"
                             "kernel void turned(global uint *x, uint n, uint first, uint v) {\n"
                             "    uint i = AT(first + (uint)get_global_id(0));\n"
                             "    x[i] = x[i] * 31 + v;\n"
                             "}\n"
                             "kernel void plain(global uint *x, uint n, uint first, uint v) {\n"
                             "    uint i = first + (uint)get_global_id(0);\n"
                             "    x[i] = (x[i] ^ v) * 2654435761u;\n"
                             "}\n"
                             "kernel void which(global uint *x) {\n"
                             "    uint n = 10;\n"
                             "    x[0] = AT(0);\n"
                             "}\n";

/* A macro that is no integer: asking for it must not be heard on stderr. */
static const char fraction[] = "#ifndef M_PI\n#define M_PI 3\n#endif\n"
                               "kernel void k(global float *x) { x[get_global_id(0)] = M_PI; }\n";

static cl_program build(const struct app *a, const char *text, const char *options)
{
    cl_int err;
    cl_program p = clCreateProgramWithSource(a->context, 1, &text, NULL, &err);

    APP_CHECK(err);
    APP_CHECK(clBuildProgram(p, 1, &a->device, options, NULL, NULL));
    return p;
}

static cl_kernel kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);

    APP_CHECK(err);
    return k;
}

static void use(struct app *a, const char *options)
{
    cl_program p = build(a, source, options);
    cl_kernel turned = kernel(p, "turned"), plain = kernel(p, "plain"), which = kernel(p, "which");
    uint32_t *got = calloc(N, sizeof *got), answer = 0;
    cl_mem x = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof *got, got);

    for (uint32_t step = 0; step < STEPS; step++) {
        app_args(turned, "muuu", x, N, step % 2 * N / 2, step);
        app_run(a->queue, turned, N / 2, 64, 0, NULL, NULL);
        app_args(plain, "muuu", x, N, (step / 2 + 1) % 2 * N / 2, step);
        app_run(a->queue, plain, N / 2, 64, 0, NULL, NULL);
    }
    app_read(a, x, 0, N * sizeof *got, got);
    app_args(which, "m", x);
    app_run(a->queue, which, 1, 1, 0, NULL, NULL);
    app_read(a, x, 0, sizeof answer, &answer);
    printf("%s: %s, hash %016llx\n", options, answer ? "turned" : "straight", (unsigned long long)a->hash);
    free(got);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(turned));
    APP_CHECK(clReleaseKernel(plain));
    APP_CHECK(clReleaseKernel(which));
    APP_CHECK(clReleaseProgram(p));
}

/* Output that no word of the source shows. Launches on two buffers, which could change places but for it. */
static void print(struct app *a, const char *body)
{
    char text[512];
    uint32_t got[2][64] = {0};
    cl_mem x[2];
    cl_program p;
    cl_kernel k;

    snprintf(text, sizeof text,
             "#define PASTE(a, b) a##b\nkernel void k(global uint *x, uint v) { x[get_global_id(0)] += v; if "
             "(get_global_id(0) == 0) %s; }\n",
             body);
    p = build(a, text, "-w");
    k = kernel(p, "k");
    for (int i = 0; i < 2; i++)
        x[i] = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof got[i], got[i]);
    for (uint32_t v = 0; v < STEPS; v++) {
        app_args(k, "mu", x[v & 1], v);
        app_run(a->queue, k, 64, 8, 0, NULL, NULL);
    }
    for (int i = 0; i < 2; i++) {
        app_read(a, x[i], 0, sizeof got[i], got[i]);
        APP_CHECK(clReleaseMemObject(x[i]));
    }
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseProgram(p));
}

/* PoCL 6.0 has no OpenCL C 2.0. */
static void use_2_0(struct app *a, const char *options)
{
    char version[256] = "";

    clGetDeviceInfo(a->device, CL_DEVICE_OPENCL_C_VERSION, sizeof version, version, NULL);
    if (!strncmp(version, "OpenCL C 1", 10))
        printf("%s: the device knows %.12s\n", options, version);
    else
        use(a, options);
}

int main(void)
{
    struct app a;

    app_open(&a, "macros", 0, NULL);
    APP_CHECK(clReleaseProgram(build(&a, fraction, "-w")));
    use(&a, "-w");
    use(&a, "-w -cl-std=CL1.2");
    use_2_0(&a, "-w -cl-std=CL2.0");
    use(&a, "-w -cl-std=CL3.0");
    use_2_0(&a, "-w -cl-std=CL2.0 -D__OPENCL_C_VERSION__=100");
    print(&a, "PASTE(pri, ntf)(\"pasted %u\\n\", v)");
    print(&a, "__builtin_printf(\"built in %u\\n\", v)");
    return app_close(&a);
}
