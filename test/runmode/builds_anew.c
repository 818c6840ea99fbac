/* builds_anew.c - programs whose code the build options change, built once, and built anew before they are
 * launched: helpers that prepare the program beside that get the code of the last build. One more kernel asks
 * for its group by a pasted name. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 16384, ROUNDS = 3, FUNCTIONS = 30 };

static struct app a;
static cl_uint words[ITEMS];

/* A text that takes a compiler some time, another one each round. */
static void write_source(char *to, size_t bytes, int round)
{
    size_t n = (size_t)snprintf(to, bytes, "#ifndef X\n#define X 9\n#endif\n#define ID(x) get_##x##_id(0)\n");

    for (int f = 0; f < FUNCTIONS; f++)
        n += (size_t)snprintf(
            to + n, bytes - n,
            "uint f%d(uint s) { for (uint j = 0; j < %d; j++) s = s * %du + %du; return s; }\n", f, f % 7 + 1,
            1664525 + 2 * f, round);
    n += (size_t)snprintf(to + n, bytes - n, "kernel void k(global uint *o) { uint s = get_global_id(0); ");
    for (int f = 0; f < FUNCTIONS; f++)
        n += (size_t)snprintf(to + n, bytes - n, "s = f%d(s); ", f);
    snprintf(to + n, bytes - n,
             "o[get_global_id(0)] = (s & 0) + X; }\n"
             "kernel void g(global uint *o) { o[get_global_id(0)] = ID(group); }\n");
}

static void launch(cl_kernel kernel, cl_mem buffer, const char *what)
{
    app_args(kernel, "m", buffer);
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;

        app_run(a.queue, kernel, ITEMS, 64, 0, NULL, NULL);
        app_read(&a, buffer, 0, sizeof words, words);
        for (int k = 0; k < ITEMS; k++)
            sum = sum * 31 + words[k];
        printf("%s %d: %016llx\n", what, i, (unsigned long long)sum);
    }
}

static void one_round(cl_mem buffer, int round, bool anew)
{
    static char text[1 << 16];
    const char *source = text;
    cl_kernel k, g;
    cl_int err;

    write_source(text, sizeof text, 2 * round + anew);
    a.program = clCreateProgramWithSource(a.context, 1, &source, NULL, &err);
    APP_CHECK(err);
    if (anew)
        APP_CHECK(clBuildProgram(a.program, 1, &a.device, "-DX=1", NULL, NULL));
    APP_CHECK(clBuildProgram(a.program, 1, &a.device, "-DX=2", NULL, NULL));
    k = app_kernel(&a, "k");
    g = app_kernel(&a, "g");
    launch(k, buffer, anew ? "anew" : "once");
    launch(g, buffer, "groups");
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseKernel(g));
    APP_CHECK(clReleaseProgram(a.program));
}

int main(void)
{
    cl_mem buffer;

    app_open(&a, "builds_anew", 0, NULL);
    buffer = app_buffer(&a, CL_MEM_READ_WRITE, sizeof words, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        one_round(buffer, round, false);
        one_round(buffer, round, true);
    }
    a.program = NULL;
    APP_CHECK(clReleaseMemObject(buffer));
    return app_close(&a);
}
