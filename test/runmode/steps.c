/* steps.c - a program of molecular dynamics, as OpenMM is: each step launches 20 small kernels in one queue
 * and 9 in another one, which markers and barriers join, and reads a word that it waits for in the next
 * step, or after every few of them.
 *
 * usage: steps [STEPS [EACH]]: waits in every EACH-th step. */
#include "common.h"

#define N 64

static struct app a;
static cl_kernel add, mul;
static cl_command_queue other;

static void launch(cl_command_queue q, cl_kernel k, cl_mem x, int y)
{
    app_args(k, "mi", x, y);
    app_run(q, k, N, 0, 0, NULL, NULL);
}

/* All commands of `to` behind those of `from` so far. */
static void join(cl_command_queue from, cl_command_queue to)
{
    cl_event all;

    APP_CHECK(clEnqueueMarkerWithWaitList(from, 0, NULL, &all));
    APP_CHECK(clFlush(from));
    APP_CHECK(clEnqueueBarrierWithWaitList(to, 1, &all, NULL));
    APP_CHECK(clReleaseEvent(all));
}

static void step(cl_mem x, cl_mem y, int number, int *word, cl_event *there)
{
    for (int i = 0; i < 10; i++)
        launch(a.queue, add, x, i + number);
    join(a.queue, other);
    for (int i = 0; i < 9; i++)
        launch(other, i % 3 ? add : mul, y, 3);
    join(other, a.queue);
    for (int i = 0; i < 9; i++)
        launch(a.queue, mul, x, 3);
    launch(a.queue, add, y, 1);
    APP_CHECK(clEnqueueReadBuffer(a.queue, y, CL_FALSE, 0, sizeof *word, word, 0, NULL, there));
    APP_CHECK(clFlush(a.queue));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 30, each = argc > 2 ? atoi(argv[2]) : 1, none[N] = {0}, word = 0;
    cl_event there;
    cl_mem x, y;

    app_open(&a, "steps", 0, RM_SOURCE);
    add = app_kernel(&a, "add");
    mul = app_kernel(&a, "mul");
    other = app_queue(&a, 0);
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    y = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    for (int i = 0; i < steps; i++) {
        step(x, y, i, &word, &there);
        if (i % each == each - 1)
            APP_CHECK(clWaitForEvents(1, &there));
        APP_CHECK(clReleaseEvent(there));
    }
    app_read(&a, x, 0, sizeof none, none);
    app_read(&a, y, 0, sizeof none, none);
    printf("word %d\n", none[0]);
    app_release_mems((cl_mem[]){x, y}, 2);
    APP_CHECK(clReleaseCommandQueue(other));
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(mul));
    return app_close(&a);
}
