/* overlaid.c - buffers made over the bytes that a map of another buffer gave: commands on the one meet
 * commands on the other, as they do on any vendor that works in place. */
#include "common.h"

#define ITEMS 64

static struct app a;
static cl_kernel add, mul;

static void launch(cl_kernel k, cl_mem x, int y)
{
    app_args(k, "mi", x, y);
    app_run(a.queue, k, ITEMS, 0, 0, NULL, NULL);
}

/* x = 3 (2 (x + 1) + 5) ..., in turn through both buffers. */
static void in_turn(cl_mem below, cl_mem over, int rounds)
{
    int got[ITEMS];

    for (int r = 0; r < rounds; r++) {
        launch(add, below, r);
        launch(mul, over, 3);
        launch(add, over, 5);
        launch(mul, below, 2);
    }
    app_read(&a, below, 0, sizeof got, got);
    printf("below %d %d\n", got[0], got[ITEMS - 1]);
    app_read(&a, over, 0, sizeof got, got);
    printf("over %d %d\n", got[0], got[ITEMS - 1]);
}

int main(void)
{
    cl_int err;

    app_open(&a, "overlaid", 0, RM_SOURCE);
    add = app_kernel(&a, "add");
    mul = app_kernel(&a, "mul");
    cl_mem below = app_buffer(&a, CL_MEM_READ_WRITE, 4096, NULL);
    int *p =
        clEnqueueMapBuffer(a.queue, below, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4096, 0, NULL, NULL, &err);
    APP_CHECK(err);
    for (int i = 0; i < 1024; i++)
        p[i] = i;
    cl_mem over = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof(int) * ITEMS, p);
    rm_warm(&a, add, below);
    rm_warm(&a, mul, over);
    for (int i = 0; i < ITEMS; i++)
        p[i] = i;
    in_turn(below, over, 1);
    in_turn(below, over, 20);
    APP_CHECK(clReleaseMemObject(over));
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, below, p, 0, NULL, NULL));
    APP_CHECK(clReleaseMemObject(below));
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(mul));
    return app_close(&a);
}
