/* hostile_threads.c - programs whose callbacks and threads work on the same objects at once, and end with
 * work under way. */
#include "hostile.h"

#include <pthread.h>

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
        r[i] = (struct relay){.queue = q[0],
                              .kernel = app_kernel(&a, i % 2 ? "mul" : "add"),
                              .x = filled(i, 0, NULL),
                              .left = 20};
        launch(r[i].queue, r[i].kernel, r[i].x, 2, &e);
        APP_CHECK(clSetEventCallback(e, CL_COMPLETE, relayed, &r[i]));
        clReleaseEvent(e);
    }
    for (int i = 0; i < 100; i++)
        launch(q[0], add, other, i, NULL);
    APP_CHECK(clFlush(q[0]));
    for (int i = 0; i < 4; i++) {
        RM_WAIT(__atomic_load_n(&r[i].done, __ATOMIC_ACQUIRE));
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
    RM_WAIT(__atomic_load_n(&r.done, __ATOMIC_ACQUIRE));
    printf("finished in a callback\n");
    look("there", r.x);
    look("here", y);
    clReleaseEvent(e);
    clReleaseMemObject(y), clReleaseMemObject(r.x);
    clReleaseKernel(r.kernel);
    clReleaseCommandQueue(r.queue);
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
        w[i] = (struct worker){
            .lock = &lock, .queue = app_queue(&a, 0), .kernel = add, .x = filled(i, 0, NULL), .number = i};
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
        APP_CHECK(clRetainMemObject(w->x)), APP_CHECK(clRetainKernel(w->kernel)),
            APP_CHECK(clRetainCommandQueue(w->queue));
        APP_CHECK(clRetainContext(a.context)), APP_CHECK(clRetainProgram(a.program));
        APP_CHECK(clReleaseCommandQueue(w->queue)), APP_CHECK(clReleaseKernel(w->kernel)),
            APP_CHECK(clReleaseMemObject(w->x));
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
        w[i] = (struct worker){
            .queue = app_queue(&a, 0), .kernel = app_kernel(&a, "add"), .x = filled(i, 0, NULL)};
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
        for (int tries = 0; tries < 2000; tries++) { /* PoCL's threads let go after clFinish */
            APP_CHECK(clGetMemObjectInfo(w[i].x, CL_MEM_REFERENCE_COUNT, sizeof *count, &count[0], NULL));
            APP_CHECK(
                clGetKernelInfo(w[i].kernel, CL_KERNEL_REFERENCE_COUNT, sizeof *count, &count[1], NULL));
            if (count[0] == 1 && count[1] == 1)
                break;
            rm_sleep_ms(1);
        }
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

int main(int argc, char **argv)
{
    static const struct hostile_case cases[] = {
        {"enqueuing_callbacks", enqueuing_callbacks},
        {"finishing_callback", finishing_callback},
        {"shared_kernel", shared_kernel},
        {"storms", storms},
        {"finish_storms", finish_storms},
        {"thread_ends", thread_ends},
        {0},
    };

    return hostile_run("hostile_threads", cases, argc, argv);
}
