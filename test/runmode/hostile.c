/* hostile.c - legal programs that do what few programs do: enqueue from callbacks, release everything under way, share kernels
 * and queues between threads, overwrite arguments at once, overlap sub-buffers and host memory, exit in odd places. Each
 * argument is one case; without arguments all of them run.
 *
 * hostile [CASE...] */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 256
#define BYTES (WORDS * sizeof(int))
#define SOURCE                                                                                               \
    RM_SOURCE                                                                                                \
    "typedef struct { int4 a; float8 b; char c[24]; } big;\n"                                                \
    "kernel void large(global int *x, big v, local int *l) { int i = get_global_id(0);\n"                    \
    "  l[get_local_id(0)] = v.a.y + v.c[i % 24]; x[i] = 3 * x[i] + l[get_local_id(0)] + (int)v.b.s5; }\n"

extern char **environ;
static struct app a;
static cl_kernel add, mul, slow, sum, large;

static cl_mem filled(int value, cl_mem_flags flags, void *host)
{
    static int v[WORDS];

    for (int i = 0; i < WORDS; i++)
        v[i] = value + i;
    if (host)
        memcpy(host, v, sizeof v);
    return app_buffer(&a, flags | (host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR), sizeof v, host ? host : v);
}

static void look(const char *what, cl_mem m)
{
    int v[WORDS];
    uint64_t before = a.hash;

    a.hash = 0;
    app_read(&a, m, 0, sizeof v, v);
    printf("%s: %016llx %d\n", what, (unsigned long long)a.hash, v[3]);
    a.hash += before;
}

static void launch(cl_command_queue q, cl_kernel k, cl_mem m, int y, cl_event *e)
{
    app_args(k, "mi", m, y);
    app_run(q, k, WORDS, 64, 0, NULL, e);
}

static bool wait_for(int *what, int value)
{
    for (double end = rm_ms() + 20000; __atomic_load_n(what, __ATOMIC_ACQUIRE) != value;) {
        if (rm_ms() > end)
            return false;
        rm_sleep_ms(1);
    }
    return true;
}

/* ---- callbacks that work */

struct relay {
    cl_command_queue queue;
    cl_kernel kernel; /* of its own: other callbacks run elsewhere */
    cl_mem x;
    int left, done;
    bool blocks;
};

static void CL_CALLBACK relayed(cl_event e, cl_int status, void *data)
{
    struct relay *r = data;
    cl_event next;
    int v[4];

    (void)e, (void)status;
    if (!r->left--) {
        __atomic_store_n(&r->done, 1, __ATOMIC_RELEASE);
        return;
    }
    launch(r->queue, r->kernel, r->x, r->left, NULL);
    if (r->blocks) /* not of this command's queue: a queue that is older than it */
        APP_CHECK(clEnqueueReadBuffer(a.queue, r->x, CL_FALSE, 0, sizeof v, v, 0, NULL, NULL));
    launch(r->queue, r->kernel, r->x, 3, &next);
    APP_CHECK(clSetEventCallback(next, CL_COMPLETE, relayed, r));
    APP_CHECK(clReleaseEvent(next));
    APP_CHECK(clFlush(r->queue));
}

