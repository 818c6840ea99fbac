/* descriptors.c - a program that has used up its file descriptors goes on with kernels that it has
 * launched before: the vendor must not need descriptors that it would not need in the bare program. PoCL
 * ends the process where it finds none to compile or load a kernel. */
#include "common.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ITEMS = 16384, LOCAL = 64, LAUNCHES = 600, FILES = 64 };

static const char source[] = "__kernel void k(__global int *x, int v) {\n"
                             "    int i = get_global_id(0);\n"
                             "    x[i] = x[i] * 3 + v;\n"
                             "}\n";

int main(void)
{
    static cl_int words[ITEMS];
    struct rlimit few = {FILES, FILES};
    int files[FILES], n = 0, status;
    struct app a;
    cl_kernel k;
    cl_mem x;

    app_open(&a, "descriptors", 0, source);
    k = app_kernel(&a, "k");
    x = app_buffer(&a, CL_MEM_COPY_HOST_PTR, sizeof words, words);
    app_args(k, "mi", x, 0);
    app_run(a.queue, k, ITEMS, LOCAL, 0, NULL, NULL);
    APP_CHECK(clFinish(a.queue));
    setrlimit(RLIMIT_NOFILE, &few);
    while (n < FILES && (files[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    for (int i = 0; i < LAUNCHES; i++) {
        app_args(k, "mi", x, i);
        app_run(a.queue, k, ITEMS, LOCAL, 0, NULL, NULL);
        if (i % 50 == 0)
            APP_CHECK(clFinish(a.queue));
    }
    app_read(&a, x, 0, sizeof words, words);
    APP_CHECK(clReleaseMemObject(x));
    APP_CHECK(clReleaseKernel(k));
    status = app_close(&a);
    while (n) /* sanitizers look for leaks by files, and what is remembered of the run is written */
        close(files[--n]);
    return status;
}
