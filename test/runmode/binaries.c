/* binaries.c - a program that is made of the binary of another, and does not show its source. CW_BINARY names
 * the file of the binary, which is made when it is missing. CW_BOTH=1: launches of the program that was built
 * of the source come in between. CW_OPTIONS: of the builds; with -DSIZED a kernel demands its local size,
 * with -DTIMES=N it computes something else.
 * CW_SOURCE: the file that the source is written to. Each launch has a kernel of its own. No two work-groups
 * write different values to the same bytes, or read what another writes: vendors run them in any order. */
#include "common.h"

#define N      1024u
#define CHAINS 4u
#define STEPS  6u

static const char source[] = "typedef struct { int a; float b; } pair;\n"
                             "#ifdef SIZED\n"
                             "__attribute__((reqd_work_group_size(16, 1, 1)))\n"
                             "#endif\n"
                             "kernel void stir(global uint *x, global const uint *y, uint v) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "#ifdef TIMES\n"
                             "    v *= TIMES;\n"
                             "#endif\n"
                             "    x[i] = (x[i] ^ v) * 2654435761u + y[i];\n"
                             "}\n"
                             "kernel void turn(global uint *x, local uint *t) {\n"
                             "    local uint own[16];\n"
                             "    size_t i = get_local_id(0), n = get_local_size(0);\n"
                             "    t[i] = x[get_global_id(0)];\n"
                             "    own[i] = t[i] * 7;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    x[get_global_id(0)] = t[n - 1 - i] + own[(i + 1) % n];\n"
                             "}\n"
                             "kernel void count(global uint *x, global uint *sum, constant uint *c) {\n"
                             "    atomic_add(sum, x[get_global_id(0)] & c[0]);\n"
                             "}\n"
                             "kernel void part(global uint *x, pair p, float4 v) {\n"
                             "    int i = get_global_id(0);\n"
                             "    if (i < p.a)\n"
                             "        x[i] += (uint)(p.b + v.z);\n"
                             "}\n"
                             "kernel void wide(global float3 *x, global uint *y) {\n"
                             "    size_t i = get_global_id(0);\n"
                             "    float3 v = (float3)(i, (y[i + 128] *= 3) & 255, 2);\n"
                             "    x[i] = v * sin(v.y);\n"
                             "    vstore2(convert_uint2(v.xy), i, y);\n"
                             "}\n"
                             "kernel void follow(global uint *x, global const uint *y) {\n"
                             "    x[y[get_global_id(0)] % 64] = 5;\n"
                             "}\n";

/* Not with CW_NAMED, the name of a variable that the source has instead. */
static const char printing[] = "kernel void say(global uint *x) {\n"
                               "    if (get_global_id(0) == 0)\n"
                               "        printf(\"%u\\n\", x[0] & 1 | 2);\n"
                               "}\n";

static cl_program build(const struct app *a, cl_program p)
{
    const char *options = getenv("CW_OPTIONS");

    APP_CHECK(clBuildProgram(p, 1, &a->device, options ? options : "", NULL, NULL));
    return p;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *f = name ? fopen(name, "wb") : NULL;

    if (f && (fwrite(bytes, 1, n, f) != n || fclose(f)))
        app_skip("binaries", "cannot write a file");
}

static cl_program of_source(const struct app *a)
{
    const char *named = getenv("CW_NAMED");
    char text[sizeof source + sizeof printing + 200];
    const char *texts = text;
    cl_program p;
    cl_int err;

    if (named)
        snprintf(text, sizeof text, "%s\n\n__constant int %s = 0;", source, named);
    else
        snprintf(text, sizeof text, "%s%s", source, printing);
    write_file(getenv("CW_SOURCE"), text, strlen(text));
    p = clCreateProgramWithSource(a->context, 1, &texts, NULL, &err);

    APP_CHECK(err);
    return build(a, p);
}

static unsigned char *fetch(cl_program p, size_t *bytes)
{
    unsigned char *binary;

    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL));
    binary = malloc(*bytes);
    APP_CHECK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    return binary;
}

static unsigned char *read_file(const char *name, size_t *bytes)
{
    FILE *f = name ? fopen(name, "rb") : NULL;
    unsigned char *binary = NULL;

    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    binary = malloc(*bytes);
    if (fread(binary, 1, *bytes, f) != *bytes)
        app_skip("binaries", "cannot read the binary");
    fclose(f);
    return binary;
}

