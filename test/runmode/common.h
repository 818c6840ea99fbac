/* common.h - what the programs of this folder share. Each checks one kind of promise of run mode, is an
 * OpenCL program that knows nothing of clweave, and prints what it saw: the same bare and in every way of
 * running. */
#ifndef RUNMODE_COMMON_H
#define RUNMODE_COMMON_H

#include "../apps/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double rm_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline void rm_sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static inline cl_int rm_status(cl_event e)
{
    cl_int status = 99,
           err = clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);

    return err == CL_SUCCESS ? status : err;
}

/* Waits until the condition holds. A program has no limit of time: on a busy machine each would be wrong, and
 * the test that runs the program ends one that hangs. */
#define RM_WAIT(condition)                                                                                   \
    do {                                                                                                     \
        while (!(condition))                                                                                 \
            rm_sleep_ms(1);                                                                                  \
    } while (0)

/* A reference count, once it is no more than `own`, what the program and its objects hold: the vendor's
 * threads release the objects of a command a moment after its end. With a vendor whose objects hold more, it
 * is the count that has not moved for a thousand turns. */
#define RM_SETTLED(count, own)                                                                               \
    ({                                                                                                       \
        int now_, last_ = 0, most_ = (own);                                                                  \
        for (int same_ = 0; (now_ = (int)(count)) > most_ && same_ < 1000; last_ = now_) {                   \
            same_ = now_ == last_ ? same_ + 1 : 0;                                                           \
            rm_sleep_ms(1);                                                                                  \
        }                                                                                                    \
        now_;                                                                                                \
    })

/* Polls, without any other call, until the event is over. Returns the last status. */
static inline cl_int rm_poll(cl_event e)
{
    cl_int status;

    RM_WAIT((status = rm_status(e)) <= CL_COMPLETE);
    return status;
}

static inline unsigned rm_references(cl_program program)
{
    cl_uint n = 0;

    APP_CHECK(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

/* Launches add (x[i] += y) twice and waits, so that the vendor has seen the kernel. */
static inline void rm_warm(const struct app *a, cl_kernel k, cl_mem x)
{
    app_args(k, "mi", x, 0);
    app_run(a->queue, k, 64, 0, 0, NULL, NULL);
    app_run(a->queue, k, 64, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(a->queue));
}

#define RM_SOURCE                                                                                            \
    "kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }\n"                                  \
    "kernel void mul(global int *x, int y) { x[get_global_id(0)] *= y; }\n"                                  \
    "kernel void slow(global int *x, int n) { int v = x[get_global_id(0)];\n"                                \
    "  for (int i = 0; i < n; i++) v = v * 1664525 + 1013904223; x[get_global_id(0)] = v; }\n"               \
    "kernel void sum(global const int *a, global const int *b, global int *c)\n"                             \
    "{ int i = get_global_id(0); c[i] = 3 * a[i] + b[i]; }\n"

/* A program that works: two kernels of RM_SOURCE in turn, on `count` words. */
struct rm_pair {
    struct app a;
    cl_kernel slow, add;
    cl_mem x;
    size_t count;
};

static inline void rm_pair_open(struct rm_pair *p, const char *name, int *words, size_t count)
{
    app_open(&p->a, name, 0, RM_SOURCE);
    p->slow = app_kernel(&p->a, "slow");
    p->add = app_kernel(&p->a, "add");
    p->x = app_buffer(&p->a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof *words, words);
    p->count = count;
}

static inline void rm_pair_run(struct rm_pair *p, cl_int work, cl_int more)
{
    app_args(p->slow, "mi", p->x, work);
    app_run(p->a.queue, p->slow, p->count, 64, 0, NULL, NULL);
    app_args(p->add, "mi", p->x, more);
    app_run(p->a.queue, p->add, p->count, 64, 0, NULL, NULL);
}

/* Says what has come of it. */
static inline int rm_pair_close(struct rm_pair *p, int *words)
{
    app_read(&p->a, p->x, 0, p->count * sizeof *words, words);
    APP_CHECK(clReleaseMemObject(p->x));
    APP_CHECK(clReleaseKernel(p->slow));
    APP_CHECK(clReleaseKernel(p->add));
    return app_close(&p->a);
}

#endif
