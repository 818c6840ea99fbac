/* linked.c - kernels of programs that were compiled apart, with a header given to clCompileProgram, and
 * linked: one alone, two with a common header, and two of which one redefines a macro that the other one
 * uses, which no single source can express. The kernels' accesses depend on the header and on both parts. The
 * host computes the expected numbers. */
#include "common.h"

#define N     2048u
#define STEPS 72u /* enough to be reordered, however busy the machine is */

static const char header[] = "#ifndef AT_H\n#define AT_H\n#define TURN(i, n) ((n) - 1 - (i))\n"
                             "uint place(uint i, uint n);\n"
                             "static inline uint spread(uint v) { return v * 2654435761u; }\n#endif\n";
static const char user[] = "#include \"at.h\"\n"
                           "kernel void turned(global uint *x, uint n, uint first, uint v) {\n"
                           "    uint i = place(first + (uint)get_global_id(0), n);\n"
                           "    x[i] = spread(x[i]) + v + (uint)get_group_id(0);\n"
                           "}\n";
static const char function[] = "#include <at.h>\n"
                               "uint place(uint i, uint n) { return TURN(i, n); }\n";
static const char other[] = "#include <at.h>\n#undef TURN\n#define TURN(i, n) ((i) ^ 1)\n"
                            "uint place(uint i, uint n) { return TURN(i, n); }\n";

static cl_program compile(const struct app *a, const char *text)
{
    const char *name = "at.h", *share = header;
    cl_int err[2];
    cl_program p = clCreateProgramWithSource(a->context, 1, &text, NULL, &err[0]),
               h = clCreateProgramWithSource(a->context, 1, &share, NULL, &err[1]);

    APP_CHECK(err[0]);
    APP_CHECK(err[1]);
    APP_CHECK(clCompileProgram(p, 1, &a->device, "-w", 1, &h, &name, NULL, NULL));
    APP_CHECK(clReleaseProgram(h));
    return p;
}

static cl_program link_parts(const struct app *a, cl_uint n, const char *const *text)
{
    cl_program part[2], whole;
    cl_int err;

    for (cl_uint i = 0; i < n; i++)
        part[i] = compile(a, text[i]);
    whole = clLinkProgram(a->context, 1, &a->device, NULL, n, part, NULL, NULL, &err);
    APP_CHECK(err);
    for (cl_uint i = 0; i < n; i++)
        APP_CHECK(clReleaseProgram(part[i]));
    return whole;
}

/* What the kernels make, on the host. */
static void expect(uint32_t *x, bool turned)
{
    for (uint32_t step = 0; step < STEPS; step++)
        for (uint32_t k = 0; k < N / 2; k++) {
            uint32_t i = step % 2 * N / 2 + k, at = turned ? N - 1 - i : i ^ 1;
            x[at] = x[at] * 2654435761u + step + k / 64;
        }
}

static void use(struct app *a, const char *name, cl_uint n, const char *const *text, bool turned)
{
    cl_program p = link_parts(a, n, text);
    cl_int err;
    cl_kernel k = clCreateKernel(p, "turned", &err);
    uint32_t *got = calloc(N, sizeof *got), *want = calloc(N, sizeof *want);
    cl_mem x = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof *got, got);

    APP_CHECK(err);
    for (uint32_t step = 0; step < STEPS; step++) {
        app_args(k, "muuu", x, N, step % 2 * N / 2, step);
        app_run(a->queue, k, N / 2, 64, 0, NULL, NULL);
    }
    app_read(a, x, 0, N * sizeof *got, got);
    expect(want, turned);
    for (uint32_t i = 0; i < N; i++)
        if (got[i] != want[i]) {
            printf("%s: element %u is %u, expected %u\n", name, i, got[i], want[i]);
            exit(1);
        }
    printf("%s: hash %016llx\n", name, (unsigned long long)a->hash);
    free(got);
    free(want);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseProgram(p));
}

int main(int argc, char **argv)
{
    static const char whole[] = "#include \"at.h\"\nuint place(uint i, uint n) { return TURN(i, n); }\n"
                                "kernel void turned(global uint *x, uint n, uint first, uint v) {\n"
                                "    uint i = place(first + (uint)get_global_id(0), n);\n"
                                "    x[i] = spread(x[i]) + v + (uint)get_group_id(0);\n"
                                "}\n";
    const char *const one[] = {whole}, *const two[] = {user, function}, *const odd[] = {user, other};
    const char *which = argc > 1 ? argv[1] : "all";
    struct app a;

    app_open(&a, "linked", 0, NULL);
    if (!strcmp(which, "all") || !strcmp(which, "one"))
        use(&a, "one", 1, one, true);
    if (!strcmp(which, "all") || !strcmp(which, "two"))
        use(&a, "two", 2, two, true);
    if (!strcmp(which, "all") || !strcmp(which, "odd"))
        use(&a, "odd", 2, odd, false);
    return app_close(&a);
}
