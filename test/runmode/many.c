/* many.c - contexts, queues, buffers, programs, kernels and events made and released again and again: memory
 * does not grow with them, and the last rounds take no more of the processor than early ones.
 *
 * many [ROUNDS]; prints the resources that grew more than a bare program's may. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#include <malloc.h>
#include <unistd.h>

#define TENTHS 10

static struct app a;

/* One of everything, used, in a context of its own where `own`. */
static void round_trip(bool own, int i)
{
    cl_context context = own ? clCreateContext(NULL, 1, &a.device, NULL, NULL, NULL) : a.context;
    cl_command_queue q = clCreateCommandQueue(context, a.device, i & 1 ? CL_QUEUE_PROFILING_ENABLE : 0, NULL);
    cl_mem x = clCreateBuffer(context, 0, 4096, NULL, NULL), sub = app_sub_buffer(x, 0, 0, 1024);
    cl_event e[3], user = clCreateUserEvent(context, NULL);
    cl_kernel add = own ? NULL : app_kernel(&a, "add");
    cl_int err, v = i;
    void *p;

    APP_CHECK(clEnqueueFillBuffer(q, x, &v, 4, 0, 4096, 0, NULL, &e[0]));
    if (add) {
        app_args(add, "mi", sub, 3);
        app_run(q, add, 64, 0, 1, e, NULL);
    }
    p = clEnqueueMapBuffer(q, sub, CL_FALSE, CL_MAP_READ, 0, 64, 1, e, &e[1], &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueUnmapMemObject(q, sub, p, 1, &e[1], &e[2]));
    clReleaseMemObject(x);
    if (i & 2)
        APP_CHECK(clFinish(q));
    APP_CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    app_release_events(e, 3);
    clReleaseEvent(user);
    clReleaseMemObject(sub);
    if (add)
        clReleaseKernel(add);
    if (!(i & 2))
        APP_CHECK(clFinish(q));
    clReleaseCommandQueue(q);
    if (own)
        clReleaseContext(context);
}

static size_t in_use(void)
{
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Of all threads: others' work does not count. */
static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_size(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return x < y ? -1 : x > y;
}

/* Bytes a round by the median of the tenths: what is lost in every round shows in all of them, what is made
 * once (threads that begin late, tables that double) in one or two. */
static long growth(const size_t used[TENTHS + 1], int rounds)
{
    long by[TENTHS];

    for (int i = 0; i < TENTHS; i++)
        by[i] = (long)used[i + 1] - (long)used[i];
    qsort(by + 1, TENTHS - 1, sizeof *by, by_size); /* the first warms up */
    return by[1 + (TENTHS - 1) / 2] / (rounds / TENTHS);
}

int main(int argc, char **argv)
{
    int rounds = (int)app_size(argc, argv, 1, 3000, 100, 1000000);
    size_t used[TENTHS + 1] = {0};
    double start = 0, early = 0, late = 0;
    long each;

    app_open(&a, "many", 0, RM_SOURCE);
    for (int t = 0; t < TENTHS; t++) {
        used[t] = in_use();
        start = cpu_ms();
        for (int i = t * (rounds / TENTHS); i < (t + 1) * (rounds / TENTHS); i++)
            round_trip(i % 8 == 7, i);
        late = cpu_ms() - start;
        early = t == 1 ? late : early;
    }
    used[TENTHS] = in_use();
    each = growth(used, rounds);
    if (argc > 2)
        fprintf(stderr, "%ld bytes a round; a tenth of the rounds took %.0f ms, then %.0f ms\n", each, early,
                late);
    if (each > 64)
        printf("memory grows by %ld bytes a round\n", each);
    if (late > 4 * early + 500)
        printf("the last tenth of the rounds took %.0f ms, an early one %.0f ms\n", late, early);
    return app_close(&a);
}
