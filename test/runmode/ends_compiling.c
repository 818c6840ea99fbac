/* ends_compiling.c - programs that end while run mode has kernels of theirs compiled where they cannot know
 * of it. The compiler's own end must not meet that. Each case is a child process with kernels that no cache
 * knows; it takes its time behind the vendor's end.
 *
 * ends_compiling moments|some|long : at moments while helpers' programs are built, or some of them; a
 * compiler takes longer than the end of a process waits for commands, and for a kernel that may be endless,
 * on a device that compiles inside the enqueue. */
#include "common.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFERS      4
#define ROUNDS       40
#define DELAY_MS     10
#define LINES        16
#define LONG_LINES   100
#define UNDER_WAY_MS 200
#define STOPPED_MS   11000 /* longer than the end waits for a device that may be occupied for ever */

static struct app a;
static cl_kernel kernel;
static cl_mem x[BUFFERS];
static uint32_t words[4096];
static int lines = LINES;

/* The more lines, the longer a compiler takes. */
static const char *source(void)
{
    static char text[LONG_LINES * 32 + 512];
    int n = snprintf(text, sizeof text,
                     "uint wave(uint v) { float f = (float)(v & 1023u);\n"
                     "  return (uint)fabs(sin(f) * exp(-f) + pow(fabs(f), 1.5f) + cos(f * %d.0f)); }\n"
                     "kernel void k(global uint *x) { uint i = get_global_id(0), v = x[i];\n",
                     (int)getpid());

    for (int i = 0; i < lines; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "v = v * %du + wave(v);\n", i + 3);
    snprintf(text + n, sizeof text - (size_t)n, "x[i] = v; }\n");
    return text;
}

static void launch(unsigned i)
{
    app_args(kernel, "m", x[i % BUFFERS]);
    app_run(a.queue, kernel, 4096, 64, 0, NULL, NULL);
}

/* Waits for all that it has asked for, often enough that helpers are wanted, and ends a moment later. */
static void work(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        launch(i);
        APP_CHECK(clFinish(a.queue));
    }
    rm_sleep_ms(DELAY_MS);
}

static int by_main(void)
{
    work();
    return 3;
}

/* Bare, on a device that compiles and runs kernels inside the enqueue, that is over before the end. The
 * process stops for a while, as on a machine that has no processor time for it: a compiler at work comes no
 * further. */
static int unfinished(void)
{
    for (unsigned i = 0; i < BUFFERS; i++)
        launch(i);
    APP_CHECK(clFlush(a.queue));
    rm_sleep_ms(UNDER_WAY_MS);
    raise(SIGSTOP);
    return 6;
}

static void *ends(void *unused)
{
    (void)unused;
    work();
    exit(4);
}

static int by_another(void)
{
    pthread_t t;

    pthread_create(&t, NULL, ends, NULL);
    pthread_join(t, NULL);
    return 1;
}

/* The first thread leaves, and another one ends the process. */
static int first_leaves(void)
{
    pthread_t t;

    pthread_create(&t, NULL, ends, NULL);
    rm_sleep_ms(DELAY_MS);
    pthread_exit(NULL);
}

static void CL_CALLBACK leave(cl_event e, cl_int status, void *data)
{
    (void)e, (void)status, (void)data;
    rm_sleep_ms(DELAY_MS);
    exit(5);
}

static int in_callback(void)
{
    cl_event e;

    work();
    app_run(a.queue, kernel, 4096, 64, 0, NULL, &e);
    APP_CHECK(clSetEventCallback(e, CL_COMPLETE, leave, NULL));
    clFinish(a.queue);
    sleep(60);
    return 1;
}

static void last(void)
{
    rm_sleep_ms(lines == LONG_LINES ? 2000 : 200);
}

static void outcome(const char *what, int (*end)(void))
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(250);
        atexit(last);
        app_open(&a, "ends_compiling", 0, source());
        kernel = app_kernel(&a, "k");
        for (unsigned i = 0; i < BUFFERS; i++)
            x[i] = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof words, words);
        exit(end());
    }
    while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
        rm_sleep_ms(STOPPED_MS);
        kill(child, SIGCONT);
    }
    printf("%s: %s %d\n", what, WIFEXITED(status) ? "exit status" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "long")) {
        lines = LONG_LINES;
        outcome("unfinished", unfinished);
        return 0;
    }
    if (argc != 2 || (strcmp(argv[1], "moments") != 0 && strcmp(argv[1], "some") != 0))
        app_skip("ends_compiling", "takes long: ends_compiling.sh runs it");
    if (!strcmp(argv[1], "moments")) {
        outcome("by main", by_main);
        outcome("by another thread", by_another);
    }
    outcome("the first thread leaves", first_leaves);
    outcome("in a callback", in_callback);
    return 0;
}
