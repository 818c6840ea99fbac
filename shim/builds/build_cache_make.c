/* build_cache_make.c - see builds/build_cache.h: the binary of a program that is built again and again, made
 * when the process ends: PoCL runs a linker for it, which a program could find among its children, or hear of
 * by a signal, while it works.
 *
 * In a context of its own, which the program cannot see. The binary is kept only if the compiler was quiet,
 * and a program made of it answers all queries as one built of the source. */
#include "build_cache.h"
#include "../run/core/exit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../door/clock.h"
#include "../door/door.h"
#include "compiler_resources.h"
#include "../run/core/thread.h"
#include "../run/core/observer.h"
#include "../run/core/global_lock.h"
#include "../run/core/state.h"

#define ANSWER_BYTES 8192
#define KERNELS      256
#define WANTED       64        /* in one process */
#define MOST_NS      500000000 /* at the end of a process; one is made in any case, ... */
#define MOST_SHARE                                                                                           \
    20 /* ... and more where that is no more than such a part of its life; the next run makes others */

struct job {
    struct job *next;
    struct cw_run_kept_question q;
    uint64_t builds, took_ns;
};

static struct {
    struct job *first, **end;
    uint32_t count;
    bool quit;
    uint64_t started_ns;
} keep = {.end = &keep.first}; /* lock of run mode, until the process ends */

/* ---- is it the same? */

struct answer {
    cl_int err;
    size_t bytes;
    char value[ANSWER_BYTES];
};

static bool same(const struct answer *a, const struct answer *b)
{
    return a->err == b->err && (a->err == CL_SUCCESS || a->err == CL_KERNEL_ARG_INFO_NOT_AVAILABLE) &&
           a->bytes == b->bytes && a->bytes <= ANSWER_BYTES && !memcmp(a->value, b->value, a->bytes);
}

/* Asks both the same; `call` uses h, i, w and x. */
#define SAME(first, second, call)                                                                            \
    (__extension__({                                                                                         \
        *a = *b = (struct answer){0};                                                                        \
        for (int side = 0; side < 2; side++) {                                                               \
            struct answer *x = side ? b : a;                                                                 \
            __typeof__(first) h = side ? (second) : (first);                                                 \
            x->err = call;                                                                                   \
        }                                                                                                    \
        same(a, b);                                                                                          \
    }))

static bool same_kernel(cl_kernel one, cl_kernel other, cl_device_id device, struct answer *a,
                        struct answer *b)
{
    static const cl_kernel_info facts[] = {CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_ATTRIBUTES};
    static const cl_kernel_work_group_info sizes[] = {
        CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE,
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE};
    static const cl_kernel_arg_info args[] = {CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                                              CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                              CL_KERNEL_ARG_NAME};
    cl_uint count = 0;
    bool good = true;

    for (size_t f = 0; good && f < sizeof facts / sizeof *facts; f++)
        good = SAME(one, other, cw_next.clGetKernelInfo(h, facts[f], ANSWER_BYTES, x->value, &x->bytes));
    for (size_t f = 0; good && f < sizeof sizes / sizeof *sizes; f++)
        good = SAME(one, other,
                    cw_next.clGetKernelWorkGroupInfo(h, device, sizes[f], ANSWER_BYTES, x->value, &x->bytes));
    good = good && cw_next.clGetKernelInfo(one, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) == CL_SUCCESS;
    for (cl_uint i = 0; good && i < count; i++)
        for (size_t f = 0; good && f < sizeof args / sizeof *args; f++)
            good = SAME(one, other,
                        cw_next.clGetKernelArgInfo(h, i, args[f], ANSWER_BYTES, x->value, &x->bytes));
    return good;
}

static bool same_kernels(cl_program one, cl_program other, cl_device_id device, struct answer *a,
                         struct answer *b)
{
    cl_kernel first[KERNELS], second[KERNELS];
    cl_uint n = 0, m = 0;
    bool good = cw_next.clCreateKernelsInProgram(one, KERNELS, first, &n) == CL_SUCCESS && n <= KERNELS;

    if (!good)
        return false;
    good = cw_next.clCreateKernelsInProgram(other, KERNELS, second, &m) == CL_SUCCESS && m <= KERNELS;
    m = good ? m : 0;
    good = n == m;
    for (cl_uint i = 0; good && i < n; i++)
        good = same_kernel(first[i], second[i], device, a, b);
    for (cl_uint i = 0; i < n; i++)
        cw_next.clReleaseKernel(first[i]);
    for (cl_uint i = 0; i < m; i++)
        cw_next.clReleaseKernel(second[i]);
    return good;
}

static bool same_program(cl_program one, cl_program other, cl_device_id device)
{
    static const cl_program_info facts[] = {CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES};
    static const cl_program_build_info built[] = {CL_PROGRAM_BUILD_STATUS, CL_PROGRAM_BUILD_OPTIONS,
                                                  CL_PROGRAM_BUILD_LOG, CL_PROGRAM_BINARY_TYPE};
    struct answer *a = malloc(2 * sizeof *a), *b = a + 1;
    bool good = a;

    for (size_t f = 0; good && f < sizeof facts / sizeof *facts; f++)
        good = SAME(one, other, cw_next.clGetProgramInfo(h, facts[f], ANSWER_BYTES, x->value, &x->bytes));
    for (size_t f = 0; good && f < sizeof built / sizeof *built; f++)
        good = SAME(one, other,
                    cw_next.clGetProgramBuildInfo(h, device, built[f], ANSWER_BYTES, x->value, &x->bytes));
    good = good && same_kernels(one, other, device, a, b);
    free(a);
    return good;
}

