/* offset_kinds_abort.c - PoCL 3.1 aborts when two devices run one kernel at once, one at global offset zero
 * and one not: it finds the compiled code of a finished launch by kernel and local size alone, but keeps
 * offset zero apart, so the use count of the wrong entry falls below zero. Design, section 5: tiles run at
 * offset zero.
 *
 * The two launches are made to overlap without luck: the kernel on the first device runs until the one on the
 * second device tells it through memory that it has begun. */
#include "common.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

static const char source[] = "__kernel void meet(volatile __global uint *restrict flag, uint role) {\n"
                             "    flag[role] = 1;\n"
                             "    for (uint i = 0; role == 0 && flag[1] == 0 && i < 4000000000u; i++) { }\n"
                             "}\n";

struct pair {
    struct vendor v;
    cl_mem flag;
    size_t offset[2];
};
static volatile cl_uint flag[1024] __attribute__((aligned(4096)));

static void launch(struct pair *p, cl_uint role)
{
    const size_t one = 1;
    cl_command_queue q = vendor_queue(&p->v, role);
    cl_kernel k = vendor_kernel(&p->v, "meet");
    app_args(k, "mu", p->flag, role);
    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, &p->offset[role], &one, &one, 0, NULL, NULL));
    APP_CHECK(clFinish(q));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseCommandQueue(q));
}

static void *first(void *data)
{
    launch(data, 0);
    return NULL;
}

/* Runs the pair of launches; *data is the second one's global offset. */
static int run_pair(void *data)
{
    struct pair p = {.offset = {0, *(size_t *)data}};
    pthread_t thread;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    vendor_open(&p.v, "basic basic", source, "");
    p.flag = vendor_buffer(&p.v, sizeof flag, (void *)flag);
    if (pthread_create(&thread, NULL, first, &p))
        return 1;
    while (flag[0] == 0) /* the first kernel runs now, and holds the code of offset zero */
        ;
    launch(&p, 1);
    pthread_join(thread, NULL);
    app_release_mems(&p.flag, 1);
    vendor_close(&p.v);
    return 0;
}

int main(void)
{
    size_t zero = 0, one = 1;
    int same = vendor_in_child(run_pair, &zero, 60), mixed = vendor_in_child(run_pair, &one, 60);
    vendor_expect(same == 0, "two devices, one kernel, both at offset zero: status %d", same);
    vendor_expect(mixed == 128 + SIGABRT, "one at offset zero, one not: status %d (134: aborted)", mixed);
    return vendor_status();
}
