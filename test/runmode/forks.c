/* forks.c - queues out of order whose barriers the vendor has: launches behind a barrier see what those
 * before it wrote, also when run mode takes over between them, as the program enqueues much and does not
 * wait. */
#include "common.h"

enum { COUNT = 4096, FORKS = 12, ROUNDS = 3, WORK = 30000 };

int main(void)
{
    static cl_int words[COUNT], result[COUNT];
    cl_command_queue q;
    cl_kernel slow, sum;
    cl_mem x, to[FORKS];
    struct app a;

    app_open(&a, "forks", 0, RM_SOURCE);
    q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    slow = app_kernel(&a, "slow");
    sum = app_kernel(&a, "sum");
    for (int i = 0; i < COUNT; i++)
        words[i] = i;
    x = app_buffer(&a, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words, words);
    for (int i = 0; i < FORKS; i++)
        to[i] = app_buffer(&a, CL_MEM_READ_WRITE, sizeof words, NULL);
    for (int r = 0; r < ROUNDS; r++) {
        app_args(slow, "mi", x, WORK);
        app_run(q, slow, COUNT, 64, 0, NULL, NULL);
        APP_CHECK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
        for (int i = 0; i < FORKS; i++) {
            app_args(sum, "mmm", x, x, to[i]);
            app_run(q, sum, COUNT, 64, 0, NULL, NULL);
        }
        APP_CHECK(clFinish(q));
        for (int i = 0; i < FORKS; i++)
            app_read(&a, to[i], 0, sizeof result, result);
        printf("round %d: hash %016llx\n", r, (unsigned long long)a.hash);
    }
    app_release_mems(to, FORKS);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(slow));
    APP_CHECK(clReleaseKernel(sum));
    APP_CHECK(clReleaseCommandQueue(q));
    return app_close(&a);
}
