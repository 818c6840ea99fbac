/* offset_kinds_abort.c - PoCL 3.1 aborts when two devices run one kernel at once, one at global offset zero
 * and one not, or the later one wider than any before: it finds the compiled code of a finished launch by
 * kernel and local size alone, but keeps offset zero and wider launches apart, so the use count of the wrong
 * entry falls below zero. Two builds of one source with other options are two kernels to it. Design, section
 * 5: tiles run at offset zero; shim/run/workers/exclusion.c, shim/run/code/helper_program.c.
 *
 * The two launches are made to overlap without luck: the kernel on the first device runs until the one on the
 * second device tells it through memory that it has begun. */
#include "common.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

static const char source[] = "__kernel void meet(volatile __global uint *restrict flag, uint role) {\n"
                             "    if (get_global_id(0) > get_global_offset(0)) return;\n"
                             "    flag[role] = 1;\n"
                             "    for (uint i = 0; role == 0 && flag[1] == 0 && i < 4000000000u; i++) { }\n"
                             "}\n";

struct second { /* what the second launch is like */
    size_t offset, width;
    bool apart;
};

struct pair {
    struct vendor v;
    cl_mem flag;
    size_t offset[2], width[2];
    bool apart;
};
static volatile cl_uint flag[1024] __attribute__((aligned(4096)));

static void launch(struct pair *p, cl_uint role)
{
    const size_t one = 1;
    const char *text = source;
    cl_command_queue q = vendor_queue(&p->v, role);
    cl_kernel k;

    if (role && p->apart) {
        APP_CHECK(clReleaseProgram(p->v.program));
        p->v.program = clCreateProgramWithSource(p->v.context, 1, &text, NULL, NULL);
        APP_CHECK(clBuildProgram(p->v.program, 0, NULL, "-DAPART=1", NULL, NULL));
    }
    k = vendor_kernel(&p->v, "meet");
    app_args(k, "mu", p->flag, role);
    APP_CHECK(clEnqueueNDRangeKernel(q, k, 1, &p->offset[role], &p->width[role], &one, 0, NULL, NULL));
    APP_CHECK(clFinish(q));
    APP_CHECK(clReleaseKernel(k));
    APP_CHECK(clReleaseCommandQueue(q));
}

static void *first(void *data)
{
    launch(data, 0);
    return NULL;
}

/* Runs the pair of launches; *data is what the second one is like. */
static int run_pair(void *data)
{
    const struct second *second = data;
    struct pair p = {.offset = {0, second->offset}, .width = {1, second->width}, .apart = second->apart};
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
    static const struct {
        struct second second;
        int status;
        const char *what;
    } cases[] = {{{0, 1, false}, 0, "both at offset zero"},
                 {{1, 1, false}, 128 + SIGABRT, "one at offset zero, one not"},
                 {{0, 64, false}, 128 + SIGABRT, "the later one wider"},
                 {{1, 1, true}, 0, "one at offset zero, one not, of another build"},
                 {{0, 64, true}, 0, "the later one wider, of another build"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct second second = cases[i].second;
        int status = vendor_in_child(run_pair, &second, 300);
        vendor_expect(status == cases[i].status, "two devices, one kernel, %s: status %d (134: aborted)",
                      cases[i].what, status);
    }
    return vendor_status();
}
