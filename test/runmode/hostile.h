/* hostile.h - what the hostile_*.c share: legal programs that do what few programs do, in cases. `hostile_x
 * [CASE...]` runs some of its cases, without arguments all. */
#ifndef RUNMODE_HOSTILE_H
#define RUNMODE_HOSTILE_H

#include "common.h"

#define WORDS 256
#define BYTES (WORDS * sizeof(int))
#define SOURCE                                                                                               \
    RM_SOURCE                                                                                                \
    "typedef struct { int4 a; float8 b; char c[24]; } big;\n"                                                \
    "kernel void large(global int *x, big v, local int *l) { int i = get_global_id(0);\n"                    \
    "  l[get_local_id(0)] = v.a.y + v.c[i % 24]; x[i] = 3 * x[i] + l[get_local_id(0)] + (int)v.b.s5; }\n"

static struct app a;
static cl_kernel add, mul, slow, sum, large;

static inline cl_mem filled(int value, cl_mem_flags flags, void *host)
{
    static int v[WORDS];

    for (int i = 0; i < WORDS; i++)
        v[i] = value + i;
    if (host)
        memcpy(host, v, sizeof v);
    return app_buffer(&a, flags | (host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR), sizeof v,
                      host ? host : v);
}

static inline void look(const char *what, cl_mem m)
{
    int v[WORDS];
    uint64_t before = a.hash;

    a.hash = 0;
    app_read(&a, m, 0, sizeof v, v);
    printf("%s: %016llx %d\n", what, (unsigned long long)a.hash, v[3]);
    a.hash += before;
}

static inline void launch(cl_command_queue q, cl_kernel k, cl_mem m, int y, cl_event *e)
{
    app_args(k, "mi", m, y);
    app_run(q, k, WORDS, 64, 0, NULL, e);
}

struct hostile_case {
    const char *name;
    void (*body)(void);
};

/* The program: `cases` ends with one that has no name. */
static inline int hostile_run(const char *program, const struct hostile_case *c, int argc, char **argv)
{
    cl_mem x;

    app_open(&a, program, 0, SOURCE);
    add = app_kernel(&a, "add"), mul = app_kernel(&a, "mul"), slow = app_kernel(&a, "slow"),
    sum = app_kernel(&a, "sum");
    large = app_kernel(&a, "large");
    x = filled(0, 0, NULL);
    launch(a.queue, add, x, 1, NULL), launch(a.queue, mul, x, 1, NULL), launch(a.queue, slow, x, 1, NULL);
    app_args(sum, "mmm", x, x, x);
    app_run(a.queue, sum, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    clReleaseMemObject(x);
    for (; c->name; c++) {
        bool wanted = argc == 1;
        for (int n = 1; n < argc; n++)
            wanted |= !strcmp(argv[n], c->name);
        if (wanted)
            c->body();
    }
    clReleaseKernel(add), clReleaseKernel(mul), clReleaseKernel(slow), clReleaseKernel(sum),
        clReleaseKernel(large);
    return app_close(&a);
}

#endif
