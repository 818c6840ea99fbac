/* headers.c - kernels whose indices are made by headers, which are other files as soon as the vendor has
 * built them: helper programs that are built later, and the models of its kernels, must be of the
 * headers of its own build. */
#include "common.h"

#include <unistd.h>

#define N     2048u
#define STEPS 30u

static char folder[200];

#define KERNELS                                                                                              \
    "kernel void turned(global uint *x, uint n, uint first, uint v) {\n"                                     \
    "    uint i = at(first + (uint)get_global_id(0), n);\n"                                                  \
    "    x[i] = x[i] * 31 + v;\n"                                                                            \
    "}\n"                                                                                                    \
    "kernel void plain(global uint *x, uint n, uint first, uint v) {\n"                                      \
    "    uint i = first + (uint)get_global_id(0);\n"                                                         \
    "    x[i] = (x[i] ^ v) * 2654435761u;\n"                                                                 \
    "}\n"

static const char usual[] = "#include \"shape.h\"\n#include <shape.h> /* once */\n" KERNELS,
                  imports[] = "#import \"shape.h\"\n" KERNELS,
                  spliced[] = "#inc\\\nlude \"shape.h\"\n" KERNELS,
                  spliced_oddly[] = "#inc\\ \nlude \"shape.h\"\n" KERNELS,
                  digraph[] = "%:include \"shape.h\"\n" KERNELS,
                  asks[] = "#if __has_include(\"deep.h\")\n#define at(i, n) ((n) - 1 - (i))\n#else\n"
                           "#define at(i, n) (i)\n#endif\n" KERNELS;

static void write_file(const char *name, const char *text)
{
    char path[300];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        app_skip("headers", "no files can be written");
}

static void remove_file(const char *name)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static cl_program build(const struct app *a, const char *text, const char *index)
{
    char options[300], deep[256];
    cl_int err;
    cl_program p = clCreateProgramWithSource(a->context, 1, &text, NULL, &err);

    APP_CHECK(err);
    write_file("shape.h", "#pragma once\n#ifndef TURN\n#define TURN 1\n#endif\n#include \"deep.h\"\n");
    snprintf(deep, sizeof deep, "inline uint at(uint i, uint n) { return %s; }\n", index);
    write_file("deep.h", deep);
    snprintf(options, sizeof options, "-w -I %s -DTURN=2", folder);
    APP_CHECK(clBuildProgram(p, 1, &a->device, options, NULL, NULL));
    if (text == asks)
        remove_file("deep.h");
    else
        write_file("deep.h", "inline uint at(uint i, uint n) { return i ^ 1; }\n");
    return p;
}

static void use(struct app *a, const char *text, const char *index)
{
    cl_program p = build(a, text, index);
    cl_int err[2];
    cl_kernel turned = clCreateKernel(p, "turned", &err[0]), plain = clCreateKernel(p, "plain", &err[1]);
    uint32_t *got = calloc(N, sizeof *got);
    cl_mem x = app_buffer(a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, N * sizeof *got, got);

    APP_CHECK(err[0]);
    APP_CHECK(err[1]);
    for (uint32_t step = 0; step < STEPS; step++) {
        app_args(turned, "muuu", x, N, step % 2 * N / 2, step);
        app_run(a->queue, turned, N / 2, 64, 0, NULL, NULL);
        app_args(plain, "muuu", x, N, (step / 2 + 1) % 2 * N / 2, step);
        app_run(a->queue, plain, N / 2, 64, 0, NULL, NULL);
    }
    app_read(a, x, 0, N * sizeof *got, got);
    printf("%s: hash %016llx\n", index, (unsigned long long)a->hash);
    free(got);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(turned));
    APP_CHECK(clReleaseKernel(plain));
    APP_CHECK(clReleaseProgram(p));
}

int main(void)
{
    struct app a;

    snprintf(folder, sizeof folder, "%s/clweave-headers-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder))
        app_skip("headers", "no files can be written");
    app_open(&a, "headers", 0, NULL);
    use(&a, usual, "i");
    use(&a, usual, "TURN == 2 ? n - 1 - i : i");
    use(&a, imports, "n - 1 - i");
    use(&a, spliced, "n - 1 - i");
    use(&a, spliced_oddly, "n - 1 - i");
    use(&a, digraph, "n - 1 - i");
    use(&a, asks, "");
    remove_file("shape.h");
    rmdir(folder);
    return app_close(&a);
}
