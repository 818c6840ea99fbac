/* places - maps buffers of one size, as kernels go through side by side. With an argument it checks where in
 * a page each begins (see places.sh): so far apart that element i of two buffers never shares a set of the
 * first cache. Bare they may lie anywhere. */
#include "common.h"

#include <stdint.h>

#define BUFFERS 5
#define PAGE    4096
#define APART   512

static void check_apart(const uintptr_t *at, size_t bytes)
{
    for (int i = 0; i < BUFFERS; i++)
        for (int j = 0; j < i; j++) {
            uintptr_t d = (at[i] - at[j]) % PAGE;

            if (d < APART || d > PAGE - APART) {
                printf("buffers %d and %d of %zu bytes begin %d bytes apart in their pages\n", j, i, bytes,
                       (int)d);
                exit(1);
            }
        }
}

static void look(struct app *a, size_t bytes, bool check)
{
    cl_mem m[BUFFERS];
    uintptr_t at[BUFFERS];
    cl_int err;

    for (int i = 0; i < BUFFERS; i++) {
        void *p;

        m[i] = app_buffer(a, CL_MEM_READ_WRITE, bytes, NULL);
        p = clEnqueueMapBuffer(a->queue, m[i], CL_TRUE, CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &err);
        APP_CHECK(err);
        at[i] = (uintptr_t)p;
        if (at[i] % 128) {
            printf("buffer %d of %zu bytes is not aligned for vectors\n", i, bytes);
            exit(1);
        }
        APP_CHECK(clEnqueueUnmapMemObject(a->queue, m[i], p, 0, NULL, NULL));
    }
    APP_CHECK(clFinish(a->queue));
    if (check)
        check_apart(at, bytes);
    app_release_mems(m, BUFFERS);
}

int main(int argc, char **argv)
{
    struct app a;

    (void)argv;
    app_open(&a, "places", 0, RM_SOURCE);
    look(&a, 1024, false); /* nothing to keep apart */
    look(&a, 16384, argc > 1);
    look(&a, 131072, argc > 1); /* glibc maps these on their own: all begin alike in their pages */
    look(&a, 1048576, argc > 1);
    return app_close(&a);
}