static cl_program of_binary(const struct app *a)
{
    const char *name = getenv("CW_BINARY");
    size_t bytes = 0;
    unsigned char *binary = read_file(name, &bytes);
    cl_program from = NULL, p;
    cl_int err, status;

    if (!binary) {
        from = of_source(a);
        binary = fetch(from, &bytes);
        write_file(name, binary, bytes);
        clReleaseProgram(from);
    }
    p = clCreateProgramWithBinary(a->context, 1, &a->device, &bytes, (const unsigned char **)&binary, &status,
                                  &err);
    APP_CHECK(err);
    free(binary);
    return build(a, p);
}

static cl_kernel kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = clCreateKernel(p, name, &err);

    APP_CHECK(err);
    return k;
}

static void launch(cl_command_queue q, cl_kernel k, size_t n)
{
    const size_t local = 16;

    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &local, 0, NULL, NULL));
    clReleaseKernel(k);
}

static void value(cl_kernel k, cl_uint i, size_t bytes, const void *v)
{
    APP_CHECK(clSetKernelArg(k, i, bytes, v));
}

/* One chain of launches over x, y and its own sum and vectors. */
static void chain(const struct app *a, cl_program p, cl_program other, cl_mem *m, uint32_t step)
{
    const struct {
        cl_int a;
        cl_float b;
    } pair = {(cl_int)(100 + step), 3};
    const cl_float4 v = {{1, 2, (cl_float)step, 4}};
    cl_kernel k = kernel(step % 2 ? other : p, "stir");

    app_args(k, "mmu", m[0], m[1], step * 77 + 1);
    launch(a->queue, k, step % 3 ? N : N / 2);
    app_args(k = kernel(p, "turn"), "ml", m[0], (size_t)64);
    launch(a->queue, k, N);
    app_args(k = kernel(p, "count"), "mmm", m[0], m[2], m[1]);
    launch(a->queue, k, N);
    app_args(k = kernel(p, "part"), "m", m[0]);
    value(k, 1, sizeof pair, &pair);
    value(k, 2, sizeof v, &v);
    launch(a->queue, k, N);
    app_args(k = kernel(p, "wide"), "mm", m[3], m[1]);
    launch(a->queue, k, 64);
    app_args(k = kernel(p, "follow"), "mm", m[1], m[0]);
    launch(a->queue, k, 32);
}

static void show(const struct app *a, cl_mem *m)
{
    static const size_t bytes[] = {4 * N, 4 * N, 4, 16 * 64};
    unsigned char *got = calloc(1, 16 * N);

    for (int i = 0; i < 4; i++) {
        uint64_t hash = 14695981039346656037u;

        APP_CHECK(clEnqueueReadBuffer(a->queue, m[i], CL_TRUE, 0, bytes[i], got, 0, NULL, NULL));
        for (size_t b = 0; b < bytes[i]; b++)
            if (i < 3 || b % 16 < 12) /* the fourth worker of three is nothing */
                hash = (hash ^ got[b]) * 1099511628211u;
        printf("%016llx\n", (unsigned long long)hash);
    }
    free(got);
}

int main(void)
{
    static uint32_t start[4 * N];
    cl_mem m[CHAINS][4];
    cl_program p, other;
    struct app a;
    cl_kernel k;

    app_open(&a, "binaries", 0, NULL);
    p = of_binary(&a);
    other = getenv("CW_BOTH") ? of_source(&a) : p;
    for (uint32_t i = 0; i < 4 * N; i++)
        start[i] = i * 2654435761u;
    for (uint32_t c = 0; c < CHAINS; c++)
        for (int i = 0; i < 4; i++)
            m[c][i] = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 16 * N, start);
    for (uint32_t s = 0; s < STEPS; s++)
        for (uint32_t c = 0; c < CHAINS; c++)
            chain(&a, p, other, m[c], s);
    if (!getenv("CW_NAMED")) {
        app_args(k = kernel(p, "say"), "m", m[0][2]);
        launch(a.queue, k, 16);
    }
    for (uint32_t c = 0; c < CHAINS; c++) {
        show(&a, m[c]);
        app_release_mems(m[c], 4);
    }
    if (other != p)
        clReleaseProgram(other);
    clReleaseProgram(p);
    return app_close(&a);
}