/* Four chains that feed themselves, on two queues, while the program adds to the same queues. */
static void enqueuing_callbacks(void)
{
    cl_command_queue q[2] = {app_queue(&a, 0), app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
    struct relay r[4];
    cl_mem other = filled(5, 0, NULL);
    cl_event e;

    for (int i = 0; i < 4; i++) {
        r[i] = (struct relay){.queue = q[0], .kernel = app_kernel(&a, i % 2 ? "mul" : "add"), .x = filled(i, 0, NULL), .left = 20};
        launch(r[i].queue, r[i].kernel, r[i].x, 2, &e);
        APP_CHECK(clSetEventCallback(e, CL_COMPLETE, relayed, &r[i]));
        clReleaseEvent(e);
    }
    for (int i = 0; i < 100; i++)
        launch(q[0], add, other, i, NULL);
    APP_CHECK(clFlush(q[0]));
    for (int i = 0; i < 4; i++) {
        if (!wait_for(&r[i].done, 1))
            printf("chain %d never ended\n", i);
        APP_CHECK(clFinish(q[0]));
        look("chain", r[i].x);
        clReleaseMemObject(r[i].x);
        clReleaseKernel(r[i].kernel);
    }
    look("other", other);
    clReleaseMemObject(other);
    clReleaseCommandQueue(q[0]), clReleaseCommandQueue(q[1]);
}

static void CL_CALLBACK finishes(cl_event e, cl_int status, void *data)
{
    struct relay *r = data;

    (void)e, (void)status;
    launch(r->queue, r->kernel, r->x, 9, NULL);
    APP_CHECK(clFinish(r->queue));
    __atomic_store_n(&r->done, 1, __ATOMIC_RELEASE);
}

/* A callback waits for another queue. */
static void finishing_callback(void)
{
    struct relay r = {.queue = app_queue(&a, 0), .kernel = app_kernel(&a, "add"), .x = filled(1, 0, NULL)};
    cl_mem y = filled(2, 0, NULL);
    cl_event e;

    launch(a.queue, slow, y, 1000, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, finishes, &r));
    APP_CHECK(clFlush(a.queue));
    printf("finished in a callback: %d\n", wait_for(&r.done, 1));
    look("there", r.x);
    look("here", y);
    clReleaseEvent(e);
    clReleaseMemObject(y), clReleaseMemObject(r.x);
    clReleaseKernel(r.kernel);
    clReleaseCommandQueue(r.queue);
}

/* ---- everything released */

static void context_released(void)
{
    static int host[WORDS] __attribute__((aligned(4096)));
    static const char *source = SOURCE;

    for (int round = 0; round < 5; round++) {
        cl_context c = clCreateContext(NULL, 1, &a.device, NULL, NULL, NULL);
        cl_command_queue q = clCreateCommandQueue(c, a.device, 0, NULL);
        cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
        cl_mem m = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, sizeof host, host, NULL);
        cl_kernel k;
        cl_event e;

        memset(host, 0, sizeof host);
        APP_CHECK(clBuildProgram(p, 1, &a.device, "", NULL, NULL));
        k = clCreateKernel(p, "add", NULL);
        for (int i = 0; i < 50; i++)
            launch(q, k, m, i, i == 49 ? &e : NULL);
        clReleaseKernel(k);
        clReleaseProgram(p);
        clReleaseContext(c);
        clReleaseMemObject(m);
        if (round % 2)
            APP_CHECK(clFlush(q));
        clReleaseCommandQueue(q);
        APP_CHECK(clWaitForEvents(1, &e));
        printf("all released: %d\n", host[9]);
        clReleaseEvent(e);
    }
}

/* ---- threads */

struct worker {
    pthread_t thread;
    pthread_mutex_t *lock;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem x;
    int number;
};

static void *shares(void *data)
{
    struct worker *w = data;

    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(w->lock);
        launch(w->queue, w->kernel, w->x, i * (w->number + 1), NULL);
        pthread_mutex_unlock(w->lock);
        if (i % 50 == 49)
            APP_CHECK(clFinish(w->queue));
    }
    return NULL;
}

