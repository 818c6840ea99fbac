/* threads.c - several threads: first each on a queue of its own, then all on one in-order queue.
 *
 * Every thread has its own kernel objects and buffers; one buffer of counters is shared and only added to
 * atomically.
 *
 * usage: threads [threads] [launches per thread] [items]   default 4 12 512 */
#include "common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_THREADS 64

static const char source[] =
    "__kernel void work(__global uint *restrict x, __global volatile uint *restrict total, uint round) {\n"
    "    uint i = get_global_id(0);\n"
    "    x[i] = x[i] * 1664525u + round + i;\n"
    "    atomic_add(total, x[i] & 15);\n"
    "}\n";

struct worker {
    const struct app *a;
    cl_command_queue queue; /* borrowed: the queue to work on */
    cl_mem x, total;        /* x is its own, total is everybody's */
    size_t launches, n;
    uint32_t *got; /* what it read back */
};

static void *work(void *data)
{
    struct worker *w = data;
    cl_kernel k = app_kernel(w->a, "work");
    for (size_t r = 0; r < w->launches; r++) {
        app_args(k, "mmu", w->x, w->total, (cl_uint)r);
        app_run(w->queue, k, w->n, 0, 0, NULL, NULL);
        if (r % 5 == 4)
            APP_CHECK(clFlush(w->queue));
    }
    APP_CHECK(clEnqueueReadBuffer(w->queue, w->x, CL_TRUE, 0, w->n * sizeof *w->got, w->got, 0, NULL, NULL));
    APP_CHECK(clReleaseKernel(k));
    return NULL;
}

static void run_all(struct worker *workers, size_t count)
{
    pthread_t threads[MOST_THREADS];
    for (size_t t = 0; t < count; t++)
        if (pthread_create(&threads[t], NULL, work, &workers[t])) {
            fprintf(stderr, "threads: cannot start a thread\n");
            exit(1);
        }
    for (size_t t = 0; t < count; t++)
        pthread_join(threads[t], NULL);
}

static void work_plainly(uint32_t *x, size_t n, size_t launches, uint32_t *total)
{
    for (size_t r = 0; r < launches; r++)
        for (size_t i = 0; i < n; i++) {
            x[i] = x[i] * 1664525u + (uint32_t)(r + i);
            *total += x[i] & 15;
        }
}

static uint32_t *first_values(size_t thread, size_t n)
{
    uint32_t *v = app_alloc(n * sizeof *v);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint32_t)(thread * 1000003 + i);
    return v;
}

int main(int argc, char **argv)
{
    size_t count = app_size(argc, argv, 1, 4, 1, MOST_THREADS),
           launches = app_size(argc, argv, 2, 12, 1, 1000000);
    size_t n = app_size(argc, argv, 3, 512, 1, 1 << 20);
    struct worker workers[MOST_THREADS];
    uint32_t *want[MOST_THREADS], total = 0, got_total;
    const cl_uint zero = 0;
    struct app a;
    app_open(&a, "threads", 0, source);
    cl_mem shared = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, (void *)&zero);
    for (size_t t = 0; t < count; t++) {
        want[t] = first_values(t, n);
        cl_mem x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * sizeof *want[t], want[t]);
        workers[t] =
            (struct worker){&a, app_queue(&a, 0), x, shared, launches, n, app_alloc(n * sizeof *want[t])};
    }
    for (int phase = 0; phase < 2; phase++) {
        run_all(workers, count);
        for (size_t t = 0; t < count; t++) {
            work_plainly(want[t], n, launches, &total);
            app_hash(&a, workers[t].got, n * sizeof *want[t]);
            app_expect_words(&a, phase ? "one queue" : "own queue", workers[t].got, want[t], n);
            APP_CHECK(clFinish(workers[t].queue));
            if (phase == 0) {
                APP_CHECK(clReleaseCommandQueue(workers[t].queue));
                workers[t].queue = a.queue;
            }
        }
    }
    app_read(&a, shared, 0, sizeof got_total, &got_total);
    app_expect_words(&a, "total", &got_total, &total, 1);
    for (size_t t = 0; t < count; t++) {
        app_release_mems(&workers[t].x, 1);
        free(workers[t].got), free(want[t]);
    }
    app_release_mems(&shared, 1);
    return app_close(&a);
}