/* ---- making one */

cl_program cw_build_cache_make_load(const struct cw_run_kept_question *q, cl_context context,
                                    const unsigned char *binary, size_t bytes)
{
    cl_int status, err;
    cl_program p = cw_next.clCreateProgramWithBinary(context, 1, &q->device, &bytes, &binary, &status, &err);

    if (p && cw_next.clBuildProgram(p, 1, &q->device, q->options, NULL, NULL) == CL_SUCCESS)
        return p;
    if (p)
        cw_next.clReleaseProgram(p);
    return NULL;
}

static unsigned char *binary_of(cl_program program, size_t *bytes)
{
    unsigned char *data = NULL;

    *bytes = 0;
    if (cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL) ==
            CL_SUCCESS &&
        *bytes)
        data = malloc(*bytes);
    if (data &&
        cw_next.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
        return data;
    free(data);
    return NULL;
}

bool cw_build_cache_make_quiet(cl_program program, cl_device_id device)
{
    size_t bytes = 0;

    return cw_next.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
               CL_SUCCESS &&
           bytes <= 1;
}

static void make(const struct job *j)
{
    const char *source = j->q.source;
    cl_int err;
    cl_context context = cw_compiler_resources_suffice()
                             ? cw_next.clCreateContext(NULL, 1, &j->q.device, NULL, NULL, &err)
                             : NULL;
    cl_program program = context ? cw_next.clCreateProgramWithSource(context, 1, &source, NULL, &err) : NULL,
               other = NULL;
    unsigned char *binary = NULL;
    size_t bytes = 0;

    if (program && cw_next.clBuildProgram(program, 1, &j->q.device, j->q.options, NULL, NULL) == CL_SUCCESS &&
        cw_build_cache_make_quiet(program, j->q.device))
        binary = binary_of(program, &bytes);
    cw_run_exit_register(); /* the vendor may have registered functions */
    if (binary)
        other = cw_build_cache_make_load(&j->q, context, binary, bytes);
    if (other && same_program(program, other, j->q.device))
        cw_build_cache_write(&j->q, j->builds, j->took_ns, binary, bytes);
    else if (program)
        cw_build_cache_write(&j->q, CW_RUN_KEPT_NEVER, j->took_ns, NULL,
                             0); /* PoCL 3.1 forgets a kernel's attributes */
    free(binary);
    if (other)
        cw_next.clReleaseProgram(other);
    if (program)
        cw_next.clReleaseProgram(program);
    if (context)
        cw_next.clReleaseContext(context);
}

static void free_job(struct job *j)
{
    cw_build_cache_finish(&j->q);
    free(j);
}

/* A handler of the program's that waits for children, or SIG_IGN, would take the linker's end from PoCL,
 * which aborts then. */
static void *work(void *unused)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, programs;
    uint64_t begun = cw_now_ns(), life = begun - keep.started_ns;
    uint64_t most = life / MOST_SHARE > MOST_NS ? life / MOST_SHARE : MOST_NS;

    (void)unused;
    cw_door_depth = 1; /* calls that come in here are the vendor's */
    sigaction(SIGCHLD, &usual, &programs);
    do {
        struct job *j = keep.first;
        keep.first = j->next;
        make(j);
        free_job(j);
    } while (keep.first && cw_now_ns() - begun < most);
    sigaction(SIGCHLD, &programs, NULL);
    return NULL;
}

void cw_build_cache_make_start(void)
{
    keep.started_ns = cw_now_ns();
}

void cw_build_cache_make_want(struct cw_run_kept_question *q, uint64_t builds, uint64_t took_ns)
{
    struct job *j = malloc(sizeof *j);

    if (!j)
        return;
    *j = (struct job){.q = *q, .builds = builds, .took_ns = took_ns};
    cw_run_global_lock_take();
    if (keep.quit || keep.count == WANTED || cw_run.off) {
        cw_run_global_lock_give();
        free(j);
        return;
    }
    *q = (struct cw_run_kept_question){0};
    keep.count++;
    *keep.end = j;
    keep.end = &j->next;
    cw_run_global_lock_give();
}

void cw_build_cache_make_stop(void)
{
    pthread_t thread;
    struct job *j;
    uint64_t begun = cw_now_ns();
    bool any;

    cw_run_global_lock_take();
    keep.quit = true; /* other threads leave the list alone from now on */
    any = keep.first && cw_run_observer->build_begins();
    cw_run_global_lock_give();
    if (any) {
        if (cw_run_thread_create(&thread, work,
                                 NULL)) /* compilers need more stack than the caller may have */
            pthread_join(thread, NULL);
        cw_run_global_lock_take();
        cw_run_observer->build_ended((double)(cw_now_ns() - begun));
        cw_run_global_lock_give();
    }
    while ((j = keep.first)) {
        keep.first = j->next;
        free_job(j);
    }
}
