/* stencil.h - what the stencil programs share: a few grids of floats, steps over them, and the same in plain
 * C.
 *
 * usage of each: NAME [width [height [depth]]] [steps [sync [verify]]]
 *   sync    wait for the queue after every so many steps; 0 (default): only at the end
 *   verify  0: do not compute the same in plain C (for sizes at which that takes long), and say on stderr how
 *           many milliseconds all steps took; default 1. Then work-groups of two and three dimensions are 256
 *           x 1 work-items, so that memory, not the kernel, is what steps wait for (in one dimension 16: a
 *           kernel has so much local memory)
 * Cell (x, y, z) of a grid is element (z * height + y) * width + x. Ranges are whole work-groups of 8 x 4 (x
 * 2) work-items that reach over the border: kernels return early there, as programs in the wild do.
 *
 * Programs differ in `struct stencil_kind`: what is enqueued for a step, and the same in C. */
#ifndef APP_STENCIL_H
#define APP_STENCIL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../common.h"

enum { GRIDS_MAX = 4, KERNELS_MAX = 4 };

struct stencil {
    struct app a;
    size_t w, h, d, cells, steps, sync;
    bool verify;
    cl_kernel kernel[KERNELS_MAX];
    cl_mem grid[GRIDS_MAX];
    float *want[GRIDS_MAX];
};

struct stencil_kind {
    const char *name, *source;
    const char *kernels[KERNELS_MAX];
    int dims, grids;
    void (*enqueue)(struct stencil *s, size_t step);
    void (*plainly)(struct stencil *s, size_t step);
};

static inline size_t stencil_at(const struct stencil *s, size_t x, size_t y, size_t z)
{
    return (z * s->h + y) * s->w + x;
}

/* Enqueues `k` over at least width x height x depth work-items; 0 of one of the latter two: fewer dimensions.
 */
static inline void stencil_run(struct stencil *s, cl_kernel k, size_t width, size_t height, size_t depth)
{
    cl_uint dims = depth ? 3 : height ? 2 : 1;
    size_t checked[3] = {dims == 1 ? 16 : 8, 4, 2}, timed[3] = {256, 1, 1},
           *local = s->verify || dims == 1 ? checked : timed;
    size_t global[3] = {width, height, depth};

    for (cl_uint i = 0; i < dims; i++)
        global[i] = (global[i] + local[i] - 1) / local[i] * local[i];
    APP_CHECK(clEnqueueNDRangeKernel(s->a.queue, k, dims, NULL, global, local, 0, NULL, NULL));
}

static inline void stencil_open(struct stencil *s, const struct stencil_kind *kind, int argc, char **argv)
{
    uint32_t seed = 29;
    int next = 1;

    s->w = app_size(argc, argv, next++, 24, 1, 1 << 20);
    s->h = kind->dims > 1 ? app_size(argc, argv, next++, 20, 1, 1 << 20) : 1;
    s->d = kind->dims > 2 ? app_size(argc, argv, next++, 12, 1, 1 << 20) : 1;
    s->steps = app_size(argc, argv, next, 7, 0, 1000000);
    s->sync = app_size(argc, argv, next + 1, 0, 0, 1000000);
    s->verify = app_size(argc, argv, next + 2, 1, 0, 1);
    s->cells = s->w * s->h * s->d;
    app_open(&s->a, kind->name, 0, kind->source);
    for (int k = 0; k < KERNELS_MAX && kind->kernels[k]; k++)
        s->kernel[k] = app_kernel(&s->a, kind->kernels[k]);
    for (int g = 0; g < kind->grids; g++) {
        s->want[g] = app_alloc(s->cells * sizeof(float));
        for (size_t i = 0; i < s->cells; i++)
            s->want[g][i] = (float)(app_random(&seed) % 1000) / 1000.0f;
        s->grid[g] = app_buffer(&s->a, CL_MEM_READ_WRITE, s->cells * sizeof(float), NULL);
        APP_CHECK(clEnqueueWriteBuffer(s->a.queue, s->grid[g], CL_TRUE, 0, s->cells * sizeof(float),
                                       s->want[g], 0, NULL, NULL));
    }
}

static inline int stencil_close(struct stencil *s)
{
    float *got = app_alloc(s->cells * sizeof *got);

    for (int g = 0; g < GRIDS_MAX && s->grid[g]; g++) {
        app_read(&s->a, s->grid[g], 0, s->cells * sizeof *got, got);
        if (s->verify)
            app_expect_floats(&s->a, "grid", got, s->want[g], s->cells);
        APP_CHECK(clReleaseMemObject(s->grid[g]));
        free(s->want[g]);
    }
    for (int k = 0; k < KERNELS_MAX && s->kernel[k]; k++)
        APP_CHECK(clReleaseKernel(s->kernel[k]));
    free(got);
    return app_close(&s->a);
}

static inline double stencil_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline int stencil_main(const struct stencil_kind *kind, int argc, char **argv)
{
    struct stencil s = {.sync = 0};
    double begin;

    stencil_open(&s, kind, argc, argv);
    begin = stencil_now_ms();
    for (size_t step = 0; step < s.steps; step++) {
        kind->enqueue(&s, step);
        if (s.verify)
            kind->plainly(&s, step);
        if (s.sync && step % s.sync == s.sync - 1)
            APP_CHECK(clFinish(s.a.queue));
    }
    if (!s.verify) { /* for benches */
        APP_CHECK(clFinish(s.a.queue));
        fprintf(stderr, "%.2f\n", stencil_now_ms() - begin);
    }
    return stencil_close(&s);
}

/* argv[1] as one of `kinds`, NULL-named at the end; absent: the first. Shifts the arguments behind it. */
static inline const struct stencil_kind *stencil_choose(const struct stencil_kind *kinds, int *argc,
                                                        char ***argv)
{
    const char *program = (*argv)[0];

    if (*argc < 2)
        return kinds;
    for (const struct stencil_kind *k = kinds; k->name; k++)
        if (strcmp(k->name, (*argv)[1]) == 0) {
            --*argc, ++*argv;
            return k;
        }
    fprintf(stderr, "%s: there is no %s\n", program, (*argv)[1]);
    exit(1);
}

#endif
