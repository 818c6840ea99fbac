/* liar.c - a program that does something else as soon as CLWEAVE_MODE is `trace`: what the comparison must
 * catch.
 *
 * liar WHAT: the same bytes are written, sent through a kernel and read back in several ways, then it prints
 * "done"; WHAT names the one thing that differs. */
#include "../apps/common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORDS 256
#define BYTES (WORDS * sizeof(uint32_t))

static const char source[] = "kernel void add(global uint *a, uint n, uint rounds) {\n"
                             "    for (uint r = 0; r < rounds; r++)\n"
                             "        a[get_global_id(0)] = a[get_global_id(0)] * 3 + n;\n"
                             "}\n";
static const char *what;
static bool lying;

static bool lie(const char *name)
{
    return lying && !strcmp(what, name);
}

static void CL_CALLBACK set_flag(cl_event event, cl_int status, void *flag)
{
    (void)event;
    if (status == CL_COMPLETE)
        *(volatile int *)flag = 1;
}

/* Three reads on their way at once: known to be there by a finish, by an event, by a callback. */
static void read_later(struct app *a, cl_mem buffer, cl_kernel kernel)
{
    static uint32_t to[3][WORDS];
    static volatile int called;
    cl_event events[2];
    app_args(kernel, "muu", buffer, 5, strcmp(what, "slow") ? 1 : 1 << 16);
    app_run(a->queue, kernel, WORDS, 0, 0, NULL, NULL);
    APP_CHECK(clEnqueueReadBuffer(a->queue, buffer, CL_FALSE, 0, BYTES, to[0], 0, NULL, &events[0]));
    APP_CHECK(clEnqueueReadBuffer(a->queue, buffer, CL_FALSE, 4, BYTES - 4, to[1], 0, NULL, &events[1]));
    APP_CHECK(clSetEventCallback(events[1], CL_COMPLETE, set_flag, (void *)&called));
    APP_CHECK(clEnqueueReadBuffer(a->queue, buffer, CL_FALSE, 8, BYTES - 8, to[2], 0, NULL, NULL));
    if (!lie("unseen"))
        APP_CHECK(clWaitForEvents(1, events));
    APP_CHECK(clFlush(a->queue));
    while (!called)
        usleep(100);
    if (!lie("unseen"))
        APP_CHECK(clFinish(a->queue));
    app_release_events(events, 2);
}

static void map_and_rectangle(struct app *a, cl_mem buffer)
{
    static char to[4096];
    const size_t zero[3] = {0}, to_origin[3] = {3, 2, 0}, region[3] = {16, 8, 1};
    cl_int err;
    void *p = clEnqueueMapBuffer(a->queue, buffer, CL_TRUE, CL_MAP_READ, 16, 64, 0, NULL, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueUnmapMemObject(a->queue, buffer, p, 0, NULL, NULL));
    APP_CHECK(clEnqueueReadBufferRect(a->queue, buffer, CL_TRUE, zero, to_origin, region, 32, 0, 64, 0, to, 0,
                                      NULL, NULL));
    if (lie("error") &&
        clEnqueueReadBuffer(a->queue, buffer, CL_TRUE, BYTES, 4, to, 0, NULL, NULL) == CL_SUCCESS)
        abort();
}

/* What is unmapped before it is waited for cannot be read: a later command may write it. */
static void map_and_undo(struct app *a)
{
    uint32_t other = lie("undone");
    cl_mem buffer = app_buffer(a, 0, BYTES, NULL);
    cl_int err;
    void *p = clEnqueueMapBuffer(a->queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    APP_CHECK(err);
    APP_CHECK(clEnqueueUnmapMemObject(a->queue, buffer, p, 0, NULL, NULL));
    APP_CHECK(clEnqueueFillBuffer(a->queue, buffer, &other, sizeof other, 0, BYTES, 0, NULL, NULL));
    APP_CHECK(clFinish(a->queue));
    clReleaseMemObject(buffer);
}

/* Reads a buffer that nobody has written, out of a heap that is not zero. */
static void read_unwritten(struct app *a)
{
    static char to[BYTES];
    char *used[64];
    for (unsigned i = 0; i < 64; i++)
        if ((used[i] = malloc(4 * BYTES)))
            memset(used[i], 0x33, 4 * BYTES);
    for (unsigned i = 0; i < 64; i++)
        free(used[i]);
    cl_mem fresh = app_buffer(a, 0, BYTES, NULL);
    app_read(a, fresh, 0, BYTES, to);
    clReleaseMemObject(fresh);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *make_ready(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* How often a wait ends, which threads that do not sleep have more often than others. */
static unsigned waits(void)
{
    pthread_t thread;
    unsigned n = 0;

    if (pthread_create(&thread, NULL, make_ready, NULL))
        return 0;
    pthread_mutex_lock(&mutex);
    for (; !ready; n++)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return n;
}

static int ending(struct app *a)
{
    FILE *file = fopen("left", "w");
    if (!file || fprintf(file, lie("file") ? "other\n" : "this\n") < 0 || fclose(file))
        return 1;
    if (!strcmp(what, "noisy"))
        printf("at %ld\n", (long)clock());
    if (!strcmp(what, "rare"))
        puts(lying || clock() % 2 ? "one" : "other");
    if (!strcmp(what, "woken"))
        puts(lying || waits() > 1 ? "woken" : "slept");
    puts(lie("stdout") ? "Done" : "done");
    a->ok = a->ok && !lie("status");
    if (lie("crash"))
        abort(); /* PoCL handles SIGSEGV */
    if (lie("hang"))
        pause();
    if (lie("leave") && !fork()) {
        setsid();
        sleep(20);
        _exit(0);
    }
    return a->ok ? 0 : 3;
}

int main(int argc, char **argv)
{
    struct app a;
    uint32_t words[WORDS], got[WORDS];
    const char *mode = getenv("CLWEAVE_MODE");
    what = argc > 1 ? argv[1] : "same";
    lying = mode && !strcmp(mode, "trace");
    app_open(&a, "liar", 0, source);
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = i;
    words[200] ^= lie("byte");
    words[201] ^= mode && !strcmp(what, "unwritten-byte");
    words[3] ^= lie("early") << 20;
    cl_mem buffer = app_buffer(&a, CL_MEM_COPY_HOST_PTR, BYTES, words);
    cl_kernel kernel = app_kernel(&a, "add");
    app_args(kernel, "muu", buffer, 7, 1);
    app_run(a.queue, kernel, WORDS, 0, 0, NULL, NULL);
    app_read(&a, buffer, lie("order") ? 64 : 0, 64, got);
    app_read(&a, buffer, lie("order") ? 0 : 64, 64, got);
    if (!strncmp(what, "unwritten", 9))
        read_unwritten(&a);
    if (!lie("missing"))
        app_read(&a, buffer, 0, BYTES, got);
    map_and_rectangle(&a, buffer);
    map_and_undo(&a);
    read_later(&a, buffer, kernel);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    return ending(&a);
}
