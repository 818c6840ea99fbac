/* first_touch - builds a program; with an argument it says whether a megabyte that is allocated then has
 * pages already: "ready" when most has. A bare build leaves freed memory behind; see kept.sh. */
#include "common.h"

#include <sys/resource.h>

#define BYTES (1u << 20)
#define PAGE  4096u

/* Of this thread: others of the process load and compile meanwhile. */
static long faults(void)
{
    struct rusage r;

    getrusage(RUSAGE_THREAD, &r);
    return r.ru_minflt;
}

/* So that there is something to manage. */
static void increment(struct app *a)
{
    cl_kernel one = app_kernel(a, "one");
    int x[64] = {0};
    cl_mem m = app_buffer(a, CL_MEM_READ_WRITE, sizeof x, NULL);
    size_t global = 64;

    APP_CHECK(clEnqueueWriteBuffer(a->queue, m, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
    app_args(one, "m", m);
    for (int i = 0; i < 8; i++)
        APP_CHECK(clEnqueueNDRangeKernel(a->queue, one, 1, NULL, &global, NULL, 0, NULL, NULL));
    app_read(a, m, 0, sizeof x, x);
    app_release_mems(&m, 1);
    APP_CHECK(clReleaseKernel(one));
}

int main(int argc, char **argv)
{
    struct app a;
    char *volatile block;
    long before;

    app_open(&a, "first_touch", 0, "__kernel void one(__global int *x) { x[get_global_id(0)] += 1; }\n");
    block = malloc(BYTES);
    before = faults();
    for (size_t i = 0; block && i < BYTES; i += PAGE)
        block[i] = 1;
    if (argc > 1)
        printf("%s: %s\n", argv[1], block && faults() - before < (long)(BYTES / PAGE / 4) ? "ready" : "cold");
    free(block);
    increment(&a);
    return app_close(&a);
}