/* Two threads, one kernel object: setting arguments and enqueuing is theirs to guard, nothing else. */
static void shared_kernel(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct worker w[3];

    for (int i = 0; i < 3; i++) {
        w[i] = (struct worker){.lock = &lock, .queue = app_queue(&a, 0), .kernel = add, .x = filled(i, 0, NULL), .number = i};
        pthread_create(&w[i].thread, NULL, shares, &w[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(w[i].thread, NULL);
        look("shared kernel", w[i].x);
        clReleaseMemObject(w[i].x);
        clReleaseCommandQueue(w[i].queue);
    }
}

static int stop_storm;

static void *storm(void *data)
{
    struct worker *w = data;

    while (!__atomic_load_n(&stop_storm, __ATOMIC_ACQUIRE)) {
        APP_CHECK(clRetainMemObject(w->x)), APP_CHECK(clRetainKernel(w->kernel)), APP_CHECK(clRetainCommandQueue(w->queue));
        APP_CHECK(clRetainContext(a.context)), APP_CHECK(clRetainProgram(a.program));
        APP_CHECK(clReleaseCommandQueue(w->queue)), APP_CHECK(clReleaseKernel(w->kernel)), APP_CHECK(clReleaseMemObject(w->x));
        APP_CHECK(clReleaseProgram(a.program)), APP_CHECK(clReleaseContext(a.context));
    }
    return NULL;
}

/* References come and go on other threads while commands use the objects. */
static void storms(void)
{
    struct worker w[2];
    cl_uint count[3];
    cl_event e;

    __atomic_store_n(&stop_storm, 0, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++) {
        w[i] = (struct worker){.queue = app_queue(&a, 0), .kernel = app_kernel(&a, "add"), .x = filled(i, 0, NULL)};
        pthread_create(&w[i].thread, NULL, storm, &w[i]);
    }
    for (int i = 0; i < 400; i++) {
        launch(w[i % 2].queue, w[i % 2].kernel, w[i % 2].x, i, &e);
        for (int k = 0; k < 10; k++)
            APP_CHECK(clRetainEvent(e));
        for (int k = 0; k < 11; k++)
            APP_CHECK(clReleaseEvent(e));
    }
    __atomic_store_n(&stop_storm, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++) {
        pthread_join(w[i].thread, NULL);
        APP_CHECK(clFinish(w[i].queue));
        look("storm", w[i].x);
        APP_CHECK(clGetMemObjectInfo(w[i].x, CL_MEM_REFERENCE_COUNT, sizeof *count, &count[0], NULL));
        APP_CHECK(clGetKernelInfo(w[i].kernel, CL_KERNEL_REFERENCE_COUNT, sizeof *count, &count[1], NULL));
        printf("references: %u %u\n", count[0], count[1]);
        clReleaseMemObject(w[i].x);
        clReleaseKernel(w[i].kernel);
        clReleaseCommandQueue(w[i].queue);
    }
}

static void *finishes_often(void *data)
{
    struct worker *w = data;

    while (!__atomic_load_n(&stop_storm, __ATOMIC_ACQUIRE)) {
        APP_CHECK(clFinish(w->queue));
        APP_CHECK(clFlush(w->queue));
    }
    return NULL;
}

/* Threads that wait for a queue all the time while another one fills it. */
static void finish_storms(void)
{
    struct worker w[3];
    cl_mem x = filled(1, 0, NULL);

    __atomic_store_n(&stop_storm, 0, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++) {
        w[i] = (struct worker){.queue = a.queue};
        pthread_create(&w[i].thread, NULL, finishes_often, &w[i]);
    }
    for (int i = 0; i < 300; i++)
        launch(a.queue, i % 5 ? add : mul, x, i % 7 + 1, NULL);
    look("while others finish", x);
    __atomic_store_n(&stop_storm, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 3; i++)
        pthread_join(w[i].thread, NULL);
    clReleaseMemObject(x);
}

static pthread_key_t key;

static void at_thread_end(void *data)
{
    struct worker *w = data;

    launch(w->queue, w->kernel, w->x, 7, NULL);
    APP_CHECK(clFinish(w->queue));
    clReleaseCommandQueue(w->queue);
    clReleaseKernel(w->kernel);
}

static void *leaves_work(void *data)
{
    struct worker *w = data;

    w->queue = app_queue(&a, 0);
    w->kernel = app_kernel(&a, "add");
    for (int i = 0; i < 20; i++)
        launch(w->queue, w->kernel, w->x, i, NULL);
    pthread_setspecific(key, w);
    return NULL;
}

/* Threads end with work under way; a destructor of theirs goes on working. */
static void thread_ends(void)
{
    struct worker w[4];

    pthread_key_create(&key, at_thread_end);
    for (int i = 0; i < 4; i++) {
        w[i] = (struct worker){.x = filled(i, 0, NULL)};
        pthread_create(&w[i].thread, NULL, leaves_work, &w[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(w[i].thread, NULL);
        look("thread ended", w[i].x);
        clReleaseMemObject(w[i].x);
    }
    pthread_key_delete(key);
}

/* ---- arguments */

struct big {
    cl_int4 a;
    cl_float8 b;
    char c[24];
};

/* Arguments, patterns and values are overwritten as soon as the call is back. */
static void overwritten(void)
{
    struct big *v = aligned_alloc(32, sizeof *v);
    cl_mem x = filled(1, 0, NULL), y = filled(2, 0, NULL);
    int pattern[4], bytes;
    size_t offset[1], global[1], local[1];

    for (int i = 0; i < 60; i++) {
        cl_mem m = i % 3 ? x : y;

        memset(v, 0, sizeof *v);
        v->a.s[1] = i;
        v->b.s[5] = (float)i * 2;
        v->c[i % 24] = (char)i;
        APP_CHECK(clSetKernelArg(large, 0, sizeof m, &m));
        APP_CHECK(clSetKernelArg(large, 1, sizeof *v, v));
        APP_CHECK(clSetKernelArg(large, 2, 64 * sizeof(int), NULL));
        memset(v, 0x77, sizeof *v);
        m = NULL;
        offset[0] = 0, global[0] = WORDS, local[0] = 64;
        APP_CHECK(clEnqueueNDRangeKernel(a.queue, large, 1, offset, global, local, 0, NULL, NULL));
        offset[0] = 5, global[0] = local[0] = 3;
        APP_CHECK(clSetKernelArg(large, 2, 256 * sizeof(int), NULL));
        memset(v, 0x55, sizeof *v);
        APP_CHECK(clSetKernelArg(large, 1, sizeof *v, v));
        for (int k = 0; k < 4; k++)
            pattern[k] = i + k;
        bytes = 4 << i % 3;
        APP_CHECK(clEnqueueFillBuffer(a.queue, i % 2 ? x : y, pattern, (size_t)bytes, 64, 128, 0, NULL, NULL));
        memset(pattern, 0x33, sizeof pattern);
    }
    look("overwritten", x);
    look("overwritten", y);
    clReleaseMemObject(x), clReleaseMemObject(y);
    free(v);
}

/* A cloned kernel has the arguments of its moment. */
static void cloned(void)
{
    cl_mem x = filled(1, 0, NULL), y = filled(2, 0, NULL);
    cl_kernel clone;
    cl_int err;

    for (int i = 0; i < 10; i++) {
        app_args(add, "mi", x, i);
        clone = clCloneKernel(add, &err);
        app_args(add, "mi", y, 100 + i);
        if (err == CL_SUCCESS) {
            app_run(a.queue, clone, WORDS, 64, 0, NULL, NULL);
            app_run(a.queue, add, WORDS, 64, 0, NULL, NULL);
            clReleaseKernel(clone);
        } else if (!i) {
            printf("no clones: %d\n", err);
        }
    }
    look("cloned", x);
    look("cloned", y);
    clReleaseMemObject(x), clReleaseMemObject(y);
}

/* ---- memory */

/* Sub-buffers that overlap, on one queue: launches, fills, copies, reads into memory of another buffer. */
static void overlapping(void)
{
    static int host[WORDS * 8] __attribute__((aligned(4096)));
    cl_mem root = app_buffer(&a, CL_MEM_USE_HOST_PTR, sizeof host, host), sub[6], other = filled(3, 0, NULL);
    uint32_t random = 77;

    for (int i = 0; i < 6; i++)
        sub[i] = app_sub_buffer(root, 0, (size_t)i * 128 * sizeof(int), BYTES);
    for (int i = 0; i < 400; i++) {
        uint32_t s = app_random(&random) % 6, t = app_random(&random) % 6, how = app_random(&random) % 6;
        int one = i;

        if (how < 3)
            launch(a.queue, how ? add : mul, sub[s], how ? i : 3, NULL);
        else if (how == 3)
            APP_CHECK(clEnqueueFillBuffer(a.queue, sub[s], &one, sizeof one, 64, 192, 0, NULL, NULL));
        else if (how == 4 && s + 2 <= t)
            APP_CHECK(clEnqueueCopyBuffer(a.queue, sub[s], sub[t], 0, 0, BYTES, 0, NULL, NULL));
        else if (how == 4)
            APP_CHECK(clEnqueueCopyBuffer(a.queue, other, sub[t], 0, 256, 512, 0, NULL, NULL));
        else
            APP_CHECK(clEnqueueReadBuffer(a.queue, sub[s], CL_FALSE, 0, 512, host + 7 * WORDS + 128 * (s % 2), 0, NULL, NULL));
    }
    APP_CHECK(clFinish(a.queue));
    app_hash(&a, host, sizeof host);
    look("overlapping", sub[2]);
    for (int i = 0; i < 6; i++)
        look("part", sub[i]);
    app_release_mems(sub, 6);
    clReleaseMemObject(other);
    clReleaseMemObject(root);
}

/* Host memory that comes and goes at one address; memory that cannot be written; maps that overlap. */
static void host_memory(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    static const int constant[WORDS] = {1, 2, 3, [WORDS - 1] = 9};
    void *at = NULL;
    cl_int err;

    for (int i = 0; i < 20; i++) {
        int *p = mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0), *one, *two;
        cl_mem m = filled(i, 0, p), c = app_buffer(&a, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, sizeof constant, (void *)(uintptr_t)constant);

        at = p;
        launch(a.queue, add, m, i, NULL);
        app_args(sum, "mmm", c, m, m);
        app_run(a.queue, sum, WORDS, 64, 0, NULL, NULL);
        one = clEnqueueMapBuffer(a.queue, m, CL_FALSE, CL_MAP_READ, 0, 512, 0, NULL, NULL, &err);
        two = clEnqueueMapBuffer(a.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 256, 512, 0, NULL, NULL, &err);
        if (one != p || two != p + 64)
            printf("maps elsewhere\n");
        two[3] = one[5];
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, one, 0, NULL, NULL));
        APP_CHECK(clEnqueueUnmapMemObject(a.queue, m, two, 0, NULL, NULL));
        launch(a.queue, mul, m, 3, NULL);
        APP_CHECK(clFinish(a.queue));
        if (i % 5 == 4)
            printf("host %d %d\n", p[3], p[67]);
        app_hash(&a, p, BYTES);
        clReleaseMemObject(m);
        clReleaseMemObject(c);
        munmap(p, page);
    }
}

/* ---- queues */

static void many_queues(void)
{
    enum { N = 150 };
    cl_command_queue q[N];
    cl_mem x[N];
    cl_event e[N];

    for (int i = 0; i < N; i++) {
        q[i] = app_queue(&a, i % 3 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        x[i] = filled(i, 0, NULL);
    }
    for (int i = 0; i < N; i++) {
        app_args(add, "mi", x[i], i);
        app_run(q[i], add, WORDS, 64, i ? 1 : 0, i ? &e[i - 1] : NULL, &e[i]);
        if (i % 3)
            launch(q[i], mul, x[i], 3, NULL);
    }
    for (int i = N; i--;)
        APP_CHECK(clFinish(q[i]));
    for (int i = 0; i < N; i++) {
        if (i % 50 == 0)
            look("queue", x[i]);
        clReleaseMemObject(x[i]);
        clReleaseEvent(e[i]);
        clReleaseCommandQueue(q[i]);
    }
}

/* What is known of times: each command's in order, and no command starts before what it waits for has ended. */
static void times(void)
{
    enum { N = 40 };
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    cl_mem x[4];
    cl_event e[N];
    cl_ulong t[N][4];
    int wrong = 0;

    for (int i = 0; i < 4; i++)
        x[i] = filled(i, 0, NULL);
    for (int i = 0; i < N; i++) {
        app_args(slow, "mi", x[i % 4], 200);
        app_run(q, slow, WORDS, 64, i < 4 ? 0 : 1, i < 4 ? NULL : &e[i - 4], &e[i]);
    }
    APP_CHECK(clFinish(q));
    for (int i = 0; i < N; i++) {
        for (cl_uint k = 0; k < 4; k++)
            APP_CHECK(clGetEventProfilingInfo(e[i], CL_PROFILING_COMMAND_QUEUED + k, sizeof t[i][k], &t[i][k], NULL));
        wrong += t[i][0] > t[i][1] || t[i][1] > t[i][2] || t[i][2] > t[i][3];
        wrong += i >= 4 && t[i][2] < t[i - 4][3];
        wrong += i && t[i][0] < t[i - 1][0];
    }
    printf("times: %d wrong\n", wrong);
    for (int i = 0; i < 4; i++)
        look("timed", x[i]);
    app_release_events(e, N);
    app_release_mems(x, 4);
    clReleaseCommandQueue(q);
}

/* An event twice in a list, one of another queue, of the same, released before it is over; markers and barriers of all kinds. */
static void lists(void)
{
    cl_command_queue q = app_queue(&a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), r = app_queue(&a, 0);
    cl_mem x = filled(1, 0, NULL), y = filled(2, 0, NULL);
    cl_event e[6], all[8];

    for (int i = 0; i < 30; i++) {
        launch(q, add, x, i, &e[0]);
        launch(r, mul, y, 3, &e[1]);
        for (int k = 0; k < 8; k++)
            all[k] = e[k % 2];
        APP_CHECK(clEnqueueMarkerWithWaitList(r, 8, all, &e[2]));
        APP_CHECK(clEnqueueBarrierWithWaitList(q, 1, &e[2], &e[3]));
        app_args(add, "mi", y, 4);
        app_run(q, add, WORDS, 64, 0, NULL, &e[4]);
        APP_CHECK(clEnqueueBarrierWithWaitList(r, 0, NULL, NULL));
        app_args(sum, "mmm", x, y, x);
        app_run(r, sum, WORDS, 64, 1, &e[4], &e[5]);
        APP_CHECK(clEnqueueBarrierWithWaitList(q, 1, &e[5], NULL));
        app_release_events(e, 6);
    }
    APP_CHECK(clFinish(q));
    APP_CHECK(clFinish(r));
    look("lists", x);
    look("lists", y);
    clReleaseMemObject(x), clReleaseMemObject(y);
    clReleaseCommandQueue(q), clReleaseCommandQueue(r);
}

/* ---- processes */

static void children(void)
{
    char *argv[] = {"sh", "-c", "echo child; exit 3", NULL};
    cl_mem x = filled(1, 0, NULL);
    int status = 0;
    pid_t child;

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 50; k++)
            launch(a.queue, add, x, k, NULL);
        fflush(stdout);
        if (i == 0 && posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ))
            printf("no child\n");
        if (i == 1 && !(child = vfork())) {
            execv("/bin/sh", argv);
            _exit(9);
        }
        if (i == 2 && !(child = fork())) {
            execv("/bin/sh", argv);
            _exit(9);
        }
        for (int k = 0; k < 50; k++)
            launch(a.queue, add, x, k, NULL);
        waitpid(child, &status, 0);
        printf("child %d: %d\n", i, WEXITSTATUS(status));
        look("beside a child", x);
    }
    clReleaseMemObject(x);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*body)(void);
    } cases[] = {{"enqueuing_callbacks", enqueuing_callbacks}, {"finishing_callback", finishing_callback},
                 {"context_released", context_released}, {"shared_kernel", shared_kernel}, {"storms", storms},
                 {"finish_storms", finish_storms}, {"thread_ends", thread_ends}, {"overwritten", overwritten},
                 {"cloned", cloned}, {"overlapping", overlapping}, {"host_memory", host_memory},
                 {"many_queues", many_queues}, {"times", times}, {"lists", lists}, {"children", children}};
    cl_mem x;

    app_open(&a, "hostile", 0, SOURCE);
    add = app_kernel(&a, "add"), mul = app_kernel(&a, "mul"), slow = app_kernel(&a, "slow"), sum = app_kernel(&a, "sum");
    large = app_kernel(&a, "large");
    x = filled(0, 0, NULL);
    launch(a.queue, add, x, 1, NULL), launch(a.queue, mul, x, 1, NULL), launch(a.queue, slow, x, 1, NULL);
    app_args(sum, "mmm", x, x, x);
    app_run(a.queue, sum, WORDS, 64, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    clReleaseMemObject(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool wanted = argc == 1;
        for (int n = 1; n < argc; n++)
            wanted |= !strcmp(argv[n], cases[i].name);
        if (wanted)
            cases[i].body();
    }
    clReleaseKernel(add), clReleaseKernel(mul), clReleaseKernel(slow), clReleaseKernel(sum), clReleaseKernel(large);
    return app_close(&a);
}
