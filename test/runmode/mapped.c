/* mapped.c - bytes that the host has from the map's end to the unmap: behind a long kernel, before a short
 * one, beside others. */
#include "common.h"

#define N    64
#define LONG 100000

static struct app a;
static cl_kernel add, slow;

static void launch(cl_kernel k, cl_mem x, int y)
{
    app_args(k, "mi", x, y);
    app_run(a.queue, k, N, 0, 0, NULL, NULL);
}

static cl_mem zeros(void)
{
    static int none[N];

    return app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof none, none);
}

static cl_ulong last;

/* It begins when the map or unmap before it is over. Releases the event. */
static bool follows(cl_event e)
{
    static const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                              CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong at[4];
    bool right;

    APP_CHECK(clWaitForEvents(1, &e));
    for (int i = 0; i < 4; i++)
        APP_CHECK(clGetEventProfilingInfo(e, names[i], sizeof at[i], &at[i], NULL));
    right = at[0] <= at[1] && at[1] <= at[2] && at[2] <= at[3] && last <= at[2];
    last = at[3];
    APP_CHECK(clReleaseEvent(e));
    return right;
}

/* The last word, mapped by a call that blocks, right behind a long kernel that writes it. */
static int of_long(cl_mem x)
{
    int *p, word;
    cl_int err;

    p = clEnqueueMapBuffer(a.queue, x, CL_TRUE, CL_MAP_READ, 0, N * sizeof *p, 0, NULL, NULL, &err);
    APP_CHECK(err);
    word = p[N - 1];
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, x, p, 0, NULL, NULL));
    return word;
}

int main(void)
{
    cl_mem x, y, z;
    int *part, *all;
    unsigned sum = 0;
    cl_event e, u;
    bool in_order = true;
    cl_int err;

    app_open(&a, "mapped", CL_QUEUE_PROFILING_ENABLE, RM_SOURCE);
    add = app_kernel(&a, "add");
    slow = app_kernel(&a, "slow");
    x = zeros();
    y = zeros();
    z = zeros();
    for (int r = 0; r < 6; r++) {
        cl_map_flags flags = r % 3 == 2 ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ | CL_MAP_WRITE;
        launch(slow, x, LONG);
        launch(add, y, r);
        part = clEnqueueMapBuffer(a.queue, x, CL_FALSE, flags, 64, 128, 0, NULL, &e, &err);
        APP_CHECK(err);
        launch(slow, z, LONG / 2);
        all = clEnqueueMapBuffer(a.queue, y, CL_TRUE, CL_MAP_READ, 0, N * sizeof *all, 0, NULL, NULL, &err);
        APP_CHECK(err);
        sum = sum * 31 + (unsigned)of_long(z);
        APP_CHECK(clWaitForEvents(1, &e));
        for (int i = 0; i < 32; i++)
            part[i] = flags == CL_MAP_WRITE_INVALIDATE_REGION ? i : part[i] + all[i];
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, x, part, 0, NULL, &u));
        APP_CHECK(clEnqueueCopyBuffer(a.queue, x, z, 64, 0, 128, 0, NULL, NULL));
        launch(add, x, 7);
        sum = sum * 31 + (unsigned)all[r];
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, y, all, 0, NULL, NULL));
        in_order &= follows(e);
        in_order &= follows(u);
    }
    part = clEnqueueMapBuffer(a.queue, z, CL_TRUE, CL_MAP_READ, 0, N * sizeof *part, 0, NULL, NULL, &err);
    APP_CHECK(err);
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned)part[i];
    APP_CHECK(clEnqueueUnmapMemObject(a.queue, z, part, 0, NULL, NULL));
    printf("mapped %u, times %s\n", sum, in_order ? "in order" : "overlap");
    app_read(&a, x, 0, N * sizeof(int), (int[N]){0});
    app_read(&a, y, 0, N * sizeof(int), (int[N]){0});
    app_release_mems((cl_mem[]){x, y, z}, 3);
    APP_CHECK(clReleaseKernel(add));
    APP_CHECK(clReleaseKernel(slow));
    return app_close(&a);
}
